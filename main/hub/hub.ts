import { timingSafeEqual } from 'node:crypto';
import { once } from 'node:events';
import { chmod } from 'node:fs/promises';
import { createServer, type Server, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Bridge } from '../bridge/bridge.ts';
import type { ServerRequest } from '../bridge/endpoint.ts';
import { feed } from '../bridge/feed.ts';
import type { FrameSink } from '../bridge/flow.ts';
import { StreamSink } from '../bridge/stream-sink.ts';
import { CausewayError } from '../platform/errors.ts';
import { VERSION } from '../platform/version.ts';
import { isHubAlive } from './attach.ts';
import { readHello } from './hello.ts';
import { prepareRendezvous, publishRendezvous, withdrawRendezvous } from './publish.ts';
import { recordedBridge, recordedSink } from './recorded.ts';
import { type Rendezvous, readRendezvous } from './rendezvous.ts';
import { type HubWatcher, SessionBoard } from './session-board.ts';
import type { HubSession } from './session-record.ts';
import { firstLine, HELLO_MS, type Hello, HUB_PROTOCOL, type Welcome } from './wire.ts';

/** How long a proxy's answers under way are waited for after it has closed its end, in milliseconds. */
const FINISH_MS = 8_000;
/** How often it is felt whether a proxy that has closed its end is still there for its answers, in milliseconds. */
const PROBE_MS = 250;
const MAX_HELLO_BYTES = 16 * 1024;

export interface HubOptions {
  folder: string;
  /** Builds the bridge for a proxy. What it throws sends the proxy to work alone, where it says the same by itself. */
  serve(request: ServerRequest, sink: FrameSink): Promise<Bridge>;
  watcher?: HubWatcher;
}

/** The running application's side of the private socket. */
export interface Hub {
  sessions(): HubSession[];
  /**
   * Lets no new proxies in, and closes once those that are here have their answers, at most `graceMs` later. What a proxy
   * still waits for then, it answers by itself.
   */
  finish(graceMs: number): Promise<void>;
  close(): Promise<void>;
}

/**
 * Begins to listen, and publishes where. What a hub that was killed has left behind is replaced.
 * @throws {CausewayError} `hub_running` when another hub of this user is alive, `hub_foreign`
 */
export async function startHub(options: HubOptions): Promise<Hub> {
  const { folder } = options;
  const earlier = readRendezvous(folder);
  if (earlier) {
    if (await isHubAlive(earlier))
      throw new CausewayError('hub_running', `Causeway is running already (process ${earlier.pid}).`);
    await withdrawRendezvous(folder, earlier);
  }
  const rendezvous = await prepareRendezvous(folder);
  const hub = new PrivateHub(options, rendezvous);
  await hub.listen();
  await publishRendezvous(folder, rendezvous);
  return hub;
}

class PrivateHub implements Hub {
  readonly #options: HubOptions;
  readonly #rendezvous: Rendezvous;
  readonly #server: Server;
  readonly #sockets = new Set<Socket>();
  /** Each resolves when its proxy has gone and its session is ended. */
  readonly #served = new Set<Promise<void>>();
  readonly #board: SessionBoard;

  constructor(options: HubOptions, rendezvous: Rendezvous) {
    this.#options = options;
    this.#rendezvous = rendezvous;
    this.#board = new SessionBoard(options.watcher ?? {});
    this.#server = createServer({ allowHalfOpen: true }, (socket) => this.#receive(socket));
  }

