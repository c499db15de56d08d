import { ERROR_FACTS } from '../../preload/contract/error-facts.ts';
import type { Profile } from '../auth/auth.ts';
import { CausewayError } from '../platform/errors.ts';
import type { RestClient } from '../workspace/client.ts';
import type { OverrideRecord } from '../workspace/overrides.ts';
import { gather } from '../workspace/paging.ts';
import type { ScimUser } from '../workspace/scim.ts';
import type { Warehouse } from '../workspace/warehouses.ts';
import type { SeenWarehouse } from './seen-warehouse.ts';

/** One thing that was asked of the workspace: there, not there, or not readable and why. */
export type Reading<T> = { kind: 'known'; value: T } | { kind: 'none' } | { kind: 'unreadable'; error: CausewayError };

/** Where the workspace default was read: the admin setting, or the `default` id, which might echo the caller's override. */
interface WorkspaceDefault {
  id: string;
  readFrom: 'setting' | 'default-id';
}

/** Everything that the effective warehouse is worked out from, as the workspace gave it at one moment. */
export interface Readings {
  profile: Profile;
  user: Reading<ScimUser>;
  override: Reading<OverrideRecord>;
  workspaceDefault: Reading<WorkspaceDefault>;
  /** What the caller can see, in the workspace's order. */
  visible: Reading<Warehouse[]>;
  /** The ids of what the caller may run queries on. */
  usable: Reading<Set<string>>;
  /** Warehouses that are named by the override or the default but were not in the list. */
  named: Map<string, Reading<Warehouse>>;
  /** Where a query of the user's ran last, by the query history. */
  seen?: SeenWarehouse | undefined;
}

/**
 * Asks for everything at once.
 * @throws {CausewayError} what concerns every request alike, or the first failure if nothing at all could be read
 */
export async function takeReadings(client: RestClient, signal?: AbortSignal): Promise<Readings> {
  const { overrides, warehouses, users, settings, rest } = client;
  const [user, override, setting, defaultId, visible, usable] = await Promise.all([
    read(users.me(signal).then((me) => me.user)),
    read(overrides.get('me', signal)),
    read(settings.defaultWarehouseId(signal)),
    read(warehouses.getDefault(signal)),
    read(gather(warehouses.list({}, signal))),
    read(gather(warehouses.list({ usableOnly: true }, signal))),
  ]);
  throwIfNothing([override, visible, usable]);
  const workspaceDefault = defaultFrom(setting, defaultId);
  const usableIds: Reading<Set<string>> =
    usable.kind === 'known' ? { kind: 'known', value: new Set(usable.value.map(({ id }) => id)) } : usable;
  const named = await readNamed(client, { override, workspaceDefault, visible }, signal);
  return { profile: rest.profile, user, override, workspaceDefault, visible, usable: usableIds, named };
}

/**
 * What may differ a moment later: the override, the warehouses with their states, and the workspace default where it
 * decides. Who the user is and which warehouses they may use are as they were read before. Where an override, a warehouse
 * or an answer has come or gone, everything is read again.
 * @throws {CausewayError} as `takeReadings`
 */
export async function takeReadingsAgain(
  client: RestClient,
  earlier: Readings,
  signal?: AbortSignal,
): Promise<Readings> {
  if (!canFollow(earlier)) return takeReadings(client, signal);
  const { overrides, warehouses } = client;
  const [override, visible, workspaceDefault] = await Promise.all([
    read(overrides.get('me', signal)),
    read(gather(warehouses.list({}, signal))),
    defaultAgain(client, earlier, signal),
  ]);
  const isSame = isSameOverride(override, earlier.override) && areSameWarehouses(visible, earlier.visible);
  if (!isSame || workspaceDefault === undefined) return takeReadings(client, signal);
  const now = { override, visible, workspaceDefault };
  return { ...earlier, ...now, named: await readNamed(client, now, signal) };
}

