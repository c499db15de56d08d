import { within } from './within.ts';

/** How long the end of a process waits for work that must not be cut off, in milliseconds. */
const END_WAITS_MS = 5_000;

const running = new Set<Promise<unknown>>();

/** Runs work that the end of the process would damage, such as storing a token that has replaced another one. */
export function uninterrupted<T>(work: Promise<T>): Promise<T> {
  const ended = work.finally(() => running.delete(watched));
  const watched = ended.catch(() => undefined);
  running.add(watched);
  return ended;
}

/** Waits for all such work, at most five seconds: for whoever is about to end the process. Never throws. */
export async function uninterruptedEnded(timeoutMs = END_WAITS_MS): Promise<void> {
  if (running.size > 0) await within(timeoutMs, Promise.all(running), undefined);
}
