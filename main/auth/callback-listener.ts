import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { CausewayError } from '../platform/errors.ts';
import { explain, isOutOfFiles } from '../platform/file-errors.ts';
import { type CallbackPage, renderCallbackPage } from './callback-page.ts';

/** What the browser brought, and the way to answer it. */
export interface CallbackAnswer {
  parameters: URLSearchParams;
  /** Shows the page; resolves when the browser has it. */
  reply(page: CallbackPage): Promise<void>;
}

export interface CallbackListener {
  /** RFC 8252 §7.3, as Databricks registers it: the name `localhost`, and no path. */
  redirectUri: string;
  answer: Promise<CallbackAnswer>;
  /** Frees the port. */
  close(): Promise<void>;
}

export interface ListenOptions {
  /** Tried in this order. */
  ports: readonly number[];
  /** RFC 6749 §10.12: an answer with any other is not ours. */
  state: string;
  /** Told of each answer that belongs to another sign-in. */
  onStray: () => void;
}

const FAMILIES = ['127.0.0.1', '::1'];
const NO_SUCH_FAMILY = new Set(['EADDRNOTAVAIL', 'EAFNOSUPPORT', 'EINVAL']);
/** How long the browser may take to read the last page, in milliseconds. */
const LINGER_MS = 2_000;

const STRAY: CallbackPage = {
  status: 400,
  tone: 'bad',
  title: 'This page belongs to another sign-in',
  lines: ['Nothing was done with it.', 'Go to the newest sign-in page, or start again from Causeway.'],
};
const ALREADY_ANSWERED: CallbackPage = {
  status: 409,
  tone: 'neutral',
  title: 'This sign-in has already been answered',
  lines: ['You can close this window.'],
};
const NOTHING_HERE: CallbackPage = {
  status: 404,
  tone: 'neutral',
  title: 'Waiting for the sign-in',
  lines: ['Causeway waits here for the answer of your sign-in page. You can close this window.'],
};

/**
 * Listens on both loopback addresses, for `localhost` may mean either, at the first port that is free on both. Accepts
 * exactly one answer; whatever else knocks (favicons, probes, other sites' requests under another name) changes nothing.
 * @throws {CausewayError} `sign_in_failed` when every port is taken
 */
export async function listenForCallback({ ports, state, onStray }: ListenOptions): Promise<CallbackListener> {
  let accept: (answer: CallbackAnswer) => void;
  let answered = false;
  const answer = new Promise<CallbackAnswer>((resolve) => {
    accept = resolve;
  });

  function handle(request: IncomingMessage, response: ServerResponse, port: number): Promise<void> {
    const target = targetOf(request, port);
    if (typeof target === 'number') return plain(response, target);
    if (!target.has('code') && !target.has('error')) return show(response, NOTHING_HERE);
    if (target.get('state') !== state) {
      onStray();
      return show(response, STRAY);
    }
    if (answered) return show(response, ALREADY_ANSWERED);
    answered = true;
    accept({ parameters: target, reply: (page) => show(response, page) });
    return Promise.resolve();
  }

  for (const port of ports) {
    const servers = await listenOnBoth(port, (request, response) => handle(request, response, port));
    if (servers) {
      return {
        redirectUri: `http://localhost:${port}`,
        answer,
        close: async () => {
          await Promise.all(servers.map(stop));
        },
      };
    }
  }
  const [first, last] = [ports[0], ports.at(-1)];
  const taken =
    first === last ? `Port ${first} of this computer is` : `The ports ${first} to ${last} of this computer are all`;
  throw new CausewayError(
    'sign_in_failed',
    `${taken} used by another program, so the browser could not bring the answer.`,
    {
      remedy: 'End that program, or choose another callback port (oauth_callback_port).',
    },
  );
}

/**
 * The parameters that a request brings to the one page that there is, or the status of its refusal. Any program and any web
 * page can send anything here: nothing is parsed by what throws.
 */
export function targetOf(
  { method, url = '', headers }: Pick<IncomingMessage, 'method' | 'url' | 'headers'>,
  port: number,
): URLSearchParams | number {
  if (method !== 'GET') return 405;
  // DNS rebinding brings other sites' pages here, but under their own names.
  if (headers.host !== `localhost:${port}`) return 421;
  if (/prefetch|prerender/.test(String(headers['sec-purpose'] ?? ''))) return 503;
  // RFC 9112 §3.2: a server takes the absolute form too.
  const origin = `http://localhost:${port}`;
  const local = url.startsWith(`${origin}/`) ? url.slice(origin.length) : url;
  if (!local.startsWith('/')) return /^[a-z][a-z\d+.-]*:\/\//i.test(local) ? 421 : 400;
  const [path = '', ...query] = local.replace(/#.*$/s, '').split('?');
  return path === '/' ? new URLSearchParams(query.join('?')) : 404;
}

/** No request comes near this; a browser's cookies for `localhost` do. In bytes. */
const MAX_HEADERS_BYTES = 64 * 1024;
/** How long a request may take to arrive, in milliseconds. */
const ARRIVES_WITHIN_MS = 10_000;
/** So many connections stay open; the oldest makes room, so that nobody can keep the browser out by opening many. */
const MAX_CONNECTIONS = 64;

async function listenOnBoth(
  port: number,
  handle: (request: IncomingMessage, response: ServerResponse) => Promise<void>,
): Promise<Server[] | undefined> {
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
      if (isOutOfFiles(error)) throw explain(`The port ${port} for the browser's answer`, error);
      return undefined;
    }
  }
  return servers;
}

/** A server for which a request, whatever it is, ends at most its own connection. */
function createBoundedServer(handle: (request: IncomingMessage, response: ServerResponse) => Promise<void>): Server {
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
      try {
        handle(request, response).catch(refuse);
      } catch {
        refuse();
      }
    },
  );
  // A connection that cannot be taken, for want of files, is the browser's to try again.
  server.on('error', () => {});
  const open = new Set<Socket>();
  server.on('connection', (socket) => {
    open.add(socket);
    socket.once('close', () => open.delete(socket));
    const [oldest] = open;
    if (open.size > MAX_CONNECTIONS) oldest?.destroy();
  });
  return server;
}

async function plain(response: ServerResponse, status: number): Promise<void> {
  response.writeHead(status, { connection: 'close' }).end();
}

async function show(response: ServerResponse, page: CallbackPage): Promise<void> {
  const { status, headers, body } = renderCallbackPage(page);
  if (response.destroyed) return;
  response.writeHead(status, headers).end(body);
  // The browser may have gone away meanwhile, or never read.
  const gone = new Promise<void>((resolve) => {
    const timer = setTimeout(resolve, LINGER_MS);
    timer.unref();
    response.once('close', () => {
      clearTimeout(timer);
      resolve();
    });
  });
  await gone;
}

async function stop(server: Server): Promise<void> {
  const closed = once(server, 'close');
  server.close();
  server.closeAllConnections();
  await closed;
}
