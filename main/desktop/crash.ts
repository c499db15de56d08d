/** Decides what to do after the application or its window has crashed. `crash-watch.ts` applies it. */

/** Passes the times of earlier crashes to the next start, in milliseconds since the epoch. */
const CRASHES = '--crashed-at=';

/** More crashes than this within the period are a loop, and the application stays closed. */
const MAX_CRASHES = 3;
const CRASH_PERIOD_MS = 5 * 60_000;

/** The times of earlier crashes, from the arguments. */
export function crashesIn(args: readonly string[]): number[] {
  const argument = args.find((each) => each.startsWith(CRASHES)) ?? CRASHES;
  return argument
    .slice(CRASHES.length)
    .split(',')
    .filter((moment) => /^\d{1,16}$/.test(moment))
    .map(Number);
}

/** The recent crashes with this one added; undefined if there are too many to restart. */
export function withCrash(before: readonly number[], now: number): number[] | undefined {
  // After the clock was set back, old crashes must not count forever.
  const recent = before.filter((moment) => Math.abs(now - moment) < CRASH_PERIOD_MS);
  return recent.length < MAX_CRASHES ? [...recent, now] : undefined;
}

/** The arguments for the restart after a crash; undefined if there must be none. */
export function argumentsAfterCrash(args: readonly string[], now: number, windowOpen: boolean): string[] | undefined {
  const crashes = withCrash(crashesIn(args), now);
  if (crashes === undefined) return undefined;
  return [...argumentsOfNextStart(args), ...(windowOpen ? [] : ['--hidden']), `${CRASHES}${crashes.join(',')}`];
}

/** The arguments to keep for the next start: a link is followed only once. */
export function argumentsOfNextStart(args: readonly string[]): string[] {
  return args.filter((argument) => !/^(--crashed-at=|--hidden$|causeway:)/.test(argument));
}
