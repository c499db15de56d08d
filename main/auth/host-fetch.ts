import type { Dispatcher } from 'undici';
import { endingWithin, readUpTo } from '../platform/body-limit.ts';
import { type SharedPools, sharedPools } from '../platform/connections.ts';
import { CausewayError } from '../platform/errors.ts';
import { foreignCause, foreignText, type SentSecrets } from '../platform/foreign-text.ts';
import { type HttpOptions, openDispatcher } from '../platform/http.ts';
import { answerFault, networkFailure } from '../platform/network-failure.ts';
import { RETRY_LIMITS, type RetryClock, retryDelayMs, systemClock } from '../platform/retry.ts';

export interface HostRequest {
  method?: string;
  headers?: Record<string, string>;
  body?: string | undefined;
  signal?: AbortSignal | undefined;
  /** Returns a redirect as the answer. It is never followed. */
  takesRedirect?: boolean;
}

export interface HostFetchOptions {
  /** Retries if the service is busy; true if left out. */
  asksAgain?: boolean;
  clock?: RetryClock;
}

/** Sends one request to one workspace. */
export type HostFetch = (url: string, request?: HostRequest) => Promise<Response>;

/** How long the sign-in service may be silent. */
const SILENCE_MS = 20_000;
/** No answer of a sign-in service comes near this size, in bytes. */
const MAX_ANSWER_BYTES = 1024 * 1024;
/** How long the body of a redirect may take, in milliseconds. It is not used. */
const DUMP_MS = 2_000;
/** For how long a busy service is retried: callers wait for the token, and give up after 30 s. */
const RETRY_WITHIN_MS = 15_000;
const WITHOUT_BODY = new Set([204, 205, 304]);

/** The connections over which tokens are requested; opened at the first request. */
export class AuthHttp {
  readonly #pools: SharedPools;

  constructor(
    env: NodeJS.ProcessEnv,
    { onSilence, systemProxies }: Pick<HttpOptions, 'onSilence' | 'systemProxies'> = {},
  ) {
    this.#pools = sharedPools((origin) =>
      openDispatcher(origin, { env, silenceMs: SILENCE_MS, onSilence, systemProxies }),
    );
  }

  /**
   * A fetch that reaches the given origin and no other, and follows no redirect, so that a secret sent through it stays
   * with the workspace that it belongs to. Asks again if the service says that it is busy (429, 503,
   * `temporarily_unavailable`), as it asks to be.
   * @throws {CausewayError} from the fetch: `wrong_workspace`, `unreachable`, `tls`, `timeout`, `cancelled`
   */
  to(host: string, { asksAgain = true, clock = systemClock }: HostFetchOptions = {}): HostFetch {
    return async (address, request = {}) => {
      const deadline = clock.now() + RETRY_WITHIN_MS;
      for (let attempt = 1; ; attempt += 1) {
        const response = await this.#send(host, address, request);
        if (!asksAgain || !(await isNotDoneYet(response))) return response;
        const waitMs = retryDelayMs(attempt, response.headers.get('retry-after') ?? undefined, clock);
        if (attempt === RETRY_LIMITS.refused || clock.now() + waitMs > deadline) return response;
        const { signal } = request;
        await clock.sleep(waitMs, signal).catch((error: unknown) => {
          throw signal?.aborted ? cancelled(signal) : error;
        });
      }
    };
  }

  async #send(
    host: string,
    address: string,
    { method = 'GET', headers = {}, body, signal, takesRedirect = false }: HostRequest,
  ): Promise<Response> {
    const url = new URL(address);
    if (url.origin !== host) throw elsewhere(host, url.origin);
    const unsendable = Object.entries(headers).find(([, value]) => !/^[\t\x20-\x7e]*$/.test(value))?.[0];
    if (unsendable !== undefined) throw unsendableHeader(host, unsendable);
    const sent = secretsIn(headers, body);
    const dispatcher = (await this.#pools.to(host)).whole();
    try {
      const answer = await dispatcher.request({
        origin: host,
        path: url.pathname + url.search,
        method: method as Dispatcher.HttpMethod,
        // Answers are read as they come. Without this, any coding would be allowed (RFC 9110 §12.5.3).
        headers: { 'accept-encoding': 'identity', ...headers },
        body: body ?? null,
        ...(signal ? { signal } : {}),
      });
      return await asResponse(host, answer, sent, takesRedirect);
    } catch (cause) {
      throw asError(cause, host, sent, signal);
    }
  }

  /** Later requests use new connections, because the present ones may be dead. @throws as `openDispatcher` */
  renew(): Promise<void> {
    return this.#pools.renew();
  }

  close(): Promise<void> {
    return this.#pools.close();
  }
}

/**
 * Whether the service says that it has not done what was asked for, and may later: then the same request, a refresh token
 * that is good once included, may be sent again. A gateway's 502 or 504, or no answer at all, leaves that open.
 */
