import { type Envelope, envelopeOf, parseFrame } from '../envelope.ts';
import type { FrameSink } from '../flow.ts';
import { rawId, withId } from '../raw-id.ts';
import { MODERN_REVISION } from './headers.ts';
import { textAt, withMembers } from './members.ts';

/** How long a server may think about what it is before a session is tried, in milliseconds. */
const PATIENCE_MS = 1_000;
const OWN_DISCOVER = '"causeway-discover"';
const OWN_INITIALIZE = '"causeway-initialize"';
const OWN_SUBSCRIBE = 'causeway-subscribe-';

/** Results that say how long they may be kept (MCP 2026-07-28 › Caching). */
const CACHEABLE = new Set([
  'tools/list',
  'prompts/list',
  'resources/list',
  'resources/templates/list',
  'resources/read',
]);

/** Which wish of a subscription, and which capability behind it, brings a notification. */
const ANNOUNCEMENTS = new Map([
  ['notifications/tools/list_changed', ['toolsListChanged', 'tools']],
  ['notifications/prompts/list_changed', ['promptsListChanged', 'prompts']],
  ['notifications/resources/list_changed', ['resourcesListChanged', 'resources']],
]);

/** The frames' ways on: to the server as a session's client would send them, and to the client. */
export interface Rim {
  toServer(frame: Buffer): void;
  toClient(frame: Buffer): void;
}

/**
 * A client of the stateless revision. In front of a server of the same era its frames pass; in front of one with sessions
 * the bridge opens a session, sends them within it, and gives the results what the revision demands of them.
 */
export class ModernClient {
  readonly #rim: Rim;
  /** `asking`: what the server is, is being found out; frames wait. */
  #mode: 'unused' | 'asking' | 'opening' | 'native' | 'sessions' = 'unused';
  readonly #waiting: Buffer[] = [];
  /** Methods of the requests that are under way, by raw id. */
  readonly #methods = new Map<string, string>();
  /** What each `subscriptions/listen` that is open asked for, by raw id. */
  readonly #subscriptions = new Map<string, Record<string, unknown>>();
  #patience: NodeJS.Timeout | undefined;
  #opened: Buffer | undefined;
  #subscribed = 0;

  constructor(rim: Rim) {
    this.#rim = rim;
  }

  /** Whether the bridge's answers to this client have to pass by here. */
  get isUsed(): boolean {
    return this.#mode !== 'unused';
  }

