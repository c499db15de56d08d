import { networkInterfaces } from 'node:os';

/** What the application runs in, as far as it changes under it. */
export interface SystemSnapshot {
  /** The system's clock, in milliseconds since the epoch. */
  wall: number;
  /** A clock that nobody can set, in milliseconds. */
  steady: number;
  /** This computer's addresses in its networks. */
  addresses: string;
}

/** Milliseconds from one look to the next. */
const EVERY = 30_000;
/** By how much the clocks may drift apart between two looks, in milliseconds, before somebody has set one. */
const DRIFT = 5_000;

/** What has changed from one look to the next: the clock was set or the computer slept, or the network is another one. */
export function systemChange(before: SystemSnapshot, now: SystemSnapshot): 'clock' | 'network' | null {
  if (before.addresses !== now.addresses) return 'network';
  const jump = now.wall - before.wall - (now.steady - before.steady);
  return Math.abs(jump) > DRIFT ? 'clock' : null;
}

/** Tells when the clock jumps or the network changes. @returns the function that ends it */
export function watchSystem(onChange: (what: 'clock' | 'network') => void, look = lookAround): () => void {
  let before = look();
  const timer = setInterval(() => {
    const now = look();
    const change = systemChange(before, now);
    before = now;
    if (change) onChange(change);
  }, EVERY);
  timer.unref();
  return () => clearInterval(timer);
}

function lookAround(): SystemSnapshot {
  const addresses = Object.values(networkInterfaces())
    .flatMap((each) => each ?? [])
    // Those of IPv6 come and go by themselves.
    .filter(({ internal, family }) => !internal && family === 'IPv4')
    .map(({ address }) => address);
  return { wall: Date.now(), steady: performance.now(), addresses: addresses.sort().join(' ') };
}
