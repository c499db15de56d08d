import { isGone } from '../../preload/contract/words/warehouse.ts';
import { CausewayError } from '../platform/errors.ts';
import { inOneLine } from '../words/failure.ts';
import type { RestClient } from '../workspace/client.ts';
import { WorkspaceError } from '../workspace/errors.ts';
import type { Warehouse } from '../workspace/warehouses.ts';

/** What `get-default-warehouse` of the Databricks CLI would answer, and by which of its rules. */
export interface CliDefault {
  id: string;
  name: string;
  state: string;
  rule: 'environment' | 'override' | 'workspace-default' | 'first-usable';
  /** Why a CUSTOM override did not decide: the error that the original passes over in silence. Left out if none was met. */
  passedOver?: string;
}

const PREFERENCE = ['RUNNING', 'STARTING', 'STOPPED', 'STOPPING'];

/**
 * The second resolver (spec/default-warehouse-override.md › Verification layers, 2): the environment's
 * DATABRICKS_WAREHOUSE_ID; a CUSTOM override whose warehouse is there; the `default` id; the first usable one by state
 * and name. It looks things up in its own way, and skips LAST_SELECTED: a second opinion, no proof.
 * @throws {CausewayError} `not_found` if there is no usable warehouse; whatever is fatal to the original, too
 */
export async function cliDefault(
  client: Pick<RestClient, 'overrides' | 'warehouses'>,
  env: NodeJS.ProcessEnv,
  signal?: AbortSignal,
): Promise<CliDefault> {
  const fromEnvironment = env.DATABRICKS_WAREHOUSE_ID;
  if (fromEnvironment) return answer('environment', await client.warehouses.get(fromEnvironment, signal));
  const { target, passedOver } = await overrideTarget(client, signal);
  if (target) return answer('override', target);
  const fallback = await withoutOverride(client, signal);
  return passedOver === undefined ? fallback : { ...fallback, passedOver };
}

async function withoutOverride(client: Pick<RestClient, 'warehouses'>, signal?: AbortSignal): Promise<CliDefault> {
  const fromDefault = await orIfRefused(client.warehouses.getDefault(signal));
  if (fromDefault) return answer('workspace-default', fromDefault);
  const [first] = (await client.warehouses.firstUsable(signal))
    .filter(({ state }) => !isGone(state))
    .sort(byPreference);
  if (first) return answer('first-usable', first);
  throw new CausewayError('not_found', 'No warehouse is available to you.', {
    remedy: 'Ask a workspace admin for CAN USE on a warehouse.',
  });
}

function answer(rule: CliDefault['rule'], { id, name, state }: Warehouse): CliDefault {
  return { id, name, state, rule };
}

/** As in the original, every failure on this way counts as no override; only an interruption ends it. */
async function overrideTarget(
  { overrides, warehouses }: Pick<RestClient, 'overrides' | 'warehouses'>,
  signal?: AbortSignal,
): Promise<{ target?: Warehouse; passedOver?: string }> {
  try {
    const { type, warehouse_id: id } = await overrides.get('me', signal);
    if (type !== 'CUSTOM' || !id) return {};
    const warehouse = await warehouses.get(id, signal);
    return isGone(warehouse.state) ? {} : { target: warehouse };
  } catch (error) {
    signal?.throwIfAborted();
    if (!(error instanceof CausewayError)) throw error;
    return error.code === 'not_found' ? {} : { passedOver: inOneLine(error) };
  }
}

async function orIfRefused(request: Promise<Warehouse>): Promise<Warehouse | undefined> {
  try {
    return await request;
  } catch (error) {
    if (error instanceof WorkspaceError && error.status !== undefined && error.status >= 400 && error.status < 500) {
      return undefined;
    }
    throw error;
  }
}

function byPreference(a: Warehouse, b: Warehouse): number {
  return rank(a) - rank(b) || compare(a.name.toLowerCase(), b.name.toLowerCase());
}

function rank({ state }: Warehouse): number {
  const index = PREFERENCE.indexOf(state);
  return index === -1 ? PREFERENCE.length : index;
}

function compare(a: string, b: string): number {
  return a < b ? -1 : Number(a > b);
}
