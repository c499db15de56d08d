import type { ServerRequest } from '../bridge/endpoint.ts';

/** The protocol of the hub's socket. A side that meets another number lets go, and the proxy works alone. */
export const HUB_PROTOCOL = 1;

/** How long a peer may take to say its line, in milliseconds. */
export const HELLO_MS = 1_000;

/** The proxy's first line: proof that it is the same user's, and the server that it wants. */
export interface Hello {
  hub: typeof HUB_PROTOCOL;
  secret: string;
  version: string;
  pid: number;
  request: ServerRequest;
}

/** The hub's answer. Behind `ready`, both sides speak newline-delimited JSON-RPC frames until one closes. */
export interface Welcome {
  hub: typeof HUB_PROTOCOL;
  ready: boolean;
  version: string;
}

/** Splits the first line off what has arrived so far. */
export function firstLine(received: Buffer): { line: string; rest: Buffer } | undefined {
  const end = received.indexOf(0x0a);
  if (end === -1) return undefined;
  return { line: received.toString('utf8', 0, end), rest: received.subarray(end + 1) };
}
