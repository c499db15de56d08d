import { z } from 'zod';
import { inProfile, list, text } from './parts.ts';

/** How far the setup of a first run has come, and what the user has entered. It outlives the window and the application. */
export const firstRun = z.object({
  step: z.enum(['workspace', 'sign-in', 'servers', 'clients', 'done']),
  /** As it was typed. */
  url: text(),
  /** The name that was typed; null while the proposed one is used. */
  name: text().nullable(),
  /** The profile that is set up; null until one is chosen. */
  profile: text().nullable(),
  /** Whether the profile was added here, and so is corrected here. */
  isNew: z.boolean(),
  /** The paths of the servers that are ticked; null before a choice. */
  servers: list(text()).nullable(),
  /** The ids of the AI clients that are ticked; null before a choice. */
  clients: list(text()).nullable(),
});

export const firstRunRequests = {
  /** Stores the progress; null ends the first run. */
  setFirstRun: { input: firstRun.nullable(), output: z.undefined() },
  /**
   * Checks a workspace's URL, asks the workspace, and then adds a profile for it, or corrects the one that was added before.
   * Answers with the profile: one that there is for that workspace already is used.
   */
  setUpWorkspace: {
    input: z.object({ url: text(), name: text(), corrects: text().nullable() }),
    output: z.object({ profile: z.string(), isNew: z.boolean() }),
  },
  /** Opens a profile, and signs in if necessary. Answers when that has ended; the state has the result. */
  connectWorkspace: { input: inProfile, output: z.undefined() },
} as const;

export type FirstRunState = z.output<typeof firstRun>;