/** Whether all was read that is taken over, and the answer depends on nothing that would be asked for in vain. */
function canFollow({ user, usable, visible, override, workspaceDefault }: Readings): boolean {
  const isDecided = override.kind === 'known' || (override.kind === 'none' && workspaceDefault.kind === 'known');
  return isDecided && [user, usable, visible].every(({ kind }) => kind === 'known');
}

/** The default if an override precedes it, as it was; else from where it was found; undefined if it no longer exists. */
async function defaultAgain(
  { settings, warehouses }: RestClient,
  { override, workspaceDefault: earlier }: Readings,
  signal?: AbortSignal,
): Promise<Readings['workspaceDefault'] | undefined> {
  if (override.kind === 'known') return earlier;
  if (earlier.kind !== 'known') return undefined;
  const { readFrom } = earlier.value;
  const found = await read<string | null>(
    readFrom === 'setting' ? settings.defaultWarehouseId(signal) : warehouses.getDefault(signal).then(({ id }) => id),
  );
  if (found.kind !== 'known' || found.value === null) return undefined;
  return { kind: 'known', value: { id: found.value, readFrom } };
}

function isSameOverride(a: Reading<OverrideRecord>, b: Reading<OverrideRecord>): boolean {
  if (a.kind !== 'known' || b.kind !== 'known') return a.kind === b.kind && a.kind === 'none';
  return a.value.type === b.value.type && a.value.warehouse_id === b.value.warehouse_id;
}

function areSameWarehouses(a: Reading<Warehouse[]>, b: Reading<Warehouse[]>): boolean {
  if (a.kind !== 'known' || b.kind !== 'known' || a.value.length !== b.value.length) return false;
  const ids = new Set(b.value.map(({ id }) => id));
  return a.value.every(({ id }) => ids.has(id));
}

/** Turns a request into a reading. A 404 means "none" unless it is the API itself that is missing. */
async function read<T>(request: Promise<T>): Promise<Reading<T>> {
  try {
    return { kind: 'known', value: await request };
  } catch (error) {
    // What concerns every request (signed out, unreachable, …) is thrown.
    if (!(error instanceof CausewayError) || ERROR_FACTS[error.code].concerns === 'all') throw error;
    if (error.code === 'not_found') return { kind: 'none' };
    return { kind: 'unreadable', error };
  }
}

/**
 * The admin setting settles it. The `default` id is a convention that is not everywhere yet, so its absence proves
 * nothing.
 */
function defaultFrom(setting: Reading<string | null>, defaultId: Reading<Warehouse>): Reading<WorkspaceDefault> {
  if (setting.kind === 'known') {
    if (setting.value === null) return { kind: 'none' };
    return { kind: 'known', value: { id: setting.value, readFrom: 'setting' } };
  }
  if (setting.kind === 'none') return { kind: 'none' };
  if (defaultId.kind === 'known') return { kind: 'known', value: { id: defaultId.value.id, readFrom: 'default-id' } };
  if (defaultId.kind === 'unreadable') return defaultId;
  const error = new CausewayError('permission_denied', 'Only workspace admins can read the workspace default here.');
  return { kind: 'unreadable', error };
}

async function readNamed(
  client: RestClient,
  { override, workspaceDefault, visible }: Pick<Readings, 'override' | 'workspaceDefault' | 'visible'>,
  signal?: AbortSignal,
): Promise<Readings['named']> {
  const ids = new Set<string>();
  if (override.kind === 'known' && override.value.warehouse_id) ids.add(override.value.warehouse_id);
  if (workspaceDefault.kind === 'known') ids.add(workspaceDefault.value.id);
  if (visible.kind === 'known') for (const { id } of visible.value) ids.delete(id);
  const readings = [...ids].map(async (id) => [id, await read(client.warehouses.get(id, signal))] as const);
  return new Map(await Promise.all(readings));
}

function throwIfNothing(readings: Reading<unknown>[]): void {
  const unreadable = readings.filter((reading) => reading.kind === 'unreadable');
  const [first] = unreadable;
  if (first && unreadable.length === readings.length) throw first.error;
}
