import { backoffMs, retryAfterMs } from '../platform/retry.ts';
import { type HttpOutcome, header } from './http-exchange.ts';

/** How often a frame may be sent again, and how long between, in milliseconds. */
export const REPEAT = {
  sessionLosses: 2,
  times: 3,
  firstMs: 320,
  longestMs: 30_000,
} as const;

const SAFE_TO_REPEAT = new Set([
  'initialize',
  'ping',
  'tools/list',
  'resources/list',
  'resources/templates/list',
  'resources/read',
  'prompts/list',
  'prompts/get',
  'completion/complete',
  'server/discover',
  // Twice is as once.
  'resources/subscribe',
  'resources/unsubscribe',
  'subscriptions/listen',
  'logging/setLevel',
]);

/** Whether a request may be sent again although the first may have been carried out. */
export function isSafeToRepeat(method: string): boolean {
  return SAFE_TO_REPEAT.has(method);
}

/** What has been tried for a frame. */
export interface Attempted {
  method: string;
  repeats: number;
  /** Whether the server has begun to answer. */
  responseStarted: boolean;
  /** Whether a new token has been tried already. */
  rejected: unknown;
}

/**
 * How long to wait before a frame is sent again, in milliseconds; undefined when it must not be. A frame is repeated only
 * where the server has not run it: refused for its token (401), put off (429, 503), or never sent; or where it is harmless.
 */
export function retryAfterOutcome(
  outcome: HttpOutcome,
  tried: Attempted,
  random: () => number = Math.random,
): number | undefined {
  if (tried.responseStarted || tried.repeats >= REPEAT.times) return undefined;
  const backoff = backoffMs(1 + 2 * tried.repeats, random(), REPEAT);
  if (outcome.kind === 'broken') {
    const safe = !outcome.sent || (isSafeToRepeat(tried.method) && outcome.head === undefined);
    return safe && isPassing(outcome.error) && tried.repeats < 2 ? backoff : undefined;
  }
  if (outcome.kind !== 'refused') return undefined;
  const { status } = outcome.head;
  if (status === 401) return tried.rejected === undefined ? 0 : undefined;
  if (status !== 429 && status !== 503) return undefined;
  const asked = retryAfterMs(header(outcome.head, 'retry-after'));
  if (asked === undefined) return backoff;
  return asked <= REPEAT.longestMs ? asked : undefined;
}

/**
 * Certificates do not mend themselves, a proxy that refuses a password locks the account after a few, and an answer that
 * took minutes will not come sooner the second time. UND_ERR_ABORTED is a proxy's refusal to connect.
 */
function isPassing(error: Error): boolean {
  const code = 'code' in error && typeof error.code === 'string' ? error.code : '';
  return !/CERT|TLS|SSL|SELF_SIGNED|UNABLE_TO|HEADERS_TIMEOUT|BODY_TIMEOUT|CONNECT_TIMEOUT|ENOTFOUND|UND_ERR_ABORTED/.test(
    code,
  );
}
