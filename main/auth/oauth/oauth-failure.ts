import * as oauth from 'oauth4webapi';
import { CausewayError } from '../../platform/errors.ts';
import { foreignText, type SentSecrets } from '../../platform/foreign-text.ts';
import { retryAfterMs } from '../../platform/retry.ts';

/** A sign-in service's answer that has no tokens. */
export interface OAuthRefusal {
  status: number;
  /** RFC 6749 §5.2 error code, empty if the answer is not of that form. */
  error: string;
  description: string;
  /** The delay that the service asked for, in milliseconds. */
  retryAfterMs?: number | undefined;
}

/**
 * What an error of the OAuth library says, without what was sent with the request: services echo it. Undefined if the
 * service did not answer with a refusal.
 */
export function oauthRefusal(error: unknown, sent: SentSecrets): OAuthRefusal | undefined {
  const refusal = readRefusal(error);
  return (
    refusal && {
      ...refusal,
      error: foreignText(refusal.error, { sent, maxLength: 100 }),
      description: foreignText(refusal.description, { sent }),
    }
  );
}

function readRefusal(error: unknown): OAuthRefusal | undefined {
  if (error instanceof oauth.ResponseBodyError) {
    return {
      status: error.status,
      error: error.error,
      description: error.error_description ?? '',
      retryAfterMs: askedWait(error.response),
    };
  }
  if (error instanceof oauth.WWWAuthenticateChallengeError) {
    const said = error.cause.find(({ parameters }) => parameters.error)?.parameters;
    return {
      status: error.status,
      error: said?.error ?? '',
      description: said?.error_description ?? '',
      retryAfterMs: askedWait(error.response),
    };
  }
  if (!(error instanceof oauth.OperationProcessingError)) return undefined;
  const response = error.cause instanceof Response ? error.cause : undefined;
  return response && !response.ok
    ? { status: response.status, error: '', description: '', retryAfterMs: askedWait(response) }
    : undefined;
}

/** The delay that an answer asks for, in milliseconds. */
export function askedWait({ headers }: Response): number | undefined {
  return retryAfterMs(headers.get('retry-after') ?? undefined);
}

/** Whether a refusal means that the refresh token has ended and only a new sign-in helps. */
export function isDeadGrant({ error, description }: OAuthRefusal): boolean {
  return error === 'invalid_grant' || /refresh token is invalid/i.test(description);
}

/** Error codes (RFC 6749 §4.1.2.1, RFC 8628 §3.5) of temporary failures. */
const TEMPORARY = new Set(['temporarily_unavailable', 'server_error', 'slow_down']);
/** Error codes (RFC 6749 §5.2) that are about the application and not about the user: signing in again changes nothing. */
const ABOUT_THE_APPLICATION = new Set(['invalid_client', 'unauthorized_client', 'unsupported_grant_type']);

export function isTemporary({ status, error }: Pick<OAuthRefusal, 'status' | 'error'>): boolean {
  return status === 429 || status >= 500 || TEMPORARY.has(error);
}

/** The error while the sign-in service is down or busy. The user stays signed in. */
export function serviceUnavailable(host: string, { status, error, retryAfterMs: ms }: OAuthRefusal): CausewayError {
  const detail = TEMPORARY.has(error) ? error : `HTTP ${status}`;
  return new CausewayError('unavailable', `The sign-in service of ${host} is not available (${detail}).`, {
    remedy: 'Try again in a minute.',
    retryAfterMs: ms,
  });
}

/** For a workspace that does not accept the OAuth application itself. */
export function refusedApplication(host: string, clientId: string, detail: string): CausewayError {
  return new CausewayError('sign_in_failed', `${host} does not accept the OAuth application ${clientId} (${detail}).`, {
    remedy:
      'Signing in again will not help. Check the client id and the client secret, and ask the account administrator whether the application is still enabled for this workspace.',
  });
}

export interface RefusedRequest {
  host: string;
  clientId: string;
  /** What was requested, as the end of "HOST refused …". */
  what: string;
  /** The secrets that were sent with the request. */
  sent: SentSecrets;
}

/**
 * Any other refusal as a `CausewayError`: temporary, about the application, or anything else. The
 * library's own error is never passed on as the cause: it may hold the answer's body, tokens included.
 */
export function unexpectedRefusal(error: unknown, { host, clientId, what, sent }: RefusedRequest): CausewayError {
  if (error instanceof CausewayError) return error;
  const refusal = oauthRefusal(error, sent);
  if (refusal && isTemporary(refusal)) return serviceUnavailable(host, refusal);
  const said = refusal
    ? [refusal.error || `HTTP ${refusal.status}`, refusal.description].filter(Boolean).join(': ')
    : '';
  if (refusal && (ABOUT_THE_APPLICATION.has(refusal.error) || refusal.status === 401)) {
    return refusedApplication(host, clientId, said);
  }
  return new CausewayError(
    'sign_in_failed',
    `${host} refused ${what}${said ? ` (${said})` : ': its response could not be read'}.`,
    {
      remedy: 'Sign in again. If it keeps failing, send this message to your administrator.',
    },
  );
}
