import type { WorkspaceSession } from '../../app/causeway.ts';
import { CausewayError, sentences } from '../../platform/errors.ts';
import { mentions, type UserOverride } from '../../warehouses/all-overrides.ts';
import { describeOverride } from '../../warehouses/override-changes.ts';
import type { UserSummary } from '../../warehouses/users.ts';
import { type CommandContext, EXIT_UNKNOWN } from '../command.ts';
import { printable, writeJson, writeJsonArray, writeLine } from '../terminal.ts';
import {
  accessDoubt,
  type CommonOptions,
  findWarehouse,
  openSession,
  refuseUnusable,
  type Whose,
  whyQueriesFail,
} from './options.ts';
import { describeWarehouse, printOverrideChange, type SetOptions } from './own.ts';

export interface AllCommandOptions extends CommonOptions {
  dangling?: boolean;
  access?: boolean;
}

const DANGLING = {
  'warehouse-gone': 'the warehouse was deleted',
  deleting: 'the warehouse is being deleted',
  'cannot-use': 'the user may not use it',
} as const;

/** How many overrides were checked, how many were shown, and for how many it is unknown whether queries run. */
interface Tally {
  looked: number;
  shown: number;
  unknown: number;
  lastSelected: number;
}

/**
 * `causeway warehouse all [FILTER]`: every user's override, printed as the pages arrive. `--dangling` looks who may use
 * what, and shows those whose queries will fail and those of whom it cannot be told: exit code 5 if there are any of these.
 */
export async function all(context: CommandContext, filter: string, options: AllCommandOptions): Promise<void> {
  const { warehouses } = await openSession(context, options);
  const withAccess = options.access === true || options.dangling === true;
  const tally: Tally = { looked: 0, shown: 0, unknown: 0, lastSelected: 0 };
  const rows = chosen(warehouses.admin.all({ withAccess }, context.signal), filter, options, tally);
  if (options.json) await writeJsonArray(context.stdout, rows);
  else for await (const row of rows) await writeLine(context.stdout, describe(row));
  if (options.dangling) await sayWhatIsUnknown(context, tally);
  if (options.json || tally.shown > 0) return;
  await writeLine(context.stderr, nothingShown(tally, filter, options));
}

async function* chosen(
  rows: AsyncIterable<UserOverride>,
  filter: string,
  { dangling }: AllCommandOptions,
  tally: Tally,
): AsyncGenerator<UserOverride> {
  for await (const row of rows) {
    if (!mentions(row, filter)) continue;
    tally.looked += 1;
    if (row.canUse === 'unknown') tally.unknown += 1;
    if (row.warehouseId === null) tally.lastSelected += 1;
    if (dangling && row.dangling === null && row.canUse !== 'unknown') continue;
    tally.shown += 1;
    yield row;
  }
}

/** Says for how many overrides it could not be determined whether queries run. */
async function sayWhatIsUnknown(context: CommandContext, { unknown, lastSelected }: Tally): Promise<void> {
  if (unknown > 0) {
    context.setExitCode(EXIT_UNKNOWN);
    const of = unknown === 1 ? '1 override' : `${unknown} overrides`;
    await writeLine(context.stderr, `Causeway could not check the user's permission for ${of}.`);
  }
  if (lastSelected > 0) {
    const which = lastSelected === 1 ? '1 override names' : `${lastSelected} overrides name`;
    await writeLine(context.stderr, `${which} no warehouse. Only the workspace knows where those queries run.`);
  }
}

function nothingShown({ looked }: Tally, filter: string, { dangling }: AllCommandOptions): string {
  const fitting = filter === '' ? '' : printable(` that fits "${filter}"`);
  if (looked === 0) return `No user has an override${fitting}.`;
  if (!dangling) return 'No user has an override like that.';
  const which =
    looked === 1 ? `The one override${fitting} names no` : `None of the ${looked} overrides${fitting} names a`;
  return `${which} deleted or forbidden warehouse.`;
}

function describe({ userId, userName, type, warehouseId, warehouseName, dangling, canUse }: UserOverride): string {
  const target = type === 'CUSTOM' ? (warehouseName ?? warehouseId ?? '') : type.toLowerCase().replace('_', ' ');
  const doubt = canUse === 'unknown' ? "  ? the user's permission could not be checked" : '';
  const problem = dangling === null ? doubt : `  ! ${DANGLING[dangling]}`;
  return printable(`${(userName || userId).padEnd(36)}  ${target}${problem}`);
}

