import { serverKey } from '../permissions/server-key.ts';
import { SilentHostError } from '../platform/silent-host.ts';
import { within } from '../platform/within.ts';
import { AnswerCache } from './answer-cache.ts';
import { type AnswerStore, NO_STORE } from './answer-store.ts';
import { FlowControl, type FrameSink } from './back-pressure.ts';
import { clientNamedIn } from './client-name.ts';
import { ClientQuestions } from './client-questions.ts';
import { ConnectionTool, TerminalNotices } from './connection-tool.ts';
import { RequestDispatcher, type SessionPort } from './dispatcher.ts';
import { answerWithoutServer } from './early-answer.ts';
import type { Endpoint, EndpointSignIn } from './endpoint.ts';
import { DeclaredFeatures } from './features.ts';
import { withElement } from './frame/edit.ts';
import { errorFrame } from './frame/error-frame.ts';
import { idOfInvalid, readFrame, scanFrame } from './frame/frame.ts';
import { memberAt } from './frame/members.ts';
import { type FrameFault, faultFrame, toLine } from './frame/splitter.ts';
import { LIST_CHANGED } from './held-tools.ts';
import type { Bridge } from './layers.ts';
import { type BridgeLayer, type ClientMessage, towardClient, towardServer } from './layers.ts';
import { OwnRequests } from './own-requests.ts';
import { hasProgressToken, ProgressReports } from './progress.ts';
import { ServerStream } from './server-stream.ts';
import { ServiceRefusals } from './service-refusal.ts';
import { type SessionEvent, sessionOf } from './session.ts';
import { SessionGate } from './session-gate.ts';
import { takeContinued, withUserInTitle } from './session-user.ts';
import { type AdaptedClient, ProtocolAdapter } from './stateless/adapter.ts';
import { StatelessClient } from './stateless/client.ts';
import type { DiscoverCache } from './stateless/client-session.ts';
import { ToolGuard } from './tool-guard.ts';
import { UpstreamClient } from './upstream-client.ts';
import { WaitingRequests } from './waiting-requests.ts';

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
  readonly #endpoint: Endpoint;
  readonly #stateless: StatelessClient;
  readonly #sink: FrameSink;
  /** Sends a client's message through the layers to the server. */
  readonly #send: (message: ClientMessage) => Promise<void>;
  readonly #upstream: UpstreamClient;
  readonly #dispatcher: RequestDispatcher;
  readonly #serverStream: ServerStream;
  readonly #answerCache: AnswerCache;
  readonly #features = new DeclaredFeatures();
  readonly #tool: ConnectionTool;
  readonly #questions: ClientQuestions | undefined;
  readonly #notices: TerminalNotices;
  /** Whether the client has declared in `initialize` that it opens URLs for its user. */
  #opensAddresses = false;
  readonly #unsubscribe: ((() => void) | undefined)[];
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
    this.#endpoint = endpoint;
    const { memory = NO_STORE, permissions, showsQuestions, service, signIn, isOwnClient = false } = endpoint;
    const { host, name } = endpoint.profile;
    const { signal } = this.#abort;
    const isOff = endpoint.memory === undefined || isOwnClient;
    this.#stateless = new StatelessClient({
      toServer: (frame) => this.#take(frame),
      toClient: (frame) => client.write(frame),
      isFresh: () => this.#session.state.generation === 0,
      cache: isOff ? undefined : this.#discoverCache(memory),
    });
    // For frames that no other layer is about.
    const outer = towardClient(client, [this.#stateless]);
    const progress = new ProgressReports(outer);
    const requests = new OwnRequests({ toClient: (frame, of) => this.#ask(frame, of), signal });
    this.#questions =
      showsQuestions && new ClientQuestions({ requests, server: serverKey(host, endpoint.path), showsQuestions });
    const guard =
      permissions &&
      new ToolGuard({
        permissions,
        memory,
        sink: outer,
        askApproval: endpoint.askApproval ?? this.#questions?.ask,
        progress,
        signal,
        owner: () => this.#upstream.owner,
      });
    this.#tool = new ConnectionTool({
      host,
      path: endpoint.path,
      profile: name,
      signIn,
      service,
      memory,
      write: (frame) => this.#sink.write(frame),
      connect: () => this.#connected(),
    });
    const opening: BridgeLayer = {
      toServer: (message, next) => this.#open(message, next),
      toClient: (frame, next) => next(this.#titled(frame)),
    };
    const cached: BridgeLayer = { toServer: (message, next) => this.#answerCache.toServer(message, next) };
    const layers: BridgeLayer[] = [requests, this.#tool, opening, cached, ...(guard ? [guard] : [])];
    this.#send = towardServer(layers, (message) => this.#dispatcher.dispatch(message));
    this.#sink = towardClient(outer, layers);
    this.#upstream = new UpstreamClient(endpoint, new FlowControl(this.#sink), signal, {
      onSignedOut: (error) => this.#answerCache.failed(error),
      onUserChanged: () => this.#userChanged(),
    });
    this.#answerCache = new AnswerCache({
      memory,
      isOff,
      sink: this.#sink,
      ownTools: {
        write: (frame) => (guard ? outer.write(guard.ownTools(frame)) : this.#sink.write(frame)),
        writeBehind: (list, tool) => {
          const add = (frame: Buffer) => withElement(frame, ['result', 'tools'], tool);
          if (guard) outer.write(add(guard.filtered(list)));
          else this.#sink.write(add(list));
        },
      },
      tool: this.#tool,
      features: this.#features,
      needsNoSession: () => this.#stateless.isServerStateless,
      sent: this.#upstream.sent,
      owner: () => this.#upstream.owner.key,
    });
    this.#notices = new TerminalNotices(endpoint.onNotice, () => this.#tool.waitingNotice());
    const waiting = new WaitingRequests(() => this.#tool.stillWaiting());
    const opensAddresses = () => this.#opensAddresses;
    const adapted: AdaptedClient = {
      write: (frame) => this.#sink.write(toLine(frame)),
      ask: (frame, of) => this.#ask(toLine(frame), of),
      needsNoSession: () => this.#stateless.needsNoSession,
    };
    const server = new ProtocolAdapter(this.#upstream, memory, adapted, endpoint.firstBytesMs);
    endpoint.attempts?.opened(endpoint.profile);
    this.#dispatcher = new RequestDispatcher({
      upstream: this.#upstream,
      server,
      sink: this.#sink,
      answerCache: this.#answerCache,
      waiting,
      progress,
      session: this.#sessionPort(),
      service: service && new ServiceRefusals({ service, waiting, signal, opensAddresses, requests, isOwnClient }),
      guard,
      attempts: endpoint.attempts,
    });
    this.#serverStream = new ServerStream(server, {
      frame: (frame) => this.#dispatcher.fromServer(frame),
      sessionLost: () => this.#expire(),
    });
    this.#unsubscribe = [
      service?.subscribe(() => this.#serviceChanged()),
      signIn?.onChange?.(() => this.#signInChanged(signIn)),
    ];
  }

  #discoverCache(memory: AnswerStore): DiscoverCache {
    return {
      remembered: (answer) => memory.get(answer),
      declared: (answer) => this.#features.declared(answer),
      discovered: (answer, json) => {
        this.#answerCache.discovered(answer);
        this.#features.learned(json);
      },
    };
  }

  #sessionPort(): SessionPort {
    return {
      admit: (method) => this.#session.admit(method),
      report: (event) => this.#session.apply(event),
      asked: (frame, of) => this.#ask(frame, of),
      // A stateless client gets an input request instead of that error, and our own clients read the URLs.
      opensAddresses: () => this.#stateless.isUsed || this.#opensAddresses || this.#endpoint.isOwnClient === true,
      reply: (frame) => this.#take(frame),
      hasStream: () => this.#serverStream.isOpen,
    };
  }

  receive(frame: Buffer): void {
    try {
      this.#stateless.toServer(frame);
    } catch (error) {
      this.#failed(frame, error);
    }
  }

  #take(frame: Buffer): void {
    const { envelope, json } = readFrame(frame);
    if (envelope.kind === 'invalid') {
      const { code, message } = envelope;
      const error = JSON.stringify({ code, message });
      this.#sink.write(Buffer.from(`{"jsonrpc":"2.0","id":${idOfInvalid(frame, code)},"error":${error}}`));
      return;
    }
    const isProbe = envelope.kind === 'request' && !this.#stateless.isUsed && this.#session.state.name !== 'active';
    const local = isProbe ? answerWithoutServer(frame, envelope.method) : undefined;
    if (local) {
      this.#sink.write(local);
      return;
    }
    this.#upstream.client = clientNamedIn(json) ?? this.#upstream.client;
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
    this.#send({ frame, envelope, json, wantsProgress: hasProgressToken(json) }).then(settled, (error: unknown) => {
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

  /** Reads from `initialize` what the client can do, and as whom it continues a session that it began over another bridge. */
  #open(message: ClientMessage, next: (message: ClientMessage) => Promise<void>): Promise<void> {
    const { envelope, json } = message;
    const isOpening = 'method' in envelope && envelope.method === 'initialize';
    this.#isOpening = isOpening || (this.#isOpening && envelope.kind !== 'notification');
    if (!isOpening) return next(message);
    const { frame, userName } = takeContinued(message.frame);
    this.#upstream.owner.begin(userName);
    this.#questions?.begins(json);
    this.#opensAddresses = memberAt(json, 'params', 'capabilities', 'elicitation', 'url') !== undefined;
    return this.#notices.during(next({ ...message, frame }));
  }

  /** Says in the answer to `initialize` as whom the session acts. */
  #titled(frame: Buffer): Buffer {
    const { owner } = this.#upstream;
    return this.#isOpening && owner.isOfSignIn ? withUserInTitle(frame, owner.userName) : frame;
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
    const settled = new Promise<void>((resolve) => {
      this.#allSettled = resolve;
      if (this.#inFlight === 0) resolve();
    });
    await within(graceMs, settled, undefined);
    await this.close();
  }

  close(): Promise<void> {
    this.#closing ??= this.#end();
    return this.#closing;
  }

  async #end(): Promise<void> {
    clearTimeout(this.#reconnectTimer);
    for (const end of this.#unsubscribe) end?.();
    this.#abort.abort(new Error('the client has gone'));
    const open = this.#dispatcher.leftOpen(this.#session.state.generation);
    await Promise.all([this.#answerCache.kept(), this.#upstream.endSession(sessionOf(this.#session.state), open)]);
  }

  /** The present session is over. */
  #expire(): void {
    this.#session.apply({ name: 'expired', generation: this.#session.state.generation });
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
    const isAway = this.#tool.problem?.code === 'service_signed_out';
    const delayMs = isAway ? SERVICE_RECONNECT_DELAY_MS : RECONNECT_DELAY_MS;
    this.#reconnectTimer = setTimeout(() => this.#session.apply({ name: 'expired', generation }), delayMs);
    this.#reconnectTimer.unref();
  }

  /** The user may have signed in to the service: the bridge requests again what it answered from the cache. */
  #serviceChanged(): void {
    if (this.#tool.problem?.code !== 'service_signed_out') return;
    const { name } = this.#session.state;
    if (name === 'lost') this.#expire();
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
    this.#expire();
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