  /** Takes a frame of the client's. */
  receive(frame: Buffer): void {
    switch (this.#mode) {
      case 'unused':
        this.#mode = 'asking';
        this.#waiting.push(frame);
        this.#patience = setTimeout(() => this.#open(), PATIENCE_MS);
        this.#patience.unref();
        this.#rim.toServer(
          Buffer.from(
            `{"jsonrpc":"2.0","id":${OWN_DISCOVER},"method":"server/discover","params":{"_meta":${textAt(frame, 'params', '_meta')}}}`,
          ),
        );
        return;
      case 'asking':
      case 'opening':
        this.#waiting.push(frame);
        return;
      case 'native':
        this.#rim.toServer(frame);
        return;
      case 'sessions':
        this.#intoSession(frame);
    }
  }

  /** Takes a frame for the client. */
  answer(frame: Buffer): void {
    if (this.#mode === 'native') this.#rim.toClient(frame);
    else if (this.#mode === 'asking') this.#asked(frame);
    else if (this.#mode === 'opening') this.#hasOpened(frame);
    else this.#fromSession(frame);
  }

  #asked(frame: Buffer): void {
    if (rawId(frame) !== OWN_DISCOVER) {
      this.#rim.toClient(frame);
      return;
    }
    const { result } = Object(parseFrame(frame));
    if (Array.isArray(Object(result).supportedVersions)) {
      this.#go('native', frame);
      return;
    }
    this.#open();
  }

  /** Whatever the server made of the question, and if it made nothing of it: what it makes of `initialize` decides. */
  #open(): void {
    clearTimeout(this.#patience);
    this.#mode = 'opening';
    const [first] = this.#waiting;
    const clientInfo = first && textAt(first, 'params', '_meta', 'io.modelcontextprotocol/clientInfo');
    // Without capabilities the server asks nothing of the client: the stateless revision has no such requests.
    this.#rim.toServer(
      Buffer.from(
        `{"jsonrpc":"2.0","id":${OWN_INITIALIZE},"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":${clientInfo ?? '{"name":"causeway","version":"0"}'}}}`,
      ),
    );
  }

  #hasOpened(frame: Buffer): void {
    if (rawId(frame) !== OWN_INITIALIZE) {
      this.#fromSession(frame);
      return;
    }
    if (textAt(frame, 'result') === undefined) {
      this.#giveUp(frame);
      return;
    }
    this.#rim.toServer(Buffer.from('{"jsonrpc":"2.0","method":"notifications/initialized"}'));
    this.#opened = frame;
    this.#go('sessions', discovered(frame));
  }

  /** What waited goes; those that asked what the server is have their answer. */
  #go(mode: 'native' | 'sessions', answer: Buffer): void {
    clearTimeout(this.#patience);
    this.#mode = mode;
    for (const frame of this.#waiting.splice(0)) {
      if (methodOf(frame) === 'server/discover') this.#rim.toClient(withId(answer, rawId(frame)));
      else this.receive(frame);
    }
  }

  /** Nothing is known of the server: whoever waits reads why, and the next frame tries again. */
  #giveUp(error: Buffer): void {
    this.#mode = 'unused';
    for (const frame of this.#waiting.splice(0)) {
      if (kindOf(frame).kind === 'request') this.#rim.toClient(withId(error, rawId(frame)));
    }
  }

  #intoSession(frame: Buffer): void {
    const envelope = kindOf(frame);
    if (envelope.kind === 'request') {
      if (envelope.method === 'server/discover' && this.#opened) {
        this.#rim.toClient(withId(discovered(this.#opened), rawId(frame)));
        return;
      }
      if (envelope.method === 'subscriptions/listen') {
        this.#subscribe(frame);
        return;
      }
      this.#methods.set(rawId(frame), envelope.method);
    }
    if (envelope.kind === 'notification' && envelope.method === 'notifications/cancelled') {
      if (this.#subscriptions.delete(textAt(frame, 'params', 'requestId') ?? '')) return;
    }
    this.#rim.toServer(frame);
  }

  #fromSession(frame: Buffer): void {
    const envelope = kindOf(frame);
    const id = rawId(frame);
    if (envelope.kind === 'request') {
      // A server that asks although the client can nothing: it is told so.
      const body = envelope.method === 'ping' ? '"result":{}' : '"error":{"code":-32601,"message":"Method not found"}';
      this.#rim.toServer(Buffer.from(`{"jsonrpc":"2.0","id":${id},${body}}`));
    } else if (envelope.kind === 'notification') this.#announce(envelope.method, frame);
    else if (id !== OWN_DISCOVER && !id.startsWith(`"${OWN_SUBSCRIBE}`)) {
      const method = this.#methods.get(id);
      this.#methods.delete(id);
      this.#rim.toClient(complete(frame, CACHEABLE.has(method ?? '')));
    }
  }

  #announce(method: string, frame: Buffer): void {
    const [wish] = ANNOUNCEMENTS.get(method) ?? [];
    if (wish === undefined && method !== 'notifications/resources/updated') {
      this.#rim.toClient(frame);
      return;
    }
    const uri = Object(Object(parseFrame(frame)).params).uri;
    for (const [id, wanted] of this.#subscriptions) {
      const isWanted = wish === undefined ? listOf(wanted.resourceSubscriptions).includes(uri) : wanted[wish] === true;
      if (isWanted) this.#rim.toClient(withMembers(frame, ['params', '_meta'], subscriptionId(id)));
    }
  }

  #subscribe(frame: Buffer): void {
    const id = rawId(frame);
    const wanted = Object(Object(Object(parseFrame(frame)).params).notifications);
    const capabilities = Object(Object(Object(parseFrame(this.#opened ?? frame)).result).capabilities);
    const honoured: Record<string, unknown> = {};
    for (const [wish = '', capability = ''] of ANNOUNCEMENTS.values()) {
      if (wanted[wish] === true && Object(capabilities[capability]).listChanged === true) honoured[wish] = true;
    }
    const uris = Object(capabilities.resources).subscribe === true ? listOf(wanted.resourceSubscriptions) : [];
    if (uris.length > 0) honoured.resourceSubscriptions = uris;
    this.#subscriptions.set(id, honoured);
    this.#rim.toClient(
      Buffer.from(
        `{"jsonrpc":"2.0","method":"notifications/subscriptions/acknowledged","params":{"notifications":${JSON.stringify(honoured)},"_meta":{${subscriptionId(id)}}}}`,
      ),
    );
    for (const uri of uris) {
      this.#subscribed += 1;
      const params = JSON.stringify({ uri });
      this.#rim.toServer(
        Buffer.from(
          `{"jsonrpc":"2.0","id":"${OWN_SUBSCRIBE}${this.#subscribed}","method":"resources/subscribe","params":${params}}`,
        ),
      );
    }
  }
}

/** The same sink, with the frames for a client of the stateless revision passing by `client`. */
export function throughClient(sink: FrameSink, client: ModernClient): FrameSink {
  return {
    write: (frame) => (client.isUsed ? client.answer(frame) : sink.write(frame)),
    get buffered() {
      return sink.buffered;
    },
    get flowing() {
      return sink.flowing;
    },
    onDrain: (listener) => sink.onDrain(listener),
    flushed: () => sink.flushed(),
  };
}

/** The answer to `server/discover` that a session's `initialize` answer amounts to. */
function discovered(opened: Buffer): Buffer {
  const instructions = textAt(opened, 'result', 'instructions');
  const members = [
    `"supportedVersions":["${MODERN_REVISION}"]`,
    `"capabilities":${textAt(opened, 'result', 'capabilities') ?? '{}'}`,
    ...(instructions === undefined ? [] : [`"instructions":${instructions}`]),
    `"_meta":{"io.modelcontextprotocol/serverInfo":${textAt(opened, 'result', 'serverInfo') ?? '{"name":"unnamed","version":"0"}'}}`,
  ];
  return complete(Buffer.from(`{"jsonrpc":"2.0","id":0,"result":{${members.join(',')}}}`), true);
}

/** A result with what the stateless revision demands in it. */
function complete(frame: Buffer, isCacheable: boolean): Buffer {
  const { result } = Object(parseFrame(frame));
  if (typeof result !== 'object' || result === null) return frame;
  const members = [
    ...('resultType' in result ? [] : ['"resultType":"complete"']),
    ...(isCacheable && !('ttlMs' in result) ? ['"ttlMs":0'] : []),
    ...(isCacheable && !('cacheScope' in result) ? ['"cacheScope":"private"'] : []),
  ];
  return members.length === 0 ? frame : withMembers(frame, ['result'], members.join(','));
}

function subscriptionId(id: string): string {
  return `"io.modelcontextprotocol/subscriptionId":${id}`;
}

function listOf(value: unknown): unknown[] {
  return Array.isArray(value) ? value : [];
}

function kindOf(frame: Buffer): Envelope {
  return envelopeOf(parseFrame(frame));
}

function methodOf(frame: Buffer): string | undefined {
  const envelope = kindOf(frame);
  return 'method' in envelope ? envelope.method : undefined;
}
