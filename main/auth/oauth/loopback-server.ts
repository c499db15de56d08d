import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { fileError, isOutOfFiles } from '../../platform/file-errors.ts';

const FAMILIES = ['127.0.0.1', '::1'];
const NO_SUCH_FAMILY = new Set(['EADDRNOTAVAIL', 'EAFNOSUPPORT', 'EINVAL']);
/** No request comes near this; a browser's cookies for `localhost` do. In bytes. */
const MAX_HEADERS_BYTES = 64 * 1024;
/** How long a request may take to arrive completely, in milliseconds. */
const ARRIVES_WITHIN_MS = 10_000;
/** More connections than this are open only for a moment. */
const MAX_CONNECTIONS = 64;
/** How long a connection may be silent although there are too many, in milliseconds: a browser's request comes at once. */
const MAY_BE_SILENT_MS = 1_000;
/** The number of silent connections at which even a new one makes the oldest close. */
const MAX_SILENT = 512;

/**
 * Closes the oldest silent connections, so that opening many cannot lock the browser out. One whose request is being answered
 * stays, and so does a new one, which may be the browser's.
 */
class BoundedConnections {
  /** The silent ones, the oldest first, by the time of their beginning. */
  readonly #silent = new Map<Socket, number>();
  readonly #open = new Set<Socket>();
  #timer: NodeJS.Timeout | undefined;

  add(socket: Socket): void {
    this.#open.add(socket);
    this.#silent.set(socket, performance.now());
    socket.once('close', () => {
      this.#open.delete(socket);
      this.#silent.delete(socket);
    });
    const [oldest] = this.#silent.keys();
    if (this.#silent.size > MAX_SILENT) oldest?.destroy();
    if (this.#open.size > MAX_CONNECTIONS) this.#timer ??= setTimeout(() => this.#sweep(), MAY_BE_SILENT_MS).unref();
  }

  #sweep(): void {
    this.#timer = undefined;
    const before = performance.now() - MAY_BE_SILENT_MS;
    for (const [socket, since] of [...this.#silent].slice(0, this.#open.size - MAX_CONNECTIONS)) {
      if (since <= before) socket.destroy();
      else this.#timer ??= setTimeout(() => this.#sweep(), MAY_BE_SILENT_MS).unref();
    }
  }

  /** Keeps a connection for as long as its answer takes. */
  hold(socket: Socket, response: ServerResponse): void {
    if (!this.#silent.delete(socket)) return;
    response.once('close', () => {
      if (this.#open.has(socket)) this.#silent.set(socket, performance.now());
    });
  }
}

/** Answers a request; it may throw. */
export type Handler = (request: IncomingMessage, response: ServerResponse) => Promise<void>;

/**
 * Listens on both loopback addresses, for `localhost` may mean either.
 * @returns undefined if the port is taken on one of them
 */
export async function listenOnBoth(port: number, handle: Handler): Promise<Server[] | undefined> {
  const servers: Server[] = [];
  for (const address of FAMILIES) {
    const server = createBoundedServer(handle);
    try {
      server.listen({ port, host: address, exclusive: true });
      await once(server, 'listening');
      servers.push(server);
    } catch (error) {
      const code = error instanceof Error && 'code' in error ? String(error.code) : '';
      if (address === '::1' && NO_SUCH_FAMILY.has(code)) continue;
      await Promise.all(servers.map(stop));
      if (isOutOfFiles(error)) throw fileError(`Port ${port} for the sign-in`, error);
      return undefined;
    }
  }
  return servers;
}

/** A server for which a request, whatever it is, ends at most its own connection. */
function createBoundedServer(handle: Handler): Server {
  const connections = new BoundedConnections();
  const server = createServer(
    {
      maxHeaderSize: MAX_HEADERS_BYTES,
      headersTimeout: ARRIVES_WITHIN_MS,
      requestTimeout: ARRIVES_WITHIN_MS,
      connectionsCheckingInterval: 1_000,
      keepAlive: false,
    },
    (request, response) => {
      const refuse = () => response.destroy();
      response.on('error', refuse);
      request.on('error', refuse);
      connections.hold(request.socket, response);
      try {
        handle(request, response).catch(refuse);
      } catch {
        refuse();
      }
    },
  );
  // If a connection cannot be accepted because too many files are open, the browser tries again.
  server.on('error', () => {});
  server.on('connection', (socket) => connections.add(socket));
  return server;
}

/** Closes a server and its connections at once. */
export async function stop(server: Server): Promise<void> {
  const closed = once(server, 'close');
  server.close();
  server.closeAllConnections();
  await closed;
}
