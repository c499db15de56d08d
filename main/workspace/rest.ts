import type { Dispatcher } from 'undici';
import type { z } from 'zod';
import { isNoAnswer } from '../../preload/contract/error-facts.ts';
import { bearerHeaders, sentWith } from '../auth/access-token.ts';
import { maySignIn, type Profile, type TokenSource } from '../auth/auth.ts';
import { missingScopeRemedy } from '../auth/oauth/scopes.ts';
import { endingWithin, readUpTo } from '../platform/body-limit.ts';
import { foreignCause, foreignText, type SentSecrets } from '../platform/foreign-text.ts';
import { RETRY_LIMITS, type RetryClock, type RetryLimits, retryDelayMs, systemClock } from '../platform/retry.ts';
import type { Secret } from '../platform/secret.ts';
import { withoutTokens } from '../platform/sent-tokens.ts';
import { SilentHostError } from '../platform/silent-host.ts';
import { userAgent } from '../platform/user-agent.ts';
import { IN_DOUBT, type RawAnswer, readErrorBody, WorkspaceError, workspaceRefusal } from './errors.ts';
import { type Pacer, type Refusal, StillRefused } from './pace.ts';
import { cancelledRequest, transportFailure } from './transport-error.ts';

export interface RestOptions {
  profile: Profile;
  tokens: TokenSource;
  dispatcher: Dispatcher;
  limits?: RetryLimits;
  clock?: RetryClock;
  /** How long a connection may stay silent, in milliseconds. */
  silenceMs?: number;
  /** Orders many requests. Refusals for now are then repeated for as long as it lets them through. */
  pacer?: Pacer;
}

export interface RestRequest<T> {
  method?: 'GET' | 'POST' | 'PATCH' | 'PUT' | 'DELETE';
  path: string;
  /** A list is given as the same name once for each. */
  query?: Record<string, string | number | boolean | readonly string[] | undefined>;
  body?: unknown;
  /** In addition to, or instead of, the usual ones; lower-case names. */
  headers?: Record<string, string>;
  /** Takes the answer's body apart before the schema sees it; as JSON if left out. */
  decode?: (answer: RawAnswer) => unknown;
  schema: z.ZodType<T>;
  /** Whether the request may be repeated after a lost answer. GET always may. */
  idempotent?: boolean;
  /** How long the connection may stay silent, and the whole body take, in milliseconds, if that is not the usual. */
  silenceMs?: number;
  signal?: AbortSignal | undefined;
  /** Called before each attempt after the first. If it throws, no further attempt is made. */
  onRepeat?: (() => void) | undefined;
}

interface RestAnswer<T> {
  data: T;
  header(name: string): string | undefined;
}

/** One workspace's REST API as one signed-in caller. */
export interface Rest {
  profile: Profile;
  /** @throws {WorkspaceError} if the request fails; and what the token source throws. */
  request<T>(request: RestRequest<T>): Promise<T>;
  /** As `request`, with the answer's headers. */
  exchange<T>(request: RestRequest<T>): Promise<RestAnswer<T>>;
}

const SILENCE_MS = 60_000;

/** The outcome of one attempt, and whether another may follow: after a delay, at once with another token, or never. */
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
    const deadline = clock.now() + limits.totalMs;
    let rejected: Secret | undefined;
    let lost: WorkspaceError | undefined;
    for (let attempt = 1; ; attempt += 1) {
      const token = await tokens.token({ rejected, signal }).catch((error: unknown) => {
        throw lost ?? error;
      });
      if (attempt > 1) request.onRepeat?.();
      const outcome = await attemptOnce(options, request, token);
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
      await clock.sleep(waitMs, signal).catch((cause: unknown) => {
        throw signal?.aborted ? cancelledRequest(signal.reason, lost !== undefined) : cause;
      });
    }
  }

  return { profile, exchange, request: async (request) => (await exchange(request)).data };
}

/** One attempt. Where requests are paced, it is repeated while the workspace is busy and the pacer lets it through. */
async function attemptOnce<T>(options: RestOptions, request: RestRequest<T>, token: Secret): Promise<Outcome<T>> {
  const { pacer } = options;
  if (!pacer) return send(options, request, token);
  for (let attempt = 1; ; attempt += 1) {
    try {
      const pass = await pacer.enter(request.signal);
      if (attempt > 1) request.onRepeat?.();
      const outcome = await send(options, request, token);
      const busy = busyAnswer(outcome);
      pacer.leave(pass, busy);
      if (!busy) return outcome;
    } catch (error) {
      if (error instanceof StillRefused) return { error, again: 'never' };
      if (request.signal?.aborted) return { error: cancelledRequest(request.signal.reason, false), again: 'never' };
      throw error;
    }
  }
}

/** The refusal for now, if that is how an attempt ended. */
function busyAnswer(outcome: Outcome<unknown>): Refusal | undefined {
  if (!('error' in outcome) || typeof outcome.again === 'string' || outcome.error.status === undefined)
    return undefined;
  return { error: outcome.error, retryAfter: outcome.again.retryAfter };
}

async function send<T>(options: RestOptions, request: RestRequest<T>, token: Secret): Promise<Outcome<T>> {
  const { profile } = options;
  const { method = 'GET', signal } = request;
  const sent = sentWith(token);
  if (signal?.aborted) return { error: cancelledRequest(signal.reason, false), again: 'never' };
  let answer: RawAnswer;
  try {
    answer = await receive(options, request, token);
  } catch (cause) {
    const { error, unsent } = transportFailure(cause, { method, host: profile.host, sent }, signal);
    const isRepeatable = unsent || method === 'GET' || request.idempotent === true;
    // One that is silent has been so through all attempts that there was time for.
    const isOver = cause instanceof SilentHostError || !isRepeatable || !isNoAnswer(error.code);
    return { error, again: isOver ? 'never' : { retryAfter: undefined } };
  }
  if (answer.status < 300) {
    return { answer: { data: parseAnswer({ ...request, method, sent }, answer), header: answer.header } };
  }
  const error = withProfileRemedy(workspaceRefusal(method, answer.status, readErrorBody(answer, sent)), profile);
  if (error.code === 'unauthenticated') return { error, again: 'with-another-token' };
  const isBusy = answer.status === 429 || answer.status === 503;
  return { error, again: isBusy ? { retryAfter: answer.header('retry-after') } : 'never' };
}

