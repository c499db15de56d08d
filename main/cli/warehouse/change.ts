import { sentences } from '../../platform/sentences.ts';
import type { OverrideRecord } from '../../workspace/overrides.ts';
import type { CommandContext } from '../command.ts';
import { printable, writeJson, writeLine } from '../print.ts';
import { describeWarehouse } from './describe.ts';
import {
  accessDoubt,
  type CommonOptions,
  findWarehouse,
  openSession,
  refuseUnusable,
  type Whose,
  whyQueriesFail,
} from './options.ts';

const YOU: Whose = { name: 'You', do: 'do' };

export interface SetOptions extends CommonOptions {
  force?: boolean;
}

/** `causeway warehouse set NAME-OR-ID`: pins the user's own queries to a warehouse. */
export async function set(context: CommandContext, name: string, options: SetOptions): Promise<void> {
  const session = await openSession(context, options);
  const warehouse = await findWarehouse(session, name, context.signal);
  const { canUse } = warehouse;
  refuseUnusable(warehouse, canUse, YOU, options.force);
  const stored = await session.warehouses.setOverride(warehouse.id, context.signal);
  const target = describeWarehouse(warehouse);
  const failing = whyQueriesFail(warehouse, canUse, YOU);
  const words = failing
    ? `Your override now names ${target}, but your queries will fail: ${printable(failing)}.`
    : sentences(`Your queries now run on ${target}.`, accessDoubt(canUse, 'you'));
  await report(context, options, stored, words);
}

/** `causeway warehouse last-selected`: the user's own queries follow what was picked last. */
export async function setLastSelected(context: CommandContext, options: CommonOptions): Promise<void> {
  const { warehouses } = await openSession(context, options);
  const stored = await warehouses.setLastSelected(context.signal);
  await report(context, options, stored, 'Your queries now run on the warehouse that you picked last.');
}

/** `causeway warehouse clear`: removes the user's own override. */
export async function clear(context: CommandContext, options: CommonOptions): Promise<void> {
  const { warehouses } = await openSession(context, options);
  const outcome = await warehouses.clearOverride(context.signal);
  if (options.json) return writeJson(context.stdout, { outcome });
  const words = outcome === 'cleared' ? 'Your override is removed' : 'You had no override';
  await writeLine(context.stdout, `${words}: your queries run on the workspace default.`);
}

/** Prints what the workspace holds now, and says so on stderr if that could not be read back. */
export async function report(
  context: CommandContext,
  options: CommonOptions,
  { record, unverified }: { record: OverrideRecord; unverified?: string },
  words: string,
): Promise<void> {
  if (options.json) await writeJson(context.stdout, record);
  else {
    await writeLine(context.stdout, words);
    const target = record.warehouse_id ? ` ${record.warehouse_id}` : '';
    await writeLine(context.stdout, printable(`  stored: ${record.name} ${record.type}${target}`));
  }
  if (unverified !== undefined) await writeLine(context.stderr, `causeway: ${printable(unverified)}`);
}
