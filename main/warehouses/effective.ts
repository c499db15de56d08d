import type { EffectiveStepInfo, EffectiveWarehouseInfo, WarehouseProblem } from '../../preload/contract/warehouse.ts';
import { QUERY_FAILURES, queryFailure } from '../../preload/contract/words/warehouse.ts';
import { inOneLine } from '../words/failure.ts';
import { ownerOf } from '../workspace/overrides.ts';
import { isAdmin } from '../workspace/scim.ts';
import { summarize, type WarehouseSummary } from './directory.ts';
import { predictByHeuristic, TIER_REASONS } from './heuristic.ts';
import type { Readings } from './readings.ts';
import { situationOf } from './seen-warehouse.ts';

export type EffectiveWarehouse = EffectiveWarehouseInfo;
export type EffectiveStep = EffectiveStepInfo;
type EffectiveProblem = WarehouseProblem;
type Certainty = EffectiveWarehouse['certainty'];

/** A step before it is known whether an earlier one has already decided. */
interface Candidate {
  step: EffectiveStep;
  target: WarehouseTarget | undefined;
}

/**
 * Works out the chain from what was read: the override, the workspace default, the predicted heuristic, in this order
 * (spec/default-warehouse-override.md › What the service does, 3). Pure.
 */
export function explainEffective(readings: Readings): EffectiveWarehouse {
  const candidates = [overrideStep(readings), defaultStep(readings), heuristicStep(readings)];
  const winner = candidates.find(({ step }) => step.outcome === 'decides' || blocks(step));
  const decided = winner?.step.outcome === 'decides' ? winner : undefined;
  const steps = candidates.map(({ step }) => (step === winner?.step ? step : passOver(step, winner?.step)));
  const explained: EffectiveWarehouse = {
    profile: readings.profile.name,
    host: readings.profile.host,
    user: whoAmI(readings),
    warehouse: decided?.step.warehouse ?? null,
    decidedBy: decided?.step.source ?? null,
    certainty: certaintyOf(decided?.step, candidates),
    seen: null,
    override: overrideOf(readings),
    steps,
    problems: findProblems(readings, decided, steps),
  };
  return withSeen(explained, readings);
}

/** What a query has shown settles what is predicted or unknown, and is said where it contradicts what is known. */
function withSeen(explained: EffectiveWarehouse, readings: Readings): EffectiveWarehouse {
  if (readings.seen === undefined || readings.seen.situation !== situationOf(explained)) return explained;
  const { id, name, at } = readings.seen;
  const seen = { id, name, at };
  const { warehouse, certainty, steps, problems } = explained;
  if (certainty === 'known') {
    const isElsewhere = warehouse !== null && warehouse.id !== id;
    return { ...explained, seen, problems: isElsewhere ? [...problems, ranElsewhere(warehouse, seen)] : problems };
  }
  const target = findTarget(readings, id);
  // What is gone is no longer where queries run.
  if (target.kind === 'gone') return explained;
  const ran = { ...target.warehouse, name: target.warehouse.name === id ? name : target.warehouse.name };
  const prediction = warehouse === null || warehouse.id === id ? '' : ` The prediction, ${warehouse.name}, was wrong.`;
  const reason = `Seen: your last query ran on ${ran.name}.${prediction}`;
  const doubtful = steps.find(({ outcome }) => outcome === 'decides' || outcome === 'unreadable');
  const found = targetProblem(target, 'Choose your own warehouse.');
  return {
    ...explained,
    seen,
    warehouse: ran,
    certainty: 'seen',
    steps: steps.map((step) =>
      step === doubtful
        ? { ...withoutTier(step), warehouse: ran, certainty: 'seen', reason: `${step.reason} ${reason}` }
        : step,
    ),
    problems: [...problems.filter(({ code }) => code === 'override-api-missing'), ...(found ? [found] : [])],
  };
}

function withoutTier({ tier: _, ...step }: EffectiveStep): EffectiveStep {
  return step;
}

function ranElsewhere({ name }: WarehouseSummary, seen: { name: string }): EffectiveProblem {
  return {
    code: 'ran-elsewhere',
    message: `Your last query ran on ${seen.name}, not on ${name}.`,
    remedy: 'Verify where your queries run.',
  };
}

/** An unreadable override may name anything, so no later step can be said to decide. */
function blocks(step: EffectiveStep): boolean {
  return step.source === 'override' && step.outcome === 'unreadable';
}

function passOver(step: EffectiveStep, winner: EffectiveStep | undefined): EffectiveStep {
  if (step.outcome !== 'decides' || winner === undefined) return step;
  const reason =
    winner.outcome === 'unreadable'
      ? `${step.reason} It applies only if you have no override.`
      : `${step.reason} Not used: ${winner.source === 'override' ? 'your override' : 'the workspace default'} takes precedence.`;
  return { ...step, outcome: 'passed-over', reason };
}

