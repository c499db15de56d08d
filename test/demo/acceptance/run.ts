import { availableParallelism } from 'node:os';
import { withoutSecrets } from '../../workspace/wire.ts';
import type { EmbeddedWorkspace } from '../../workspace/workspace.ts';
import type { Requirement, ShownRequirement } from './requirement.ts';
import { type Program, Scene, type Step } from './scene.ts';

export type Verdict =
  | { verdict: 'pass' | 'fail'; reason: string | undefined; tookMs: number; steps: readonly Step[]; rests: Rests }
  | { verdict: 'not shown here'; reason: string };

/** The exchanges on which a verdict rests. */
type Rests = ReadonlySet<Step['wire'][number]>;

export interface Result {
  requirement: Requirement;
  outcome: Verdict;
}

export interface AcceptanceOptions {
  program: Program;
  /** Why the window's rows are left out, where they are. */
  noWindow: string | undefined;
  signal: AbortSignal;
  /** Spoils each workspace, to see that the verdict notices. */
  spoil?: (workspace: EmbeddedWorkspace) => void;
}

/** How many workspaces, each with its commands, are up at the same time. */
const AT_ONCE = Math.min(4, availableParallelism() + 1);

/** Judges the requirements, several at a time, and gives the results in their order. */
export async function* accept(requirements: Requirement[], options: AcceptanceOptions): AsyncGenerator<Result> {
  const results: Promise<Verdict>[] = [];
  for (const [index, requirement] of requirements.entries()) {
    const before = results[index - AT_ONCE];
    const result = (before ?? Promise.resolve()).then(() => judge(requirement, options));
    // Whoever gets as far hears of it; until then it is nobody's.
    result.catch(() => undefined);
    results.push(result);
  }
  for (const [index, requirement] of requirements.entries()) {
    const outcome = await results[index];
    if (outcome) yield { requirement, outcome };
  }
}

async function judge(requirement: Requirement, options: AcceptanceOptions): Promise<Verdict> {
  if (requirement.by === 'nothing') return { verdict: 'not shown here', reason: requirement.why };
  if (requirement.by === 'window' && options.noWindow !== undefined) {
    return { verdict: 'not shown here', reason: options.noWindow };
  }
  return show(requirement, options);
}

async function show(requirement: ShownRequirement, { program, spoil, signal }: AcceptanceOptions): Promise<Verdict> {
  signal.throwIfAborted();
  const began = performance.now();
  const scene = await Scene.open(program, requirement.workspace);
  let reason: string | undefined;
  try {
    spoil?.(scene.workspace);
    await requirement.show(scene);
  } catch (error) {
    reason = withoutSecrets(error instanceof Error ? error.message : String(error));
  }
  scene.noteRest();
  await scene.close();
  const tookMs = Math.round(performance.now() - began);
  return {
    verdict: reason === undefined ? 'pass' : 'fail',
    reason,
    tookMs,
    steps: scene.steps,
    rests: scene.lookedAt,
  };
}
