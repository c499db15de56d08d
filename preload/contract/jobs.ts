import { z } from 'zod';
import { text } from './parts.ts';

/** Work that the window can cancel, under an id of its choice. */
export const job = z.object({ job: text().min(1) });

export const jobRequests = {
  /** Nothing happens to work that has ended. */
  cancelJob: { input: job, output: z.undefined() },
} as const;
