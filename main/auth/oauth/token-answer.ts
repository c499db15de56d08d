import { z } from 'zod';
import { CausewayError } from '../../platform/errors.ts';
import { foreignText, type SentSecrets } from '../../platform/foreign-text.ts';
import { jsonIn } from '../../platform/json.ts';
import { retryAfterMs } from '../../platform/retry.ts';
import { Secret } from '../../platform/secret.ts';
import { REMEDIES } from '../../words/remedies.ts';
import { unsendablePart } from '../access-token.ts';
import type { OAuthRefusal } from './oauth-failure.ts';

/** The tokens in a token endpoint's answer (RFC 6749 §5.1). */
export interface GrantedTokens {
  accessToken: Secret;
  /** Undefined if the answer has none: the one that was sent stays good then. */
  refreshToken: Secret | undefined;
  /** In seconds; undefined if the answer gives no usable number. */
  expiresIn: number | undefined;
  /** Undefined if the answer does not say. */
  scopes: string[] | undefined;
}

/** What a token endpoint has answered. */
export type TokenAnswer =
  | { granted: GrantedTokens }
  | { refusal: OAuthRefusal }
  /** No access token that can be used; a refresh token may have come nevertheless, and the one that was sent is then spent. */
  | { unusable: CausewayError; refreshToken: Secret | undefined };

/** A member that a server may leave out, or fill with anything else; then it counts as left out. */
const optional = <T extends z.ZodType>(schema: T) => schema.optional().catch(undefined);

/** The lifetime as a number or as text, as Entra ID's older endpoint writes it. */
const Seconds = z.union([z.number(), z.string().trim().min(1).transform(Number)]).pipe(z.number().positive());

const Granted = z.looseObject({
  access_token: optional(z.string().min(1)),
  refresh_token: optional(z.string().min(1)),
  expires_in: optional(Seconds),
  scope: optional(z.union([z.string(), z.array(z.string()).transform((scopes) => scopes.join(' '))])),
});

const Refused = z.looseObject({
  error: optional(z.string()),
  error_description: optional(z.string()),
  error_code: optional(z.union([z.string(), z.number()])),
  message: optional(z.string()),
});

/**
 * Reads the answer of a token endpoint, for every grant. An access token is enough: whatever else is missing, `null` or
 * not what RFC 6749 §5.1 says counts as left out, `token_type` and `id_token` are not read, and nothing throws. Neither the
 * status nor the form of the answer has to be right.
 * @param host whom an error names
 * @param sent the secrets that were sent with the request, which the answer may repeat
 */
export async function readTokenAnswer(
  response: Response,
  { host, sent }: { host: string; sent: SentSecrets },
): Promise<TokenAnswer> {
  const text = await response.text();
  if (isSignInPage(response, text)) return { unusable: signInPage(host), refreshToken: undefined };
  const body = bodyIn(text);
  const refused = Refused.safeParse(body).data ?? {};
  // Some services refuse with the status of success, and some gateways change the status of an answer that has tokens.
  const isSuccess = response.ok ? refused.error === undefined || isGranted(body) : isGrantAlone(body);
  if (isSuccess) return readGranted(body, host);
  return { refusal: readRefusal(response, text, sent) };
}

/** Why a service refuses. @param text the answer's body */
export function readRefusal({ status, headers }: Response, text: string, sent: SentSecrets): OAuthRefusal {
  const refused = Refused.safeParse(bodyIn(text)).data ?? {};
  const [code, description] = reasonIn(refused, headers.get('www-authenticate') ?? '');
  return {
    status,
    error: foreignText(code, { sent, maxLength: 100 }),
    description: foreignText(description, { sent }),
    retryAfterMs: retryAfterMs(headers.get('retry-after') ?? undefined),
  };
}

/** Why a service refuses, by its answer or else by its challenge. */
function reasonIn(
  { error, error_description, error_code, message }: Partial<z.output<typeof Refused>>,
  challenge: string,
): [code: string, description: string] {
  const inBody = error ?? error_code ?? message;
  const code = inBody === undefined ? challengeParameter(challenge, 'error') : String(error ?? error_code ?? '');
  const inChallenge = inBody ? '' : challengeParameter(challenge, 'error_description');
  return [code, error_description ?? message ?? inChallenge];
}

