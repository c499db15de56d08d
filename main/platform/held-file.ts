import { setTimeout as sleep } from 'node:timers/promises';
import { codeOf } from './file-errors.ts';

/** How often something is tried on Windows while a virus scanner or another program has the file open, and the pauses in milliseconds. */
const HELD_PAUSES_MS = [20, 100, 400];

/** Runs `work` on a file. On Windows, it is retried for half a second while another program has the file open. */
export async function retryWhileHeld<T>(work: () => Promise<T>): Promise<T> {
  for (const pause of heldPauses()) {
    try {
      return await work();
    } catch (error) {
      if (!isHeldOpen(error)) throw error;
      await sleep(pause);
    }
  }
  return work();
}

/** Like `retryWhileHeld`, for callers that must finish before the process ends. */
export function retryWhileHeldSync(work: () => void): void {
  for (const pause of heldPauses()) {
    try {
      work();
      return;
    } catch (error) {
      if (!isHeldOpen(error)) throw error;
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, pause);
    }
  }
  work();
}

function heldPauses(): readonly number[] {
  return process.platform === 'win32' ? HELD_PAUSES_MS : [];
}

function isHeldOpen(error: unknown): boolean {
  return ['EPERM', 'EACCES', 'EBUSY'].includes(codeOf(error) ?? '');
}
