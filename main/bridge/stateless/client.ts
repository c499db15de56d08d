import { earlyAnswer, handshakeMs } from '../early-answer.ts';
import { objectOf, placeAt, textAt } from '../frame/edit.ts';
import { type Envelope, envelopeOf, parseFrame, rawId, withId } from '../frame/frame.ts';
import { memberAt } from '../frame/members.ts';
import type { Layer } from '../layers.ts';
import { failsAtInput, protocolError, protocolErrorFor, requestIn } from './client-request.ts';
import { type DiscoverCache, type StatelessClientPort, StatelessClientSession } from './client-session.ts';
import { isStatelessRefusal } from './discovery.ts';
import { isStateless } from './headers.ts';

/** How long a server may take to answer `server/discover` before a session is opened, in milliseconds. */
const DISCOVER_TIMEOUT_MS = 1_000;
const OWN_DISCOVER = '"causeway-discover"';
const OWN_INITIALIZE = '"causeway-initialize"';

/** What a client may be asked within a session. */
const SESSION_CAPABILITIES = new Set(['sampling', 'elicitation', 'roots']);

/** How the client is served. */
type Mode =
  /** The client speaks a revision with sessions, or its revision is unknown. */
  | { name: 'unused' }
  /** The server is asked which revision it speaks; frames wait. */
  | { name: 'discovering'; waiting: Buffer[]; discover?: Buffer; timeout: NodeJS.Timeout }
  /** The session is being opened; frames wait. `discovered` is the server's late answer, if it speaks the stateless revision. */
  | { name: 'opening'; waiting: Buffer[]; discover?: Buffer; discovered?: Buffer }
  /** The server speaks the stateless revision too. */
  | { name: 'native' }
  | { name: 'session'; session: StatelessClientSession };

/**
 * A client of the stateless revision. Its frames pass unchanged to a server of the same revision. Before a server with
 * sessions, the bridge opens a session and serves the client within it.
 */
export class StatelessClient implements Layer {
  readonly #port: StatelessClientPort;
  #mode: Mode = { name: 'unused' };
  /** How many requests of the bridge's own have no answer yet, by their id. */
  readonly #unanswered = { [OWN_DISCOVER]: 0, [OWN_INITIALIZE]: 0 };

  constructor(port: StatelessClientPort) {
    this.#port = port;
  }

  /** Whether the client speaks the stateless revision. */
  get isUsed(): boolean {
    return this.#mode.name !== 'unused';
  }

  /** Whether the client speaks the stateless revision and has no session: before a server of its revision it needs none. */
  get needsNoSession(): boolean {
    return this.isUsed && this.#mode.name !== 'session';
  }

  /** Whether the server has said, while a session was being opened, that it is of the client's revision. */
  get isServerStateless(): boolean {
    return this.#mode.name === 'opening' && this.#mode.discovered !== undefined;
  }

  /** Takes a frame of the client's. Only a client without a session can speak the stateless revision. */
  toServer(frame: Buffer): void {
    const isOfStateless = this.isUsed || (this.#port.isFresh() && isStateless(frame));
    if (!isOfStateless || !this.#receive(frame)) this.#port.toServer(frame);
  }

  /** False if the client turns out to speak a revision with sessions. */
  #receive(frame: Buffer): boolean {
    const mode = this.#mode;
    if (mode.name !== 'unused' && isInitialize(frame) && !isStateless(frame)) {
      this.#leave();
      return false;
    }
    switch (mode.name) {
      case 'unused':
        this.#discover(frame);
        break;
      case 'discovering':
      case 'opening':
        mode.waiting.push(frame);
        break;
      case 'native':
        this.#pass(frame);
        break;
      case 'session':
        mode.session.receive(frame);
    }
    return true;
  }

  /** Takes a frame for the client. */
  toClient(frame: Buffer): void {
    const isOwnOpen = this.#unanswered[OWN_DISCOVER] > 0 || this.#unanswered[OWN_INITIALIZE] > 0;
    const own = isOwnOpen ? rawId(frame) : undefined;
    if (own === OWN_DISCOVER || own === OWN_INITIALIZE) {
      this.#ownAnswer(frame, own);
      return;
    }
    switch (this.#mode.name) {
      case 'unused':
      case 'native':
      case 'discovering':
        this.#port.toClient(frame);
        break;
      case 'opening':
        break;
      case 'session':
        this.#mode.session.answer(frame);
    }
  }

  /** The answer to a request of the bridge's own; it may come late, and never reaches the client. */
  #ownAnswer(frame: Buffer, id: typeof OWN_DISCOVER | typeof OWN_INITIALIZE): void {
    this.#unanswered[id] -= 1;
    const mode = this.#mode;
    if (mode.name === 'discovering' && id === OWN_DISCOVER) this.#hasDiscovered(frame);
    if (mode.name !== 'opening') return;
    if (id === OWN_INITIALIZE) this.#hasOpened(frame, mode.discovered);
    // A server that has sessions too serves the client in the one that it is asked for.
    else if (isDiscovered(frame)) mode.discovered = frame;
  }

