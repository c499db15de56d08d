import { affectedByDefault } from '../../../preload/contract/words/warehouse.ts';
import type { WorkspaceSession } from '../../app/causeway.ts';
import { CausewayError, sentences } from '../../platform/errors.ts';
import { didYouMean, similarNames } from '../../platform/similar-names.ts';
import type { WarehouseSummary } from '../../warehouses/directory.ts';
import { inPlace, placeAnswer, placeOf, sayWhere } from '../changed-where.ts';
import type { CommandContext } from '../command.ts';
import { agreeOrCancel } from '../question.ts';
import { writeAnswer, writeDone, writeLine } from '../terminal.ts';
import { type CommonOptions, describeWarehouse, openSession, warehouseNamed } from './options.ts';

export interface DefaultOptions extends CommonOptions {
  yes?: boolean;
}

const VERBS = ['show', 'set', 'clear'] as const;

/** `causeway warehouse default [set NAME | clear]`: the workspace default; admins change it. */
export async function workspaceDefault(
  context: CommandContext,
  typed: string,
  name: string,
  options: DefaultOptions,
): Promise<void> {
  const verb = VERBS.find((each) => each === typed);
  if (verb === undefined) {
    throw new CausewayError('usage', `"${typed}" cannot be done with the workspace default.`, {
      remedy: sentences(didYouMean(similarNames(typed, VERBS)), `Use one of ${VERBS.join(', ')}.`),
    });
  }
  if ((verb === 'set') !== (name !== '')) {
    const message = verb === 'set' ? 'No warehouse was named.' : `"${verb}" takes no warehouse.`;
    throw new CausewayError('usage', message, { remedy: 'Only "set" takes one: causeway warehouse default set NAME' });
  }
  const session = await openSession(context, options);
  if (verb === 'show') await show(context, session, options);
  else await change(context, session, verb === 'set' ? name : null, options);
}

async function show(
  context: CommandContext,
  { warehouses }: WorkspaceSession,
  { json }: DefaultOptions,
): Promise<void> {
  const survey = await warehouses.survey(context.signal);
  const { workspaceDefault: reading } = survey.readings;
  if (reading.kind === 'unreadable') throw reading.error;
  const id = reading.kind === 'known' ? reading.value.id : null;
  const warehouse = id === null ? null : (survey.list().find((each) => each.id === id) ?? null);
  if (json) return writeAnswer(context, 'warehouse default', { warehouseId: id, warehouse, change: null });
  await writeLine(context.stdout, id === null ? NONE : `The workspace default is ${described(id, warehouse)}.`);
}

const NONE = 'The workspace has no default. It chooses a warehouse for each user without an override.';

/** A warehouse in a few words, or its id if it is not among those that can be seen. */
function described(id: string, warehouse: WarehouseSummary | null | undefined): string {
  return warehouse ? describeWarehouse(warehouse) : `warehouse ${id}`;
}

/** Sets the default, or removes it if nothing is named, after it has said whom that concerns. */
async function change(
  context: CommandContext,
  session: WorkspaceSession,
  name: string | null,
  { json, yes }: DefaultOptions,
): Promise<void> {
  const { signal } = context;
  const { warehouses } = session;
  const [all, seen] = await Promise.all([warehouses.list(signal), warehouses.workspaceDefault.read(signal)]);
  const warehouse = name === null ? null : await warehouseNamed(all, name);
  const result = { warehouseId: warehouse?.id ?? null, warehouse };
  const before = seen.warehouseId;
  if (result.warehouseId === before) {
    if (json) return writeAnswer(context, 'warehouse default', { ...result, change: null });
    return writeDone(context, setTo(warehouse, 'already'));
  }
  const [affected, place] = await Promise.all([
    warehouses.workspaceDefault.affected(signal),
    placeOf(context, session),
  ]);
  if (!yes) {
    const what = warehouse
      ? `Make ${describeWarehouse(warehouse)} the workspace default`
      : 'Remove the workspace default';
    await agreeOrCancel(context, `${what} ${inPlace(place)}? ${affectedByDefault(affected)}`);
  }
  await warehouses.workspaceDefault.change(result.warehouseId, seen, signal);
  if (json) {
    const change = { before, affected, place: placeAnswer(place) };
    await writeAnswer(context, 'warehouse default', { ...result, change });
  } else await writeDone(context, sentences(setTo(warehouse, 'now'), affectedByDefault(affected)));
  await sayWhere(context, place);
}

function setTo(warehouse: WarehouseSummary | null, when: 'now' | 'already'): string {
  return warehouse ? `The workspace default is ${when} ${describeWarehouse(warehouse)}.` : NONE;
}
