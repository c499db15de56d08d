import type { Dispatcher } from 'undici';
import type { z } from 'zod';
import type { Profile, TokenSource } from '../auth/auth.ts';
import type { CausewayError } from '../platform/errors.ts';
import type { Secret } from '../platform/secret.ts';
import { VERSION } from '../platform/version.ts';
import { type RawAnswer, readErrorBody } from './error-body.ts';
import { refusal, WorkspaceError } from './errors.ts';
import {
  backoffMillis,
  RETRY_LIMITS,
  type RetryClock,
  type RetryLimits,
  retryAfterMillis,
  systemClock,
} from './retry.ts';
import { transportFailure } from './transport-error.ts';

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
  schema: z.ZodType<T>;
  /** Doing it twice is the same as doing it once, so a lost answer may be asked for again. GET always is. */
  idempotent?: boolean;
  signal?: AbortSignal | undefined;
}

export interface RestAnswer<T> {
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
/** No answer of the APIs that are used here comes near this; it bounds memory against one that goes astray. */
const ANSWER_LIMIT_BYTES = 16 * 1024 * 1024;

type Attempt = { answer: RawAnswer } | { error: CausewayError; repeatable: boolean };

/**
 * The one way in which REST requests go out. Retries 429, 503 and connections that were never made, and lost answers to
 * requests that may be repeated; renews the token once after a 401; never follows a redirect, so that the token goes to
 * the profile's own host only.
 */
export function createRest(options: RestOptions): Rest {
  const { profile, tokens, limits = RETRY_LIMITS, clock = systemClock } = options;

  async function exchange<T>(request: RestRequest<T>): Promise<RestAnswer<T>> {
    const { signal, method = 'GET' } = request;
    const deadline = clock.now() + limits.totalMillis;
    let rejected: Secret | undefined;
    for (let attempt = 1; ; attempt += 1) {
      const token = await tokens.token({ rejected, signal });
      const outcome = await send(options, request, token);
      let failure: CausewayError;
      let waitMillis = backoffMillis(attempt, clock.random());
      if ('error' in outcome) {
        failure = outcome.error;
        if (!outcome.repeatable) throw failure;
      } else {
        const { answer } = outcome;
        if (answer.status < 300) return { data: parse(request, answer), header: answer.header };
        failure = refusal(method, answer.status, readErrorBody(answer));
        if (answer.status === 401 && rejected === undefined) {
          rejected = token;
          continue;
        }
        if (answer.status !== 429 && answer.status !== 503) throw failure;
        const asked = retryAfterMillis(answer.header('retry-after'), clock.now());
        if (asked !== undefined) waitMillis = asked + Math.round(250 * clock.random());
      }
      if (attempt >= limits.attempts || clock.now() + waitMillis > deadline) throw failure;
      try {
        await clock.sleep(waitMillis, signal);
      } catch (cause) {
        throw transportFailure(cause, { method, host: profile.host, idempotent: true }, signal).error;
      }
    }
  }

  return { profile, exchange, request: async (request) => (await exchange(request)).data };
}

async function send<T>(options: RestOptions, request: RestRequest<T>, token: Secret): Promise<Attempt> {
  const { profile, dispatcher, silenceMillis = SILENCE_MILLIS } = options;
  const { method = 'GET', signal, body } = request;
  const idempotent = method === 'GET' || request.idempotent === true;
  try {
    signal?.throwIfAborted();
    const response = await dispatcher.request({
      origin: profile.host,
      path: request.path + queryString(request.query),
      method,
      headers: headers(profile, token, body !== undefined),
      body: body === undefined ? null : JSON.stringify(body),
      headersTimeout: silenceMillis,
      bodyTimeout: silenceMillis,
      ...(signal ? { signal } : {}),
    });
    const header = (name: string) => {
      const value = response.headers[name];
      return Array.isArray(value) ? value[0] : value;
    };
    return { answer: { status: response.statusCode, text: await readText(response.body), header } };
  } catch (cause) {
    const { error, unsent } = transportFailure(cause, { method, host: profile.host, idempotent }, signal);
    const final = error.code === 'cancelled' || error.code === 'tls' || error.code === 'unexpected_answer';
    return { error, repeatable: !final && (unsent || idempotent) };
  }
}

function headers(profile: Profile, token: Secret, hasBody: boolean): Record<string, string> {
  return {
    authorization: `Bearer ${token.reveal()}`,
    accept: 'application/json',
    'user-agent': `causeway/${VERSION} node/${process.versions.node} os/${process.platform} auth/${profile.method}`,
    ...(hasBody ? { 'content-type': 'application/json' } : {}),
    ...(profile.workspaceId === undefined ? {} : { 'x-databricks-workspace-id': profile.workspaceId }),
  };
}

function queryString(query: RestRequest<unknown>['query'] = {}): string {
  const pairs = Object.entries(query).flatMap(([name, value]) => (value === undefined ? [] : [[name, String(value)]]));
  return pairs.length === 0 ? '' : `?${new URLSearchParams(pairs)}`;
}

async function readText(body: AsyncIterable<Buffer>): Promise<string> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of body) {
    size += chunk.length;
    if (size > ANSWER_LIMIT_BYTES) {
      throw new WorkspaceError(
        'unexpected_answer',
        `The workspace's answer is larger than ${ANSWER_LIMIT_BYTES >> 20} MiB.`,
      );
    }
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('utf8');
}

function parse<T>(request: RestRequest<T>, answer: RawAnswer): T {
  const where = `${request.method ?? 'GET'} ${request.path}`;
  const refuse = (what: string, cause: unknown) =>
    new WorkspaceError('unexpected_answer', `The answer to ${where} ${what}.`, {
      status: answer.status,
      mayHaveRun: request.method !== undefined && request.method !== 'GET',
      cause,
      remedy: 'Check that the host is the workspace itself, with no proxy answering in its place.',
    });
  let json: unknown;
  try {
    json = answer.text.trim() === '' ? {} : JSON.parse(answer.text);
  } catch (cause) {
    if (/^\s*</.test(answer.text)) throw refuse('is a web page', cause);
    throw refuse('is not JSON', cause);
  }
  const parsed = request.schema.safeParse(json);
  if (parsed.success) return parsed.data;
  const issue = parsed.error.issues[0];
  throw refuse(
    `is not what its documentation says (${issue?.path.join('.') || 'whole'}: ${issue?.message})`,
    parsed.error,
  );
}
