import type { BehaviorName } from '../behaviors.ts';
import type { SignInNeededFor, SignInSignal } from '../model.ts';
import type { GatewayRefusal } from './refusals.ts';
import { asSpecified, fiveTiers, type Heuristic } from './warehouse-choice.ts';

export type AnswerForm = 'json' | 'sse';

/** How the managed servers behave. Tests may change them while the servers run; the next request sees the change. */
export interface ManagedServerSettings {
  /** Of the managed servers; `none`: no session id is ever issued, each request stands alone, as the real servers may do. */
  sessions: 'demanded' | 'none';
  /** The form of an answer, for all requests or by JSON-RPC method. */
  answers: AnswerForm | ((method: string) => AnswerForm);
  /** Whether GET opens a listening stream and DELETE ends a session. The real servers know neither. */
  listening: 'absent' | 'supported';
  /** `modern` speaks protocol revision 2026-07-28 alone, which has no sessions; `legacy` the 2025 revisions. */
  revision: 'legacy' | 'modern';
  /** Numbers the events of event streams; with `listening` supported, a broken stream can then be taken up again. */
  eventIds: boolean;
  /** The last rule of the choice of a warehouse. */
  heuristic: Heuristic;
  /** How long a call waits for its query before it answers that the query is still running. */
  waitMs: number;
  /** An old fault of the real servers: answers to requests with an id that is not a number carried the id 0. */
  textIdsBecomeZero: boolean;
  /** As `sessions`, for services, external connections and apps. */
  serviceSessions: 'demanded' | 'none';
  /** How a service whose connection waits for the user's sign-in says so, and to what. */
  signInSignal: SignInSignal;
  signInNeededFor: SignInNeededFor;
  /** Whether that challenge says `error="invalid_token"`, as the one for a bad token does. */
  challengeBlamesToken: boolean;
  /** How long a connection's credential takes to become active after the sign-in. */
  activationMs: number;
  /** How `/ai-gateway/` refuses a token that is none of this workspace's: 401, or 400 with the bare text `Invalid Token`. */
  rejectedToken: '401' | '400';
  /** `suspended`: the account has not switched on the preview that every service but Genie One needs. */
  preview: 'on' | 'suspended';
  /** Whether `_meta.warehouse_id` comes before the user's override, behind it, or is not looked at. */
  warehousePin: 'first' | 'behind-override' | 'ignored';
  /** The policy `system.ai.dbsql_policy` with `disallow_writes`. */
  disallowWrites: boolean;
  /** What the gateway refuses, and how (refusals.ts). */
  refusals: readonly GatewayRefusal[];
  /** A tag that a policy demands of each call of a service; without it, the call is refused. */
  demandedTag: string | undefined;
  /** What a user without EXECUTE gets: 403, or 404 as though there were no such service. */
  missingExecute: 403 | 404;
  /** `/api/2.0/mcp/genie`, whose end was announced for October 2026: unknown, 410, or still there. */
  oldGenieOne: 'absent' | 'gone' | 'served';
}

export const DEFAULT_SETTINGS: ManagedServerSettings = {
  sessions: 'demanded',
  // Both forms are seen by whoever changes nothing.
  answers: (method) => (method === 'tools/call' ? 'sse' : 'json'),
  listening: 'absent',
  revision: 'legacy',
  eventIds: false,
  heuristic: asSpecified,
  waitMs: 1000,
  textIdsBecomeZero: false,
  serviceSessions: 'none',
  signInSignal: 'challenge',
  signInNeededFor: 'tools/call',
  challengeBlamesToken: false,
  activationMs: 0,
  rejectedToken: '401',
  preview: 'on',
  warehousePin: 'first',
  disallowWrites: false,
  refusals: [],
  demandedTag: undefined,
  missingExecute: 403,
  oldGenieOne: 'absent',
};

/** The settings that follow from a workspace's behaviors; tests may change each of them. */
export function settingsFor(behaviors: ReadonlySet<BehaviorName>): Partial<ManagedServerSettings> {
  return {
    ...(behaviors.has('withoutSessions') && { sessions: 'none' }),
    ...(behaviors.has('demandsServiceSessions') && { serviceSessions: 'demanded' }),
    ...(behaviors.has('fiveTierFallback') && { heuristic: fiveTiers }),
  };
}

export function answerForm({ answers }: ManagedServerSettings, method: string): AnswerForm {
  return typeof answers === 'function' ? answers(method) : answers;
}
