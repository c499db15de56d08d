import { z } from 'zod';
import { problem } from './parts.ts';

export const removal = z.object({
  kind: z.enum(['application', 'entries', 'sign-in', 'keychain', 'login-item', 'completion', 'files']),
  /** What it is, such as a path or a profile's name. */
  what: z.string(),
  result: z.enum(['would-remove', 'removed', 'failed']),
  /** What else there is to know of it. */
  note: z.string().nullable(),
  /** Whether the AI client that has it is running, and may write it again. */
  isRunning: z.boolean(),
  /** Why it is still there; null if nothing is in the way. */
  problem: problem.nullable(),
});

const uninstallReport = z.object({
  removals: z.array(removal),
  /** The file with the Databricks profiles, which stays. */
  kept: z.string(),
});

export const uninstallRequests = {
  /** What uninstalling would remove. Nothing is touched. */
  getUninstallPlan: { input: z.undefined(), output: uninstallReport },
  /** Removes everything but Causeway's own files, which the application needs while it runs. */
  uninstall: {
    /** `evenRunning`: also from the files of AI clients that are running, which may write the entries again. */
    input: z.object({ evenRunning: z.boolean() }),
    output: uninstallReport,
  },
  /** The application quits, and its files are deleted then. */
  finishUninstall: { input: z.undefined(), output: z.undefined() },
} as const;

export type Removal = z.output<typeof removal>;