function isGranted(body: unknown): boolean {
  return Granted.safeParse(body).data?.access_token !== undefined;
}

function isGrantAlone(body: unknown): boolean {
  const { error, error_code, message } = Refused.safeParse(body).data ?? {};
  return isGranted(body) && (error ?? error_code ?? message) === undefined;
}

const ROUGH_MEMBER =
  /"(access_token|refresh_token|expires_in|scope|error|error_description)"\s*:\s*("(?:[^"\\]|\\.)*"|\d+(?:\.\d+)?)/gs;

const bodyIn = (text: string): unknown => jsonIn(text) ?? roughMembersIn(text);

/**
 * What matters of an answer that is almost JSON, with `NaN` or a comma too many in it or text around it, or that is a form
 * (`access_token=…&…`): the refresh token that was sent is spent by then. Undefined for anything else.
 */
function roughMembersIn(text: string): Record<string, unknown> | undefined {
  const members = Array.from(
    text.matchAll(ROUGH_MEMBER),
    ([, name = '', value = '']) => [name, jsonIn(value)] as const,
  );
  if (members.length > 0) return Object.fromEntries(members);
  return /^\s*\w+=[^\s<]*\s*$/.test(text) ? Object.fromEntries(new URLSearchParams(text.trim())) : undefined;
}

function readGranted(body: unknown, host: string): TokenAnswer {
  const answer = Granted.safeParse(body).data;
  const refreshToken = answer?.refresh_token === undefined ? undefined : new Secret(answer.refresh_token);
  if (answer?.access_token === undefined) {
    const what = answer ? 'without an access token' : 'that is not a JSON object';
    const message = `The sign-in service of ${host} sent an answer ${what}.`;
    return { unusable: new CausewayError('unexpected_answer', message, { remedy: REMEDY }), refreshToken };
  }
  const accessToken = new Secret(answer.access_token);
  const error = unsendableToken(accessToken, `The sign-in service of ${host}`);
  if (error) return { unusable: error, refreshToken };
  const scopes = answer.scope?.split(' ').filter(Boolean);
  return {
    granted: {
      accessToken,
      refreshToken,
      expiresIn: answer.expires_in,
      scopes: scopes?.length ? scopes : undefined,
    },
  };
}

const REMEDY = 'Try again in a minute. If it keeps failing, send this message to your administrator.';

/**
 * The error if a token cannot be sent, such as one with a line break in it; undefined if it can be.
 * @param from what has given it out, as the beginning of a sentence
 */
export function unsendableToken(token: Secret, from: string): CausewayError | undefined {
  const part = unsendablePart(token.reveal());
  if (part === undefined) return undefined;
  return new CausewayError(
    'unexpected_answer',
    `${from} returned an access token with ${part} in it. That cannot be sent and was not stored.`,
    { remedy: REMEDY },
  );
}

/** Whether a page of the network answers; statuses that ask for a sign-in to the network (RFC 9110 §15.5.8, RFC 6585 §6) say so. */
function isSignInPage({ ok, status }: Response, text: string): boolean {
  if (status === 407 || status === 511) return true;
  return (ok || status === 403) && /^\s*</.test(text);
}

/** The error if a web page answers in place of the sign-in service. */
function signInPage(host: string): CausewayError {
  return new CausewayError('login_page', `A web page answered instead of the sign-in service of ${host}.`, {
    remedy: REMEDIES.login_page,
  });
}

/** A parameter of a challenge (RFC 9110 §11.6.1), as text in quotes; empty if there is none. */
function challengeParameter(challenge: string, name: string): string {
  const [, quoted = ''] = new RegExp(`\\b${name}="((?:[^"\\\\]|\\\\.)*)"`, 'i').exec(challenge) ?? [];
  return quoted.replaceAll(/\\(.)/gs, '$1');
}