  /** Takes a request of the server's that came in the answer to `of`, the raw id of a request of the client's. */
  asked(frame: Buffer, of: string): void {
    if (this.#mode.name === 'session') this.#mode.session.asked(frame, of);
    else this.#port.toClient(frame);
  }

  #discover(frame: Buffer): void {
    const timeout = setTimeout(() => this.#open(), DISCOVER_TIMEOUT_MS);
    timeout.unref();
    void this.#answerLater(frame);
    this.#mode = { name: 'discovering', waiting: [frame], timeout };
    this.#unanswered[OWN_DISCOVER] += 1;
    const params = `{"_meta":${textAt(frame, 'params', '_meta')}}`;
    this.#port.toServer(
      Buffer.from(`{"jsonrpc":"2.0","id":${OWN_DISCOVER},"method":"server/discover","params":${params}}`),
    );
  }

  async #answerLater(frame: Buffer): Promise<void> {
    const { cache } = this.#port;
    if (!cache) return;
    const delayMs = await handshakeMs(frame, 'server/discover', cache.remembered);
    setTimeout(() => void this.#answerFromCache(cache), delayMs).unref();
  }

  /** Answers waiting `server/discover` requests from the cache; other frames continue waiting for the server. */
  async #answerFromCache({ remembered, declared }: DiscoverCache): Promise<void> {
    const mode = this.#mode;
    if (mode.name !== 'discovering' && mode.name !== 'opening') return;
    const asking = mode.waiting.filter((frame) => methodOf(frame) === 'server/discover');
    const [first] = asking;
    // The first frame shows what the client can do: a session is opened with that.
    if (!first) return;
    mode.discover ??= first;
    mode.waiting = mode.waiting.filter((frame) => !asking.includes(frame));
    for (const frame of asking) {
      const refusal = protocolErrorFor(requestIn(frame));
      const answer = refusal === undefined && (await earlyAnswer(frame, 'server/discover', remembered));
      if (answer) declared(answer);
      if (answer) this.#port.toClient(answer);
      else if (refusal !== undefined) this.#refuse(frame, refusal);
    }
  }

  #hasDiscovered(frame: Buffer): void {
    if (isDiscovered(frame)) this.#native(frame);
    // Only a stateless server refuses like this; the error in the client's request is not the bridge's.
    else if (isStatelessRefusal(memberAt(parseFrame(frame), 'error', 'code'))) this.#native(undefined);
    else this.#open();
  }

  /** Opens a session: where `server/discover` brought no usable answer, the answer to `initialize` decides. */
  #open(): void {
    const discover = this.#mode.name === 'discovering' ? this.#mode.discover : undefined;
    const waiting = this.#stopWaiting();
    this.#mode = { name: 'opening', waiting, ...(discover ? { discover } : {}) };
    const first = discover ?? waiting[0] ?? Buffer.from('{}');
    const clientInfo =
      textAt(first, 'params', '_meta', 'io.modelcontextprotocol/clientInfo') ?? '{"name":"causeway","version":"0"}';
    const params = `{"protocolVersion":"2025-11-25","capabilities":${sessionCapabilities(first)},"clientInfo":${clientInfo}}`;
    this.#unanswered[OWN_INITIALIZE] += 1;
    this.#port.toServer(
      Buffer.from(`{"jsonrpc":"2.0","id":${OWN_INITIALIZE},"method":"initialize","params":${params}}`),
    );
  }

  #hasOpened(frame: Buffer, discovered: Buffer | undefined): void {
    if (textAt(frame, 'result') === undefined) {
      const isRefusal = isStatelessRefusal(memberAt(parseFrame(frame), 'error', 'code'));
      if (discovered || isRefusal) this.#withoutSession(discovered);
      else this.#failed(frame);
      return;
    }
    const waiting = this.#stopWaiting();
    this.#port.toServer(Buffer.from('{"jsonrpc":"2.0","method":"notifications/initialized"}'));
    this.#mode = { name: 'session', session: new StatelessClientSession(frame, this.#port) };
    for (const request of waiting) this.#receive(request);
  }

  /** The server's revision is still unknown: waiting requests get the error, and the next frame tries again. */
  #failed(error: Buffer): void {
    const waiting = this.#stopWaiting();
    this.#mode = { name: 'unused' };
    for (const request of waiting) {
      if (kindOf(request).kind === 'request') this.#port.toClient(withId(error, rawId(request)));
    }
  }

  /** The server has no sessions: it speaks the stateless revision, and was slow to say so. */
  #withoutSession(discovered: Buffer | undefined): void {
    if (discovered || this.#unanswered[OWN_DISCOVER] === 0) this.#native(discovered);
    else {
      const timeout = setTimeout(() => this.#native(undefined), DISCOVER_TIMEOUT_MS);
      timeout.unref();
      this.#mode = { name: 'discovering', waiting: this.#stopWaiting(), timeout };
    }
  }

  /** Sends the waiting frames; a waiting `server/discover` is answered where there is an answer. */
  #native(answer: Buffer | undefined): void {
    if (answer) this.#port.cache?.discovered(answer, parseFrame(answer));
    const waiting = this.#stopWaiting();
    this.#mode = { name: 'native' };
    for (const frame of waiting) {
      // The server refuses what is not of its revision.
      const isAnswered = methodOf(frame) === 'server/discover' && protocolErrorFor(requestIn(frame)) === undefined;
      if (answer && isAnswered) this.#port.toClient(withId(answer, rawId(frame)));
      else this.#receive(frame);
    }
  }

  #pass(frame: Buffer): void {
    // The bridge would open a session, which the server does not have.
    if (!isInitialize(frame)) this.#port.toServer(frame);
    else this.#refuse(frame, protocolError(-32601, 'Method not found: initialize'));
  }

  #refuse(frame: Buffer, error: string): void {
    this.#port.toClient(Buffer.from(`{"jsonrpc":"2.0","id":${rawId(frame)},"error":${error}}`));
  }

  /** The client has tried the stateless revision, and prefers its own session. */
  #leave(): void {
    this.#stopWaiting();
    this.#mode = { name: 'unused' };
  }

  #stopWaiting(): Buffer[] {
    const mode = this.#mode;
    if (mode.name === 'discovering') clearTimeout(mode.timeout);
    return mode.name === 'discovering' || mode.name === 'opening' ? mode.waiting : [];
  }
}

/** The capabilities that a request declares and a session knows, as they were written. */
function sessionCapabilities(request: Buffer): string {
  if (failsAtInput(memberAt(parseFrame(request), 'params'))) return '{}';
  const place = placeAt(request, 'params', '_meta', 'io.modelcontextprotocol/clientCapabilities');
  return place ? objectOf(request, place, (name) => SESSION_CAPABILITIES.has(name)) : '{}';
}

/** Whether an answer to `server/discover` says which revisions the server speaks. */
function isDiscovered(answer: Buffer): boolean {
  return Array.isArray(memberAt(parseFrame(answer), 'result', 'supportedVersions'));
}

function isInitialize(frame: Buffer): boolean {
  // Frames may be large: only those that contain the word are parsed.
  return frame.includes('"initialize"') && methodOf(frame) === 'initialize';
}

function kindOf(frame: Buffer): Envelope {
  return envelopeOf(parseFrame(frame));
}

function methodOf(frame: Buffer): string | undefined {
  const envelope = kindOf(frame);
  return 'method' in envelope ? envelope.method : undefined;
}
