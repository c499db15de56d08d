import type { WorkspaceSession } from '../../causeway.ts';
import { CausewayError } from '../../platform/errors.ts';
import { sentences } from '../../platform/sentences.ts';
import { describeOverride } from '../../warehouses/override-changes.ts';
import type { Person } from '../../warehouses/people.ts';
import type { CommandContext } from '../command.ts';
import { printable, writeJson, writeLine } from '../print.ts';
import { report, type SetOptions } from './change.ts';
import { describeWarehouse } from './describe.ts';
import { accessDoubt, findWarehouse, openSession, refuseUnusable, type Whose, whyQueriesFail } from './options.ts';

interface Request {
  context: CommandContext;
  session: WorkspaceSession;
  person: Person;
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

/** `causeway warehouse for USER [show|set|last-selected|clear] [NAME-OR-ID]`: what an admin does for another user. */
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
    throw new CausewayError('usage', `"${verb}" is nothing that can be done for a user.`, { remedy });
  }
  if ((verb === 'set') !== (name !== '')) {
    const message = verb === 'set' ? 'Which warehouse is missing.' : `"${verb}" takes no warehouse.`;
    throw new CausewayError('usage', message, { remedy: 'causeway warehouse for USER set NAME-OR-ID' });
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
  const words = warehouse
    ? describeWarehouse(warehouse)
    : 'a warehouse that does not exist any more: their queries will fail';
  await writeLine(context.stdout, `  ${printable(target)} is ${words}.`);
  if (!warehouse) return;
  const failing = whyQueriesFail(warehouse, canUse, whoseOf(who));
  if (failing) await writeLine(context.stdout, printable(`  Their queries will fail: ${failing}.`));
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
  await report(context, options, stored, words);
}

async function setLastSelected({ context, session, person, who, options }: Request): Promise<void> {
  const stored = await session.warehouses.admin.setOverride(person.id, { type: 'LAST_SELECTED' }, context.signal);
  await report(context, options, stored, `The queries of ${who} now run on the warehouse that they picked last.`);
}

async function clearOverride({ context, session, person, who, options }: Request): Promise<void> {
  const outcome = await session.warehouses.admin.clearOverride(person.id, context.signal);
  if (options.json) return writeJson(context.stdout, { outcome });
  const words = outcome === 'cleared' ? `The override of ${who} is removed` : `${who} had no override`;
  await writeLine(context.stdout, `${words}: their queries run on the workspace default.`);
}
