import { MOST_RECORDED } from '../../../preload/contract/activity-contents.ts';
import type { ContentsPart, Recording } from '../../../preload/contract.ts';
import { bytesInWords, countInWords } from '../words.ts';

const KIB = 1024;
const { calls, bytesOfEach, bytesInAll } = MOST_RECORDED;

/** What is kept at most, as the end of a sentence. */
export const AT_MOST = `the last ${calls} calls, of each request and answer no more than the first ${bytesOfEach / KIB} KiB, and ${bytesInAll / KIB / KIB} MiB in all`;

/** The times that can be chosen; null means until the application quits. */
export const TIMES = [
  { value: '15', label: 'For 15 minutes', minutes: 15 },
  { value: '60', label: 'For 1 hour', minutes: 60 },
  { value: 'until-quit', label: 'Until Causeway quits', minutes: null },
] as const;

/** How long it goes on. */
export function timeLeft(until: number | null, now: number): string {
  if (until === null) return 'It goes on until Causeway quits.';
  const minutes = Math.floor((until - now) / 60_000);
  if (minutes < 1) return 'Less than a minute is left.';
  return minutes === 1 ? '1 minute is left.' : `${minutes} minutes are left.`;
}

/** Of how many calls something is recorded. */
export function recordedInWords(count: number): string {
  if (count === 0) return 'Nothing has been recorded yet.';
  return `${countInWords(count)} ${count === 1 ? 'is' : 'are'} recorded.`;
}

/** What is lost when the list of calls is cleared, whatever the filter shows of it. */
export function whatClearingDeletes(kept: number, recorded: number): string {
  const list = `The whole list is deleted: ${countInWords(kept)}, whatever the filter shows.`;
  if (recorded === 0) return `${list} Nothing of them is recorded.`;
  return `${list} What was recorded is deleted too: what was asked and answered in ${countInWords(recorded)}, which is kept nowhere else.`;
}

/** Why the contents of a call were not recorded. */
export function whyNotRecorded({ status }: Recording): string {
  return status === 'on'
    ? 'It came before the recording began. Calls that come from now on are recorded.'
    : 'Causeway records that only while you have it turned on, and then of calls that come from there on.';
}

/** That a part is not whole. Null where it is. */
export function cutInWords({ isCut, bytes }: ContentsPart): string | null {
  if (!isCut) return null;
  return `Only the first ${bytesOfEach / KIB} KiB were recorded. It has ${bytesInWords(bytes)} in all.`;
}

/** What a search has found. */
export function foundInWords(count: number, at: number, most: number): string {
  if (count === 0) return 'Found nowhere';
  return `${at + 1} of ${count === most ? `${most} or more` : count}`;
}
