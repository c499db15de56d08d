import * as oauth from 'oauth4webapi';
import { asSentence, CausewayError, sentences } from '../../platform/errors.ts';
import { foreignText, type SentSecrets } from '../../platform/foreign-text.ts';
import { createApplicationCommand } from '../../platform/next-action.ts';
import type { Secret } from '../../platform/secret.ts';
import { remedyFor } from '../../words/failure.ts';
import type { Profile, SignInOptions, SignInProgress } from '../auth.ts';
import type { HostFetch } from '../host-fetch.ts';
import type { TokenRecord } from '../secrets/token-record.ts';
import { signedOut } from '../signed-out.ts';
import { unlessAborted } from '../single-flight.ts';
import { type CallbackAnswer, type CallbackListener, listenForCallback } from './callback-listener.ts';
import type { CallbackPage } from './callback-page.ts';
import { readSignIn } from './granted-sign-in.ts';
import { discoverIssuer, type Issuer, oauthOptions } from './issuer.ts';
import { detailOf, refusedApplication, serviceUnavailable, unexpectedRefusal } from './oauth-failure.ts';
import { clientAuth } from './refresh.ts';

export interface BrowserSignIn {
  profile: Profile;
  accountId: string | undefined;
  clientId: string;
  clientSecret: Secret | undefined;
  /** Whether the user may sign in through another application. */
  canChoose: boolean;
  scopes: string[];
  ports: readonly number[];
  fetch: HostFetch;
  /** Called with the address before it is shown. It may refuse, and then nothing is shown. */
  beforeShowing: (url: string) => Promise<void>;
  /**
   * Stores what the user has signed in with, or revokes it and throws; the browser waits for that. `beforeQuestion` is to be called
   * if the user has to answer a question first: the browser says so then.
   */
  keep: (record: TokenRecord, beforeQuestion: () => Promise<void>) => Promise<void>;
  /** Undefined shows the address only. */
  openBrowser: ((url: string) => Promise<void>) | undefined;
  /** Fails if the browser cannot be opened. */
  mustOpen: boolean;
  /** Lets the user paste the address at which a browser on another computer ends. */
  paste?: SignInOptions['paste'];
  onProgress: (progress: SignInProgress) => void;
  now: () => number;
  /** How long the user has, in milliseconds. */
  signInTimeoutMs: number;
  signal: AbortSignal | undefined;
}

/**
 * One sign-in in the browser: authorization code with PKCE S256 (RFC 7636), `state` (RFC 6749 §10.12) and issuer check
 * (RFC 9207), redirected to a listener on this computer (RFC 8252 §7.3). The listener is there before the browser opens;
 * verifier and state never leave this function's memory but for the requests that carry them.
 * @throws {CausewayError} `consent_denied`, `wrong_workspace`, `missing_scope`, `sign_in_timeout`, `sign_in_cancelled`,
 * `sign_in_failed`, `unreachable`, `tls`, `timeout`
 */
export async function signInWithBrowser(options: BrowserSignIn): Promise<TokenRecord> {
  const { profile, fetch, signal } = options;
  const issuer = await discoverIssuer(fetch, { host: profile.host, accountId: options.accountId }, signal);
  const address = authorizationEndpoint(issuer);
  const verifier = oauth.generateRandomCodeVerifier();
  const state = oauth.generateRandomState();
  const listener = await listenForCallback({
    ports: options.ports,
    state,
    onStray: countingStrays(options.onProgress),
  });
  try {
    for (const [name, value] of [
      ['response_type', 'code'],
      ['client_id', options.clientId],
      ['redirect_uri', listener.redirectUri],
      ['scope', options.scopes.join(' ')],
      ['state', state],
      ['code_challenge', await oauth.calculatePKCECodeChallenge(verifier)],
      ['code_challenge_method', 'S256'],
    ] as const) {
      address.searchParams.set(name, value);
    }
    listener.startAt(address);
    await options.beforeShowing(address.href);
    const opened = await showInBrowser(address.href, options);
    options.onProgress({ step: 'waiting-for-browser', url: address.href, opened });
    const answer = await waitForAnswer(listener, options, opened);
    options.onProgress({ step: 'finishing' });
    return await finish(options, issuer, answer, { verifier, state, redirectUri: listener.redirectUri });
  } finally {
    await listener.close();
  }
}

/** Reports the first, the tenth, the hundredth stray answer and so on: any program can send any number of them. */
function countingStrays(onProgress: BrowserSignIn['onProgress']): () => void {
  let count = 0;
  return () => {
    count += 1;
    if (/^10*$/.test(String(count))) onProgress({ step: 'ignored-answer', count });
  };
}

