import { uninterruptedEnded } from '../platform/uninterrupted.ts';

const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;
/** How long a command may take to come to its end after a signal that is not from a terminal, in milliseconds. */
const END_MS = 10_000;
const INTERRUPTED = 130;

/**
 * Interrupts a command on Ctrl+C, and as a supervisor or a closed terminal ends it. A second signal ends the process, as soon
 * as nothing is under way that would be damaged.
 * @returns a function after which signals have their usual effect
 */
export function interruptOnSignals(interrupt: () => void): () => void {
  let isInterrupted = false;
  const leave = () => void uninterruptedEnded().then(() => process.exit(INTERRUPTED));
  const take = (signal: NodeJS.Signals) => {
    if (isInterrupted) leave();
    else if (signal !== 'SIGINT') setTimeout(leave, END_MS).unref();
    isInterrupted = true;
    interrupt();
  };
  for (const signal of SIGNALS) process.on(signal, take);
  return () => {
    for (const signal of SIGNALS) process.removeListener(signal, take);
  };
}
