import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import type { CallerFigures, DirectFigures, Order } from './caller.ts';
import { quantile } from './clock.ts';
import type { Contender } from './contender.ts';
import { type Memory, memoryOf } from './memory.ts';

const CALLER = fileURLToPath(new URL('caller.ts', import.meta.url));

/** What they cost one way, beside the direct calls just before; and the process's memory before and after. */
export interface CallFigures extends CallerFigures {
  /** Milliseconds that p50 is above the direct calls'. */
  added: number;
  /** Calls a second as a share of the direct ones. */
  share: number;
}

/** The floor: the same calls without anything between. */
export function measureDirectCalls(origin: string, path: string): Promise<DirectFigures> {
  return callIn({ origin, path });
}

/** Measures a contender in turns with direct calls, so that whatever else the machine does falls on both; medians. */
export async function measureCalls(
  contender: Contender,
  path: string,
  direct: () => Promise<DirectFigures>,
  howOften: number,
): Promise<CallFigures> {
  const through = { arguments: contender.arguments(path), env: contender.env };
  const { helper } = contender;
  const rounds: CallFigures[] = [];
  while (rounds.length < howOften) {
    const floor = await direct();
    const own: CallerFigures = await callIn({ through, helper });
    rounds.push({ ...own, added: own.p50 - floor.p50, share: own.perSecond / floor.perSecond });
  }
  return {
    ...medianOf(rounds),
    added: median(rounds.map(({ added }) => added)),
    share: median(rounds.map(({ share }) => share)),
    idle: medianMemory(rounds.map(({ idle }) => idle)),
    after: medianMemory(rounds.map(({ after }) => after)),
    user: median(rounds.map(({ user }) => user)),
  };
}

/** What calls cost in two ways of which each is the other's peer, in turns; medians. */
export async function measureInTurns(
  one: Contender,
  other: Contender,
  path: string,
  howOften: number,
): Promise<{ one: PlainFigures; other: PlainFigures }> {
  const rounds: { one: CallerFigures; other: CallerFigures }[] = [];
  const call = ({ arguments: args, env, helper }: Contender) =>
    callIn({ through: { arguments: args(path), env }, helper });
  while (rounds.length < howOften) rounds.push({ one: await call(one), other: await call(other) });
  const of = (which: 'one' | 'other') => ({
    p50: median(rounds.map((round) => round[which].p50)),
    user: median(rounds.map((round) => round[which].user)),
  });
  return { one: of('one'), other: of('other') };
}

/** Milliseconds of a call, one after the other, and microseconds of the processor in user mode. */
export type PlainFigures = Pick<CallerFigures, 'p50' | 'user'>;

/** The median of each figure of some direct calls. */
export function medianOf(runs: DirectFigures[]): DirectFigures {
  return {
    p50: median(runs.map(({ p50 }) => p50)),
    p99: median(runs.map(({ p99 }) => p99)),
    perSecond: median(runs.map(({ perSecond }) => perSecond)),
  };
}

function medianMemory(runs: Memory[]): Memory {
  return {
    resident: median(runs.map(({ resident }) => resident)),
    private: median(runs.map((run) => run.private)),
  };
}

const median = (values: number[]) => quantile(values, 0.5);

/** Lets a process that has made no calls yet make them. */
async function callIn(order: Order) {
  const { stdout } = await promisify(execFile)(process.execPath, [CALLER, JSON.stringify(order)]);
  return JSON.parse(stdout);
}

/** The memory that Node takes to wait for its stdin and do nothing else. */
export async function bareNodeMemory(): Promise<Memory> {
  const child = spawn(process.execPath, ['-e', 'process.stdin.resume(); console.log("ready")']);
  await once(child.stdout, 'data');
  const memory = await memoryOf(child.pid ?? 0);
  child.stdin.end();
  await once(child, 'exit');
  return memory;
}
