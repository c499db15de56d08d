import { serverKey } from '../permissions/server-key.ts';
import { SilentHostError } from '../platform/silent-host.ts';
import { AnswerCache, LIST_CHANGED } from './answer-cache.ts';
import { NO_STORE } from './answer-store.ts';
import { FlowControl, type FrameSink, intercept } from './back-pressure.ts';
import { ClientQuestions } from './client-questions.ts';
import { ConnectionTool, mayCallConnectionTool, TerminalNotices } from './connection-tool.ts';
import { RequestDispatcher } from './dispatcher.ts';
import type { Endpoint, EndpointSignIn } from './endpoint.ts';
import { errorFrame } from './frame/error-frame.ts';
import { type Envelope, idOfInvalid, rawId, readFrame, type SendableEnvelope, scanFrame } from './frame/frame.ts';
import { memberAt } from './frame/members.ts';
import { type FrameFault, faultFrame, toLine } from './frame/splitter.ts';
import { OwnRequests } from './own-requests.ts';
import { hasProgressToken, ProgressReports } from './progress.ts';
import { ServerStream } from './server-stream.ts';
import { ServiceRefusals } from './service-refusal.ts';
import { type SessionEvent, type SessionState, sessionOf } from './session.ts';
import { SessionGate } from './session-gate.ts';
import { takeContinued, withUserInTitle } from './session-user.ts';
import { ProtocolAdapter } from './stateless/adapter.ts';
import { StatelessClient, statelessSink } from './stateless/client.ts';
import { isStateless } from './stateless/headers.ts';
import { ToolGuard } from './tool-guard.ts';
import { UpstreamClient } from './upstream-client.ts';
import { WaitingRequests } from './waiting-requests.ts';

/** One client's session with one managed server. It takes whole frames and writes each answer to the sink once it is complete. */
export interface Bridge {
  receive(frame: Buffer): void;
  /** A line that is not a frame. */
  fault(fault: FrameFault): void;
  /** The memory held by frames that were received and are not settled, in bytes. */
  readonly pendingBytes: number;
  /** Called each time a frame is settled. */
  onSettled(listener: () => void): void;
  /** Waits at most `graceMs` for the answers in flight, then ends the session at the server. */
  finish(graceMs: number): Promise<void>;
  /** Cancels the requests in flight and ends the session at the server. Idempotent. */
  close(): Promise<void>;
}

/** Builds a bridge. Nothing goes out before the first frame. */
export function createBridge(endpoint: Endpoint, sink: FrameSink): Bridge {
  return new StdioBridge(endpoint, sink);
}

/** The memory that a frame in flight needs besides its own bytes: a connection with its buffers. */
const IN_FLIGHT_BYTES = 64 * 1024;

/** The delay before the next attempt at a session for a client that was answered from the cache, in milliseconds. */
const RECONNECT_DELAY_MS = 5_000;

/** The same if the user must first sign in to the service. The bridge is notified when they have. */
const SERVICE_RECONNECT_DELAY_MS = 60_000;

class StdioBridge implements Bridge {
  readonly #stateless: StatelessClient;
  readonly #sink: FrameSink;
  readonly #upstream: UpstreamClient;
  readonly #dispatcher: RequestDispatcher;
  readonly #serverStream: ServerStream;
  readonly #answerCache: AnswerCache;
  readonly #tool: ConnectionTool;
  readonly #guard: ToolGuard | undefined;
  readonly #service: ServiceRefusals | undefined;
  readonly #requests: OwnRequests;
  readonly #questions: ClientQuestions | undefined;
  /** Whether the client has declared in `initialize` that it opens URLs for its user. */
  #opensAddresses = false;
  #unsubscribe: () => void = () => {};
  readonly #notices: TerminalNotices;
  /** Whether the client's `initialize` may be open. */
  #isOpening = false;
  #reconnectTimer: NodeJS.Timeout | undefined;
  #inFlight = 0;
  #allSettled: () => void = () => {};
  readonly #abort = new AbortController();
  #settled: () => void = () => {};
  readonly #session = new SessionGate((event) => this.#changed(event));
  #closing: Promise<void> | undefined;
  pendingBytes = 0;

