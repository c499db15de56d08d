import type { EffectiveProblem, EffectiveStep, WarehouseSummary } from './effective.ts';
import type { Target } from './summary.ts';

/** What the chain has come to, as far as it can go wrong. */
export interface Outcome {
  /** The step that decides, if one does. */
  step: EffectiveStep | undefined;
  target: Target | undefined;
  missingApi: boolean;
  /** There is certainly no warehouse that the user may use. */
  nothingToUse: boolean;
}

const NO_WAREHOUSE: EffectiveProblem = {
  code: 'no-warehouse',
  message: 'There is no warehouse that you may use: queries will fail.',
  remedy: 'Ask a workspace admin for CAN USE on one.',
};

/** Everything that will keep this user's queries from running, or that cannot be seen from outside, found beforehand. */
export function problemsOf({ step, target, missingApi, nothingToUse }: Outcome): EffectiveProblem[] {
  const problems: EffectiveProblem[] = [];
  if (missingApi) {
    problems.push({
      code: 'override-api-missing',
      message: 'This workspace does not have default warehouse overrides.',
      remedy: 'Ask a workspace admin to change the workspace default instead.',
    });
  }
  if (step?.source === 'override' && step.certainty === 'unknown') {
    problems.push({
      code: 'last-selected-unseen',
      message: 'Which warehouse you picked last cannot be read from outside the workspace.',
      remedy: 'Choose a warehouse by name to be certain.',
    });
  }
  if (step === undefined) return nothingToUse ? [...problems, NO_WAREHOUSE] : problems;
  const found = target && targetProblem(target, remedyFor(step));
  return found ? [...problems, found] : problems;
}

function remedyFor(step: EffectiveStep): string {
  return step.source === 'override'
    ? 'Choose another warehouse, or clear your override.'
    : 'Choose a warehouse of your own, or ask a workspace admin to change the default.';
}

function targetProblem(target: Target, remedy: string): EffectiveProblem | undefined {
  if (target.kind === 'gone') {
    return {
      code: 'warehouse-gone',
      message: `Warehouse ${target.id} does not exist any more: queries will fail.`,
      remedy,
    };
  }
  return stateProblem(target.warehouse, remedy);
}

function stateProblem({ name, state, canUse }: WarehouseSummary, remedy: string): EffectiveProblem | undefined {
  if (state === 'DELETED') {
    return { code: 'warehouse-gone', message: `${name} has been deleted: queries will fail.`, remedy };
  }
  if (state === 'DELETING')
    return { code: 'deleting', message: `${name} is being deleted: queries will fail.`, remedy };
  if (canUse !== false) return undefined;
  return {
    code: 'cannot-use',
    message: `You do not have the CAN USE permission on ${name}: queries will fail.`,
    remedy: `Ask for CAN USE on it. ${remedy}`,
  };
}
