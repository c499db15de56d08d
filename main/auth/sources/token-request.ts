import { z } from 'zod';
import { CausewayError } from '../../platform/errors.ts';
import { foreignText } from '../../platform/foreign-text.ts';
import { Secret } from '../../platform/secret.ts';
import type { HostFetch } from '../host-fetch.ts';
import { askedWait, type OAuthRefusal } from '../oauth/oauth-failure.ts';

/** A token endpoint's answer (RFC 6749 §5). `expiresIn` is in seconds, as in the answer. */
export type TokenAnswer = { token: Secret; expiresIn: number | undefined } | { refusal: OAuthRefusal };

const Granted = z.object({
  access_token: z.string().min(1),
  /** Entra ID's older endpoint writes the number as text. */
  expires_in: z.coerce.number().positive().optional(),
});

const Refused = z.object({
  error: z.string().optional(),
  error_description: z.string().optional(),
  error_code: z.union([z.string(), z.number()]).optional(),
  message: z.string().optional(),
});

/**
 * Asks a token endpoint with a form that holds all there is to say. For grants that the OAuth library does not know.
 * @param sent the secrets in the form: an answer may repeat them
 * @throws {CausewayError} `unexpected_answer` for an answer of no known form, and what the fetch throws
 */
export async function requestToken(
  fetch: HostFetch,
  url: string,
  form: Record<string, string | undefined>,
  sent: readonly Secret[],
): Promise<TokenAnswer> {
  const body = new URLSearchParams();
  for (const [name, value] of Object.entries(form)) if (value !== undefined) body.set(name, value);
  const response = await fetch(url, {
    method: 'POST',
    headers: { accept: 'application/json', 'content-type': 'application/x-www-form-urlencoded' },
    body: body.toString(),
  });
  const answer: unknown = await response.json().catch(() => undefined);
  const granted = response.ok ? Granted.safeParse(answer).data : undefined;
  if (granted) return { token: new Secret(granted.access_token), expiresIn: granted.expires_in };
  if (response.ok) {
    throw new CausewayError('unexpected_answer', `${new URL(url).host} did not return a token.`, {
      remedy: 'Check the host. A company proxy may be in between.',
    });
  }
  const { error, error_description, error_code, message } = Refused.safeParse(answer).data ?? {};
  return {
    refusal: {
      status: response.status,
      error: foreignText(error ?? String(error_code ?? ''), { sent, maxLength: 100 }),
      description: foreignText(error_description ?? message ?? '', { sent }),
      retryAfterMs: askedWait(response),
    },
  };
}
