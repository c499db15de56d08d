import { createHash } from 'node:crypto';
import type { IncomingMessage } from 'node:http';

/** Which origin saw which token, so that a test can show that none went where it must not: kept in memory only. */

interface Origin {
  requests: number;
  /** The bearer tokens, as they were sent. */
  tokens: Set<string>;
  /** Request lines and headers, in which a token may hide elsewhere; not of the workspace, which has nothing to hide. */
  texts: string[];
}

export class TokenRecord {
  readonly #origins = new Map<string, Origin>();

  add(origin: string, request: IncomingMessage, token: string | undefined, isWorkspace: boolean): void {
    const seen = this.#origins.get(origin) ?? { requests: 0, tokens: new Set(), texts: [] };
    this.#origins.set(origin, seen);
    seen.requests += 1;
    if (token !== undefined) seen.tokens.add(token);
    const { method = 'GET', url = '/', rawHeaders } = request;
    if (!isWorkspace) seen.texts.push([method, url, ...rawHeaders].join('\n'));
  }

  /** The origins that a secret reached: as a bearer token, or, apps and the foreign host, in any header or address. */
  originsThatSaw(secret: string): string[] {
    return [...this.#origins].flatMap(([origin, { tokens, texts }]) =>
      tokens.has(secret) || texts.some((text) => text.includes(secret)) ? [origin] : [],
    );
  }

  /** The bearer tokens that reached an origin, each once. */
  tokensAt(origin: string): string[] {
    return [...(this.#origins.get(origin)?.tokens ?? [])];
  }

  /** How many requests reached an origin. */
  requestsAt(origin: string): number {
    return this.#origins.get(origin)?.requests ?? 0;
  }

  /** The SHA-256 digests of the tokens that reached each origin: what another process may be told. */
  digests(): Record<string, string[]> {
    return Object.fromEntries([...this.#origins.keys()].map((origin) => [origin, this.tokensAt(origin).map(digest)]));
  }

  clear(): void {
    this.#origins.clear();
  }
}

function digest(token: string): string {
  return createHash('sha256').update(token).digest('hex');
}
