import { CausewayError } from '../../platform/errors.ts';
import type { TokenRecord } from '../secrets/token-record.ts';

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
 * Whether a refusal means that the refresh token has ended and only a new sign-in helps. A service that is busy or down has not
 * judged it, whatever its answer says besides.
 */
export function isDeadGrant({ status, error, description }: OAuthRefusal): boolean {
  if (isTemporary({ status, error })) return false;
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
export function serviceUnavailable(host: string, refusal: OAuthRefusal): CausewayError {
  const { status, error, retryAfterMs: ms } = refusal;
  const isSaid = TEMPORARY.has(error) && status < 500;
  const detail = isSaid ? detailOf(refusal) : `HTTP ${status}`;
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
}

/** Any other refusal of a token endpoint as a `CausewayError`: temporary, about the application, or anything else. */
export function unexpectedRefusal(refusal: OAuthRefusal, { host, clientId, what }: RefusedRequest): CausewayError {
  if (isTemporary(refusal)) return serviceUnavailable(host, refusal);
  const said = detailOf(refusal);
  if (ABOUT_THE_APPLICATION.has(refusal.error) || refusal.status === 401) {
    return refusedApplication(host, clientId, said);
  }
  return new CausewayError('sign_in_failed', `${host} refused ${what} (${said}).`, {
    remedy: 'Sign in again. If it keeps failing, send this message to your administrator.',
  });
}

/** What a refusal says, or else its status. */
export function detailOf({ status, error, description }: OAuthRefusal): string {
  return [error || `HTTP ${status}`, description].filter(Boolean).join(': ');
}

/** An answer with a new refresh token, but without an access token that can be used. The one that was sent is spent. */
export class UnusableAnswer extends CausewayError {
  /** The sign-in with the new refresh token. */
  readonly kept: TokenRecord;

  constructor({ code, message, remedy, action }: CausewayError, kept: TokenRecord) {
    super(code, message, { remedy, action });
    this.kept = kept;
  }
}
