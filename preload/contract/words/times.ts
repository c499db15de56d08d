const MINUTE = 60_000;
const STEPS = [
  { unit: 'day', millis: 24 * 60 * MINUTE },
  { unit: 'hour', millis: 60 * MINUTE },
  { unit: 'minute', millis: MINUTE },
] as const;

let format: Intl.RelativeTimeFormat | undefined;

/** How long ago a moment was: `just now`, `2 minutes ago`. Both times in milliseconds since the epoch. */
export function timeAgo(at: number, now: number): string {
  const elapsed = inLargestUnit(now - at);
  return elapsed === undefined ? 'just now' : formatted(-elapsed.count, elapsed.unit);
}

/** How long it is until a moment: `in 40 minutes`, `in less than a minute`. Both times in milliseconds since the epoch. */
export function timeUntil(at: number, now: number): string {
  const left = inLargestUnit(at - now);
  return left === undefined ? 'in less than a minute' : formatted(left.count, left.unit);
}

/** A moment on the user's clock: `16:41`, with the day in front if it is not today. Both in milliseconds since the epoch. */
export function clockTime(at: number, now: number): string {
  const moment = new Date(at);
  const time = [moment.getHours(), moment.getMinutes()].map(twoDigits).join(':');
  if (moment.toDateString() === new Date(now).toDateString()) return time;
  return `${moment.getFullYear()}-${twoDigits(moment.getMonth() + 1)}-${twoDigits(moment.getDate())} ${time}`;
}

function inLargestUnit(elapsedMs: number) {
  const step = STEPS.find(({ millis }) => elapsedMs >= millis);
  return step && { count: Math.floor(elapsedMs / step.millis), unit: step.unit };
}

function formatted(count: number, unit: (typeof STEPS)[number]['unit']): string {
  format ??= new Intl.RelativeTimeFormat('en', { numeric: 'always' });
  return format.format(count, unit);
}

function twoDigits(part: number): string {
  return String(part).padStart(2, '0');
}
