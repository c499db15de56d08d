import type { CommandContext } from '../command.ts';
import { printable, writeJson, writeLine } from '../print.ts';

export interface LogoutOptions {
  profile?: string;
  json?: boolean;
}

/** `causeway logout`: ends a sign-in here and at the workspace. */
export async function logout(context: CommandContext, options: LogoutOptions): Promise<void> {
  const auth = await context.causeway().auth();
  const profile = await auth.profile(options.profile);
  const { revoked } = await auth.signOut(profile);
  if (options.json) return writeJson(context.stdout, { profile: profile.name, host: profile.host, revoked });
  const atWorkspace = revoked
    ? 'The workspace has revoked its tokens.'
    : 'The workspace did not confirm that its tokens are revoked; they end by themselves.';
  await writeLine(context.stdout, printable(`Signed out of ${profile.host} (profile ${profile.name}). ${atWorkspace}`));
}
