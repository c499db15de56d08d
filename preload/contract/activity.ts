import { z } from 'zod';

/** A `causeway proxy` that is attached: one session of an AI client. */
export const attachedProxy = z.object({
  id: z.number(),
  pid: z.number(),
  /** The program that started it, where the system tells. */
  client: z.string().nullable(),
  /** Null for the default profile. */
  profile: z.string().nullable(),
  path: z.string(),
  /** Milliseconds since the epoch. */
  since: z.number(),
});

export const activityRequests = {} as const;

export const activityEvents = {} as const;

export type AttachedProxy = z.output<typeof attachedProxy>;
