import { discoverAnswer, type Remembered } from '../early-answer.ts';
import { textAt } from '../frame/edit.ts';
import { type Envelope, envelopeOf, parseFrame, rawId, withId } from '../frame/frame.ts';
import { type Members, memberAt, membersOf } from '../frame/members.ts';
import {
  type ClientRequest,
  capabilitiesOf,
  logLevelOf,
  protocolErrorFor,
  type RequestContext,
  requestIn,
} from './client-request.ts';
import { completed } from './completed.ts';
import { UrlElicitations } from './elicitations.ts';
import { ServerRequests } from './server-requests.ts';
import { StatelessSubscriptions } from './subscriptions.ts';

const OWN_ID_PREFIX = 'causeway-session-';

/** Results that say how long they may be kept (MCP 2026-07-28 › Caching). */
const CACHEABLE = new Set([
  'tools/list',
  'prompts/list',
  'resources/list',
  'resources/templates/list',
  'resources/read',
]);

/** From the least severe on (MCP › Logging › Log Levels). */
const LEVELS: readonly unknown[] = ['debug', 'info', 'notice', 'warning', 'error', 'critical', 'alert', 'emergency'];

/** Where frames go: to the server as a session's client would send them, and to the client. */
export interface StatelessClientPort {
  toServer(frame: Buffer): void;
  toClient(frame: Buffer): void;
  /** Whether no session has begun. */
  isFresh(): boolean;
  /** Left out where the client must not be answered from the cache. */
  cache?: DiscoverCache | undefined;
}

/** The answers to `server/discover` that are not the server's. */
export interface DiscoverCache {
  remembered: Remembered;
  /** The client was given this answer to `server/discover`, which is not the server's. */
  declared(answer: Buffer): void;
  /** The server, which speaks the stateless revision too, has answered `server/discover` with this frame. */
  discovered(answer: Buffer, json: unknown): void;
}

/** A client of the stateless revision within a session that the bridge has opened for it. */
export class StatelessClientSession {
  readonly #port: StatelessClientPort;
  readonly #opened: Buffer;
  readonly #capabilities: Members;
  readonly #subscriptions: StatelessSubscriptions;
  readonly #serverRequests: ServerRequests;
  readonly #elicitations: UrlElicitations;
  /** The requests in flight, by raw id, with the log level that each one asks for. */
  readonly #requests = new Map<string, RequestContext & { logLevel: string | undefined }>();
  #logLevel: string | undefined;
  #own = 0;

