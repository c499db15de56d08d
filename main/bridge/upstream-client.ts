import { setTimeout as sleep } from 'node:timers/promises';
import { bearerHeaders, sentWith } from '../auth/access-token.ts';
import { identityOf, isSameUser } from '../auth/identity.ts';
import { askWhom } from '../permissions/policy/policy.ts';
import { CausewayError } from '../platform/errors.ts';
import type { Secret } from '../platform/secret.ts';
import { withoutTokens } from '../platform/sent-tokens.ts';
import { agentOf, userAgent } from '../platform/user-agent.ts';
import type { RefusedPlace } from '../words/refusal-steps.ts';
import type { AppAccess } from '../workspace/app-access.ts';
import { type AppPlace, pathAfterRedirect } from './app-exchange.ts';
import type { FlowControl } from './back-pressure.ts';
import { endingWith } from './ending.ts';
import type { Endpoint } from './endpoint.ts';
import type { UpstreamFailure } from './errors.ts';
import { parseFrame } from './frame/frame.ts';
import { exchange, type HttpOutcome, type ResponseHead, type StreamPlace } from './http-exchange.ts';
import { withDecision } from './refusals.ts';
import { isRejection, retryAfterOutcome } from './retry.ts';
import { explainServiceRefusal } from './service-refusal.ts';
import type { Session } from './session.ts';
import { SessionOwner } from './session-owner.ts';
import { traceHeaders } from './trace-context.ts';

/** How long the server may take to end a session, in milliseconds. */
const SESSION_END_TIMEOUT_MS = 1_000;

/** How long a server may take for the old transport's first event, in milliseconds. The client waits for its error meanwhile. */
const OLD_TRANSPORT_TIMEOUT_MS = 3_000;
/** How servers of the HTTP+SSE transport alone refuse a POST (MCP 2025-11-25 › Transports › Backwards Compatibility). */
const OLD_TRANSPORT_REFUSALS = new Set([400, 404, 405]);

/** How many sent tokens are kept: requests in flight may carry an earlier one. */
const SENT_TOKENS = 3;

export type OnFrame = (frame: Buffer, head: ResponseHead) => void;

export interface UpstreamEvents {
  /** Called if nobody is signed in, while a token waits for the sign-in. */
  onSignedOut?: (error: CausewayError) => Promise<void>;
  /** Called if another user has signed in, before the requests of the one before are ended. */
  onUserChanged?: () => void;
}

/** Options of a single request. */
export interface RequestOptions {
  headers?: Record<string, string>;
  /** Aborts this request alone. It must also abort with the client's own signal. */
  signal?: AbortSignal;
  /** A JSON answer goes to `onFrame`, like an event. */
  atOnce?: boolean;
  /** The frame is a batch, so the answer can be one too. */
  isBatch?: boolean;
  /** The frame needs no answer. */
  isAnswerless?: boolean;
  /** How long the server may be silent, in milliseconds. */
  silenceMs?: number | undefined;
  /** How long it may wait for a connection, in milliseconds. */
  unsentMs?: number | undefined;
}

/** Requests to one managed server as one profile: headers, token, retry, and back-pressure from the client. */
export class UpstreamClient {
  readonly signal: AbortSignal;
  /** The tokens sent last: an answer may echo them. */
  readonly sent: Secret[] = [];
  /** The token that the server has accepted last. */
  #accepted: Secret | undefined;
  readonly #endpoint: Endpoint;
  readonly #flow: FlowControl;
  /** As whom the client's session acts. */
  readonly owner: SessionOwner;
  /** What the client calls itself; undefined until it has named itself. */
  client: string | undefined;
  /** Ends the requests that are sent as the present user. */
  #ofOwner = new AbortController();
  /** Where an app has redirected to. */
  #appPath: string | undefined;
  readonly #onSignedOut: (error: CausewayError) => Promise<void>;

