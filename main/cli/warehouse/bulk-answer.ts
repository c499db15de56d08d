import type { WorkspaceSession } from '../../app/causeway.ts';
import { CausewayError } from '../../platform/errors.ts';
import type { LineResult } from '../../warehouses/bulk/apply.ts';
import type { OverrideState, PlannedLine } from '../../warehouses/bulk/plan.ts';
import type { Answer } from '../answers/answers.ts';
import { type Place, placeAnswer } from '../changed-where.ts';
import type { CommandContext } from '../command.ts';
import { jsonFailure } from '../failure.ts';
import { writeAnswer } from '../terminal.ts';

type Line = Answer<'warehouse import'>['lines'][number];
type NameOf = (id: string) => string | null;

/** What has become of a plan; without results if it was not carried out. */
export interface Outcome {
  plan: PlannedLine[];
  results?: LineResult[];
  journal?: string | undefined;
  place?: Place;
}

/** Prints a plan, or what has become of it, as JSON. */
export async function writeBulk(
  context: CommandContext,
  session: WorkspaceSession,
  { plan, results, journal, place }: Outcome,
  dryRun: boolean,
): Promise<void> {
  const nameOf = await warehouseNames(context, session);
  const lines = results
    ? results.map((each) => lineAnswer(each.planned, nameOf, each))
    : plan.map((planned) => lineAnswer(planned, nameOf));
  const where = place ? placeAnswer(place) : null;
  await writeAnswer(context, 'warehouse import', { dryRun, lines, journal: journal ?? null, place: where });
}

/** The names of all warehouses. The changes are made: one whose name cannot be read has none. */
async function warehouseNames({ signal }: CommandContext, { warehouses }: WorkspaceSession): Promise<NameOf> {
  const all = await warehouses.list(signal).catch((error: unknown) => {
    if (error instanceof CausewayError) return [];
    throw error;
  });
  const names = new Map(all.map(({ id, name }) => [id, name]));
  return (id) => names.get(id) ?? null;
}

function lineAnswer(planned: PlannedLine, nameOf: NameOf, ended?: LineResult): Line {
  const { line, userId, userName, action, isOther = false } = planned;
  const { result = null, message = null, at = null } = ended ?? {};
  const { before, after } = statesOf(planned);
  return {
    line,
    userId,
    userName,
    isOther,
    action,
    before: overrideValue(before, nameOf),
    after: overrideValue(after, nameOf),
    canUse: 'canUse' in planned ? (planned.canUse ?? null) : null,
    warning: 'warning' in planned ? (planned.warning ?? null) : null,
    problem: 'problem' in planned ? planned.problem : null,
    result,
    message,
    error: ended?.error ? jsonFailure(ended.error) : null,
    at,
  };
}

/** The override before and after. Of an invalid line, neither is known. */
function statesOf(planned: PlannedLine): { before: OverrideState; after: OverrideState } {
  switch (planned.action) {
    case 'create':
    case 'update':
      return { before: planned.was, after: planned.fields };
    case 'delete':
      return { before: planned.was, after: null };
    case 'unchanged':
      return { before: planned.was, after: planned.was };
    case 'invalid':
      return { before: null, after: null };
  }
}

function overrideValue(state: OverrideState, nameOf: NameOf): Line['before'] {
  if (state === null) return null;
  const { type, warehouse_id: warehouseId = null } = state;
  return { type, warehouseId, warehouseName: warehouseId === null ? null : nameOf(warehouseId) };
}
