import type { AuthMethod } from '../../auth/auth.ts';
import type { CommandContext } from '../command.ts';
import { printable, writeJson, writeLine } from '../print.ts';
import { asDate } from './login.ts';

export interface WhoamiOptions {
  profile?: string;
  json?: boolean;
}

/** How a profile signs in, in words. */
export const METHOD_WORDS: Record<AuthMethod, string> = {
  pat: 'personal access token',
  'oauth-m2m': 'service principal',
  'databricks-cli': 'Databricks CLI',
  'oauth-user': 'browser',
};

/**
 * `causeway whoami`: asks the workspace whose token it is (spec/managed-mcp-endpoints.md › Authentication, the diagnostic
 * behind a 401).
 */
export async function whoami(context: CommandContext, options: WhoamiOptions): Promise<void> {
  const auth = await context.causeway().auth();
  const profile = await auth.profile(options.profile);
  const userName = await auth.whoAmI(profile, context.signal);
  const state = await auth.signInState(profile);
  const expiresAt = state.state === 'signed-in' ? state.expiresAt : undefined;
  const { name, host, method } = profile;
  if (options.json) {
    return writeJson(context.stdout, {
      userName: userName ?? null,
      profile: name,
      host,
      method,
      expiresAt: asDate(expiresAt),
    });
  }
  await writeLine(context.stdout, printable(userName ?? 'The token may not say whose it is.'));
  await writeLine(context.stdout, printable(`The token works at ${host} (profile ${name}, ${METHOD_WORDS[method]}).`));
}
