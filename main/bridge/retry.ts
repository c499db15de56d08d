import { BUDGETS } from '../platform/budgets.ts';
import { backoffMs, retryAfterMs } from '../platform/retry.ts';
import { type HttpOutcome, header, type ResponseHead } from './http-exchange.ts';
import { isSafeToRepeat } from './methods.ts';
import { isDecided } from './refusals.ts';

/** How often a frame may be retried, and the bounds of the delay. */
export const REPEAT = {
  sessionLosses: 2,
  times: 3,
  firstMs: 320,
  longestMs: BUDGETS.retryAfterMs,
} as const;

/** The attempts made for a frame so far. */
export interface Attempted {
  method: string;
  repeats: number;
  /** Whether the server has begun to answer. */
  responseStarted: boolean;
  /** Whether a new token has been tried already. */
  rejected: unknown;
}

/**
 * The delay before a frame is retried, in milliseconds; undefined if it must not be. A frame is retried only if the
 * server has not run it (its token was refused, it got 429 or 503, or it was never sent) or if it is idempotent, and never if
 * administrators have decided that it is refused.
 */
export function retryAfterOutcome(
  outcome: HttpOutcome,
  tried: Attempted,
  random: () => number = Math.random,
): number | undefined {
  if (tried.responseStarted || tried.repeats >= REPEAT.times) return undefined;
  if (outcome.kind !== 'broken' && outcome.kind !== 'refused') return undefined;
  if (isRejection(outcome)) return tried.rejected === undefined ? 0 : undefined;
  const backoff = backoffMs(1 + 2 * tried.repeats, random(), REPEAT);
  if (outcome.kind === 'refused') return isDecided(outcome) ? undefined : afterRefusal(outcome.head, backoff);
  return tried.repeats < 2 && mayBeRepeated(outcome, tried.method) ? backoff : undefined;
}

function afterRefusal(head: ResponseHead, backoff: number): number | undefined {
  if (head.status !== 429 && head.status !== 503) return undefined;
  const asked = retryAfterMs(header(head, 'retry-after')) ?? backoff;
  return asked <= REPEAT.longestMs ? asked : undefined;
}

function mayBeRepeated({ sent, head, error }: Extract<HttpOutcome, { kind: 'broken' }>, method: string): boolean {
  return (!sent || (isSafeToRepeat(method) && head === undefined)) && isTransient(error);
}

/** Whether the workspace refused the token. AI Gateway may say so with 400 and the bare text `Invalid Token`. */
export function isRejection(outcome: HttpOutcome): boolean {
  if (outcome.kind !== 'refused') return false;
  const { status } = outcome.head;
  if (status === 401) return !isDecided(outcome);
  return status === 400 && /^\s*invalid token\.?\s*$/i.test(outcome.text);
}

/**
 * Whether an error may be transient. Certificate errors persist, a proxy may lock an account after a few refused
 * passwords, and a response that took minutes takes as long again. UND_ERR_ABORTED is a proxy's refusal to connect,
 * and what no connection took in time has waited long enough.
 */
function isTransient(error: Error): boolean {
  const code = 'code' in error && typeof error.code === 'string' ? error.code : '';
  return !/CERT|TLS|SSL|SELF_SIGNED|UNABLE_TO|HEADERS_TIMEOUT|BODY_TIMEOUT|CONNECT_TIMEOUT|ENOTFOUND|UND_ERR_ABORTED|UND_ERR_UNSENT|UND_ERR_WIRE_BUDGET/.test(
    code,
  );
}
