import { sentences } from '../../platform/sentences.ts';
import type { EffectiveStep, EffectiveWarehouse, WarehouseSummary } from '../../warehouses/effective.ts';
import { columns, printable } from '../print.ts';

const STEP_NAMES = { override: 'override', 'workspace-default': 'workspace default', heuristic: 'otherwise' } as const;

/** A warehouse in a few words: its name, state, size and kind. */
export function describeWarehouse({ name, state, size, type, serverless }: WarehouseSummary): string {
  const kind = [type, serverless ? 'serverless' : ''].filter(Boolean).join(' ');
  const details = [state.toLowerCase(), size, kind].filter(Boolean).join(', ');
  return `${printable(name)} (${printable(details)})`;
}

/** The effective warehouse and why, in six lines: the answer, for whom, the three steps, and whether queries will run. */
export function describeEffective(effective: EffectiveWarehouse): string[] {
  return [headline(effective), forWhom(effective), ...columns(effective.steps.map(stepRow)), outlook(effective)];
}

function headline({ warehouse, decidedBy, certainty, problems }: EffectiveWarehouse): string {
  const sure = certainty === 'known' ? '' : `, ${certainty}`;
  if (warehouse) return `${describeWarehouse(warehouse)}${sure}`;
  if (problems.some(({ code }) => code === 'warehouse-gone')) return 'A warehouse that does not exist any more';
  if (decidedBy === 'override') return 'The warehouse that was picked last; which one, only the workspace knows';
  return certainty === 'known' ? 'No warehouse' : 'Not known';
}

function forWhom({ user, host, profile }: EffectiveWarehouse): string {
  const name =
    user.displayName && user.displayName !== user.userName ? `${user.displayName} <${user.userName}>` : user.userName;
  return printable(`  for ${name || 'the user'} on ${host} (profile ${profile})`);
}

function stepRow(step: EffectiveStep, index: number): string[] {
  const mark = step.outcome === 'decides' ? '→' : ' ';
  return [`${mark} ${index + 1} ${STEP_NAMES[step.source]}`, step.certainty, printable(step.reason)];
}

function outlook({ problems, warehouse }: EffectiveWarehouse): string {
  if (problems.length > 0) return printable(sentences(...problems.flatMap(({ message, remedy }) => [message, remedy])));
  if (warehouse === null) return 'Whether queries will run cannot be told.';
  return warehouse.canUse === 'unknown'
    ? 'Whether you may use it cannot be told.'
    : 'Nothing is in the way of your queries.';
}
