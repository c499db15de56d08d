import { MAX_RECORDED } from '../../preload/contract/activity-contents.ts';
import { formatBytes } from '../../preload/contract/words/figures.ts';
import type { ContentsPart, Recording } from '../../preload/contract.ts';
import { formatCount } from './format.ts';
import { strings } from './strings.ts';

const KIB = 1024;
const { calls, bytesOfEach, bytesInAll } = MAX_RECORDED;

/** The limits of a recording. */
export const AT_MOST = strings.recording.limits(calls, bytesOfEach / KIB, bytesInAll / KIB / KIB);

/** The durations of a recording; null means until the application quits. */
export const TIMES = [
  { value: '15', label: strings.recording.for15, durationMs: 15 * 60_000 },
  { value: '60', label: strings.recording.for60, durationMs: 60 * 60_000 },
  { value: 'until-quit', label: strings.recording.forEver, durationMs: null },
] as const;

/** The time that is left of a recording. `until` and `now` are in milliseconds since the epoch. */
export function timeLeft(until: number | null, now: number): string {
  if (until === null) return strings.recording.untilQuit;
  const minutes = Math.floor((until - now) / 60_000);
  return minutes < 1 ? strings.recording.underMinute : strings.recording.minutes(minutes);
}

/** The number of calls that are recorded. */
export function formatRecorded(count: number): string {
  return count === 0 ? strings.recording.nothing : strings.recording.recorded(formatCount(count));
}

/** What is lost when the list of calls is cleared, whatever the filter shows of it. */
export function whatClearingDeletes(kept: number, recorded: number): string {
  const { deleted, noneRecorded, recorded: also } = strings.clearing;
  return `${deleted(formatCount(kept))} ${recorded === 0 ? noneRecorded : also(formatCount(recorded))}`;
}

/** Why the contents of a call were not recorded. */
export function whyNotRecorded({ status }: Recording): string {
  return status === 'on' ? strings.contents.before : strings.contents.off;
}

/** Says that a part is truncated; null if it is whole. */
export function formatCut({ isCut, bytes }: ContentsPart): string | null {
  return isCut ? strings.contents.cut(bytesOfEach / KIB, formatBytes(bytes)) : null;
}

/** The number of matches of a search, and which one is current. */
export function formatFound(count: number, at: number, most: number): string {
  if (count === 0) return strings.contents.foundNone;
  return strings.contents.found(at + 1, count === most ? strings.contents.orMore(most) : String(count));
}
