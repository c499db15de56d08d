import type { IncomingMessage, ServerResponse } from 'node:http';

/** What reached the workspace, for tests that count or look: no secret is ever in it. */

export interface LoggedRequest {
  /** Milliseconds since 1970. */
  at: number;
  method: string;
  path: string;
  /** The query string's parameters; empty at the sign-in, whose queries hold codes. */
  query: Record<string, string>;
  /** Without those that carry credentials. */
  headers: Record<string, string>;
  /** Undefined until the answer has ended or the connection has gone. */
  status: number | undefined;
  /** The places of its beginning and its end among those of all requests; the end is undefined like `status`. */
  began: number;
  ended: number | undefined;
  /** Whom the token stood for. */
  userName: string | undefined;
  /** `refresh_token` and the like, for requests to the token endpoint. */
  grantType: string | undefined;
  /** The kind of the fault that hit it. */
  fault: string | undefined;
}

export interface RequestFilter {
  method?: string | undefined;
  /** A path in which `*` stands for anything. */
  path?: string | undefined;
  grantType?: string | undefined;
}

/** Older entries make room for newer ones: load tests send more than is worth keeping. */
const MAX_ENTRIES = 50_000;
const SECRET_HEADERS = new Set(['authorization', 'cookie', 'proxy-authorization']);

export class RequestLog {
  #entries: LoggedRequest[] = [];
  #moments = 0;
  readonly #byRequest = new WeakMap<IncomingMessage, LoggedRequest>();

  add(request: IncomingMessage, response: ServerResponse, url: URL): LoggedRequest {
    const entry: LoggedRequest = {
      at: Date.now(),
      method: request.method ?? 'GET',
      path: url.pathname,
      query: url.pathname.startsWith('/oidc/') ? {} : Object.fromEntries(url.searchParams),
      headers: publicHeaders(request),
      status: undefined,
      began: ++this.#moments,
      ended: undefined,
      userName: undefined,
      grantType: undefined,
      fault: undefined,
    };
    if (this.#entries.length >= MAX_ENTRIES) this.#entries = this.#entries.slice(MAX_ENTRIES / 2);
    this.#entries.push(entry);
    this.#byRequest.set(request, entry);
    response.once('close', () => {
      entry.ended = ++this.#moments;
      entry.status = response.headersSent ? response.statusCode : 0;
    });
    return entry;
  }

  entryOf(request: IncomingMessage): LoggedRequest | undefined {
    return this.#byRequest.get(request);
  }

  list(filter: RequestFilter = {}): LoggedRequest[] {
    const path = filter.path === undefined ? undefined : pathPattern(filter.path);
    return this.#entries.filter(
      (entry) =>
        (filter.method === undefined || entry.method === filter.method) &&
        (filter.grantType === undefined || entry.grantType === filter.grantType) &&
        (path === undefined || path.test(entry.path)),
    );
  }

  count(filter: RequestFilter = {}): number {
    return this.list(filter).length;
  }

  /** How many requests each path had. */
  countsByPath(filter: RequestFilter = {}): Record<string, number> {
    const counts: Record<string, number> = {};
    for (const { path } of this.list(filter)) counts[path] = (counts[path] ?? 0) + 1;
    return counts;
  }

  /** How many requests were under way at the same time, at most. */
  mostAtOnce(filter: RequestFilter = {}): number {
    const changes = this.list(filter).flatMap(({ began, ended }): [moment: number, change: number][] => [
      [began, 1],
      [ended ?? Number.POSITIVE_INFINITY, -1],
    ]);
    let now = 0;
    let most = 0;
    for (const [, change] of changes.sort(([a], [b]) => a - b)) {
      now += change;
      most = Math.max(most, now);
    }
    return most;
  }

  clear(): void {
    this.#entries = [];
  }
}

/** A path with `*` for anything, as an expression. */
export function pathPattern(path: string): RegExp {
  const parts = path.split('*').map((part) => part.replace(/[.+?^${}()|[\]\\]/g, '\\$&'));
  return new RegExp(`^${parts.join('.*')}$`);
}

function publicHeaders(request: IncomingMessage): Record<string, string> {
  const kept = Object.entries(request.headers).filter(([name]) => !SECRET_HEADERS.has(name));
  return Object.fromEntries(
    kept.map(([name, value]) => [name, Array.isArray(value) ? value.join(', ') : (value ?? '')]),
  );
}