interface Request {
  context: CommandContext;
  session: WorkspaceSession;
  person: UserSummary;
  who: string;
  name: string;
  options: SetOptions;
}

const VERBS: Record<string, (request: Request) => Promise<void>> = {
  show: showOverride,
  set: setOverride,
  'last-selected': setLastSelected,
  clear: clearOverride,
};

/** `causeway warehouse for USER [show|set|last-selected|clear] [NAME-OR-ID]`: another user's override, for admins. */
export async function forUser(
  context: CommandContext,
  user: string,
  verb: string,
  name: string,
  options: SetOptions,
): Promise<void> {
  const run = VERBS[verb];
  if (!run) {
    const remedy = `Use one of ${Object.keys(VERBS).join(', ')}.`;
    throw new CausewayError('usage', `"${verb}" is not supported for another user.`, { remedy });
  }
  if ((verb === 'set') !== (name !== '')) {
    const message = verb === 'set' ? 'No warehouse was named.' : `"${verb}" takes no warehouse.`;
    throw new CausewayError('usage', message, {
      remedy: 'Only "set" takes one: causeway warehouse for USER set NAME-OR-ID',
    });
  }
  const session = await openSession(context, options);
  const person = await session.warehouses.admin.findUser(user, context.signal);
  const who = printable(
    person.displayName === person.userName ? person.userName : `${person.displayName} <${person.userName}>`,
  );
  await run({ context, session, person, who, name, options });
}

async function showOverride({ context, session, person, who, options }: Request): Promise<void> {
  const record = await session.warehouses.admin.override(person.id, context.signal);
  if (options.json) return writeJson(context.stdout, record);
  await writeLine(context.stdout, `${who} (${person.id}) has ${printable(describeOverride(record))}.`);
  const target = record?.warehouse_id;
  if (target === undefined) return;
  const [all, canUse] = await Promise.all([
    session.warehouses.list(context.signal),
    session.warehouses.admin.canUse(person.id, target, context.signal),
  ]);
  const warehouse = all.find(({ id }) => id === target);
  const words = warehouse ? describeWarehouse(warehouse) : 'a warehouse that no longer exists: their queries will fail';
  await writeLine(context.stdout, `  ${printable(target)} is ${words}.`);
  if (!warehouse) return;
  const failing = whyQueriesFail(warehouse, canUse, whoseOf(who));
  if (failing) await writeLine(context.stdout, `  Their queries will fail: ${failing}.`);
  else if (canUse === 'unknown') await writeLine(context.stdout, `  ${accessDoubt(canUse, 'they')}`);
}

const whoseOf = (who: string): Whose => ({ name: who, do: 'does' });

async function setOverride({ context, session, person, who, name, options }: Request): Promise<void> {
  const { admin } = session.warehouses;
  const warehouse = await findWarehouse(session, name, context.signal);
  const canUse = await admin.canUse(person.id, warehouse.id, context.signal);
  refuseUnusable(warehouse, canUse, whoseOf(who), options.force);
  const fields = { type: 'CUSTOM', warehouse_id: warehouse.id };
  const stored = await admin.setOverride(person.id, fields, context.signal);
  const failing = whyQueriesFail(warehouse, canUse, whoseOf(who));
  const words = failing
    ? `The override of ${who} now names ${describeWarehouse(warehouse)}, but their queries will fail: ${printable(failing)}.`
    : sentences(`The queries of ${who} now run on ${describeWarehouse(warehouse)}.`, accessDoubt(canUse, 'they'));
  await printOverrideChange(context, options, stored, words);
}

async function setLastSelected({ context, session, person, who, options }: Request): Promise<void> {
  const stored = await session.warehouses.admin.setOverride(person.id, { type: 'LAST_SELECTED' }, context.signal);
  await printOverrideChange(
    context,
    options,
    stored,
    `The queries of ${who} now run on the warehouse that they last selected.`,
  );
}

async function clearOverride({ context, session, person, who, options }: Request): Promise<void> {
  const outcome = await session.warehouses.admin.clearOverride(person.id, context.signal);
  if (options.json) return writeJson(context.stdout, { outcome });
  const words = outcome === 'cleared' ? `The override of ${who} is removed` : `${who} had no override`;
  await writeLine(context.stdout, `${words}: their queries run on the workspace default.`);
}
