import type { Secret } from '../../platform/secret.ts';
import type { RevisionStore } from '../answer-store.ts';
import { scanFrame } from '../frame/frame.ts';
import type { HttpOutcome, StreamPlace } from '../http-exchange.ts';
import type { Session } from '../session.ts';
import { jsonRpcError } from '../session.ts';
import type { OnFrame, RequestOptions, UpstreamClient } from '../upstream-client.ts';
import { ANSWER_TIMEOUTS } from '../waiting-requests.ts';
import { protocolError } from './client-request.ts';
import { isStatelessRefusal, mayBeStateless, readDiscovered } from './discovery.ts';
import type { StatelessServer } from './server.ts';
import type { InputPort } from './server-requests.ts';

const AT_ONCE = { atOnce: true };
const ANSWERLESS = { atOnce: true, isAnswerless: true };
const BATCH = { atOnce: true, isBatch: true };

/** A frame on its way to the server. */
export interface OutgoingFrame {
  method: string;
  frame: Buffer;
  /** How long it may wait for a connection, in milliseconds. */
  unsentMs?: number | undefined;
}

/** The client, as far as the revision of its server matters. */
export interface AdaptedClient extends InputPort {
  /** Whether it is of the stateless revision and has no session: before a server of its revision it needs none. */
  needsNoSession(): boolean;
}

/** The answer to an `initialize` that was sent before it was known that neither side has sessions. */
const NO_SESSIONS: HttpOutcome = {
  kind: 'refused',
  head: { status: 400, headers: {} },
  text: `{"jsonrpc":"2.0","id":null,"error":${protocolError(-32022, 'The server has no sessions.')}}`,
};

/**
 * Sends to a server of any protocol revision. Frames for a server with sessions pass unchanged. A server that refuses
 * `initialize` as the stateless revision does is asked `server/discover`, and frames for it are translated from then on.
 */
export class ProtocolAdapter {
  readonly #upstream: UpstreamClient;
  readonly #memory: RevisionStore;
  readonly #client: AdaptedClient;
  readonly #isRemembered: Promise<boolean>;
  /** Options for requests that only open a session or list: they do not take long. */
  readonly #soon: { silenceMs: number };
  readonly #list: { silenceMs: number; atOnce: boolean };
  #stateless: StatelessServer | undefined;

  constructor(
    upstream: UpstreamClient,
    memory: RevisionStore,
    client: AdaptedClient,
    silenceMs: number = ANSWER_TIMEOUTS.firstBytesMs,
  ) {
    this.#soon = { silenceMs };
    this.#list = { ...AT_ONCE, silenceMs };
    this.#upstream = upstream;
    this.#memory = memory;
    this.#client = client;
    this.#isRemembered = memory.isStateless();
  }

  get signal(): AbortSignal {
    return this.#upstream.signal;
  }

  post(
    { method, frame, unsentMs }: OutgoingFrame,
    session: Session,
    token: Secret,
    onFrame: OnFrame,
  ): Promise<HttpOutcome> {
    if (method === 'initialize') return this.#begin(frame, session, token, onFrame);
    if (method === 'server/discover' && session.protocolVersion === undefined && !this.#stateless) {
      return this.#discover(frame, token, onFrame);
    }
    const stateless = this.#statelessIn(session);
    return stateless
      ? stateless.post(method, frame, token, onFrame)
      : this.#upstream.post(frame, session, token, onFrame, { ...this.#optionsFor(method, frame), unsentMs });
  }

  /** A server of both revisions may have begun a session before it said so: what belongs to that is not translated. */
  #statelessIn({ protocolVersion }: Session): StatelessServer | undefined {
    const isBegun = this.#stateless?.isNative && protocolVersion !== undefined;
    return isBegun ? undefined : this.#stateless;
  }

  #optionsFor(method: string, frame: Buffer): RequestOptions {
    if (method === 'tools/list') return this.#list;
    if (method === 'batch') return BATCH;
    const isNotification = method.startsWith('notifications/') && scanFrame(frame).id === undefined;
    return isNotification || method === 'response' ? ANSWERLESS : AT_ONCE;
  }

  listen(
    session: Session,
    place: StreamPlace | undefined,
    onFrame: OnFrame,
    signal: AbortSignal,
  ): Promise<HttpOutcome> {
    const stateless = this.#statelessIn(session);
    return stateless ? stateless.listen(onFrame, signal) : this.#upstream.listen(session, place, onFrame, signal);
  }

  /** Sends a stateless client's `server/discover`; the answer also shows the server's revision. */
  async #discover(frame: Buffer, token: Secret, onFrame: OnFrame): Promise<HttpOutcome> {
    const { StatelessServer } = await import('./server.ts');
    const server = new StatelessServer(this.#upstream, this.#client);
    const detect = (answer: Buffer) => {
      if (readDiscovered(answer)) this.#stateless = server;
    };
    const outcome = await server.post('server/discover', frame, token, (answer, head) => {
      detect(answer);
      onFrame(answer, head);
    });
    if (outcome.kind === 'frame') detect(outcome.frame);
    if (outcome.kind === 'refused' && isStatelessRefusal(jsonRpcError(outcome.text)?.code)) this.#stateless = server;
    if (this.#stateless) void this.#memory.setStateless(true);
    return outcome;
  }

  async #begin(frame: Buffer, session: Session, token: Secret, onFrame: OnFrame): Promise<HttpOutcome> {
    const isKnown = this.#stateless !== undefined || (await this.#isRemembered);
    if (isKnown) {
      const outcome = await this.#asStateless(frame, token);
      if (outcome) return outcome;
    }
    const outcome = await this.#upstream.post(frame, session, token, onFrame, this.#soon);
    return (!isKnown && mayBeStateless(outcome) && (await this.#asStateless(frame, token))) || outcome;
  }

  /** The answer to `initialize` of a stateless server, made of what it says about itself. Undefined if the server has sessions. */
  async #asStateless(frame: Buffer, token: Secret): Promise<HttpOutcome | undefined> {
    if (this.#stateless?.isNative && this.#client.needsNoSession()) return NO_SESSIONS;
    const { StatelessServer } = await import('./server.ts');
    const create = () => new StatelessServer(this.#upstream, this.#client);
    const server = this.#stateless ?? create();
    const outcome = await server.begin(frame, token);
    if (outcome && outcome.kind !== 'frame') return outcome;
    void this.#memory.setStateless(outcome !== undefined);
    const isNative = outcome !== undefined && this.#client.needsNoSession();
    this.#stateless = isNative ? create() : outcome && server;
    return isNative ? NO_SESSIONS : outcome;
  }
}
