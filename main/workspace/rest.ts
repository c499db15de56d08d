import type { Dispatcher } from 'undici';
import type { z } from 'zod';
import type { Profile, TokenSource } from '../auth/auth.ts';
import { bearerHeaders, sentWith } from '../auth/bearer.ts';
import { missingScopeRemedy } from '../auth/scopes.ts';
import type { ErrorCode } from '../platform/errors.ts';
import { RETRY_LIMITS, type RetryClock, type RetryLimits, retryDelayMs, systemClock } from '../platform/retry.ts';
import type { Secret } from '../platform/secret.ts';
import { SilentHostError } from '../platform/silent-host.ts';
import { VERSION } from '../platform/version.ts';
import { parseAnswer, readText } from './answer.ts';
import { type RawAnswer, readErrorBody } from './error-body.ts';
import { refusal, type WorkspaceError } from './errors.ts';
import { cancelled, transportFailure } from './transport-error.ts';

export interface RestOptions {
  profile: Profile;
  tokens: TokenSource;
  dispatcher: Dispatcher;
  limits?: RetryLimits;
  clock?: RetryClock;
  /** How long a connection may stay silent, in milliseconds. */
  silenceMillis?: number;
}

export interface RestRequest<T> {
  method?: 'GET' | 'POST' | 'PATCH' | 'PUT' | 'DELETE';
  path: string;
  query?: Record<string, string | number | boolean | undefined>;
  body?: unknown;
  /** In addition to, or in place of, the usual ones; lower-case names. */
  headers?: Record<string, string>;
  /** Takes the answer's body apart before the schema sees it; as JSON if left out. */
  decode?: (answer: RawAnswer) => unknown;
  schema: z.ZodType<T>;
  /** Doing it twice is the same as doing it once, so a lost answer may be asked for again. GET always is. */
  idempotent?: boolean;
  /** How long the connection may stay silent, in milliseconds, where that is not the usual. */
  silenceMillis?: number;
  signal?: AbortSignal | undefined;
}

interface RestAnswer<T> {
  data: T;
  header(name: string): string | undefined;
}

/** One workspace's REST API as one signed-in caller. */
export interface Rest {
  profile: Profile;
  /** @throws {WorkspaceError} for whatever goes wrong; and what the token source throws. */
  request<T>(request: RestRequest<T>): Promise<T>;
  /** As `request`, with the answer's headers. */
  exchange<T>(request: RestRequest<T>): Promise<RestAnswer<T>>;
}

const SILENCE_MILLIS = 60_000;

/** Transport failures that pass by themselves. */
const PASSING = new Set<ErrorCode>(['unreachable', 'timeout', 'outcome_unknown']);

/** What one attempt came to, and whether another may follow: after a while, at once with another token, or never. */
type Outcome<T> =
  | { answer: RestAnswer<T> }
  | { error: WorkspaceError; again: { retryAfter: string | undefined } | 'with-another-token' | 'never' };

/**
 * The one way in which REST requests go out. Retries 429, 503 and connections that were never made, and lost answers to
 * requests that may be repeated; renews the token once after a 401; never follows a redirect, so that the token goes to
 * the profile's own host only.
 */
export function createRest(options: RestOptions): Rest {
  const { profile, tokens, limits = RETRY_LIMITS, clock = systemClock } = options;

  async function exchange<T>(request: RestRequest<T>): Promise<RestAnswer<T>> {
    const { signal } = request;
    const deadline = clock.now() + limits.totalMillis;
    let rejected: Secret | undefined;
    let lost: WorkspaceError | undefined;
    for (let attempt = 1; ; attempt += 1) {
      let token: Secret;
      try {
        token = await tokens.token({ rejected, signal });
      } catch (error) {
        throw lost ?? error;
      }
      const outcome = await send(options, request, token);
      if ('answer' in outcome) return outcome.answer;
      const { error, again } = outcome;
      if (again === 'with-another-token' && rejected === undefined) {
        rejected = token;
        continue;
      }
      // A refusal says nothing about an earlier attempt whose answer was lost.
      if (typeof again === 'string') throw lost ? error.mayHaveRunBefore() : error;
      if (error.mayHaveRun) lost = error;
      const waitMs = retryDelayMs(attempt, again.retryAfter, clock);
      const isLast = attempt >= (error.status === undefined ? limits.unanswered : limits.refused);
      // What became of an earlier attempt matters more than why the last one failed.
      if (isLast || clock.now() + waitMs > deadline) throw lost ?? error;
      try {
        await clock.sleep(waitMs, signal);
      } catch (cause) {
        throw signal?.aborted ? cancelled(signal.reason, lost !== undefined) : cause;
      }
    }
  }

  return { profile, exchange, request: async (request) => (await exchange(request)).data };
}

async function send<T>(options: RestOptions, request: RestRequest<T>, token: Secret): Promise<Outcome<T>> {
  const { profile, dispatcher } = options;
  const silenceMillis = request.silenceMillis ?? options.silenceMillis ?? SILENCE_MILLIS;
  const { method = 'GET', signal, body } = request;
  if (signal?.aborted) return { error: cancelled(signal.reason, false), again: 'never' };
  let answer: RawAnswer;
  try {
    const response = await dispatcher.request({
      origin: profile.host,
      path: request.path + queryString(request.query),
      method,
      headers: { ...headers(profile, token, body !== undefined), ...request.headers },
      body: body === undefined ? null : JSON.stringify(body),
      headersTimeout: silenceMillis,
      bodyTimeout: silenceMillis,
      ...(signal ? { signal } : {}),
    });
    const header = (name: string) => {
      const value = response.headers[name];
      return Array.isArray(value) ? value[0] : value;
    };
    answer = { status: response.statusCode, text: await readText(response.body, method), header };
  } catch (cause) {
    const { error, unsent } = transportFailure(cause, { method, host: profile.host, sent: sentWith(token) }, signal);
    // It has been silent through all attempts that there was time for.
    if (cause instanceof SilentHostError) return { error, again: 'never' };
    const repeatable = unsent || method === 'GET' || request.idempotent === true;
    return { error, again: repeatable && PASSING.has(error.code) ? { retryAfter: undefined } : 'never' };
  }
  if (answer.status < 300) {
    return {
      answer: { data: parseAnswer({ ...request, method, sent: sentWith(token) }, answer), header: answer.header },
    };
  }
  const refused = refusal(method, answer.status, readErrorBody(answer, sentWith(token)));
  const error = refused.code === 'missing_scope' ? refused.withNext(missingScopeRemedy(profile)) : refused;
  if (error.code === 'unauthenticated') return { error, again: 'with-another-token' };
  if (answer.status !== 429 && answer.status !== 503) return { error, again: 'never' };
  return { error, again: { retryAfter: answer.header('retry-after') } };
}

function headers(profile: Profile, token: Secret, hasBody: boolean): Record<string, string> {
  return {
    ...bearerHeaders(token),
    accept: 'application/json',
    'user-agent': `causeway/${VERSION} node/${process.versions.node} os/${process.platform} auth/${profile.method}`,
    ...(hasBody ? { 'content-type': 'application/json' } : {}),
    ...(profile.workspaceId === undefined ? {} : { 'x-databricks-workspace-id': profile.workspaceId }),
  };
}

function queryString(query: RestRequest<unknown>['query'] = {}): string {
  const parameters = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) if (value !== undefined) parameters.append(name, String(value));
  return parameters.size === 0 ? '' : `?${parameters}`;
}
