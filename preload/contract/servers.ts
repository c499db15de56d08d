import { z } from 'zod';

/** A managed server that AI clients are to have, and how it is just now. */
export const configuredServer = z.object({
  name: z.string(),
  profile: z.string(),
  kind: z.enum(['sql', 'genie', 'vector-search', 'functions', 'other']),
  path: z.string(),
  state: z.object({
    status: z.enum([
      'connecting',
      'ready',
      'no-grants',
      'signed-out',
      'waiting-for-browser',
      'forbidden',
      'not-found',
      'blocked',
      'unreachable',
      'failing',
    ]),
    /** How many tools it offers; null until it has told. */
    tools: z.number().nullable(),
    /** The state as a sentence, and what to do about it. */
    words: z.string(),
    remedy: z.string().nullable(),
  }),
});

export const serverRequests = {} as const;

export const serverEvents = {} as const;
