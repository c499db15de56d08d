import { readdir, readFile } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';

/** Milliseconds between two looks. */
const EVERY_MS = 10_000;
/** The kernel's unit of processor time, in milliseconds. */
const TICK_MS = 10;

export interface Idle {
  /** MiB of all processes together, shared pages counted once: at the beginning, at the end, and the most in between. */
  memory: { first: number; last: number; most: number };
  /** Share of one processor that all of them took together, in percent. */
  cpu: number;
  processes: number;
  shares: Share[];
}

/** What processes of one kind take together at the end. */
export interface Share {
  /** `main`, `zygote`, `renderer`: Chromium's `--type`. */
  kind: string;
  count: number;
  memory: number;
}

/** Watches an application and all its processes do nothing (Linux only). */
export async function watchIdle(pid: number, minutes: number): Promise<Idle> {
  const memory = [await memoryMiB(pid)];
  const ticks = await ticksOf(pid);
  const start = performance.now();
  while (performance.now() - start < minutes * 60_000) {
    await sleep(EVERY_MS);
    memory.push(await memoryMiB(pid));
  }
  const busy = ((await ticksOf(pid)) - ticks) * TICK_MS;
  return {
    memory: { first: memory[0] ?? Number.NaN, last: memory.at(-1) ?? Number.NaN, most: Math.max(...memory) },
    cpu: (100 * busy) / (performance.now() - start),
    processes: (await familyOf(pid)).length,
    shares: await sharesOf(pid),
  };
}

async function memoryMiB(pid: number): Promise<number> {
  return (await sharesOf(pid)).reduce((sum, { memory }) => sum + memory, 0);
}

/** The memory of an application by the kind of its processes, the largest share first. */
export async function sharesOf(pid: number): Promise<Share[]> {
  const shares = new Map<string, Share>();
  for (const each of await familyOf(pid)) {
    const rollup = await readFile(`/proc/${each}/smaps_rollup`, 'utf8').catch(() => '');
    const memory = Number(/^Pss:\s+(\d+)/m.exec(rollup)?.[1] ?? 0) / 1024;
    const command = await readFile(`/proc/${each}/cmdline`, 'utf8').catch(() => '');
    const kind = /--type=([\w-]+)/.exec(command)?.[1] ?? 'main';
    const share = shares.get(kind) ?? { kind, count: 0, memory: 0 };
    shares.set(kind, { kind, count: share.count + 1, memory: share.memory + memory });
  }
  return [...shares.values()].sort((one, other) => other.memory - one.memory);
}

async function ticksOf(pid: number): Promise<number> {
  const times = (await familyOf(pid)).map(async (each) => {
    const fields = await statOf(each);
    return Number(fields[11] ?? 0) + Number(fields[12] ?? 0);
  });
  return (await Promise.all(times)).reduce((sum, time) => sum + time, 0);
}

/** The process and all its descendants. */
async function familyOf(pid: number): Promise<number[]> {
  const all = (await readdir('/proc')).map(Number).filter(Number.isInteger);
  const parents = new Map(await Promise.all(all.map(async (each) => [each, Number((await statOf(each))[1])] as const)));
  const family = [pid];
  for (const member of family) {
    for (const [child, parent] of parents) if (parent === member) family.push(child);
  }
  return family;
}

/** What follows the name in /proc/PID/stat: state, parent, … (man proc_pid_stat). */
async function statOf(pid: number): Promise<string[]> {
  const stat = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => '');
  return stat.slice(stat.lastIndexOf(')') + 2).split(' ');
}