/** The heuristic's choice is only a prediction, and a deciding step is no more certain than its reading. */
function certaintyOf(decided: EffectiveStep | undefined, candidates: Candidate[]): Certainty {
  if (decided) return decided.certainty;
  return candidates.every(({ step }) => step.certainty === 'known') ? 'known' : 'unknown';
}

function overrideStep(readings: Readings): Candidate {
  const source = 'override';
  const { override } = readings;
  const blank = { source, warehouse: null, certainty: 'known' } as const;
  if (override.kind === 'none') {
    return { step: { ...blank, outcome: 'empty', reason: 'You have no override.' }, target: undefined };
  }
  if (override.kind === 'unreadable') {
    if (override.error.code === 'feature_unavailable') {
      const reason = 'This workspace does not support overrides.';
      return { step: { ...blank, outcome: 'empty', reason }, target: undefined };
    }
    const reason = `Your override could not be read. ${inOneLine(override.error)}`;
    return { step: { ...blank, outcome: 'unreadable', certainty: 'unknown', reason }, target: undefined };
  }
  const { type, warehouse_id: id } = override.value;
  if (type === 'CUSTOM' && id) {
    const target = findTarget(readings, id);
    const warehouse = target.kind === 'gone' ? null : target.warehouse;
    const reason = `Your override is ${warehouse?.name ?? id}.`;
    return { step: { ...blank, outcome: 'decides', warehouse, reason }, target };
  }
  const reason =
    type === 'LAST_SELECTED'
      ? 'Your queries follow the warehouse you last selected in Databricks. Only the workspace knows which one.'
      : `Your override has the type ${type}. This version of Causeway does not support it.`;
  return { step: { ...blank, outcome: 'decides', certainty: 'unknown', reason }, target: undefined };
}

function defaultStep(readings: Readings): Candidate {
  const source = 'workspace-default';
  const { workspaceDefault, override } = readings;
  const blank = { source, warehouse: null, certainty: 'known' } as const;
  if (workspaceDefault.kind === 'none') {
    return {
      step: { ...blank, outcome: 'empty', reason: 'The workspace has no default warehouse.' },
      target: undefined,
    };
  }
  if (workspaceDefault.kind === 'unreadable') {
    const reason = `The workspace default could not be read. ${inOneLine(workspaceDefault.error)}`;
    return { step: { ...blank, outcome: 'unreadable', certainty: 'unknown', reason }, target: undefined };
  }
  const { id, readFrom } = workspaceDefault.value;
  const target = findTarget(readings, id);
  const warehouse = target.kind === 'gone' ? null : target.warehouse;
  // Whether the special id answers with the caller's own override is documented nowhere.
  const mayEcho = readFrom === 'default-id' && override.kind === 'known';
  const reason = `The workspace default is ${warehouse?.name ?? id}.`;
  return {
    step: { ...blank, outcome: 'decides', certainty: mayEcho ? 'predicted' : 'known', warehouse, reason },
    target,
  };
}

function heuristicStep(readings: Readings): Candidate {
  const source = 'heuristic';
  const { visible, usable, user, workspaceDefault } = readings;
  if (visible.kind !== 'known') {
    const reason = 'The warehouses could not be listed.';
    return {
      step: { source, outcome: 'unreadable', certainty: 'unknown', warehouse: null, reason },
      target: undefined,
    };
  }
  const usableIds = usable.kind === 'known' ? usable.value : undefined;
  const choosable = usableIds ? visible.value.filter(({ id }) => usableIds.has(id)) : visible.value;
  const choice = predictByHeuristic(choosable, user.kind === 'known' ? user.value.userName : '');
  if (!choice) {
    const reason = 'No warehouse is available to you.';
    return { step: { source, outcome: 'empty', certainty: 'known', warehouse: null, reason }, target: undefined };
  }
  const unless = workspaceDefault.kind === 'unreadable' ? ' A workspace default would take precedence.' : '';
  const warehouse = summarize(choice.warehouse, usableIds);
  const reason = `Predicted: ${warehouse.name}, ${TIER_REASONS[choice.tier]}.${unless}`;
  const step = { source, outcome: 'decides', certainty: 'predicted', warehouse, reason, tier: choice.tier } as const;
  return { step, target: { kind: 'seen', warehouse } };
}

function overrideOf({ override }: Readings): EffectiveWarehouse['override'] {
  if (override.kind !== 'known') return null;
  return { type: override.value.type, warehouseId: override.value.warehouse_id ?? null };
}

function whoAmI({ user, override }: Readings): EffectiveWarehouse['user'] {
  if (user.kind === 'known') {
    const { id, userName, displayName } = user.value;
    return { id, userName, displayName: displayName || userName, admin: isAdmin(user.value) };
  }
  const id = override.kind === 'known' ? ownerOf(override.value) : '';
  return { id, userName: '', displayName: '', admin: 'unknown' };
}