function authorizationEndpoint({ host, metadata }: Issuer): URL {
  const { authorization_endpoint: address, code_challenge_methods_supported: methods } = metadata;
  if (address && methods?.includes('S256')) return new URL(address);
  throw new CausewayError(
    'sign_in_failed',
    `${host} does not support sign-in with PKCE (S256). Causeway requires it.`,
    {
      remedy: 'Check that the host is a Databricks workspace.',
    },
  );
}

async function showInBrowser(url: string, { profile, openBrowser, mustOpen }: BrowserSignIn): Promise<boolean> {
  if (!openBrowser) return false;
  try {
    await openBrowser(url);
    return true;
  } catch (cause) {
    if (!mustOpen) return false;
    const { message, action } = signedOut(profile);
    throw new CausewayError('signed_out', `${message} The browser could not be opened.`, { cause, action });
  }
}

/** The browser's answer: it comes by itself where the browser is on this computer, otherwise the user pastes its address. */
async function waitForAnswer(
  listener: CallbackListener,
  { profile, signInTimeoutMs, signal, paste }: BrowserSignIn,
  opened: boolean,
): Promise<CallbackAnswer> {
  const timeout = new AbortController();
  const timer = setTimeout(() => timeout.abort(tooLate(profile, signInTimeoutMs)), signInTimeoutMs);
  const over = new AbortController();
  const pasting = paste?.({ opened, take: (text) => listener.paste(text), signal: over.signal });
  // That somebody stops to paste without an error means that nobody can: the browser may still answer.
  const failed = new Promise<never>((_resolve, reject) => void pasting?.catch(reject));
  try {
    const answer = Promise.race([listener.answer, failed]);
    return await unlessAborted(answer, signal ? AbortSignal.any([signal, timeout.signal]) : timeout.signal);
  } catch (error) {
    if (!signal?.aborted || signal.reason instanceof CausewayError) throw error;
    throw new CausewayError('sign_in_cancelled', `The sign-in to ${profile.host} was canceled.`);
  } finally {
    clearTimeout(timer);
    over.abort();
    // The terminal is free for the next question then.
    await pasting?.catch(() => undefined);
  }
}

function tooLate({ host }: Profile, afterMs: number): CausewayError {
  const after = afterMs % MINUTE_MS === 0 ? counted(afterMs / MINUTE_MS, 'minute') : counted(afterMs / 1000, 'second');
  return new CausewayError(
    'sign_in_timeout',
    `The sign-in to ${host} timed out: no answer came from the browser within ${after}.`,
    { remedy: 'Sign in again. If no page opens, copy the link into your browser.' },
  );
}

const MINUTE_MS = 60_000;

function counted(count: number, unit: string): string {
  return `${count} ${unit}${count === 1 ? '' : 's'}`;
}

/** Exchanges the browser's answer for tokens, which are stored or revoked, and only then shows the outcome in the browser. */
async function finish(
  options: BrowserSignIn,
  issuer: Issuer,
  answer: CallbackAnswer,
  secrets: { verifier: string; state: string; redirectUri: string },
): Promise<TokenRecord> {
  let isAnswered = false;
  const reply = async (page: CallbackPage) => {
    if (isAnswered) return;
    isAnswered = true;
    await answer.reply(page);
  };
  try {
    const record = await exchange(options, issuer, answer.parameters, secrets);
    await options.keep(record, () => reply(questionPage(options.profile)));
    await reply(successPage(options.profile, record.userName));
    return record;
  } catch (error) {
    await reply(failurePage(error));
    throw error;
  }
}

async function exchange(
  options: BrowserSignIn,
  issuer: Issuer,
  parameters: URLSearchParams,
  { verifier, state, redirectUri }: { verifier: string; state: string; redirectUri: string },
): Promise<TokenRecord> {
  const { profile, clientId, clientSecret, canChoose, ports, fetch, now, signal } = options;
  const { host } = profile;
  checkParameters(host, parameters);
  const client: oauth.Client = { client_id: clientId };
  // Another program may have this sign-in's port at the next one: the first is the one to be registered.
  const [port = 8020] = ports;
  const accepted = validate(issuer, client, parameters, state, { scopes: options.scopes, port, canChoose });
  const sent = [parameters.get('code') ?? undefined, verifier, clientSecret];
  const issuedAt = now();
  const response = await oauth.authorizationCodeGrantRequest(
    issuer.metadata,
    client,
    clientAuth(clientSecret),
    accepted,
    redirectUri,
    verifier,
    oauthOptions(issuer, signal),
  );
  const { scopes } = options;
  const granted = { profile, clientId, clientSecret, scopes, fetch, issuedAt, sent, signal };
  const answer = await readSignIn(response, issuer, granted);
  if ('record' in answer) return answer.record;
  throw answer.refusal.error === 'invalid_grant'
    ? codeRefused(host, detailOf(answer.refusal))
    : unexpectedRefusal(answer.refusal, { host, clientId, what: 'the sign-in' });
}