  async listen(): Promise<void> {
    this.#server.listen(this.#rendezvous.address);
    await once(this.#server, 'listening');
    if (process.platform !== 'win32') await chmod(this.#rendezvous.address, 0o600);
  }

  sessions(): HubSession[] {
    return this.#board.sessions();
  }

  async finish(graceMs: number): Promise<void> {
    await withdrawRendezvous(this.#options.folder, this.#rendezvous);
    const grace = new AbortController();
    const answered = this.#board.settled().then(() => Promise.all(Array.from(this.#sockets, written)));
    await Promise.race([answered, sleep(graceMs, undefined, { signal: grace.signal })]);
    grace.abort();
    await this.close();
  }

  async close(): Promise<void> {
    await withdrawRendezvous(this.#options.folder, this.#rendezvous);
    const closed = once(this.#server, 'close');
    this.#server.close();
    for (const socket of this.#sockets) socket.destroy();
    await Promise.all([closed, ...this.#served]);
  }

  #receive(socket: Socket): void {
    this.#sockets.add(socket);
    socket.on('close', () => this.#sockets.delete(socket));
    // A peer that goes away mid-write is its own affair; 'close' follows.
    socket.on('error', () => {});
    const tooSlow = setTimeout(() => socket.destroy(), HELLO_MS);
    let received = Buffer.alloc(0);
    const listen = (chunk: Buffer) => {
      received = Buffer.concat([received, chunk]);
      const first = firstLine(received);
      if (!first && received.length <= MAX_HELLO_BYTES) return;
      clearTimeout(tooSlow);
      socket.off('data', listen);
      socket.pause();
      const hello = first && this.#proven(first.line);
      if (first && hello) void this.#attach(socket, hello, first.rest);
      else socket.destroy();
    };
    socket.on('data', listen);
    socket.on('close', () => clearTimeout(tooSlow));
  }

  #proven(line: string): Hello | undefined {
    const hello = readHello(line);
    return hello && sameSecret(hello.secret, this.#rendezvous.secret) ? hello : undefined;
  }

  async #attach(socket: Socket, hello: Hello, rest: Buffer): Promise<void> {
    const { profile, path } = hello.request;
    const record = this.#board.begin({ pid: hello.pid, profile, path });
    const sink = recordedSink(new StreamSink(socket), record);
    let bridge: Bridge;
    try {
      bridge = await this.#options.serve(hello.request, sink);
    } catch {
      // The proxy finds out the same by itself, and has a terminal or a client to tell it to.
      socket.end(welcome(false));
      return;
    }
    // The hub was closed meanwhile.
    if (socket.destroyed) return bridge.close();
    this.#board.add(record);
    socket.write(welcome(true));
    const served = serveSocket(recordedBridge(bridge, record), sink, socket, rest);
    this.#served.add(served);
    socket.on('close', () => this.#board.remove(record));
    await served;
    this.#served.delete(served);
  }
}

/**
 * Runs a bridge over a socket until the proxy has gone. One that has closed its end waits for its answers, or was killed:
 * a blank line between frames, which it skips, finds out.
 */
function serveSocket(bridge: Bridge, sink: FrameSink, socket: Socket, rest: Buffer): Promise<void> {
  const fed = feed(bridge, sink, socket);
  const probe = () => socket.write('\n');
  let probing: NodeJS.Timeout | undefined;
  socket.on('end', async () => {
    fed.end();
    fed.stop();
    probe();
    probing = setInterval(probe, PROBE_MS);
    await bridge.finish(FINISH_MS);
    clearInterval(probing);
    socket.end();
  });
  const over = gone(socket).then(() => {
    clearInterval(probing);
    fed.stop();
    return bridge.close();
  });
  fed.push(rest);
  socket.resume();
  return over;
}

/** Ends a socket as soon as it has taken what was written to it. */
async function written(socket: Socket): Promise<void> {
  if (socket.destroyed) return;
  const closed = gone(socket);
  socket.destroySoon();
  await closed;
}

/** Resolves when a socket is closed, well or badly. */
function gone(socket: Socket): Promise<void> {
  return new Promise((resolve) => socket.once('close', () => resolve()));
}

function sameSecret(given: string, expected: string): boolean {
  const [a, b] = [Buffer.from(given), Buffer.from(expected)];
  return a.length === b.length && timingSafeEqual(a, b);
}

function welcome(ready: boolean): string {
  return `${JSON.stringify({ hub: HUB_PROTOCOL, ready, version: VERSION } satisfies Welcome)}\n`;
}
