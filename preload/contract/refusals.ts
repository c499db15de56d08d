import type { ErrorCode } from './error-facts.ts';

/**
 * Who or what in a workspace refuses a request: a row for each that can be told apart. `main/workspace/refusals.ts` recognizes
 * them, and `main/words/refusal-steps.ts` says what to do.
 */

export interface RefusalFacts {
  /** The code of an error with it. */
  code: ErrorCode;
  /** What refuses, after "Refused:". */
  label: string;
  /** Administrators have decided it: the same request is refused again, and its user can neither change that nor wait for it. */
  isDecided: boolean;
}

const rows = {
  /** The service offers only tools that its owner has selected. */
  'tool-selection': { code: 'permission_denied', label: 'tool not selected', isDecided: true },
  /** A policy on the service, of a call or of its result. */
  policy: { code: 'permission_denied', label: 'service policy', isDecided: true },
  /** A policy that wants a person's approval first, by its words. */
  approval: { code: 'permission_denied', label: 'approval required', isDecided: true },
  /** The workspace may not reach the host behind the service. */
  'network-policy': { code: 'permission_denied', label: 'network policy', isDecided: true },
  budget: { code: 'permission_denied', label: 'spend budget', isDecided: true },
  /** A limit that administrators have set for each user of a service. */
  'user-rate-limit': { code: 'rate_limited', label: 'rate limit for each user', isDecided: false },
  /** The same for all users of it together. */
  'service-rate-limit': { code: 'rate_limited', label: 'rate limit of the service', isDecided: false },
  'rate-limit': { code: 'rate_limited', label: 'rate limit', isDecided: false },
  /** The preview that the service needs is off. */
  suspended: { code: 'feature_unavailable', label: 'service suspended', isDecided: false },
  /** A service that does not exist, or that the user has no EXECUTE on: both look the same. */
  missing: { code: 'not_found', label: 'not found, or no EXECUTE', isDecided: false },
} as const satisfies Record<string, RefusalFacts>;

export type RefusalKind = keyof typeof rows;

/** The facts, by kind. */
export const REFUSAL_FACTS: Readonly<Record<RefusalKind, RefusalFacts>> = rows;

export const REFUSAL_KINDS = Object.keys(rows).filter(isRefusal);

/** A kind that another process, or a file, names; null for any other text. */
export function readRefusal(value: unknown): RefusalKind | null {
  return typeof value === 'string' && isRefusal(value) ? value : null;
}

function isRefusal(text: string): text is RefusalKind {
  return Object.hasOwn(rows, text);
}

/** What refused a call, in a few words. */
export function formatRefusal(refusal: RefusalKind): string {
  return `Refused: ${REFUSAL_FACTS[refusal].label}`;
}
