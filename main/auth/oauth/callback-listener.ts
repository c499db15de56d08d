import { createHash, timingSafeEqual } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { readUpTo } from '../../platform/body-limit.ts';
import { CausewayError } from '../../platform/errors.ts';
import { type CallbackPage, renderCallbackPage } from './callback-page.ts';
import { listenOnBoth, stop } from './loopback-server.ts';
import { isOwnConnection } from './peer-user.ts';
import { startPath } from './start-address.ts';

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
  /**
   * Takes the answer as the address at which a browser on another computer has ended, by the same rules.
   * @returns why it is not taken, as sentences that repeat nothing of it; undefined if it is
   */
  paste(text: string): string | undefined;
  /** Sends the browser that opens `start-address.ts`'s address on to the sign-in page. */
  startAt(page: URL): void;
  /** Frees the port. */
  close(): Promise<void>;
}

export interface ListenOptions {
  /** Tried in this order. */
  ports: readonly number[];
  /** RFC 6749 §10.12: an answer with another state is not ours. */
  state: string;
  /** Called with each answer that belongs to another sign-in, or comes from another user. */
  onStray: () => void;
  /** Whether the other end of a connection is a program of this user, as far as the system tells. */
  isOwn?: (request: IncomingMessage) => Promise<boolean>;
}

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
const FOREIGN: CallbackPage = {
  status: 403,
  tone: 'bad',
  title: 'This page was opened by another user of this computer',
  lines: [
    'It was ignored.',
    'Sign in with a browser that runs as the user who started the sign-in, or start again from Causeway.',
  ],
};
const NOT_A_REDIRECT: CallbackPage = {
  status: 405,
  tone: 'bad',
  title: 'This is not an answer to a sign-in',
  lines: ['It was ignored. Causeway is still waiting for your sign-in page.'],
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
export async function listenForCallback(options: ListenOptions): Promise<CallbackListener> {
  const { ports, state, onStray, isOwn = isOwnConnection } = options;
  const begin = startPath(state);
  let accept: (answer: CallbackAnswer) => void;
  let answered = false;
  let page: URL | undefined;
  const answer = new Promise<CallbackAnswer>((resolve) => {
    accept = resolve;
  });

  async function pageIfForeign(request: IncomingMessage): Promise<CallbackPage | undefined> {
    return (await isOwn(request)) ? undefined : FOREIGN;
  }

  async function handle(request: IncomingMessage, response: ServerResponse, port: number): Promise<void> {
    if (page && request.url === begin && isPage(request, port)) {
      const refusal = await pageIfForeign(request);
      return refusal ? show(response, refusal) : redirect(response, page);
    }
    const target = request.method === 'POST' ? await formTarget(request, port) : requestTarget(request, port);
    if (target === 405) return show(response, NOT_A_REDIRECT);
    return typeof target === 'number' ? plain(response, target) : take(target, request, response);
  }

  /** Takes an answer, if it is the first that the user's own browser has brought from the sign-in page. */
  async function take(parameters: URLSearchParams, request: IncomingMessage, response: ServerResponse): Promise<void> {
    const stray = strayPage(parameters) ?? (await pageIfForeign(request));
    if (stray && stray !== NOTHING_HERE) onStray();
    if (stray || answered) return show(response, stray ?? ALREADY_ANSWERED);
    answered = true;
    accept({ parameters, reply: (last) => show(response, last) });
  }

  /** What is shown for parameters that are no answer, or another sign-in's; undefined for this one's. */
  function strayPage(parameters: URLSearchParams): CallbackPage | undefined {
    if (!parameters.has('code') && !parameters.has('error')) return NOTHING_HERE;
    return isSame(parameters.get('state') ?? '', state) ? undefined : STRAY;
  }

  function paste(text: string, port: number): string | undefined {
    const target = pastedTarget(text.trim(), port, page);
    if (typeof target === 'string') return target;
    const refusal = strayPage(target) ?? (answered ? ALREADY_ANSWERED : undefined);
    if (refusal) return PASTED.get(refusal) ?? refusal.title;
    answered = true;
    accept({ parameters: target, reply: async () => {} });
    return undefined;
  }

  for (const port of ports) {
    const servers = await listenOnBoth(port, (request, response) => handle(request, response, port));
    if (servers) {
      return {
        redirectUri: `http://localhost:${port}`,
        answer,
        paste: (text) => paste(text, port),
        startAt: (address) => {
          page = address;
        },
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

/** What is said of a pasted address instead of the page that a browser would see. */
const PASTED = new Map([
  [NOTHING_HERE, 'This address has no answer of the sign-in page in it. Sign in there first.'],
  [STRAY, 'This address belongs to another sign-in. Use the sign-in page whose address is above.'],
  [ALREADY_ANSWERED, 'This sign-in is already finished.'],
]);

/** The parameters of a pasted address, or why it is none of ours. A code alone has no state, and could be anybody's. */
function pastedTarget(text: string, port: number, page: URL | undefined): URLSearchParams | string {
  const host = `localhost:${port}`;
  // Some browsers do not show the scheme.
  const address = text.startsWith(`${host}/`) ? `http://${text}` : text;
  if (page && URL.canParse(address) && new URL(address).origin === page.origin) {
    return 'This is an address of the workspace. Sign in there, and paste the address at which the browser ends.';
  }
  const url = address.startsWith(`http://${host}/`) ? address : '*';
  const target = requestTarget({ method: 'GET', url, headers: { host } }, port);
  if (typeof target !== 'number') return target;
  return `This is not the whole address. It begins with http://${host}/? and is what the browser shows when it cannot open the page. A code or a token alone is not taken.`;
}

/** Compares without telling by its time how much agrees. */
function isSame(one: string, other: string): boolean {
  const [a, b] = [one, other].map((text) => createHash('sha256').update(text).digest());
  return a !== undefined && b !== undefined && timingSafeEqual(a, b);
}

/** Whether a request could come to the one page from its user's own browser. */
function isPage({ method, headers }: IncomingMessage, port: number): boolean {
  return typeof requestTarget({ method, url: '/', headers }, port) !== 'number';
}

/** No form of a sign-in comes near this, in bytes. */
const MAX_FORM_BYTES = 64 * 1024;

/** The parameters of a service that answers with a form, unasked (OAuth 2.0 Form Post Response Mode §2), or a status. */
async function formTarget(request: IncomingMessage, port: number): Promise<URLSearchParams | number> {
  const { url, headers } = request;
  const target = requestTarget({ method: 'GET', url, headers }, port);
  if (typeof target === 'number') return target;
  if (!/^application\/x-www-form-urlencoded\b/i.test(request.headers['content-type'] ?? '')) return 405;
  const body = await readUpTo(MAX_FORM_BYTES, request);
  const form = new URLSearchParams(body?.toString('utf8'));
  return form.has('state') ? form : 405;
}

async function plain(response: ServerResponse, status: number): Promise<void> {
  response.writeHead(status, { connection: 'close' }).end();
}

async function redirect(response: ServerResponse, { href }: URL): Promise<void> {
  const headers = {
    location: href,
    'cache-control': 'no-store',
    'referrer-policy': 'no-referrer',
    connection: 'close',
  };
  response.writeHead(302, headers).end();
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
