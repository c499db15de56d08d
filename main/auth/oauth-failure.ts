import * as oauth from 'oauth4webapi';
import { CausewayError } from '../platform/errors.ts';
import { foreignText, type SentSecrets } from '../platform/foreign-text.ts';

/** What a sign-in service answered instead of tokens. */
export interface OAuthRefusal {
  status: number;
  /** RFC 6749 §5.2 error code, empty if the answer is not of that form. */
  error: string;
  description: string;
}

/**
 * What an error of the OAuth library says, without what was sent with the request: services echo it. Undefined if the
 * service did not answer with a refusal.
 */
export function refusalOf(error: unknown, sent: SentSecrets): OAuthRefusal | undefined {
  const refusal = readRefusal(error);
  return (
    refusal && {
      status: refusal.status,
      error: foreignText(refusal.error, { sent, maxLength: 100 }),
      description: foreignText(refusal.description, { sent }),
    }
  );
}

function readRefusal(error: unknown): OAuthRefusal | undefined {
  if (error instanceof oauth.ResponseBodyError) {
    return { status: error.status, error: error.error, description: error.error_description ?? '' };
  }
  if (error instanceof oauth.WWWAuthenticateChallengeError) {
    const said = error.cause.find(({ parameters }) => parameters.error)?.parameters;
    return { status: error.status, error: said?.error ?? '', description: said?.error_description ?? '' };
  }
  if (!(error instanceof oauth.OperationProcessingError)) return undefined;
  const response = error.cause instanceof Response ? error.cause : undefined;
  return response && !response.ok ? { status: response.status, error: '', description: '' } : undefined;
}

/** Whether a refusal means that the refresh token has ended and only a new sign-in helps. */
export function isDeadGrant({ error, description }: OAuthRefusal): boolean {
  return error === 'invalid_grant' || /refresh token is invalid/i.test(description);
}

/**
 * A refusal for which there is no better word, as an error of ours. The library's own error is never passed on as the
 * cause: it may hold the answer's body, tokens included.
 */
export function unexpectedRefusal(host: string, what: string, error: unknown, sent: SentSecrets): CausewayError {
  if (error instanceof CausewayError) return error;
  const refusal = refusalOf(error, sent);
  if (refusal?.status === 429 || (refusal && refusal.status >= 500)) {
    return new CausewayError(
      'unavailable',
      `The sign-in service of ${host} is not available (HTTP ${refusal.status}).`,
      {
        remedy: 'Try again in a minute.',
      },
    );
  }
  const said = refusal
    ? [refusal.error || `HTTP ${refusal.status}`, refusal.description].filter(Boolean).join(': ')
    : '';
  return new CausewayError(
    'sign_in_failed',
    `${host} refused ${what}${said ? ` (${said})` : ': its answer is not understood'}.`,
    {
      remedy: 'Sign in again. If it stays so, give this line to your administrator.',
    },
  );
}
