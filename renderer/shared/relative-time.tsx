import { useEffect, useState } from 'react';
import { timeAgo } from './time-ago.ts';

const TICK = 15_000;

/** A moment as people say it, exact on hover. `at` is in milliseconds since the epoch. */
export function RelativeTime({ at }: { at: number }) {
  const [ticked, setNow] = useState(Date.now);
  const now = Math.max(ticked, at);
  useEffect(() => {
    const ticking = setInterval(() => setNow(Date.now()), TICK);
    return () => clearInterval(ticking);
  }, []);
  const moment = new Date(at);
  return (
    <time dateTime={moment.toISOString()} title={moment.toLocaleString()}>
      {timeAgo(at, now)}
    </time>
  );
}
