import { z } from 'zod';
import { inProfile, text } from './parts.ts';

/** A warehouse that the calls of some entries in AI clients name themselves. */
const pin = z.object({
  server: z.string(),
  warehouseId: z.string(),
  /** Its name; its id where the name cannot be read. */
  warehouse: z.string(),
  /** The only AI client that it applies to; null for every client. */
  client: z.string().nullable(),
  /** Whose calls, in a few words: "databricks-sql in Cursor". */
  whose: z.string(),
  /** Why these calls will fail, in sentences; null if nothing is known to be in their way. */
  problem: z.string().nullable(),
});

export const pinRequests = {
  /** The pins of a profile's servers, and what is known about how they and an override rank. */
  listPins: { input: inProfile, output: z.object({ pins: z.array(pin), rank: z.string() }) },
  /** Pins a server's calls in every client, or leaves them to the workspace. Entries are written again by a repair. */
  pinServer: {
    input: z.object({ server: text(), warehouseId: text().min(1).nullable() }),
    output: z.undefined(),
  },
} as const;

export type PinInfo = z.output<typeof pin>;
