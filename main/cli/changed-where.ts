import type { WorkspaceSession } from '../app/causeway.ts';
import type { CommandContext } from './command.ts';
import { printable, writeLine } from './terminal.ts';

/** How long the answer of a command waits for the user's name, in milliseconds: the change itself is made. */
const WHO_TIMEOUT_MS = 5_000;

/**
 * Says on stderr in which workspace and as whom something was changed: the environment or the configuration file may have chosen
 * another one than expected.
 */
export async function sayWhere(context: CommandContext, session: WorkspaceSession): Promise<void> {
  await writeLine(context.stderr, `Changed ${await whereAndAsWhom(context, session)}.`);
}

/** The workspace and the user, to be put into a sentence. A user who cannot be read is left out. */
export async function whereAndAsWhom(
  { signal }: CommandContext,
  { profile, client }: WorkspaceSession,
): Promise<string> {
  const user = await client.users.me(AbortSignal.any([signal, AbortSignal.timeout(WHO_TIMEOUT_MS)])).then(
    (me) => me.user.userName || me.user.id,
    () => undefined,
  );
  return printable(`in ${profile.host}${user === undefined ? '' : ` as ${user}`} (profile ${profile.name})`);
}