  /** @param opened the server's answer to `initialize` */
  constructor(opened: Buffer, port: StatelessClientPort) {
    this.#opened = opened;
    this.#port = port;
    this.#capabilities = membersOf(memberAt(parseFrame(opened), 'result', 'capabilities'));
    const request = (method: string, params: string) => this.#request(method, params);
    this.#subscriptions = new StatelessSubscriptions({ request, toClient: (frame) => port.toClient(frame) });
    this.#serverRequests = new ServerRequests(port);
    this.#elicitations = new UrlElicitations({
      again: (frame, waiting) => this.#send(requestIn(frame), waiting),
      toClient: (frame) => port.toClient(frame),
    });
  }

  /** Takes a frame of the client's. */
  receive(frame: Buffer): void {
    const json = parseFrame(frame);
    const envelope = envelopeOf(json);
    if (envelope.kind === 'request') this.#requested(requestIn(frame, json));
    else if (envelope.kind === 'notification' && envelope.method === 'notifications/cancelled') this.#cancel(frame);
    // The revision has no responses of the client's, and no other notifications.
    else if (envelope.kind !== 'notification' && envelope.kind !== 'response') this.#port.toServer(frame);
  }

  /** Takes a frame of the server's. */
  answer(frame: Buffer): void {
    const json = parseFrame(frame);
    const envelope = envelopeOf(json);
    if (envelope.kind === 'request') this.asked(frame, undefined);
    else if (envelope.kind === 'notification') this.#notified(envelope, frame);
    else this.#answered(frame, json);
  }

  /** Takes a request of the server's that came in the answer to `of`. */
  asked(frame: Buffer, of: string | undefined): void {
    const method = memberAt(parseFrame(frame), 'method');
    if (method === 'ping') this.#port.toServer(Buffer.from(`{"jsonrpc":"2.0","id":${rawId(frame)},"result":{}}`));
    else this.#serverRequests.ask(frame, of);
  }

  #requested(request: ClientRequest): void {
    const { id, method } = request;
    const refusal = protocolErrorFor(request);
    if (refusal !== undefined) {
      this.#port.toClient(Buffer.from(`{"jsonrpc":"2.0","id":${id},"error":${refusal}}`));
    } else if (method === 'server/discover') this.#port.toClient(withId(discoverAnswer(this.#opened), id));
    else if (method === 'subscriptions/listen') this.#subscriptions.open(request, this.#capabilities);
    else if (!this.#elicitations.resume(request) && !this.#serverRequests.resume(request)) this.#send(request, id);
  }

  /** Sends a request for whose answer the client waits under the raw id `waiting`. */
  #send({ frame, id, method, params }: ClientRequest, waiting: string): void {
    const logLevel = logLevelOf(params);
    const capabilities = capabilitiesOf(params) ?? {};
    this.#raiseLogLevel(logLevel);
    this.#requests.set(id, { method, capabilities, logLevel });
    this.#serverRequests.began(frame, { method, capabilities }, waiting);
    this.#port.toServer(frame);
  }

  #cancel(notification: Buffer): void {
    if (this.#subscriptions.cancel(notification)) return;
    const id = textAt(notification, 'params', 'requestId') ?? 'null';
    if (this.#elicitations.cancel(id)) return;
    const upstream = this.#serverRequests.upstreamOf(id);
    this.#serverRequests.cancel(upstream);
    this.#requests.delete(upstream);
    const cancelled = `{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":${upstream}}}`;
    this.#port.toServer(upstream === id ? notification : Buffer.from(cancelled));
  }

  #notified({ method }: Extract<Envelope, { kind: 'notification' }>, frame: Buffer): void {
    if (method === 'notifications/cancelled') this.#serverRequests.withdraw(textAt(frame, 'params', 'requestId') ?? '');
    // The stateless revision does not number what is opened.
    else if (method === 'notifications/elicitation/complete')
      this.#elicitations.completed(memberAt(parseFrame(frame), 'params', 'elicitationId'));
    else if (method === 'notifications/message' && !this.#isWanted(frame)) return;
    else if (!this.#subscriptions.announce(method, frame)) {
      const forwarded = method === 'notifications/progress' ? this.#serverRequests.progressed(frame) : frame;
      if (forwarded) this.#port.toClient(forwarded);
    }
  }

  #answered(frame: Buffer, json: unknown): void {
    const id = rawId(frame);
    if (id.startsWith(`"${OWN_ID_PREFIX}`)) return;
    const request = this.#requests.get(id);
    this.#requests.delete(id);
    const forwarded = request
      ? this.#elicitations.answered(frame, this.#serverRequests.waitingFor(id), request)
      : frame;
    const whole = forwarded === frame ? completed(frame, CACHEABLE.has(request?.method ?? ''), json) : forwarded;
    const answer = whole && this.#serverRequests.settled(whole);
    if (answer) this.#port.toClient(answer);
    if (!forwarded) this.#serverRequests.cancel(id);
  }

  /** In a session the level is set for all that follows; in the stateless revision each request has its own. */
  #raiseLogLevel(level: string | undefined): void {
    if (level === undefined || this.#capabilities.logging === undefined) return;
    if (this.#logLevel !== undefined && LEVELS.indexOf(this.#logLevel) <= LEVELS.indexOf(level)) return;
    this.#logLevel = level;
    this.#request('logging/setLevel', JSON.stringify({ level }));
  }

  /** Whether any request in flight asked for log messages of this level. */
  #isWanted(message: Buffer): boolean {
    const severity = LEVELS.indexOf(memberAt(parseFrame(message), 'params', 'level'));
    return [...this.#requests.values()].some(
      ({ logLevel }) => logLevel !== undefined && severity >= LEVELS.indexOf(logLevel),
    );
  }

  #request(method: string, params: string): void {
    this.#own += 1;
    const id = `"${OWN_ID_PREFIX}${this.#own}"`;
    this.#port.toServer(Buffer.from(`{"jsonrpc":"2.0","id":${id},"method":"${method}","params":${params}}`));
  }
}