async function isNotDoneYet(response: Response): Promise<boolean> {
  if (response.status === 429 || response.status === 503) return true;
  if (response.status !== 400) return false;
  const body: unknown = await response
    .clone()
    .json()
    .catch(() => undefined);
  return typeof body === 'object' && body !== null && 'error' in body && body.error === 'temporarily_unavailable';
}

async function asResponse(
  host: string,
  answer: Dispatcher.ResponseData,
  sent: SentSecrets,
  takesRedirect: boolean,
): Promise<Response> {
  const headers = new Headers();
  for (const [name, value] of Object.entries(answer.headers)) {
    for (const each of [value ?? []].flat()) headers.append(name, each);
  }
  const status = answer.statusCode;
  const location = status >= 300 && status < 400 && !takesRedirect ? headers.get('location') : null;
  if (location) {
    // Only so that the connection can be used again.
    await answer.body.dump({ limit: MAX_ANSWER_BYTES, signal: AbortSignal.timeout(DUMP_MS) }).catch(() => undefined);
    throw redirected(host, location, sent);
  }
  const body = await readUpTo(MAX_ANSWER_BYTES, endingWithin(answer.body, SILENCE_MS));
  if (!body) throw new CausewayError('unexpected_answer', `${host} sent a response larger than 1 MiB.`);
  return new Response(WITHOUT_BODY.has(status) ? null : body, { status, headers });
}

function redirected(host: string, location: string, sent: SentSecrets): CausewayError {
  const target = URL.canParse(location, host) ? new URL(location, host).origin : location;
  const page = foreignText(location.split('?')[0] ?? '', { sent, maxLength: 200 });
  return elsewhere(host, target === host ? `another page (${page})` : foreignText(target, { sent, maxLength: 200 }));
}

function unsendableHeader(host: string, name: string): CausewayError {
  const what = name.toLowerCase() === 'authorization' ? 'The token' : `The value of ${name}`;
  return new CausewayError(
    'unexpected_answer',
    `${what} for ${host} contains a line break or another character that cannot be sent. Nothing was sent.`,
    { remedy: 'Check where it comes from.' },
  );
}

function elsewhere(host: string, target: string): CausewayError {
  return new CausewayError('wrong_workspace', `${host} redirects sign-ins to ${target}. Nothing was sent there.`, {
    remedy:
      'If that is your workspace, use its address as the host. If a network asks for a sign-in first, open any page in your browser and sign in there. Otherwise ask your administrator.',
  });
}

/** The values in a form whose names say that they are secrets (RFC 6749, RFC 7636, RFC 7009, RFC 7523, RFC 8693). */
const SECRET_FIELDS = [
  'code',
  'code_verifier',
  'refresh_token',
  'client_secret',
  'token',
  'client_assertion',
  'subject_token',
];

/** The credentials in the headers and in the form, which an error must not repeat. */
function secretsIn(headers: Record<string, string>, body: string | undefined): string[] {
  const header = Object.entries(headers).find(([name]) => name.toLowerCase() === 'authorization')?.[1] ?? '';
  const credentials = header.replace(/^\S+ /, '');
  const form = new URLSearchParams(body ?? '');
  const [, password = ''] = Buffer.from(credentials, 'base64').toString('latin1').split(':');
  return [credentials, password, ...SECRET_FIELDS.flatMap((name) => form.getAll(name))].filter(Boolean);
}

function asError(error: unknown, host: string, sent: SentSecrets, signal: AbortSignal | undefined): CausewayError {
  if (error instanceof CausewayError) return error;
  if (signal?.aborted) return cancelled(signal);
  const { kind, code } = networkFailure(error);
  const cause = foreignCause(error, sent);
  const fault = answerFault(code);
  if (fault !== undefined) {
    return new CausewayError('unreachable', `${host} ${fault} (${code}).`, {
      cause,
      remedy: 'Check whether a proxy or gateway in between changes its answers.',
    });
  }
  switch (kind) {
    case 'tls':
      return new CausewayError('tls', `The connection to ${host} is not trusted (${code}).`, {
        cause,
        remedy: 'Check the host. Behind a company proxy, set NODE_EXTRA_CA_CERTS to its certificate file.',
      });
    case 'timeout':
      return new CausewayError('timeout', `${host} did not answer in time (${code}).`, {
        cause,
        remedy: 'Try again in a minute.',
      });
    case 'unsent':
      return new CausewayError('unreachable', `${host} cannot be reached (${code || 'no connection'}).`, {
        cause,
        remedy: 'Check the host name and your network, VPN and proxy.',
      });
    case 'cut':
      return new CausewayError('unreachable', `The connection to ${host} was cut (${code || 'incomplete answer'}).`, {
        cause,
        remedy: 'Check your network, VPN and proxy, then try again.',
      });
  }
}

/** The reason of an aborted signal as a `CausewayError`. */
export function cancelled(signal: AbortSignal): CausewayError {
  const reason: unknown = signal.reason;
  return reason instanceof CausewayError ? reason : new CausewayError('cancelled', 'Canceled.', { cause: reason });
}
