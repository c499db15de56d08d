import { setTimeout as sleep } from 'node:timers/promises';
import { parseFrame } from './frame/frame.ts';
import type { HttpOutcome } from './http-exchange.ts';

/** How long a server may take for its first event, in milliseconds. The client waits for its error meanwhile. */
const OLD_TRANSPORT_TIMEOUT_MS = 3_000;

/** How servers of the HTTP+SSE transport alone refuse a POST (MCP 2025-11-25 › Transports › Backwards Compatibility). */
const REFUSALS = new Set([400, 404, 405]);

/** Opens a stream of the server's own. */
type Listen = (onFrame: (frame: Buffer) => void, signal: AbortSignal) => Promise<HttpOutcome>;

/**
 * Whether a server that has refused `initialize` speaks the transport of revision 2024-11-05, HTTP+SSE: a GET is answered by
 * a stream that begins with the address to post to, which no JSON-RPC frame looks like.
 */
export async function isOldTransport(refused: HttpOutcome, listen: Listen, signal: AbortSignal): Promise<boolean> {
  if (refused.kind !== 'refused' || !REFUSALS.has(refused.head.status)) return false;
  const enough = new AbortController();
  let first: Buffer | undefined;
  const take = (frame: Buffer) => {
    first ??= frame;
    enough.abort();
  };
  const outcome = listen(take, AbortSignal.any([signal, enough.signal])).catch(() => undefined);
  await Promise.race([
    outcome,
    sleep(OLD_TRANSPORT_TIMEOUT_MS, undefined, { signal: enough.signal }).catch(() => undefined),
  ]);
  enough.abort();
  const address = first === undefined || parseFrame(first) !== undefined ? '' : first.toString('utf8', 0, 1024).trim();
  return /^(https?:\/\/|\/)\S+$/.test(address);
}
