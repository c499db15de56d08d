import { z } from 'zod';
import type { ProgramOutcome } from '../auth/sources/program.ts';
import { jsonIn } from '../platform/json.ts';

/** Runs a command of the Databricks CLI in an environment; undefined if the CLI is not installed. */
export type AskCli = (args: readonly string[], env: NodeJS.ProcessEnv) => Promise<ProgramOutcome | undefined>;

/** What became of asking the Databricks CLI itself. */
export type CliAnswer =
  | { kind: 'resolved'; id: string; name: string }
  /** It gave no answer: it is too old, signed out, or failed. `complaint` is how it put it. */
  | { kind: 'failed'; complaint: string }
  | { kind: 'not-installed' };

/** The CLI's own command (spec/default-warehouse-override.md › Verification layers, 2). */
const COMMAND = ['experimental', 'aitools', 'tools', 'get-default-warehouse'];

const Answer = z.object({ id: z.string().min(1), name: z.string() });

/** The warehouse that the Databricks CLI on this computer resolves to. */
export async function askCliDefault(askCli: AskCli, env: NodeJS.ProcessEnv): Promise<CliAnswer> {
  const outcome = await askCli(COMMAND, env);
  if (outcome === undefined) return { kind: 'not-installed' };
  if (!outcome.ok) return { kind: 'failed', complaint: outcome.complaint };
  const { data } = Answer.safeParse(jsonIn(outcome.output.reveal()));
  return data ? { kind: 'resolved', ...data } : { kind: 'failed', complaint: 'its output is not JSON' };
}
