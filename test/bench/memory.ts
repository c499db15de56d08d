import { readFile, writeFile } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';

/** How long memory must have stopped growing before it counts as at rest, in milliseconds. */
const REST_MS = 1_000;

/** Resident memory of a process, in MiB (Linux only). */
export async function residentMiB(pid: number): Promise<number> {
  const status = await readFile(`/proc/${pid}/status`, 'utf8');
  return Number(/VmRSS:\s+(\d+)/.exec(status)?.[1] ?? Number.NaN) / 1024;
}

/** What a process takes of memory, in MiB. */
export interface Memory {
  resident: number;
  /** What it has written to and shares with no other process: what each further process of its kind takes (proc(5) › smaps). */
  private: number;
}

/** The memory of a process (Linux only). */
export async function memoryOf(pid: number): Promise<Memory> {
  const sums = await readFile(`/proc/${pid}/smaps_rollup`, 'utf8');
  const mib = (name: string) => Number(new RegExp(`^${name}:\\s+(\\d+)`, 'm').exec(sums)?.[1] ?? Number.NaN) / 1024;
  return { resident: mib('Rss'), private: mib('Private_Dirty') };
}

/** The time that a process has spent on the processor in user mode, in microseconds (Linux only, in steps of 10 ms). */
export async function userMicroseconds(pid: number): Promise<number> {
  const stat = await readFile(`/proc/${pid}/stat`, 'utf8');
  // The command, which stands second and in parentheses, may hold spaces (proc(5) › stat).
  return Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[11]) * 10_000;
}

/** The most resident memory that a process has ever had, in MiB, or since `forgetPeak` (Linux only). */
export async function peakMiB(pid: number): Promise<number> {
  const status = await readFile(`/proc/${pid}/status`, 'utf8');
  return Number(/VmHWM:\s+(\d+)/.exec(status)?.[1] ?? Number.NaN) / 1024;
}

/** Lets the kernel count a process's peak again (proc(5) › clear_refs). */
export async function forgetPeak(pid: number): Promise<void> {
  await writeFile(`/proc/${pid}/clear_refs`, '5');
}

/** The most that each of these processes has grown to, in MiB, until all have stopped growing. */
export async function peaksMiB(pids: number[]): Promise<number[]> {
  const peaks = pids.map(() => 0);
  for (let lastGrowth = performance.now(); performance.now() - lastGrowth < REST_MS; await sleep(20)) {
    for (const [at, pid] of pids.entries()) {
      const now = await residentMiB(pid);
      if (now > (peaks[at] ?? 0) + 1) lastGrowth = performance.now();
      peaks[at] = Math.max(peaks[at] ?? 0, now);
    }
  }
  return peaks;
}
