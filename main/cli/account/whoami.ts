import type { AuthMethod } from '../../auth/auth.ts';
import { inOneLine } from '../../platform/errors.ts';
import { type Standing, standing } from '../../workspace/standing.ts';
import { type CommandContext, EXIT_UNKNOWN } from '../command.ts';
import { jsonFailure } from '../failure.ts';
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
  'azure-cli': 'Azure CLI',
  'azure-client-secret': 'Azure service principal',
  'github-oidc': 'GitHub Actions',
  'env-oidc': 'ID token in the environment',
  'file-oidc': 'ID token in a file',
};

/**
 * `causeway whoami`: asks the workspace whose token it is (spec/managed-mcp-endpoints.md › Authentication, the diagnostic
 * behind a 401). Exit code 3 where the token is refused, 5 where the workspace could not be asked.
 */
export async function whoami(context: CommandContext, options: WhoamiOptions): Promise<void> {
  const causeway = context.causeway();
  const { client, profile } = await causeway.open(options.profile);
  const found = await standing(client.users, context.signal);
  if (found.state === 'refused' || found.state === 'forbidden') throw found.error;
  if (found.state === 'not-asked') context.setExitCode(EXIT_UNKNOWN);
  const who = found.state === 'signed-in' ? found : undefined;
  const { name, host, method } = profile;
  if (options.json) {
    const signIn = await (await causeway.auth()).signInState(profile);
    await writeJson(context.stdout, {
      state: found.state,
      userName: who?.userName ?? null,
      displayName: who?.displayName ?? null,
      isServicePrincipal: who?.isServicePrincipal ?? null,
      profile: name,
      host,
      method,
      expiresAt: asDate(signIn.state === 'signed-in' ? signIn.expiresAt : undefined),
      ...(found.state === 'not-asked' && { error: jsonFailure(found.error) }),
    });
  }
  if (found.state === 'not-asked') {
    const doubt = `Whether the token of profile ${name} works at ${host} could not be found out.`;
    return writeLine(context.stderr, printable(`causeway: ${doubt} ${inOneLine(found.error)}`));
  }
  if (options.json) return;
  await writeLine(context.stdout, printable(inWords(who)));
  await writeLine(context.stdout, printable(`The token works at ${host} (profile ${name}, ${METHOD_WORDS[method]}).`));
}

function inWords(who: Extract<Standing, { state: 'signed-in' }> | undefined): string {
  if (who?.userName === undefined) return 'The token may not say whose it is.';
  if (!who.isServicePrincipal) return who.userName;
  return who.displayName
    ? `${who.displayName} (service principal ${who.userName})`
    : `Service principal ${who.userName}`;
}
