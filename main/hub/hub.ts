import { timingSafeEqual } from 'node:crypto';
import { once } from 'node:events';
import { chmod } from 'node:fs/promises';
import { createServer, type Server, type Socket } from 'node:net';
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

  async close(): Promise<void> {
    await withdrawRendezvous(this.#options.folder, this.#rendezvous);
    const closed = once(this.#server, 'close');
    this.#server.close();
    for (const socket of this.#sockets) socket.destroy();
    await closed;
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
    this.#board.add(record);
    socket.write(welcome(true));
    await serveSocket(recordedBridge(bridge, record), sink, socket, rest);
    this.#board.remove(record);
  }
}

/** Runs a bridge over a socket until the proxy has gone. */
function serveSocket(bridge: Bridge, sink: FrameSink, socket: Socket, rest: Buffer): Promise<void> {
  const fed = feed(bridge, sink, socket);
  return new Promise((resolve) => {
    let ending = false;
    const end = async (finish: () => Promise<void>) => {
      if (ending) return;
      ending = true;
      fed.stop();
      await finish();
      socket.end();
      resolve();
    };
    socket.on('end', () => {
      fed.end();
      void end(() => bridge.finish(FINISH_MS));
    });
    socket.on('close', () => void end(() => bridge.close()));
    fed.push(rest);
    socket.resume();
  });
}

function sameSecret(given: string, expected: string): boolean {
  const [a, b] = [Buffer.from(given), Buffer.from(expected)];
  return a.length === b.length && timingSafeEqual(a, b);
}

function welcome(ready: boolean): string {
  return `${JSON.stringify({ hub: HUB_PROTOCOL, ready, version: VERSION } satisfies Welcome)}\n`;
}
