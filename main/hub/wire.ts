import { z } from 'zod';

/** The protocol of the hub's socket. A side that meets another number lets go, and the proxy works alone. */
export const HUB_PROTOCOL = 1;

/** How long a peer may take to say its line, in milliseconds. */
export const HELLO_MS = 1_000;

/** The proxy's first line: proof that it is the same user's, and the server that it wants. */
export const Hello = z.object({
  hub: z.literal(HUB_PROTOCOL),
  secret: z.string(),
  version: z.string(),
  pid: z.number(),
  request: z.object({
    profile: z.string().optional(),
    path: z.string(),
    origin: z.string().optional(),
  }),
});
export type Hello = z.infer<typeof Hello>;

/** The hub's answer. Behind `ready`, both sides speak newline-delimited JSON-RPC frames until one closes. */
export type Welcome = { hub: typeof HUB_PROTOCOL; ready: true; version: string } | { hub: typeof HUB_PROTOCOL; ready: false };

/** Splits the first line off what has arrived so far. */
export function firstLine(received: Buffer): { line: string; rest: Buffer } | undefined {
  const end = received.indexOf(0x0a);
  if (end === -1) return undefined;
  return { line: received.toString('utf8', 0, end), rest: received.subarray(end + 1) };
}
