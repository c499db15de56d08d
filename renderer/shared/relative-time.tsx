import { useEffect, useState } from 'react';

const TICK_MS = 15_000;

/** A time relative to now, exact on hover. `at` is in milliseconds since the epoch. */
export function RelativeTime({ at }: { at: number }) {
  const [ticked, setNow] = useState(Date.now);
  const now = Math.max(ticked, at);
  useEffect(() => {
    const ticking = setInterval(() => setNow(Date.now()), TICK_MS);
    return () => clearInterval(ticking);
  }, []);
  const moment = new Date(at);
  return (
    <time dateTime={moment.toISOString()} title={moment.toLocaleString()}>
      {timeAgo(at, now)}
    </time>
  );
}

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
