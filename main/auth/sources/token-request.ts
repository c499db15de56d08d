import type { Secret } from '../../platform/secret.ts';
import type { HostFetch } from '../host-fetch.ts';
import type { OAuthRefusal } from '../oauth/oauth-failure.ts';
import { type GrantedTokens, readTokenAnswer } from '../oauth/token-answer.ts';

/**
 * Asks a token endpoint with a form that holds all there is to say. For grants that the OAuth library does not know.
 * @param sent the secrets in the form: an answer may repeat them
 * @throws {CausewayError} `unexpected_answer` and `login_page` for an answer without a token, and what the fetch throws
 */
export async function requestToken(
  fetch: HostFetch,
  url: string,
  form: Record<string, string | undefined>,
  sent: readonly Secret[],
): Promise<{ granted: GrantedTokens } | { refusal: OAuthRefusal }> {
  const body = new URLSearchParams();
  for (const [name, value] of Object.entries(form)) if (value !== undefined) body.set(name, value);
  const response = await fetch(url, {
    method: 'POST',
    headers: { accept: 'application/json', 'content-type': 'application/x-www-form-urlencoded' },
    body: body.toString(),
  });
  const answer = await readTokenAnswer(response, { host: new URL(url).host, sent });
  if ('unusable' in answer) throw answer.unusable;
  return answer;
}
