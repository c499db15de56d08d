import type { CallFilter } from '../../../preload/contract/activity.ts';
import { ALL_CALLS } from '../../../preload/contract/all-calls.ts';
import { ANY_TIME } from '../../activity/call-filter.ts';
import { activityFile, openForReading } from '../../activity/open-store.ts';
import { type ReadCall, StoreReader } from '../../activity/store-reader.ts';
import { displayNameOf } from '../../clients/table.ts';
import { onWire } from '../../hub/calls.ts';
import type { WireCall } from '../../hub/wire.ts';
import { CausewayError } from '../../platform/errors.ts';
import { inOneLine } from '../../words/failure.ts';

/** Which of the calls. */
export interface Wanted {
  count: number;
  failed: boolean;
  /** In milliseconds since the epoch. */
  since: number;
  /** A display name. */
  client: string | null;
  path: string | null;
}

/** All of them, but for their number. */
export const EVERY_CALL: Omit<Wanted, 'count'> = { failed: false, since: ANY_TIME.from, client: null, path: null };

/** How long a write of another process is waited for, in milliseconds. */
const BUSY_MS = 2_000;

/** The kept calls, the oldest first, with the display names of their clients; and why they could not be read, as a sentence. */
export async function readStored(
  env: NodeJS.ProcessEnv,
  { count, failed, since, client, path }: Wanted,
): Promise<{ calls: WireCall[]; problems: string[] }> {
  const file = activityFile(env);
  try {
    const database = await openForReading(file, { busyMs: BUSY_MS });
    if (!database) return { calls: [], problems: [] };
    try {
      const filter: CallFilter = { ...ALL_CALLS, client, path, outcome: failed ? 'failed' : null };
      const reader = new StoreReader(file, database, displayNameOf);
      const span = { ...ANY_TIME, from: since };
      const { rows } = reader.page({ filter, upTo: null, span }, 0, count);
      return { calls: rows.reverse().map(asWireCall), problems: [] };
    } finally {
      database.close();
    }
  } catch (error) {
    if (!(error instanceof CausewayError)) throw error;
    return { calls: [], problems: [`Kept calls cannot be shown. ${inOneLine(error)}`] };
  }
}

function asWireCall({ number: _, sessionKey: __, isPoll, ...call }: ReadCall): WireCall {
  return onWire({ ...call, contents: null }, call.statement, isPoll);
}
