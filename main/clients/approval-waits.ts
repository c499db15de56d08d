import { clientOnWire } from './table.ts';

/** How long a call can wait if the client's own limit is unknown, in milliseconds: many clients give up after 60 s. */
const UNKNOWN_WAIT_MS = 45_000;
/** How much sooner than the client's own limit a call is refused, in milliseconds. */
const MARGIN_MS = 15_000;
const MAX_WAIT_MS = 240_000;
/** The longest that a call waits with all extensions, in milliseconds. A client that gives up sooner withdraws it. */
const MAX_EXTENDED_MS = 900_000;

/** How long a call of the client that calls itself so may wait for the user, in milliseconds: at first, and with all extensions. */
export function approvalWaits(client: string | undefined): { firstMs: number; mostMs: number } {
  const patience = clientOnWire(client ?? '')?.patience;
  if (!patience) return { firstMs: UNKNOWN_WAIT_MS, mostMs: MAX_EXTENDED_MS };
  const limitMs = patience.ms - MARGIN_MS;
  return { firstMs: Math.min(limitMs, MAX_WAIT_MS), mostMs: Math.min(limitMs, MAX_EXTENDED_MS) };
}

/** The same, and its name, for a client that is known to show a server's questions to a person; undefined for any other. */
export function questionWaits(client: string): { name: string; firstMs: number } | undefined {
  const found = clientOnWire(client);
  return found?.showsQuestions ? { name: found.name, firstMs: approvalWaits(client).firstMs } : undefined;
}
