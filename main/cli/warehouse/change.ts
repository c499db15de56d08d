import { whyQueriesFail } from '../../../preload/contract/words/warehouse.ts';
import type { WorkspaceSession } from '../../app/causeway.ts';
import { CausewayError, sentences } from '../../platform/errors.ts';
import type { WarehouseSummary } from '../../warehouses/directory.ts';
import type { UserSummary } from '../../warehouses/users.ts';
import type { OverrideFields } from '../../workspace/overrides.ts';
import { sayWhere, whereAndAsWhom } from '../changed-where.ts';
import type { CommandContext } from '../command.ts';
import { agreeOrCancel, printable, writeJson, writeLine } from '../terminal.ts';
import { type CommonOptions, describeWarehouse, findWarehouse, openSession } from './options.ts';

export interface ChangeOptions extends CommonOptions {
  force?: boolean;
  /** Do not ask before another user's override is changed. */
  yes?: boolean;
}

/** Whose override is changed, and how messages speak of it. */
export interface Owner {
  /** `me` or a numeric user id. */
  id: string;
  /** `You`, or a name as it may be printed. */
  name: string;
  you: 'you' | 'they';
  your: 'your' | 'their';
  override: string;
  queries: string;
}

const YOU: Owner = {
  id: 'me',
  name: 'You',
  you: 'you',
  your: 'your',
  override: 'Your override',
  queries: 'Your queries',
};

export function ownerFrom({ id, displayName, userName }: UserSummary): Owner {
  const known = displayName === userName ? userName : `${displayName} <${userName}>`;
  const name = userName === '' && displayName === '' ? `user ${id}` : printable(known);
  const of = { override: `The override of ${name}`, queries: `The queries of ${name}` };
  return { id, name, you: 'they', your: 'their', ...of };
}

/** Why an owner's queries on a warehouse fail, or a doubt about that, as a sentence; empty if they run. */
export function prospectOf(warehouse: WarehouseSummary, { id, name, you }: Owner): { fails?: string; doubt?: string } {
  const fails = whyQueriesFail(warehouse, id === 'me' ? 'You do' : `${name} does`);
  if (fails !== undefined) return { fails };
  return warehouse.canUse === 'unknown' ? { doubt: `Causeway could not check whether ${you} may use it.` } : {};
}

interface Request {
  context: CommandContext;
  session: WorkspaceSession;
  owner: Owner;
  options: ChangeOptions;
}

/** `causeway warehouse set|last-selected|clear`: changes the user's own override. */
export async function changeOwn(
  context: CommandContext,
  verb: keyof typeof CHANGES,
  name: string,
  options: ChangeOptions,
): Promise<void> {
  const session = await openSession(context, options);
  await CHANGES[verb]({ context, session, owner: YOU, options }, name);
}

export type Change = (request: Request, name: string) => Promise<void>;

export const CHANGES = { set: setWarehouse, 'last-selected': setLastSelected, clear };

/** Asks before another user's override is changed. One's own is changed without a question. */
async function askAboutOther({ context, session, owner, options }: Request, what: string): Promise<void> {
  if (owner.id === 'me' || options.yes) return;
  await agreeOrCancel(context, `${what} ${await whereAndAsWhom(context, session)}?`);
}

/** Makes queries run on a warehouse. One on which they would fail is refused, unless it is forced. */
async function setWarehouse(request: Request, text: string): Promise<void> {
  const { context, owner, options } = request;
  const { warehouses } = request.session;
  const { id, override, queries, your } = owner;
  const found = await findWarehouse(warehouses, text, context.signal);
  const canUse = id === 'me' ? found.canUse : await warehouses.canUse(id, found.id, context.signal);
  const { fails, doubt } = prospectOf({ ...found, canUse }, owner);
  if (fails !== undefined && !options.force) {
    const first = canUse === false ? 'Ask for the permission' : 'Choose another one';
    const remedy = `Nothing was changed. ${first}, or pass --force to set it anyway.`;
    throw new CausewayError('permission_denied', `${fails}: queries would fail.`, { remedy });
  }
  const target = describeWarehouse(found);
  const done = fails
    ? `${override} now names ${target}, but ${your} queries will fail: ${printable(fails)}.`
    : sentences(`${queries} now run on ${target}.`, doubt);
  await askAboutOther(request, `Run the queries of ${owner.name} on ${target}`);
  await store(request, { type: 'CUSTOM', warehouse_id: found.id }, done);
}

async function setLastSelected(request: Request): Promise<void> {
  const { name, queries, you } = request.owner;
  await askAboutOther(request, `Run the queries of ${name} on the warehouse that they last selected`);
  await store(request, { type: 'LAST_SELECTED' }, `${queries} now run on the warehouse that ${you} last selected.`);
}

async function clear(request: Request): Promise<void> {
  const { context, session, owner, options } = request;
  await askAboutOther(request, `Remove the override of ${owner.name}`);
  const outcome = await session.warehouses.clearOverride(owner.id, context.signal);
  if (options.json) await writeJson(context.stdout, { outcome });
  else await writeLine(context.stdout, cleared(outcome, owner));
  if (outcome === 'cleared') await sayWhere(context, session);
}

function cleared(outcome: 'cleared' | 'had-none', owner: Owner): string {
  const done = outcome === 'cleared' ? `${owner.override} is removed` : `${owner.name} had no override`;
  return `${done}: ${owner.your} queries run on the workspace default.`;
}

/** Stores an override, and prints what the workspace holds now; on stderr that it could not be read back. */
async function store({ context, session, owner, options }: Request, fields: OverrideFields, done: string) {
  const { stdout, stderr, signal } = context;
  const { record, unverified } = await session.warehouses.setOverride(owner.id, fields, signal);
  if (options.json) await writeJson(stdout, record);
  else {
    await writeLine(stdout, done);
    const target = record.warehouse_id ? ` ${record.warehouse_id}` : '';
    await writeLine(stdout, `  stored: ${record.name} ${record.type}${target}`);
  }
  await sayWhere(context, session);
  if (unverified !== undefined) await writeLine(stderr, `causeway: ${printable(unverified)}`);
}
