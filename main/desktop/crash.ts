/** What is done after the application or its window broke: decisions alone, applied by `crash-watch.ts`. */

/** How a start knows when those before it broke, in milliseconds since the epoch. */
const CRASHES = '--crashed-at=';

/** More crashes than this within the time, in milliseconds, are a loop that a person has to end. */
const MOST = 3;
const WITHIN = 5 * 60_000;

/** When earlier runs broke, as the arguments of this one say. */
export function crashesIn(args: readonly string[]): number[] {
  const told = args.find((argument) => argument.startsWith(CRASHES)) ?? CRASHES;
  return told
    .slice(CRASHES.length)
    .split(',')
    .filter((moment) => /^\d{1,16}$/.test(moment))
    .map(Number);
}

/** The moments that still count, one more added; undefined where that is too many to try again. */
export function withCrash(before: readonly number[], now: number): number[] | undefined {
  // A clock that was put back must not make old crashes count for ever.
  const recent = before.filter((moment) => Math.abs(now - moment) < WITHIN);
  return recent.length < MOST ? [...recent, now] : undefined;
}

/** The arguments with which the application starts again after a crash; undefined where it must not. */
export function argumentsAfterCrash(args: readonly string[], now: number, windowOpen: boolean): string[] | undefined {
  const crashes = withCrash(crashesIn(args), now);
  if (crashes === undefined) return undefined;
  return [...argumentsOfNextStart(args), ...(windowOpen ? [] : ['--hidden']), `${CRASHES}${crashes.join(',')}`];
}

/** The arguments that count for the next start as well: a link has led where it was to lead. */
export function argumentsOfNextStart(args: readonly string[]): string[] {
  return args.filter((argument) => !/^(--crashed-at=|--hidden$|causeway:)/.test(argument));
}