/** The parameters that are read (RFC 6749 §4.1.2, RFC 9207 §2). */
const PARAMETERS = ['code', 'state', 'iss', 'error'];

/** A response has each parameter once (RFC 6749 §3.1), and an error or a code. @throws {CausewayError} `sign_in_failed` */
function checkParameters(host: string, parameters: URLSearchParams): void {
  const repeated = PARAMETERS.find((name) => parameters.getAll(name).length > 1);
  const isEmpty = !parameters.get('code') && !parameters.get('error');
  const fault = repeated ? `with more than one "${repeated}" parameter` : isEmpty ? 'without a code' : undefined;
  if (fault === undefined) return;
  throw new CausewayError('sign_in_failed', `The browser came back from ${host} ${fault}.`, {
    remedy: 'Sign in again. If it keeps failing, send this message to your administrator.',
  });
}

function validate(
  { host, metadata }: Issuer,
  client: oauth.Client,
  parameters: URLSearchParams,
  state: string,
  { scopes, port, canChoose }: { scopes: string[]; port: number; canChoose: boolean },
): URLSearchParams {
  try {
    return oauth.validateAuthResponse(metadata, client, parameters, state);
  } catch (error) {
    // The library's errors hold the parameters, and among them the code: none is passed on as a cause.
    if (!(error instanceof oauth.AuthorizationResponseError)) {
      throw new CausewayError('wrong_workspace', `The browser's response did not come from ${host}. It was ignored.`, {
        remedy: 'Close the other sign-in pages and sign in again.',
      });
    }
    const { reason, description } = said(error, [state, parameters.get('code') ?? undefined]);
    const detail = [reason, description].filter(Boolean).join(': ');
    const more = description === '' ? undefined : `The workspace says: ${asSentence(description)}`;
    switch (error.error) {
      case 'access_denied':
        throw new CausewayError('consent_denied', sentences(`Access to ${host} was denied.`, more), {
          remedy: 'Sign in again and allow access. If you did not deny it yourself, ask your administrator.',
        });
      case 'invalid_scope':
        throw new CausewayError(
          'missing_scope',
          sentences(
            `${host} does not allow the application ${client.client_id} to request ${scopes.join(', ')}.`,
            more,
          ),
          {
            remedy: 'Ask the account administrator to add these scopes to the OAuth application.',
            action: canChoose
              ? {
                  do: 'create-application',
                  command: createApplicationCommand({ redirectUrl: `http://localhost:${port}`, scopes }),
                  port,
                }
              : undefined,
          },
        );
      case 'temporarily_unavailable':
      case 'server_error':
        throw serviceUnavailable(host, { status: 400, error: error.error, description });
      case 'unauthorized_client':
        throw refusedApplication(host, client.client_id, detail);
      default:
        throw new CausewayError('sign_in_failed', `${host} ended the sign-in (${detail}).`, {
          remedy: 'Sign in again. If it keeps failing, send this message to your administrator.',
        });
    }
  }
}

/** What a redirect says beside its error. These words come from outside: any page can make the browser come here. */
function said(
  { error, error_description: description = '' }: oauth.AuthorizationResponseError,
  sent: SentSecrets,
): { reason: string; description: string } {
  return {
    reason: foreignText(error, { sent, maxLength: 100 }),
    description: foreignText(description, { sent, maxLength: 300 }),
  };
}

function codeRefused(host: string, detail: string): CausewayError {
  return new CausewayError(
    'sign_in_failed',
    `${host} did not accept the code of the sign-in: it was used before, or has expired (${detail}).`,
    { remedy: 'Sign in again.' },
  );
}

function successPage({ host, name }: Profile, userName: string | undefined): CallbackPage {
  return {
    status: 200,
    tone: 'good',
    title: 'You are signed in',
    lines: [
      'You can close this window.',
      `Causeway now reaches ${new URL(host).host}${userName ? ` as ${userName}` : ''} (profile ${name}).`,
    ],
  };
}

function questionPage({ host, name }: Profile): CallbackPage {
  return {
    status: 200,
    tone: 'neutral',
    title: 'One question is left',
    lines: [
      'Causeway asks whether to sign in as another user. Answer it there.',
      `You can close this window. Nothing has changed yet for ${new URL(host).host} (profile ${name}).`,
    ],
  };
}

function failurePage(error: unknown): CallbackPage {
  const known = error instanceof CausewayError ? error : undefined;
  return {
    status: 400,
    tone: 'bad',
    title: 'You are not signed in',
    lines: [
      known?.message ?? 'Something unexpected happened.',
      (known && remedyFor('command', known)) ?? 'Sign in again from Causeway.',
    ],
  };
}