function findProblems(
  { override }: Readings,
  decided: Candidate | undefined,
  steps: EffectiveStep[],
): EffectiveProblem[] {
  const missingApi = override.kind === 'unreadable' && override.error.code === 'feature_unavailable';
  const nothingToUse = decided === undefined && steps.every(({ outcome }) => outcome === 'empty');
  return problemsOf({ step: decided?.step, target: decided?.target, missingApi, nothingToUse });
}

/** What the chain has come to, as far as it can go wrong. */
interface QueryOutcome {
  /** The step that decides, if one does. */
  step: EffectiveStep | undefined;
  target: WarehouseTarget | undefined;
  missingApi: boolean;
  /** There is certainly no warehouse that the user may use. */
  nothingToUse: boolean;
}

const NO_WAREHOUSE: EffectiveProblem = {
  code: 'no-warehouse',
  message: 'No warehouse is available to you. Queries will fail.',
  remedy: 'Ask a workspace admin for CAN USE on a warehouse.',
};

/** Everything that will keep this user's queries from running, or that cannot be seen from outside, found beforehand. */
function problemsOf({ step, target, missingApi, nothingToUse }: QueryOutcome): EffectiveProblem[] {
  const problems: EffectiveProblem[] = [];
  if (missingApi) {
    problems.push({
      code: 'override-api-missing',
      message: 'This workspace does not support warehouse overrides.',
      remedy: 'Ask a workspace admin to change the workspace default instead.',
    });
  }
  if (step?.source === 'override' && step.certainty === 'unknown') {
    problems.push({
      code: 'last-selected-unseen',
      message: 'Your last selected warehouse cannot be read from outside the workspace.',
      remedy: 'Choose a warehouse by name to be certain.',
    });
  }
  if (step === undefined) return nothingToUse ? [...problems, NO_WAREHOUSE] : problems;
  const found = target && targetProblem(target, remedyFor(step));
  return found ? [...problems, found] : problems;
}

function remedyFor(step: EffectiveStep): string {
  return step.source === 'override'
    ? 'Choose another warehouse or use the workspace default.'
    : 'Choose your own warehouse, or ask a workspace admin to change the default.';
}

function targetProblem(target: WarehouseTarget, remedy: string): EffectiveProblem | undefined {
  if (target.kind === 'gone') {
    const code = target.mayBeHidden ? 'warehouse-unseen' : 'warehouse-gone';
    return { code, message: `Warehouse ${target.id} ${whyGone(target)}. Queries will fail.`, remedy };
  }
  const { name, state, canUse } = target.warehouse;
  const code = queryFailure(state, canUse);
  if (code === null) return undefined;
  const message = `${QUERY_FAILURES[code].clause(name, 'You do')}. Queries will fail.`;
  return {
    code,
    message,
    remedy: code === 'cannot-use' ? `Ask a workspace admin for CAN USE on it. ${remedy}` : remedy,
  };
}

/** What a 404 says of a warehouse. */
export function whyGone({ mayBeHidden }: Pick<Extract<WarehouseTarget, { kind: 'gone' }>, 'mayBeHidden'>): string {
  return mayBeHidden ? 'no longer exists, or you cannot see it' : 'no longer exists';
}

/** A named warehouse as far as it is visible: in the list, by its id only, or not at all. */
export type WarehouseTarget =
  | { kind: 'seen'; warehouse: WarehouseSummary }
  | { kind: 'gone'; id: string; mayBeHidden: boolean }
  | { kind: 'hidden'; warehouse: WarehouseSummary; forbidden: boolean };

/** Finds a warehouse by id in what was read. */
export function findTarget(readings: Readings, id: string): WarehouseTarget {
  const usable = readings.usable.kind === 'known' ? readings.usable.value : undefined;
  const visible = readings.visible.kind === 'known' ? readings.visible.value : [];
  const listed = visible.find((warehouse) => warehouse.id === id);
  const named = readings.named.get(id);
  if (listed) return { kind: 'seen', warehouse: summarize(listed, usable) };
  if (named?.kind === 'known') return { kind: 'seen', warehouse: summarize(named.value, usable) };
  // An admin sees every warehouse there is. For others, a workspace may say 404 of one that they cannot see.
  const mayBeHidden = readings.user.kind !== 'known' || isAdmin(readings.user.value) !== true;
  if (named?.kind === 'none') return { kind: 'gone', id, mayBeHidden };
  const forbidden = named?.kind === 'unreadable' && named.error.code === 'permission_denied';
  const canUse = forbidden ? false : 'unknown';
  const warehouse = { id, name: id, state: 'UNKNOWN', size: '', type: '', serverless: false, canUse } as const;
  return { kind: 'hidden', warehouse, forbidden };
}

/** A warehouse by its name and id, as far as the name is known. */
export function nameOf(readings: Readings, id: string): string {
  const target = findTarget(readings, id);
  const name = target.kind === 'gone' ? id : target.warehouse.name;
  return name === id ? `warehouse ${id}` : `${name} (${id})`;
}
