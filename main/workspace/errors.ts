import { SAYS_SCOPES_ARE_MISSING } from '../auth/scopes.ts';
import { CausewayError, type CausewayErrorOptions, type ErrorCode } from '../platform/errors.ts';
import type { NextAction } from '../platform/next-action.ts';
import { asSentence } from '../platform/sentences.ts';
import type { ErrorBody } from './error-body.ts';

export interface WorkspaceErrorOptions extends CausewayErrorOptions {
  /** The answer's HTTP status; absent where no answer arrived. */
  status?: number | undefined;
  /** The workspace's own word, such as `RESOURCE_DOES_NOT_EXIST`. */
  errorCode?: string | undefined;
  requestId?: string | undefined;
  mayHaveRun?: boolean;
}

/**
 * A REST request that failed, whether the workspace refused it or no usable answer arrived. Switch on `code`;
 * `errorCode` and `requestId` are for support and for the one case that statuses do not settle (a missing API).
 */
export class WorkspaceError extends CausewayError {
  readonly status: number | undefined;
  readonly errorCode: string;
  readonly requestId: string | undefined;
  /** Whether the workspace may have carried the request out in spite of the error. */
  readonly mayHaveRun: boolean;

  constructor(code: ErrorCode, message: string, options: WorkspaceErrorOptions = {}) {
    super(code, message, options);
    this.status = options.status;
    this.errorCode = options.errorCode ?? '';
    this.requestId = options.requestId;
    this.mayHaveRun = options.mayHaveRun ?? false;
  }

  /** The same refusal, of a request whose earlier attempt may have run. */
  mayHaveRunBefore(): WorkspaceError {
    const { code, message, status, errorCode, requestId, advice: remedy, action, cause } = this;
    return new WorkspaceError(code, message, { status, errorCode, requestId, remedy, action, cause, mayHaveRun: true });
  }

  /** The same failure with another thing to do about it. */
  withNext(next: Pick<WorkspaceErrorOptions, 'remedy' | 'action'>): WorkspaceError {
    const { code, message, status, errorCode, requestId, mayHaveRun, cause } = this;
    return new WorkspaceError(code, message, { status, errorCode, requestId, mayHaveRun, cause, ...next });
  }

  /** The same failure in words that fit what was being done. */
  inWords(code: ErrorCode, message: string, remedy: string | undefined, action?: NextAction): WorkspaceError {
    const { status, errorCode, requestId, mayHaveRun } = this;
    return new WorkspaceError(code, message, { status, errorCode, requestId, mayHaveRun, remedy, action, cause: this });
  }
}

const CODE_BY_STATUS: Record<number, ErrorCode> = {
  400: 'invalid_argument',
  401: 'unauthenticated',
  403: 'permission_denied',
  404: 'not_found',
  409: 'conflict',
  407: 'login_page',
  429: 'rate_limited',
  501: 'feature_unavailable',
  // A network that wants a sign-in of its own (RFC 6585 §6).
  511: 'login_page',
};

/** The error codes that say more than their status does; everything else is decided by the status alone. */
const CODE_BY_ERROR_CODE: Record<string, ErrorCode> = {
  ENDPOINT_NOT_FOUND: 'feature_unavailable',
  FEATURE_DISABLED: 'feature_unavailable',
  NOT_IMPLEMENTED: 'feature_unavailable',
  ALREADY_EXISTS: 'already_exists',
  RESOURCE_ALREADY_EXISTS: 'already_exists',
};

/** Refusals that share a status and are told apart by their text only. */
const CODE_BY_MESSAGE: [status: number, pattern: RegExp, code: ErrorCode][] = [
  [403, /invalid (access )?token|token (is|has) (been )?(invalid|expired|revoked)/i, 'unauthenticated'],
  [403, SAYS_SCOPES_ARE_MISSING, 'missing_scope'],
  [403, /blocked by .*IP (ACL|access list)/i, 'ip_blocked'],
  [403, /private.link/i, 'ip_blocked'],
  [400, /administratively suspended/i, 'feature_unavailable'],
];

const REMEDIES: Partial<Record<ErrorCode, string>> = {
  unauthenticated: 'Sign in again; if it persists, check that the profile names the right workspace.',
  missing_scope: 'Sign in again with the missing scope, or ask for an OAuth application that has it.',
  ip_blocked: 'Connect from an allowed network (VPN, office), or ask a workspace admin to allow this address.',
  permission_denied: 'Ask a workspace admin.',
  rate_limited: 'Wait a little and try again.',
  unavailable: 'Try again in a minute.',
  login_page:
    'Something between here and the workspace wants a sign-in (a captive portal or proxy): open the workspace in a browser first.',
};

/** The remedy for every error that leaves open whether a change was made. */
export const IN_DOUBT = 'The change may or may not have been made: look at the present state before you repeat it.';

/** Statuses of 500 and above that say that nothing was done. */
const NEVER_REACHED_IT = new Set([501, 503, 511]);

/** Turns a refusal into the error that is thrown for it. `method` decides whether it may have run all the same. */
export function refusal(method: string, status: number, body: ErrorBody): WorkspaceError {
  const code = classify(status, body);
  // A gateway's 500, 502 or 504 says nothing about what happened behind it.
  const mayHaveRun = method !== 'GET' && status >= 500 && !NEVER_REACHED_IT.has(status);
  const remedy = mayHaveRun ? IN_DOUBT : REMEDIES[code];
  return new WorkspaceError(code, asSentence(`The workspace answered ${status}: ${body.message}`), {
    status,
    errorCode: body.errorCode,
    requestId: body.requestId,
    mayHaveRun,
    ...(remedy === undefined ? {} : { remedy }),
  });
}

function classify(status: number, body: ErrorBody): ErrorCode {
  if (body.kind === 'private-link') return 'ip_blocked';
  if (status >= 300 && status < 400) return 'login_page';
  const byMessage = CODE_BY_MESSAGE.find(([when, pattern]) => when === status && pattern.test(body.message));
  if (byMessage) return byMessage[2];
  // The workspace gives its reasons as data. A page that says no is that of a proxy, a gateway or a hotel.
  if (status === 403 && body.kind === 'page') return 'login_page';
  // A 404 that is no REST error at all comes from something in front of the API, not from a missing record.
  if (status === 404 && (body.kind === 'page' || body.kind === 'other')) return 'feature_unavailable';
  return (
    CODE_BY_ERROR_CODE[body.errorCode] ??
    CODE_BY_STATUS[status] ??
    (status >= 500 ? 'unavailable' : 'unexpected_answer')
  );
}
