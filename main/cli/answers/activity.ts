import { z } from 'zod';
import { named } from './named.ts';

/** One line of `causeway activity --follow --json`. */
export const call = named(
  'call',
  'One request of an AI client that has ended, without its contents.',
  z.object({
    at: z.string(),
    client: z.string().nullable(),
    profile: z.string().nullable(),
    server: z.string().nullable(),
    path: z.string(),
    method: z.string(),
    tool: z.string().nullable(),
    outcome: z.enum(['answered', 'tool-error', 'error', 'cancelled', 'lost']),
    errorCode: z.number().nullable(),
    durationMs: z.number(),
  }),
  {
    at: 'When it came.',
    client: 'The AI client; null if it has not named itself.',
    profile: 'The profile that the server signs in with; null for the default one.',
    server: "The server's name; null if it is not in the list.",
    path: 'The path of the server.',
    method: 'The method of MCP.',
    tool: 'The tool of a `tools/call`; null for other methods.',
    outcome: 'How it ended. `lost` means that it is not known whether it ran.',
    errorCode: 'The code of a JSON-RPC error; null if there is none.',
    durationMs: 'How long it took.',
  },
);

export const activity = z.object({
  /** Whether the application runs and has answered. */
  application: z.boolean(),
  calls: z.array(call),
  /** What could not be read. */
  problems: z.array(z.string()),
});
