const MINUTE = 60_000;
const STEPS = [
  { unit: 'day', millis: 24 * 60 * MINUTE },
  { unit: 'hour', millis: 60 * MINUTE },
  { unit: 'minute', millis: MINUTE },
] as const;

const FORMAT = new Intl.RelativeTimeFormat('en', { numeric: 'always' });

/** How long ago a moment was: `just now`, `2 minutes ago`. Both times in milliseconds since the epoch. */
export function timeAgo(at: number, now: number): string {
  const step = STEPS.find(({ millis }) => now - at >= millis);
  return step ? FORMAT.format(-Math.floor((now - at) / step.millis), step.unit) : 'just now';
}