  constructor(endpoint: Endpoint, client: FrameSink) {
    const memory = endpoint.memory ?? NO_STORE;
    const isOff = endpoint.memory === undefined || endpoint.isOwnClient === true;
    this.#stateless = new StatelessClient({
      toServer: (frame) => this.#take(frame),
      toClient: (frame) => client.write(frame),
      cachedInitialize: isOff ? undefined : () => memory.get('initialize'),
    });
    const unguarded = statelessSink(client, this.#stateless);
    const { rules, showsQuestions } = endpoint;
    const progress = new ProgressReports(unguarded);
    const { signal } = this.#abort;
    const requests = new OwnRequests({ toClient: (frame, of) => this.#ask(frame, of), signal });
    this.#requests = requests;
    this.#questions =
      showsQuestions &&
      new ClientQuestions({ requests, server: serverKey(endpoint.profile.host, endpoint.path), showsQuestions });
    const askApproval = endpoint.askApproval ?? this.#questions?.ask;
    const user = () => this.#upstream.owner.userName;
    const guard = rules && new ToolGuard({ rules, memory, sink: unguarded, askApproval, progress, signal, user });
    this.#guard = guard;
    const titled = intercept(unguarded, (frame) => unguarded.write(this.#titled(frame)));
    const sink = guard ? intercept(titled, (frame) => titled.write(guard.filtered(frame))) : titled;
    this.#sink = sink;
    this.#upstream = new UpstreamClient(endpoint, new FlowControl(sink), this.#abort.signal, {
      onSignedOut: (error) => this.#answerCache.failed(error),
      onUserChanged: () => this.#userChanged(),
    });
    const server = new ProtocolAdapter(
      this.#upstream,
      memory,
      (frame) => sink.write(toLine(frame)),
      endpoint.firstBytesMs,
    );
    const { profile, path, signIn } = endpoint;
    const place = { host: profile.host, path, profile: profile.name };
    const { service } = endpoint;
    this.#tool = new ConnectionTool({
      ...place,
      signIn,
      service,
      memory,
      connect: () => this.#connected(),
    });
    const { sent } = this.#upstream;
    const ownTools = guard ? { write: (frame: Buffer) => unguarded.write(guard.ownTools(frame)) } : sink;
    const owner = () => this.#upstream.owner.key;
    this.#answerCache = new AnswerCache({ memory, isOff, sink, ownTools, tool: this.#tool, sent, owner });
    this.#notices = new TerminalNotices(endpoint.onNotice, () => this.#tool.waitingNotice());
    const waiting = new WaitingRequests(() => this.#tool.stillWaiting());
    const opensAddresses = () => this.#opensAddresses;
    this.#service =
      service &&
      new ServiceRefusals({
        service,
        waiting,
        signal: this.#abort.signal,
        opensAddresses,
        requests,
        isOwnClient: endpoint.isOwnClient === true,
      });
    const ends = [
      service?.subscribe(() => this.#serviceChanged()),
      signIn?.onChange?.(() => this.#signInChanged(signIn)),
    ];
    this.#unsubscribe = () => {
      for (const end of ends) end?.();
    };
    this.#dispatcher = new RequestDispatcher({
      upstream: this.#upstream,
      server,
      sink,
      answerCache: this.#answerCache,
      waiting,
      progress,
      session: {
        admit: (method) => this.#session.admit(method),
        report: (event) => this.#session.apply(event),
        asked: (frame, of) => this.#ask(frame, of),
        // A stateless client gets an input request instead of that error, and our own clients read the URLs.
        opensAddresses: () => this.#stateless.isUsed || this.#opensAddresses || endpoint.isOwnClient === true,
        reply: (frame) => this.#take(frame),
        hasStream: () => this.#serverStream.isOpen,
      },
      service: this.#service,
      guard,
      attempts: endpoint.attempts,
    });
    this.#serverStream = new ServerStream(server, {
      frame: (frame) => this.#dispatcher.fromServer(frame),
      sessionLost: () => this.#session.apply({ name: 'expired', generation: this.#session.state.generation }),
    });
  }

  receive(frame: Buffer): void {
    try {
      this.#receive(frame);
    } catch (error) {
      this.#failed(frame, error);
    }
  }

  #receive(frame: Buffer): void {
    // Only a client without a session can speak the stateless revision.
    const isStatelessClient = this.#stateless.isUsed || (this.#session.state.generation === 0 && isStateless(frame));
    if (!isStatelessClient || !this.#stateless.receive(frame)) this.#take(frame);
  }

  #take(frame: Buffer): void {
    const { envelope, json } = readFrame(frame);
    if (envelope.kind === 'invalid') {
      const { code, message } = envelope;
      const id = idOfInvalid(frame, code);
      this.#answer(`{"jsonrpc":"2.0","id":${id},"error":${JSON.stringify({ code, message })}}`);
      return;
    }
    const local = this.#stateless.isUsed ? undefined : localAnswer(envelope, this.#session.state);
    if (local !== undefined) {
      this.#answer(`{"jsonrpc":"2.0","id":${rawId(frame)},${local}}`);
      return;
    }
    const bytes = frame.length + IN_FLIGHT_BYTES;
    // A client that leaves does not wait for the end of what it listens to.
    const counted = 'method' in envelope && envelope.method === 'subscriptions/listen' ? 0 : 1;
    this.pendingBytes += bytes;
    this.#inFlight += counted;
    const settled = () => {
      this.pendingBytes -= bytes;
      this.#inFlight -= counted;
      this.#settled();
      if (this.#inFlight === 0) this.#allSettled();
    };
    this.#dispatch(frame, envelope, json).then(settled, (error: unknown) => {
      this.#failed(frame, error);
      settled();
    });
  }

  /** An exception in Causeway itself: this frame is answered with an error; the session and the process continue. */
  #failed(frame: Buffer, error: unknown): void {
    const { id, method } = scanFrame(frame);
    if (id !== undefined && method !== undefined) this.#sink.write(errorFrame(id, error));
  }

  /** Passes a request on to the client, in the answer to its request with the raw id `of`. */
  #ask(frame: Buffer, of: string): void {
    if (this.#stateless.isUsed) this.#stateless.asked(frame, of);
    else this.#sink.write(frame);
  }

  /** The client begins a session, or continues one that it began over another bridge. */
  #begin(initialize: Buffer): Buffer {
    const { frame, userName } = takeContinued(initialize);
    this.#upstream.owner.begin(userName);
    return frame;
  }

  /** Says in the answer to `initialize` as whom the session acts. */
  #titled(frame: Buffer): Buffer {
    const { owner } = this.#upstream;
    return this.#isOpening && owner.isOfSignIn ? withUserInTitle(frame, owner.userName) : frame;
  }

  /** Sends a frame to the server, or to the connection tool if the frame calls that. */
  #dispatch(frame: Buffer, envelope: SendableEnvelope, json: unknown): Promise<void> {
    if (envelope.kind === 'response' && this.#requests.takeResponse(frame)) return Promise.resolve();
    if (mayCallConnectionTool(json)) return this.#callTool(frame, envelope, json);
    const isOpening = 'method' in envelope && envelope.method === 'initialize';
    if (isOpening) frame = this.#begin(frame);
    this.#isOpening = isOpening || (this.#isOpening && envelope.kind !== 'notification');
    if (isOpening) this.#questions?.begins(json);
    if (isOpening) this.#opensAddresses = memberAt(json, 'params', 'capabilities', 'elicitation', 'url') !== undefined;
    const dispatched = this.#guard?.concerns(frame, envelope, json)
      ? this.#dispatchGuarded(frame, envelope, this.#guard)
      : this.#dispatcher.dispatch(frame, envelope, hasProgressToken(json));
    return isOpening ? this.#notices.during(dispatched) : dispatched;
  }

  async #callTool(frame: Buffer, envelope: SendableEnvelope, json: unknown): Promise<void> {
    if (await this.#tool.handles(frame)) this.#sink.write(await this.#tool.call(frame));
    else if (this.#guard?.concerns(frame, envelope, json)) await this.#dispatchGuarded(frame, envelope, this.#guard);
    else await this.#dispatcher.dispatch(frame, envelope, frame.includes('"progressToken"'));
  }

  /** Sends what the user's rules allow. */
  #dispatchGuarded(frame: Buffer, envelope: SendableEnvelope, guard: ToolGuard): Promise<void> {
    const { key } = this.#upstream.owner;
    return guard.pass(frame, envelope, async (admitted) => {
      const left = admitted === frame ? envelope : readFrame(admitted).envelope;
      if (left.kind === 'invalid' || this.#abort.signal.aborted) return;
      // What was allowed to be done as one user is not done as another.
      if (key !== '' && key !== this.#upstream.owner.key) throw this.#upstream.owner.notAllowed();
      await this.#dispatcher.dispatch(admitted, left, admitted.includes('"progressToken"'));
    });
  }

  /** Waits for a session; opens one if there is none. A stateless client needs none. */
  async #connected(): Promise<void> {
    if (!this.#stateless.isUsed || this.#session.state.generation > 0) await this.#session.connected();
  }

  fault(fault: FrameFault): void {
    this.#sink.write(faultFrame(fault));
  }

  onSettled(listener: () => void): void {
    this.#settled = listener;
  }

  async finish(graceMs: number): Promise<void> {
    let timer: NodeJS.Timeout | undefined;
    const grace = new Promise<void>((resolve) => {
      timer = setTimeout(resolve, graceMs);
    });
    const settled = new Promise<void>((resolve) => {
      this.#allSettled = resolve;
      if (this.#inFlight === 0) resolve();
    });
    await Promise.race([grace, settled]);
    clearTimeout(timer);
    await this.close();
  }

  close(): Promise<void> {
    this.#closing ??= this.#end();
    return this.#closing;
  }

  async #end(): Promise<void> {
    clearTimeout(this.#reconnectTimer);
    this.#unsubscribe();
    this.#abort.abort(new Error('the client has gone'));
    const open = this.#dispatcher.leftOpen(this.#session.state.generation);
    await Promise.all([this.#answerCache.kept(), this.#upstream.endSession(sessionOf(this.#session.state), open)]);
  }

  #answer(frame: string): void {
    this.#sink.write(Buffer.from(frame));
  }

  #changed(event: SessionEvent): void {
    this.#listen(event);
    this.#reconnectLater();
    const { state } = this.#session;
    if (state.name === 'reconnecting') void this.#dispatcher.reconnect(state.generation);
    if (event.name === 'reconnectFailed') void this.#answerCache.failed(event.error);
    const error = 'error' in event ? event.error : undefined;
    if (error instanceof SilentHostError) this.#notices.gaveUp(error);
  }

  /** Retries a session for a client that was answered from the cache, even while the client sends nothing. */
  #reconnectLater(): void {
    clearTimeout(this.#reconnectTimer);
    if (this.#session.state.name !== 'lost' || !this.#answerCache.provisional || this.#abort.signal.aborted) return;
    const { generation } = this.#session.state;
    const isAway = this.#tool.trouble?.code === 'service_signed_out';
    const delayMs = isAway ? SERVICE_RECONNECT_DELAY_MS : RECONNECT_DELAY_MS;
    this.#reconnectTimer = setTimeout(() => this.#session.apply({ name: 'expired', generation }), delayMs);
    this.#reconnectTimer.unref();
  }

  /** The user may have signed in to the service: the bridge requests again what it answered from the cache. */
  #serviceChanged(): void {
    if (this.#tool.trouble?.code !== 'service_signed_out') return;
    const { name, generation } = this.#session.state;
    if (name === 'lost') this.#session.apply({ name: 'expired', generation });
    else if (name === 'active') void this.#dispatcher.checkTools(sessionOf(this.#session.state)).catch(() => undefined);
  }

  /** Somebody has signed in or out: a session of another user ends at once, and not with its next request. */
  async #signInChanged(signIn: EndpointSignIn): Promise<void> {
    const identity = await signIn.identity?.().catch(() => undefined);
    if (this.#abort.signal.aborted) return;
    if (identity) this.#upstream.owner.take(identity);
    else this.#serverStream.stop();
    const { state } = this.#session;
    const isPaused = identity && state.name === 'active' && this.#dispatcher.announced && !this.#serverStream.isStarted;
    if (isPaused) this.#serverStream.start(sessionOf(state));
  }

  /** The next frame opens a session as the new user, whose tools may be others. */
  #userChanged(): void {
    this.#dispatcher.endOfUser();
    this.#session.apply({ name: 'expired', generation: this.#session.state.generation });
    if (this.#dispatcher.announced) this.#sink.write(LIST_CHANGED);
  }

  /** The server's own stream belongs to a session that the client has announced, and ends with it. */
  #listen(event: SessionEvent): void {
    if (event.name === 'announced' || (event.name === 'reconnected' && this.#dispatcher.announced)) {
      this.#serverStream.start(sessionOf(this.#session.state));
    }
    if (event.name === 'expired' || event.name === 'initialize') this.#serverStream.stop();
  }
}

/** Requests that the bridge answers itself: probes that need no server and must not wait for one. */
function localAnswer(envelope: Envelope, state: SessionState): string | undefined {
  if (envelope.kind !== 'request') return undefined;
  const ready = state.name === 'active';
  if (envelope.method === 'ping' && !ready) return '"result":{}';
  // The stateless revision's probe. A server with sessions does not know the method; the client then sends `initialize`.
  if (envelope.method === 'server/discover' && !ready) {
    return '"error":{"code":-32601,"message":"Method not found: server/discover"}';
  }
  return undefined;
}
