import { networkInterfaces } from 'node:os';

/** The parts of the system that the application watches. */
export interface SystemSnapshot {
  /** The system's clock, in milliseconds since the epoch. */
  wallMs: number;
  /** The monotonic clock, in milliseconds. */
  steadyMs: number;
  /** This computer's addresses in its networks. */
  addresses: string;
}

/** The time between two snapshots. */
const POLL_INTERVAL_MS = 15_000;
/** How far the clocks may drift apart between two snapshots; more means that the clock was set. */
const MAX_DRIFT_MS = 5_000;

/** The change between two snapshots: the clock was set or the computer slept, or the network has changed. */
export function systemChange(before: SystemSnapshot, now: SystemSnapshot): 'clock' | 'network' | null {
  if (before.addresses !== now.addresses) return 'network';
  const jump = now.wallMs - before.wallMs - (now.steadyMs - before.steadyMs);
  return Math.abs(jump) > MAX_DRIFT_MS ? 'clock' : null;
}

/**
 * Reports when the clock jumps, as it does when the computer has slept, or the network changes: not every system says so. The one
 * watcher of both. @returns a function that stops it
 */
export function watchSystem(onChange: (what: 'clock' | 'network') => void, look = takeSnapshot): () => void {
  let before = look();
  const timer = setInterval(() => {
    const now = look();
    const change = systemChange(before, now);
    before = now;
    if (change) onChange(change);
  }, POLL_INTERVAL_MS);
  timer.unref();
  return () => clearInterval(timer);
}

function takeSnapshot(): SystemSnapshot {
  const addresses = Object.values(networkInterfaces())
    .flatMap((each) => each ?? [])
    // IPv6 addresses change by themselves; link-local ones lead nowhere.
    .filter(({ internal, family, address }) => !internal && family === 'IPv4' && !address.startsWith('169.254.'))
    .map(({ address }) => address);
  return { wallMs: Date.now(), steadyMs: performance.now(), addresses: addresses.sort().join(' ') };
}
