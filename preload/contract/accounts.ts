import { z } from 'zod';
import { inProfile, problem } from './parts.ts';

/** One profile of the configuration file, and whether somebody is signed in to it. */
const account = z.object({
  name: z.string(),
  host: z.string().nullable(),
  isDefault: z.boolean(),
  method: z.enum(['pat', 'oauth-m2m', 'databricks-cli', 'oauth-user']).nullable(),
  state: z.discriminatedUnion('status', [
    z.object({
      status: z.literal('signed-in'),
      userName: z.string().nullable(),
      /** Milliseconds since the epoch. */
      expiresAt: z.number().nullable(),
      renewable: z.boolean(),
    }),
    z.object({ status: z.literal('signed-out') }),
    z.object({ status: z.literal('by-credentials') }),
    z.object({ status: z.literal('by-databricks-cli') }),
    /** Why the profile cannot be used, and what to do, as sentences. */
    z.object({ status: z.literal('unusable'), message: z.string() }),
    z.object({ status: z.literal('unreadable'), problem }),
  ]),
});

export const accountRequests = {
  listAccounts: { input: z.undefined(), output: z.array(account) },
  /** Opens the profile and signs in to it. Answers when that has ended, however it ended: the state tells how. */
  signInTo: { input: inProfile, output: z.undefined() },
  /** Tells whether the workspace has confirmed that the sign-in is revoked. */
  signOut: { input: inProfile, output: z.object({ revoked: z.boolean() }) },
  /** Adds a profile that signs in in the browser. */
  addAccount: { input: inProfile.extend({ host: z.string() }), output: z.undefined() },
} as const;

export type Account = z.output<typeof account>;
