import { ERROR_FACTS, type Trouble } from '../../../preload/contract/error-facts.ts';
import { asCausewayError, CausewayError } from '../../platform/errors.ts';

export type { Trouble };

/** How a configured server is (spec/managed-mcp-endpoints.md › States). Times are milliseconds since 1970. */
export type ServerHealth =
  /** It is being probed for the first time. */
  | { name: 'connecting' }
  | { name: 'ready'; tools: number; checkedAt: number }
  /** It answers, but lists no tools: the user has no grants on what it serves. */
  | { name: 'no-grants'; checkedAt: number }
  /** The user is signing in, in the browser. */
  | { name: 'waiting-for-browser' }
  /** Why it is not ready. It is probed again automatically at `until`. */
  | { name: Trouble; problem: CausewayError; until: number };

/** A server's health, and when it is asked next. */
export interface Watch {
  health: ServerHealth;
  /** How often in a row it was not ready. */
  failures: number;
  /** Milliseconds since 1970; null while only a user's action can change something. */
  due: number | null;
}

/** What happens to a server. `random` is a number from 0 to 1, so that many servers are not asked in the same moment. */
export type WatchEvent =
  | { name: 'answered'; tools: number; at: number; random: number }
  | { name: 'failed'; error: unknown; at: number; random: number }
  /** A check was requested, or a change may have altered the result. */
  | { name: 'asked'; at: number }
  /** The server has notified that its tools have changed. */
  | { name: 'tools-changed'; at: number }
  /** The computer woke or changed its network: the known state and every pause may be stale. */
  | { name: 'interrupted'; at: number; random: number }
  | { name: 'sign-in-began' }
  | { name: 'sign-in-ended'; at: number };

/** How often a server that is ready is probed, in milliseconds; ± 20 %. */
const ROUTINE_MS = 5 * 60_000;
/** Over how long the probes after an interruption are spread, in milliseconds. Networks take a moment to come up. */
const SPREAD_MS = 3_000;
/** The debounce time after a change of the tools, in milliseconds. */
const SETTLE_MS = 500;

const SECOND_MS = 1_000;
const MINUTE_MS = 60 * SECOND_MS;

/**
 * The delays between two probes of a server in trouble, in milliseconds: doubled from the first to the longest. What only a
 * user can change is probed seldom; a probe of a profile that is signed out reads the keychain.
 */
const PAUSES: Record<Trouble | 'no-grants', [first: number, longest: number]> = {
  'signed-out': [MINUTE_MS, 5 * MINUTE_MS],
  'service-signed-out': [MINUTE_MS, 5 * MINUTE_MS],
  'no-grants': [2 * MINUTE_MS, 15 * MINUTE_MS],
  forbidden: [5 * MINUTE_MS, 30 * MINUTE_MS],
  'not-found': [5 * MINUTE_MS, 30 * MINUTE_MS],
  'blocked-by-ip-list': [MINUTE_MS, 10 * MINUTE_MS],
  'login-page': [10 * SECOND_MS, 2 * MINUTE_MS],
  unreachable: [5 * SECOND_MS, 5 * MINUTE_MS],
  failing: [15 * SECOND_MS, 10 * MINUTE_MS],
};

/** Troubles that a sign-in in the browser ends. */
const SIGN_INS: ReadonlySet<Trouble> = new Set<Trouble>(['signed-out', 'service-signed-out']);

/** Whether a call's error suggests that its server is no longer ready. */
export function meansTrouble(error: unknown): boolean {
  return error instanceof CausewayError && ERROR_FACTS[error.code].server !== 'failing';
}

/** A server of which nothing is known, to be asked at once. */
export function newWatch(at: number): Watch {
  return { health: { name: 'connecting' }, failures: 0, due: at };
}

/** The state of a server after an event, and when it is probed next. */
export function nextWatch(watch: Watch, event: WatchEvent): Watch {
  switch (event.name) {
    case 'answered':
      return answered(watch, event);
    case 'failed':
      return failed(watch, event);
    case 'asked':
      return { ...watch, health: unlessWell(watch.health), due: event.at };
    case 'tools-changed':
      return isWell(watch.health) ? { ...watch, due: event.at + SETTLE_MS } : watch;
    case 'interrupted':
      if (watch.health.name === 'waiting-for-browser') return watch;
      return { ...watch, failures: 0, due: event.at + Math.round(event.random * SPREAD_MS) };
    case 'sign-in-began':
      // A user who signs in again while the server is ready sees no other state.
      return isWell(watch.health) ? watch : { ...watch, health: { name: 'waiting-for-browser' }, due: null };
    case 'sign-in-ended':
      if (watch.health.name !== 'waiting-for-browser') return watch;
      return { ...watch, health: { name: 'connecting' }, due: event.at };
  }
}

function answered(watch: Watch, { tools, at, random }: Extract<WatchEvent, { name: 'answered' }>): Watch {
  if (tools > 0) {
    return {
      health: { name: 'ready', tools, checkedAt: at },
      failures: 0,
      due: at + Math.round(ROUTINE_MS * (0.8 + 0.4 * random)),
    };
  }
  const due = at + pause('no-grants', watch.failures, random);
  return { health: { name: 'no-grants', checkedAt: at }, failures: watch.failures + 1, due };
}

function failed(watch: Watch, { error, at, random }: Extract<WatchEvent, { name: 'failed' }>): Watch {
  const problem = asCausewayError(error);
  if (problem.code === 'no_grants') return answered(watch, { name: 'answered', tools: 0, at, random });
  const trouble = ERROR_FACTS[problem.code].server;
  // Another trouble than before begins with its own first pause.
  const failures = watch.health.name === trouble || watch.health.name === 'connecting' ? watch.failures : 0;
  const { retryAfterMs: asked = 0 } = problem;
  // Never earlier than the server asks for, with jitter so that clients do not all return at once.
  const until = at + Math.max(pause(trouble, failures, random), Math.round(asked * (1 + random / 4)));
  // The result of a probe that began before the sign-in is stale.
  if (SIGN_INS.has(trouble) && watch.health.name === 'waiting-for-browser') return watch;
  return { health: { name: trouble, problem, until }, failures: failures + 1, due: until };
}

function pause(trouble: Trouble | 'no-grants', failures: number, random: number): number {
  const [first, longest] = PAUSES[trouble];
  return Math.round(Math.min(first * 2 ** Math.min(failures, 20), longest) * (0.75 + random / 2));
}

function unlessWell(health: ServerHealth): ServerHealth {
  return isWell(health) ? health : { name: 'connecting' };
}

function isWell({ name }: ServerHealth): boolean {
  return name === 'ready';
}

/** A configured server that is monitored; its name is unique. */
export interface MonitoredServer {
  name: string;
  profile: string;
  path: string;
}
