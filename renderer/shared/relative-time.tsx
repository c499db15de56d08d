import { useEffect, useState } from 'react';
import { timeAgo } from '../../preload/contract/words/times.ts';

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
