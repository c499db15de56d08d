import { overrideTarget, QUERY_FAILURES } from '../../../preload/contract/words/warehouse.ts';
import type { WarehouseService } from '../../app/causeway.ts';
import { CausewayError, sentences } from '../../platform/errors.ts';
import { ownMember } from '../../platform/own-member.ts';
import { didYouMean, similarNames } from '../../platform/similar-names.ts';
import { mentions, type UserOverride } from '../../warehouses/all-overrides.ts';
import { overrideLines } from '../../warehouses/bulk/files.ts';
import { describeOverride } from '../../warehouses/override-changes.ts';
import { type CommandContext, EXIT_UNKNOWN } from '../command.ts';
import { padded } from '../layout.ts';
import { printable, write, writeLine, writeNotice, writeStyledLine } from '../terminal.ts';
import {
  CHANGES,
  type Change,
  type ChangeOptions,
  type Owner,
  overrideAnswer,
  ownerFrom,
  prospectOf,
  writeOverride,
} from './change.ts';
import { type CommonOptions, describeWarehouse, openSession } from './options.ts';

export interface AllCommandOptions extends CommonOptions {
  dangling?: boolean;
  access?: boolean;
}

/** How many overrides were checked, how many were shown, and for how many it is unknown whether queries run. */
interface Tally {
  looked: number;
  shown: number;
  unknown: number;
  /** Of how many that name no warehouse it is unknown whose they are. */
  unknownOwners: number;
  lastSelected: number;
}

/**
 * `causeway warehouse all [FILTER]`: every user's override, printed as the pages arrive. `--dangling` looks who may use
 * what, and shows those whose queries will fail and those of whom it cannot be told: exit code 5 if there are any of these.
 */
export async function all(context: CommandContext, filter: string, options: AllCommandOptions): Promise<void> {
  const { warehouses } = await openSession(context, options);
  const withAccess = options.access === true || options.dangling === true;
  const tally: Tally = { looked: 0, shown: 0, unknown: 0, unknownOwners: 0, lastSelected: 0 };
  const rows = chosen(warehouses.allOverrides({ withAccess }, context.signal), filter, options, tally);
  if (options.json) for await (const some of overrideLines(rows)) await write(context.stdout, some);
  else for await (const row of rows) await writeStyledLine(context.stdout, describe(row), WHO_WIDTH + 2);
  if (options.dangling) await sayWhatIsUnknown(context, tally);
  if (options.json || tally.shown > 0) return;
  await writeNotice(context, nothingShown(tally, filter, options));
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
    if (row.warehouseId === null && row.dangling === null) {
      tally.lastSelected += 1;
      if (row.ownerKind === 'unknown') tally.unknownOwners += 1;
    }
    if (dangling && row.dangling === null && row.canUse !== 'unknown') continue;
    tally.shown += 1;
    yield row;
  }
}

/** Says for how many overrides it could not be determined whether queries run. */
async function sayWhatIsUnknown(
  context: CommandContext,
  { unknown, unknownOwners, lastSelected }: Tally,
): Promise<void> {
  if (unknown > 0) {
    context.setExitCode(EXIT_UNKNOWN);
    const of = unknown === 1 ? '1 override' : `${unknown} overrides`;
    await writeNotice(context, `Causeway could not check the user's permission for ${of}.`);
  }
  if (unknownOwners > 0) {
    context.setExitCode(EXIT_UNKNOWN);
    const of = unknownOwners === 1 ? '1 override' : `${unknownOwners} overrides`;
    await writeNotice(context, `Causeway could not read the owner of ${of}.`);
  }
  if (lastSelected > 0) {
    const which = lastSelected === 1 ? '1 override names' : `${lastSelected} overrides name`;
    await writeNotice(context, `${which} no warehouse. Only the workspace knows where those queries run.`);
  }
}

function nothingShown({ looked }: Tally, filter: string, { dangling }: AllCommandOptions): string {
  const fitting = filter === '' ? '' : printable(` that fits "${filter}"`);
  if (looked === 0) return `No user has an override${fitting}.`;
  if (!dangling) return 'No user has an override like that.';
  const which =
    looked === 1 ? `The one override${fitting} names no` : `None of the ${looked} overrides${fitting} names a`;
  return `${which} deleted or forbidden warehouse, and no owner is deleted or deactivated.`;
}

const WHO_WIDTH = 36;

function describe(override: UserOverride): string {
  const { userId, userName, displayName, ownerKind, dangling, canUse } = override;
  const isPrincipal = ownerKind === 'service-principal';
  const who = isPrincipal ? `${displayName || userName} (service principal)` : userName || userId;
  const doubt = canUse === 'unknown' ? "  ? the user's permission could not be checked" : '';
  const problem = dangling === null ? doubt : `  ! ${QUERY_FAILURES[dangling].command}`;
  return printable(`${padded(who, WHO_WIDTH)}  ${overrideTarget(override)}${problem}`);
}

/** `causeway warehouse for USER [show|set|last-selected|clear] [NAME-OR-ID]`: another user's override, for admins. */
export async function forUser(
  context: CommandContext,
  user: string,
  verb: string,
  name: string,
  options: ChangeOptions,
): Promise<void> {
  const change = verb === 'show' ? undefined : ownMember<Change>(CHANGES, verb);
  if (verb !== 'show' && !change) {
    const verbs = ['show', ...Object.keys(CHANGES)];
    const remedy = sentences(didYouMean(similarNames(verb, verbs)), `Use one of ${verbs.join(', ')}.`);
    throw new CausewayError('usage', `"${verb}" is not supported for another user.`, { remedy });
  }
  if ((verb === 'set') !== (name !== '')) {
    const message = verb === 'set' ? 'No warehouse was named.' : `"${verb}" takes no warehouse.`;
    throw new CausewayError('usage', message, {
      remedy: 'Only "set" takes one: causeway warehouse for USER set NAME-OR-ID',
    });
  }
  const session = await openSession(context, options);
  const owner = ownerFrom(await session.warehouses.findUser(user, context.signal));
  if (change) await change({ context, session, owner, options }, name);
  else await showOverride(context, session.warehouses, owner, options);
}

async function showOverride(
  context: CommandContext,
  warehouses: WarehouseService,
  owner: Owner,
  options: CommonOptions,
): Promise<void> {
  const { stdout, signal } = context;
  const record = await warehouses.operations.find(owner.id, signal);
  const target = record?.warehouse_id;
  const all = target === undefined ? [] : await warehouses.list(signal);
  const warehouse = all.find(({ id }) => id === target);
  if (options.json) {
    const override = record && overrideAnswer(record, owner.user ?? null, warehouse?.name ?? null);
    return writeOverride(context, { override, change: null, place: null, warning: null });
  }
  await writeLine(stdout, `${owner.name} (${owner.id}) has ${printable(describeOverride(record))}.`);
  if (target === undefined) return;
  const what = warehouse ? describeWarehouse(warehouse) : 'a warehouse that no longer exists: their queries will fail';
  await writeLine(stdout, `  ${printable(target)} is ${what}.`);
  if (warehouse === undefined) return;
  const canUse = await warehouses.canUse(owner.id, target, signal);
  const { fails, doubt } = prospectOf({ ...warehouse, canUse }, owner);
  if (fails) await writeLine(stdout, `  Their queries will fail: ${printable(fails)}.`);
  else if (doubt) await writeLine(stdout, `  ${doubt}`);
}
