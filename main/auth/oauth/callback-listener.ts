import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { CausewayError } from '../../platform/errors.ts';
import { fileError, isOutOfFiles } from '../../platform/file-errors.ts';

/** The parameters that the browser brought, and how to answer it. */
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
  /** RFC 6749 §10.12: an answer with another state is not ours. */
  state: string;
  /** Called with each answer that belongs to another sign-in. */
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
  lines: ['It was ignored.', 'Use the most recent sign-in page, or start again from Causeway.'],
};
const ALREADY_ANSWERED: CallbackPage = {
  status: 409,
  tone: 'neutral',
  title: 'This sign-in is already finished',
  lines: ['You can close this window.'],
};
const NOTHING_HERE: CallbackPage = {
  status: 404,
  tone: 'neutral',
  title: 'Waiting for the sign-in',
  lines: ['Causeway is waiting for your sign-in page. You can close this window.'],
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
    const target = requestTarget(request, port);
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
    `${taken} used by another program. The browser cannot return the sign-in.`,
    {
      remedy: 'Quit that program, or choose another callback port (oauth_callback_port).',
    },
  );
}

/**
 * The parameters that a request brings to the one page that there is, or the status of its refusal. Any program and any web
 * page can send anything here: nothing is parsed by what throws.
 */
export function requestTarget(
  { method, url = '', headers }: Pick<IncomingMessage, 'method' | 'url' | 'headers'>,
  port: number,
): URLSearchParams | number {
  if (method !== 'GET') return 405;
  // DNS rebinding can lead other sites' pages here, but only under their own host names.
  if (headers.host !== `localhost:${port}`) return 421;
  if (/prefetch|prerender/.test(String(headers['sec-purpose'] ?? ''))) return 503;
  // RFC 9112 §3.2: a server must accept the absolute form, too.
  const origin = `http://localhost:${port}`;
  const local = url.startsWith(`${origin}/`) ? url.slice(origin.length) : url;
  if (!local.startsWith('/')) return /^[a-z][a-z\d+.-]*:\/\//i.test(local) ? 421 : 400;
  const [path = '', ...query] = local.replace(/#.*$/s, '').split('?');
  return path === '/' ? new URLSearchParams(query.join('?')) : 404;
}

/** No request comes near this; a browser's cookies for `localhost` do. In bytes. */
const MAX_HEADERS_BYTES = 64 * 1024;
/** How long a request may take to arrive completely, in milliseconds. */
const ARRIVES_WITHIN_MS = 10_000;
/** The maximum number of open connections. The oldest is closed, so that opening many cannot lock the browser out. */
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
      if (isOutOfFiles(error)) throw fileError(`Port ${port} for the sign-in`, error);
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
  // If a connection cannot be accepted because too many files are open, the browser tries again.
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

/** The page that the browser shows after the sign-in. */
export interface CallbackPage {
  status: number;
  tone: 'good' | 'bad' | 'neutral';
  title: string;
  lines: readonly string[];
}

const STYLE = `
:root { color-scheme: light dark; --ground: #f3f4f6; --panel: #ffffff; --ink: #1a1d21; --soft: #555c66; --line: #d9dde3; --good: #1b7f4b; --bad: #b3261e; --neutral: #555c66; }
@media (prefers-color-scheme: dark) { :root { --ground: #17191c; --panel: #212429; --ink: #eceef1; --soft: #a8b0bb; --line: #363b43; --good: #5cc58c; --bad: #ff8a80; --neutral: #a8b0bb; } }
* { box-sizing: border-box; margin: 0; }
body { min-height: 100vh; display: grid; place-items: center; padding: 24px; background: var(--ground); color: var(--ink); font: 16px/1.5 system-ui, -apple-system, "Segoe UI", sans-serif; }
main { width: 100%; max-width: 448px; padding: 32px; background: var(--panel); border: 1px solid var(--line); border-radius: 12px; }
header { display: flex; align-items: center; gap: 8px; margin-bottom: 24px; font-size: 14px; font-weight: 600; }
header svg { flex: none; width: 28px; height: 28px; }
h1 { display: flex; gap: 12px; align-items: baseline; font-size: 22px; line-height: 1.3; font-weight: 600; }
h1 svg { flex: none; width: 20px; height: 20px; align-self: center; }
p { margin-top: 12px; color: var(--soft); overflow-wrap: anywhere; }
p:first-of-type { color: var(--ink); }
.good h1 svg { color: var(--good); } .bad h1 svg { color: var(--bad); } .neutral h1 svg { color: var(--neutral); }
`;

const SIGNS: Record<CallbackPage['tone'], string> = {
  good: 'M5 12.5l4.5 4.5L19 7.5',
  bad: 'M6 6l12 12M18 6L6 18',
  neutral: 'M12 11v6M12 7v.5',
};

/** The application's mark (`resources/icon.svg`). */
const MARK = `<svg viewBox="0 0 32 32" aria-hidden="true"><rect x="1" y="1" width="30" height="30" rx="7" fill="#12748a"/><path fill="#fff" d="M5.6 10.4H26.4V22.4H24.8V19.2a4 4 0 0 0-8 0V22.4H15.2V19.2a4 4 0 0 0-8 0V22.4H5.6Z"/></svg>`;

const STYLE_HASH = createHash('sha256').update(STYLE).digest('base64');

/** Nothing is loaded, run, framed or submitted. The only style is allowed by its hash. */
const HEADERS = {
  'content-type': 'text/html; charset=utf-8',
  'content-security-policy': `default-src 'none'; style-src 'sha256-${STYLE_HASH}'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`,
  'cache-control': 'no-store',
  'referrer-policy': 'no-referrer',
  'x-content-type-options': 'nosniff',
  connection: 'close',
};

/** The page as an HTTP answer. */
function renderCallbackPage({ status, tone, title, lines }: CallbackPage): {
  status: number;
  headers: Record<string, string>;
  body: string;
} {
  const body = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${escapeHtml(title)} · Causeway</title>
<style>${STYLE}</style>
</head>
<body>
<main class="${tone}">
<header>${MARK}Causeway</header>
<h1><svg viewBox="0 0 24 24" fill="none" stroke="currentColor" stroke-width="2.5" stroke-linecap="round" stroke-linejoin="round" aria-hidden="true"><path d="${SIGNS[tone]}"/></svg>${escapeHtml(title)}</h1>
${lines.map((line) => `<p>${escapeHtml(line)}</p>`).join('\n')}
</main>
</body>
</html>
`;
  return { status, headers: HEADERS, body };
}

function escapeHtml(text: string): string {
  const entities: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' };
  return text.replace(/[&<>"']/g, (letter) => entities[letter] ?? letter);
}