  constructor(
    endpoint: Endpoint,
    flow: FlowControl,
    signal: AbortSignal,
    { onSignedOut = async () => {}, onUserChanged = () => {} }: UpstreamEvents = {},
  ) {
    this.#endpoint = endpoint;
    this.#flow = flow;
    this.signal = signal;
    this.#onSignedOut = onSignedOut;
    const { profile, isOwnClient = false } = endpoint;
    this.owner = new SessionOwner({ profile: profile.name, host: profile.host, isOwnClient }, () => {
      onUserChanged();
      this.#ofOwner.abort(new Error('another user has signed in'));
      this.#ofOwner = new AbortController();
    });
    endingWith(signal).add({ end: () => this.#ofOwner.abort(signal.reason) });
  }

  async token(rejected?: Secret): Promise<Secret> {
    const { tokens } = this.#endpoint;
    const hasWorked = rejected !== undefined && this.#accepted?.equals(rejected);
    const token = await tokens.token({ rejected, hasWorked, signal: this.signal, onSignedOut: this.#onSignedOut });
    this.owner.take(identityOf(token));
    return token;
  }

  /** Whether a session may be used with a token: it belongs to the user who opened it. */
  mayUse(session: Session, token: Secret): boolean {
    return session.owner === undefined || isSameUser(session.owner, identityOf(token));
  }

  async post(
    frame: Buffer,
    session: Session,
    token: Secret,
    onFrame: OnFrame,
    special?: RequestOptions,
  ): Promise<HttpOutcome> {
    const { app, profile, path, connections } = this.#endpoint;
    const send = (place: AppPlace, take: OnFrame) =>
      exchange(connections, this.#flow, {
        ...place,
        method: 'POST',
        headers: {
          ...this.#headers(session, token),
          ...traceHeaders(frame),
          'content-type': 'application/json',
          ...special?.headers,
        },
        body: frame,
        signal: special?.signal ?? this.#ofOwner.signal,
        owner: identityOf(token),
        onFrame: take,
        atOnce: special?.atOnce,
        isBatch: special?.isBatch,
        isAnswerless: special?.isAnswerless,
        silenceMs: special?.silenceMs,
        unsentMs: special?.unsentMs,
      });
    const outcome = app
      ? await this.#toApp(app, send, onFrame)
      : withDecision(await send({ origin: profile.host, path }, onFrame), path);
    if (outcome.kind === 'frame' || outcome.kind === 'streamed') this.#accepted = token;
    return outcome;
  }

  /** Opens the server's own stream, or continues with one that was cut (MCP › Listening for Messages from the Server). */
  async listen(
    session: Session,
    place: StreamPlace | undefined,
    onFrame: OnFrame,
    signal = this.signal,
  ): Promise<HttpOutcome> {
    const { connections } = this.#endpoint;
    return this.withRetry((token) => {
      const headers = { ...this.#headers(session, token), accept: 'text/event-stream' };
      return exchange(connections, this.#flow, {
        ...this.#place(),
        method: 'GET',
        headers:
          place?.lastEventId === undefined ? headers : { ...headers, 'last-event-id': inUtf8(place.lastEventId) },
        signal,
        onFrame: this.#endpoint.app ? (frame, head) => onFrame(withoutTokens(frame, this.sent), head) : onFrame,
      });
    });
  }

  /**
   * Whether a server that has refused `initialize` speaks the transport of revision 2024-11-05, HTTP+SSE: a GET is answered
   * by a stream that begins with the address to post to, which no JSON-RPC frame looks like.
   */
  async hasOldTransport(refused: HttpOutcome): Promise<boolean> {
    if (refused.kind !== 'refused' || !OLD_TRANSPORT_REFUSALS.has(refused.head.status)) return false;
    const enough = new AbortController();
    let first: Buffer | undefined;
    const take = (frame: Buffer) => {
      first ??= frame;
      enough.abort();
    };
    const signal = AbortSignal.any([this.signal, enough.signal]);
    const listening = this.listen({ id: undefined, protocolVersion: undefined }, undefined, take, signal);
    const tooLong = sleep(OLD_TRANSPORT_TIMEOUT_MS, undefined, { signal: enough.signal });
    await Promise.race([listening.catch(() => undefined), tooLong.catch(() => undefined)]);
    enough.abort();
    if (first === undefined || parseFrame(first) !== undefined) return false;
    return /^(https?:\/\/|\/)\S+$/.test(first.toString('utf8', 0, 1024).trim());
  }

  /** Sends an idempotent request, and retries it with a new token or after a delay. */
  async withRetry(send: (token: Secret) => Promise<HttpOutcome>): Promise<HttpOutcome> {
    let rejected: Secret | undefined;
    let isChecked = false;
    for (let repeats = 0; ; repeats += 1) {
      const token = await this.token(rejected);
      const outcome = await send(token);
      if (isRejection(outcome) && !isChecked && (await this.#isSignedInNow())) {
        isChecked = true;
        continue;
      }
      const wait = retryAfterOutcome(outcome, { method: 'initialize', repeats, responseStarted: false, rejected });
      if (wait === undefined) return outcome;
      if (isRejection(outcome)) rejected = token;
      if (wait > 0) await sleep(wait, undefined, { signal: this.signal });
    }
  }

  /**
   * Ends the session at the server (MCP › Session Management); many servers do not support that, which is fine. The requests
   * open in it, by raw id, are cancelled first: a server continues with a request whose connection is lost (MCP › Cancellation).
   */
  async endSession(session: Session, open: string[]): Promise<void> {
    if (session.id === undefined) return;
    const tooLong = new AbortController();
    await new Promise<void>((resolve) => {
      const timer = setTimeout(() => {
        tooLong.abort();
        resolve();
      }, SESSION_END_TIMEOUT_MS);
      const done = () => {
        clearTimeout(timer);
        resolve();
      };
      // If it fails, the session expires at the server; the client that it served is gone.
      this.#deleteSession(session, open, tooLong.signal).then(done, done);
    });
  }

  /** Where a server refuses, and whom its user asks about that. */
  get place(): RefusedPlace {
    const { path, ask } = this.#endpoint;
    return { path, ask: ask?.() ?? askWhom(null) };
  }

  /** An upstream failure as an error with its remedy. */
  async explained(failure: UpstreamFailure, method: string): Promise<Error> {
    const { explainFailure } = await import('./errors.ts');
    const { app, profile, path, service } = this.#endpoint;
    const byService = service && failure.kind === 'refused' && (await explainServiceRefusal(service, failure));
    if (byService) return byService;
    const sent = this.sent.flatMap(sentWith);
    if (app) return (await import('./app-refusal.ts')).explainAppFailure(app, failure, method, sent);
    const { host } = new URL(profile.host);
    const where = { host, path, profile: profile.name, by: profile.method, sent, ask: this.place.ask };
    return explainFailure(failure, where, method);
  }

  /**
   * Whether a request was refused before its user had signed in to what is behind the service, as they have now: then it
   * continues with the same token. @throws {CausewayError} `service_signed_out` if they have not: a new token would not help
   */
  async #isSignedInNow(): Promise<boolean> {
    const { service } = this.#endpoint;
    const checked = await service?.check();
    if (service && checked?.state === 'signed-out') throw service.signedOut(checked);
    return checked?.state === 'signed-in';
  }

  async #deleteSession(session: Session, open: string[], signal: AbortSignal): Promise<void> {
    const { tokens, connections } = this.#endpoint;
    const token = await tokens.token({ signal });
    if (open.length > 0)
      await Promise.race([this.#cancelOpen(open, session, token, signal), sleep(SESSION_END_TIMEOUT_MS / 2)]);
    await new Promise<void>((resolve) => {
      connections.dispatch(
        { ...this.#place(), method: 'DELETE', headers: this.#headers(session, token) },
        {
          onRequestStart() {},
          onResponseStart() {},
          onResponseData() {},
          onResponseEnd: () => resolve(),
          onResponseError: () => resolve(),
        },
      );
    });
  }

  async #cancelOpen(ids: string[], session: Session, token: Secret, signal: AbortSignal): Promise<void> {
    const reason = '"reason":"the client has gone"';
    const sent = ids.map((id) => {
      const params = `{"requestId":${id},${reason}}`;
      const frame = Buffer.from(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":${params}}`);
      return this.post(frame, session, token, () => {}, { signal });
    });
    await Promise.all(sent);
  }

  /** Where requests go. @throws {CausewayError} `unavailable` if no app may be contacted */
  #place(): AppPlace {
    const { app, profile, path } = this.#endpoint;
    return app ? { origin: app.origin, path: this.#appPath ?? app.path } : { origin: profile.host, path };
  }

  /** Sends a frame to an app, and once more if it redirects to another of its paths. Tokens are removed from its answers. */
  async #toApp(
    app: AppAccess,
    send: (place: AppPlace, take: OnFrame) => Promise<HttpOutcome>,
    onFrame: OnFrame,
  ): Promise<HttpOutcome> {
    const place = this.#place();
    const take: OnFrame = (frame, head) => onFrame(withoutTokens(frame, this.sent), head);
    let outcome = await send(place, take);
    const path = pathAfterRedirect(outcome, place, this.#endpoint.profile.host);
    if (path !== undefined && !this.signal.aborted) {
      outcome = await send({ ...place, path }, take);
      if (outcome.kind !== 'refused') this.#appPath = path;
    }
    // It may have been stopped, or moved: the workspace is asked before the next token is sent to it.
    if (outcome.kind === 'refused' || outcome.kind === 'broken') app.doubt();
    return outcome.kind === 'frame' ? { ...outcome, frame: withoutTokens(outcome.frame, this.sent) } : outcome;
  }

  #remember(token: Secret): void {
    if (this.sent[0] === token) return;
    this.sent.unshift(token);
    this.sent.length = Math.min(this.sent.length, SENT_TOKENS);
  }

  /** Who calls, for the records of the workspace, and for the gateway's policies and limits. */
  #callerHeaders(): Record<string, string> {
    const { profile, isOwnClient, requestTags } = this.#endpoint;
    const agent = isOwnClient ? undefined : agentOf(this.client);
    const tags = requestTags?.(agent);
    return {
      'user-agent': userAgent(profile.method, agent),
      ...(tags !== undefined && { 'databricks-ai-gateway-request-tags': tags }),
    };
  }

  /** spec/managed-mcp-endpoints.md › Request; MCP › Protocol Version Header. */
  #headers(session: Session, token: Secret): Record<string, string> {
    if (!this.mayUse(session, token))
      throw new CausewayError('user_changed', 'Another user has signed in: the session of the one before has ended.');
    this.#remember(token);
    const headers: Record<string, string> = {
      accept: 'application/json, text/event-stream',
      // Without this, a server may compress as it likes (RFC 9110 §12.5.3).
      'accept-encoding': 'identity',
      ...bearerHeaders(token),
      ...this.#callerHeaders(),
    };
    if (session.id !== undefined) headers['mcp-session-id'] = session.id;
    if (session.protocolVersion !== undefined) headers['mcp-protocol-version'] = session.protocolVersion;
    const { app, profile } = this.#endpoint;
    const workspaceId = app ? undefined : profile.workspaceId;
    if (workspaceId !== undefined) headers['x-databricks-workspace-id'] = workspaceId;
    return headers;
  }
}

/** A header's value whose bytes are UTF-8, as browsers send an event's id; undici writes each character as one byte. */
function inUtf8(text: string): string {
  return Buffer.from(text).toString('latin1');
}
