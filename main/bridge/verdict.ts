import type { Secret } from '../platform/secret.ts';
import type { AttemptFailure } from './endpoint.ts';
import type { UpstreamFailure } from './errors.ts';
import type { RpcError } from './frame/members.ts';
import { type HttpOutcome, UnsentError } from './http-exchange.ts';
import type { PendingRequest, ReceivedFrame } from './pending-request.ts';
import { isRejection, REPEAT, retryAfterOutcome } from './retry.ts';
import { isServersOwnError, isSessionLost, isSessionLostFrame, mayBeSessionLost } from './session.ts';

/** What has been tried for a request so far. */
export interface Tried {
  sessionLosses: number;
  repeats: number;
  /** The token that the workspace refused on the last attempt. */
  rejected: Secret | undefined;
  /** Whether a refusal has been checked against the record of the service behind the server. */
  isServiceChecked: boolean;
}

export const NOTHING_TRIED: Tried = { sessionLosses: 0, repeats: 0, rejected: undefined, isServiceChecked: false };

/** How an exchange with the server has ended, and what has been found out about that since. */
export interface Ended {
  method: string;
  outcome: HttpOutcome;
  /** Whether the server has begun to answer, apart from what is withheld. */
  hasBegun: boolean;
  /** Whether the frame was sent in a session that another can replace. */
  isRenewable: boolean;
  /** A withheld error that says, or may say, that the session is lost. */
  loss: ReceivedFrame | undefined;
  /** A withheld error that asks the user to sign in to the service behind the server. */
  elicitation: ReceivedFrame | undefined;
  /** Whether there is such a service. */
  hasService: boolean;
  /** Whether a probe found the session lost; undefined if none was sent. */
  isLost?: boolean;
  /** Whether the user has signed in to the service meanwhile, or the refusal is about something else. */
  service?: 'again' | 'other' | undefined;
}

type Refused = Extract<HttpOutcome, { kind: 'refused' }>;

/** What to do once an exchange has ended. */
export type Verdict =
  /** The client has withdrawn the request: it gets no answer. */
  | { do: 'withdraw' }
  /** Another request has to show whether the session is lost. */
  | { do: 'probe'; error: RpcError }
  /** The service's own record has to show whether its user is signed in. */
  | { do: 'check-service'; refusal: Refused | Buffer }
  /** The session was lost, so the request was not run: it is sent in a new one. */
  | { do: 'renew' }
  /** The user has signed in to the service: the request is sent again. */
  | { do: 'resend' }
  /** It was not run, or is idempotent: it is sent again, `afterMs` later. */
  | { do: 'repeat'; afterMs: number }
  /** No connection took it in time. */
  | { do: 'time-out' }
  | { do: 'fail'; failure: UpstreamFailure }
  /** The client gets what has come. */
  | { do: 'pass-on' };

/** Decides what to do with a request. It is sent again only if the server has not run it, or if it is idempotent. */
export function verdictOn(ended: Ended, tried: Tried, random: () => number = Math.random): Verdict {
  const { outcome } = ended;
  if (outcome.kind === 'cancelled') return { do: 'withdraw' };
  const loss = lossIn(ended);
  if (typeof loss === 'object') return { do: 'probe', error: loss };
  if (loss) return verdictOnLoss(outcome, tried);
  if (ended.service === 'again') return { do: 'resend' };
  const refusal = serviceRefusalIn(ended);
  return refusal ? { do: 'check-service', refusal } : verdictOnAttempt(ended, tried, random);
}

function verdictOnAttempt(ended: Ended, tried: Tried, random: () => number): Verdict {
  const { outcome, method, hasBegun, loss, elicitation } = ended;
  if (outcome.kind === 'broken' && outcome.error instanceof UnsentError) return { do: 'time-out' };
  const responseStarted = hasBegun || loss !== undefined || elicitation !== undefined;
  const afterMs = retryAfterOutcome(outcome, { ...tried, method, responseStarted }, random);
  return afterMs === undefined ? { do: 'pass-on' } : { do: 'repeat', afterMs };
}

/** Whether the session is lost; the error that may say so if only a probe can tell. */
export function lossIn({ outcome, loss, isRenewable, isLost }: Ended): boolean | RpcError {
  if (!isRenewable) return false;
  if (isLost !== undefined) return isLost;
  const frame = outcome.kind === 'frame' ? outcome.frame : loss?.frame;
  if (frame) return isSessionLostFrame(frame) || (mayBeSessionLost({ frame }) ?? false);
  if (outcome.kind !== 'refused') return false;
  const { head, text } = outcome;
  return isSessionLost({ status: head.status, text }) || (mayBeSessionLost({ text }) ?? false);
}

function verdictOnLoss(outcome: HttpOutcome, { sessionLosses }: Tried): Verdict {
  if (sessionLosses < REPEAT.sessionLosses) return { do: 'renew' };
  const isExplained = outcome.kind !== 'refused' || isServersOwnError(outcome.head.status, outcome.text);
  return isExplained ? { do: 'pass-on' } : { do: 'fail', failure: { kind: 'forgotten' } };
}

/** A refusal that may come from the service behind the server, unless its record has been checked already. */
function serviceRefusalIn({
  outcome,
  elicitation,
  hasBegun,
  hasService,
  service,
}: Ended): Refused | Buffer | undefined {
  if (!hasService || service) return undefined;
  if (elicitation) return elicitation.frame;
  return outcome.kind === 'refused' && !hasBegun && isRejection(outcome) ? outcome : undefined;
}

/**
 * Why a frame has no answer although its exchange is over; undefined if it has one, or needs none. `notifications/initialized`
 * must be accepted.
 */
export function failureOf(outcome: HttpOutcome, request: PendingRequest): UpstreamFailure | undefined {
  if (!request.isOpen && request.method !== 'notifications/initialized') return undefined;
  if (outcome.kind === 'refused' || outcome.kind === 'broken') return outcome;
  if (outcome.kind === 'too-long') return { kind: 'too-long' };
  if (!request.isOpen) return undefined;
  return { kind: request.isMisaddressed ? 'misaddressed' : 'unanswered' };
}

/** How an attempt that brought no answer has failed; undefined if it may have brought one. */
export function attemptFailureIn(ended: Ended): AttemptFailure | undefined {
  const { outcome } = ended;
  const status = 'head' in outcome ? (outcome.head?.status ?? null) : null;
  if (lossIn(ended) === true) return { status, reason: 'session-lost' };
  if (ended.loss || ended.elicitation) return undefined;
  if (outcome.kind === 'broken') return { status, reason: outcome.sent ? 'broken' : 'not-sent' };
  if (outcome.kind === 'too-long') return { status, reason: 'too-long' };
  return outcome.kind === 'refused' ? { status, reason: 'refused' } : undefined;
}