async function receive(options: RestOptions, request: RestRequest<unknown>, token: Secret): Promise<RawAnswer> {
  const { profile, dispatcher } = options;
  const { method = 'GET', signal, body } = request;
  const silenceMs = request.silenceMs ?? options.silenceMs ?? SILENCE_MS;
  const response = await dispatcher.request({
    origin: profile.host,
    path: request.path + queryString(request.query),
    method,
    headers: { ...headers(profile, token, body !== undefined), ...request.headers },
    body: body === undefined ? null : JSON.stringify(body),
    headersTimeout: silenceMs,
    bodyTimeout: silenceMs,
    ...(signal ? { signal } : {}),
  });
  const received = await readUpTo(ANSWER_LIMIT_BYTES, endingWithin(response.body, silenceMs));
  if (!received) {
    const message = `The workspace's response is larger than ${ANSWER_LIMIT_BYTES >> 20} MiB.`;
    throw new WorkspaceError(
      'unexpected_answer',
      message,
      method === 'GET' ? {} : { mayHaveRun: true, remedy: IN_DOUBT },
    );
  }
  const header = (name: string) => [response.headers[name]].flat()[0];
  return { status: response.statusCode, text: textWithoutTokens(received, sentWith(token)), header };
}

/** A refusal with the remedy for how this profile gets its tokens. */
function withProfileRemedy(refused: WorkspaceError, profile: Profile): WorkspaceError {
  if (refused.code === 'missing_scope') return refused.withNext(missingScopeRemedy(profile));
  if (refused.code !== 'unauthenticated' || maySignIn(profile)) return refused;
  return refused.withNext({
    remedy: `Correct the credentials of the profile "${profile.name}". If they are right, check that its host is the right workspace.`,
  });
}

function headers(profile: Profile, token: Secret, hasBody: boolean): Record<string, string> {
  return {
    ...bearerHeaders(token),
    accept: 'application/json',
    'user-agent': userAgent(profile.method),
    ...(hasBody ? { 'content-type': 'application/json' } : {}),
    ...(profile.workspaceId === undefined ? {} : { 'x-databricks-workspace-id': profile.workspaceId }),
  };
}

function queryString(query: RestRequest<unknown>['query'] = {}): string {
  const parameters = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) {
    for (const one of [value ?? []].flat()) parameters.append(name, String(one));
  }
  return parameters.size === 0 ? '' : `?${parameters}`;
}

/** No answer of the APIs that are used here comes near this; it bounds memory against one that goes astray. */
const ANSWER_LIMIT_BYTES = 16 * 1024 * 1024;

/** Escapes with which JSON may write a character of a token. */
const ESCAPED = /\\(?:u00[2-7]|\/)/i;

/** A body in which a name or a title cannot be the token: what is read from it is shown and stored. */
function textWithoutTokens(body: Buffer, sent: SentSecrets): string {
  const text = String(withoutTokens(body, sent));
  if (!ESCAPED.test(text)) return text;
  try {
    return String(withoutTokens(Buffer.from(JSON.stringify(JSON.parse(text))), sent));
  } catch {
    // It is not JSON, and is only quoted in an error, without secrets.
    return text;
  }
}

/** What an answer is an answer to, and how it is read. */
interface AskedFor<T> {
  method: string;
  path: string;
  schema: z.ZodType<T>;
  decode?: (answer: RawAnswer) => unknown;
  /** The secrets that went out with the request. */
  sent: SentSecrets;
}

const NOT_THE_WORKSPACE = 'Check that the host is the workspace itself, not a proxy or a sign-in page.';

const asJson = ({ text }: RawAnswer): unknown => (text.trim() === '' ? {} : JSON.parse(text));

/**
 * Checks a successful answer against its schema. An empty body counts as `{}`.
 * @throws {WorkspaceError} `login_page` for a web page, `unexpected_answer` for anything else that does not fit
 */
function parseAnswer<T>(asked: AskedFor<T>, answer: RawAnswer): T {
  const refuse = (code: 'unexpected_answer' | 'login_page', what: string, cause: unknown) =>
    new WorkspaceError(code, `The response to ${asked.method} ${asked.path} ${what}.`, {
      status: answer.status,
      mayHaveRun: asked.method !== 'GET',
      cause: foreignCause(cause, asked.sent),
      remedy: `${NOT_THE_WORKSPACE}${asked.method === 'GET' ? '' : ` ${IN_DOUBT}`}`,
    });
  let json: unknown;
  try {
    json = (asked.decode ?? asJson)(answer);
  } catch (cause) {
    if (/^\s*</.test(answer.text)) throw refuse('login_page', 'is a web page', cause);
    throw refuse('unexpected_answer', 'is not JSON', cause);
  }
  const parsed = asked.schema.safeParse(json);
  if (parsed.success) return parsed.data;
  const issue = parsed.error.issues[0];
  // Names in an answer are as foreign as what they name.
  const where = foreignText(`${issue?.path.join('.') || 'the whole'}: ${issue?.message}`, { sent: asked.sent });
  throw refuse('unexpected_answer', `does not match its documentation (${where})`, undefined);
}
