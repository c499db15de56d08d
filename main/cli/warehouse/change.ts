import { whyQueriesFail } from '../../../preload/contract/words/warehouse.ts';
import type { WorkspaceSession } from '../../app/causeway.ts';
import { CausewayError, sentences } from '../../platform/errors.ts';
import type { WarehouseSummary } from '../../warehouses/directory.ts';
import type { UserSummary } from '../../warehouses/users.ts';
import { type OverrideFields, type OverrideRecord, ownerOf } from '../../workspace/overrides.ts';
import type { Answer } from '../answers/answers.ts';
import { inPlace, placeAnswer, placeOf, sayWhere } from '../changed-where.ts';
import type { CommandContext } from '../command.ts';
import { agreeOrCancel } from '../question.ts';
import { printable, writeAnswer, writeDone, writeLine } from '../terminal.ts';
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
  /** Undefined for the signed-in user. */
  user?: UserSummary;
}

const YOU: Owner = {
  id: 'me',
  name: 'You',
  you: 'you',
  your: 'your',
  override: 'Your override',
  queries: 'Your queries',
};

export function ownerFrom(user: UserSummary): Owner {
  const { id, displayName, userName } = user;
  const known = displayName === userName ? userName : `${displayName} <${userName}>`;
  const name = userName === '' && displayName === '' ? `user ${id}` : printable(known);
  const of = { override: `The override of ${name}`, queries: `The queries of ${name}` };
  return { id, name, you: 'they', your: 'their', ...of, user };
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
  await agreeOrCancel(context, `${what} ${inPlace(await placeOf(context, session))}?`);
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
  await store(request, { type: 'CUSTOM', warehouse_id: found.id }, done, found.name);
}

async function setLastSelected(request: Request): Promise<void> {
  const { name, queries, you } = request.owner;
  await askAboutOther(request, `Run the queries of ${name} on the warehouse that they last selected`);
  await store(request, { type: 'LAST_SELECTED' }, `${queries} now run on the warehouse that ${you} last selected.`);
}

async function clear(request: Request): Promise<void> {
  const { context, session, owner, options } = request;
  await askAboutOther(request, `Remove the override of ${owner.name}`);
  const change = await session.warehouses.clearOverride(owner.id, context.signal);
  const place = await placeOf(context, session);
  if (options.json) await writeOverride(context, { override: null, change, place: placeAnswer(place), warning: null });
  else await writeDone(context, cleared(change, owner));
  if (change === 'cleared') await sayWhere(context, place);
}

/** What `warehouse set`, `last-selected`, `clear` and `for` print with `--json`. */
export function writeOverride(context: CommandContext, answer: Answer<'warehouse for'>): Promise<void> {
  return writeAnswer(context, 'warehouse for', answer);
}

/** An override as all commands print it. */
export function overrideAnswer(
  record: OverrideRecord,
  user: UserSummary | null,
  warehouseName: string | null,
): NonNullable<Answer<'warehouse for'>['override']> {
  const { type, warehouse_id: warehouseId = null } = record;
  const { userName = '', displayName = '' } = user ?? {};
  return { userId: ownerOf(record), userName, displayName, type, warehouseId, warehouseName };
}

function cleared(outcome: 'cleared' | 'had-none', owner: Owner): string {
  const done = outcome === 'cleared' ? `${owner.override} is removed` : `${owner.name} had no override`;
  return `${done}: ${owner.your} queries run on the workspace default.`;
}

/** Stores an override, and prints what the workspace holds now; on stderr that it could not be read back. */
async function store(
  { context, session, owner, options }: Request,
  fields: OverrideFields,
  done: string,
  warehouseName: string | null = null,
): Promise<void> {
  const { record, unverified } = await session.warehouses.setOverride(owner.id, fields, context.signal);
  const place = await placeOf(context, session);
  if (options.json) {
    const override = overrideAnswer(record, owner.user ?? place.user, warehouseName);
    const warning = unverified ?? null;
    await writeOverride(context, { override, change: 'set', place: placeAnswer(place), warning });
  } else {
    await writeDone(context, done);
    const target = record.warehouse_id ? ` ${record.warehouse_id}` : '';
    await writeDone(context, `  stored: ${record.name} ${record.type}${target}`);
  }
  await sayWhere(context, place);
  if (unverified !== undefined) await writeLine(context.stderr, `causeway: ${printable(unverified)}`);
}
