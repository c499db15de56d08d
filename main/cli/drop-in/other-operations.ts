import type { Command } from 'commander';
import { maySignIn, type Profile } from '../../auth/auth.ts';
import type { AuthService } from '../../auth/open.ts';
import { parseHost } from '../../auth/profiles/host.ts';
import { CausewayError } from '../../platform/errors.ts';
import { CREATE_APPLICATION } from '../../platform/next-action.ts';
import { cliDefault } from '../../warehouses/cli-default.ts';
import type { CommandContext } from '../command.ts';
import { applicationCommand, asDate, login } from '../login.ts';
import { write } from '../terminal.ts';
import { type GlobalFlags, outputType, textFlag } from './group.ts';
import { asIndentedJson } from './json-output.ts';

/** The members of a user that the original prints, in its order (Go SDK › iam.User). */
const USER_MEMBERS = [
  'active',
  'displayName',
  'emails',
  'entitlements',
  'externalId',
  'groups',
  'id',
  'name',
  'roles',
  'schemas',
  'userName',
] as const;

/** `current-user me`: the workspace's record, as JSON. */
export async function me(context: CommandContext, command: Command, { profile }: GlobalFlags): Promise<void> {
  const session = await context.causeway().open(profile);
  const attributes = textFlag(command, '--attributes');
  const excludedAttributes = textFlag(command, '--excluded-attributes');
  const user: Record<string, unknown> = await session.client.users.record(
    { attributes, excludedAttributes },
    context.signal,
  );
  const members = USER_MEMBERS.filter((name) => user[name] !== undefined);
  await write(context.stdout, `${asIndentedJson(Object.fromEntries(members.map((name) => [name, user[name]])))}\n`);
}

/**
 * `auth token [PROFILE]`: the access token of a user's sign-in as JSON, or by itself with `--output text`. Other output formats
 * that the environment names do not apply, as with the original.
 */
export async function token(context: CommandContext, command: Command, flags: GlobalFlags): Promise<void> {
  const auth = await context.causeway().auth();
  const profile = await profileOf(auth, command, flags);
  if (!maySignIn(profile)) {
    throw new CausewayError(
      'usage',
      `Profile "${profile.name}" has credentials of its own: users do not sign in to it.`,
      {
        remedy: 'Name a profile that a user signs in to: only those have a token to print.',
      },
    );
  }
  const source = auth.tokens(profile);
  const { signal } = context;
  let given = await source.token({ signal });
  if (command.optsWithGlobals().forceRefresh === true) {
    given = await source.token({ rejected: given, hasWorked: true, signal });
  }
  const accessToken = given.reveal();
  if (flags.output === 'text') return write(context.stdout, `${accessToken}\n`);
  const state = await auth.signInState(profile);
  const expiry = state.state === 'signed-in' ? asDate(state.expiresAt) : null;
  const shown = { access_token: accessToken, token_type: 'Bearer', ...(expiry !== null && { expiry }) };
  await write(context.stdout, `${asIndentedJson(shown)}\n`);
}

/** `auth login [PROFILE]`: `causeway login` with the original's arguments. */
export async function logIn(context: CommandContext, command: Command, flags: GlobalFlags): Promise<void> {
  const { host, profile } = await named(await context.causeway().auth(), command, flags);
  await login(context, {
    browser: command.optsWithGlobals().browser !== false,
    ...(host !== undefined && { host }),
    ...(profile !== undefined && { profile }),
  });
}

/** `account custom-app-integration create`: needs an account's sign-in, which Causeway has not; so it prints what to run. */
export async function createApplication(context: CommandContext, command: Command): Promise<void> {
  const body = textFlag(command, '--json');
  const name = textFlag(command, '--name');
  const isConfidential = command.optsWithGlobals().confidential === true;
  const line =
    body === undefined
      ? applicationCommand({ clientSecretStdin: isConfidential }, name)
      : `${CREATE_APPLICATION} --json '${body.replaceAll("'", "'\\''")}'`;
  await write(context.stdout, `${line}\n`);
  throw new CausewayError('usage', 'Nothing was created: Causeway signs in to workspaces, not to accounts.', {
    remedy: 'An account admin runs the command above. Then: causeway login --client-id ID',
  });
}

/** `experimental aitools tools get-default-warehouse`: an id, or with its name and state as JSON. */
export async function defaultWarehouse(context: CommandContext, _command: Command, flags: GlobalFlags): Promise<void> {
  const { client } = await context.causeway().open(flags.profile);
  const { id, name, state } = await cliDefault(client, context.env, context.signal);
  const output = flags.output ?? outputType(context.env.DATABRICKS_OUTPUT_FORMAT);
  await write(context.stdout, output === 'json' ? `${asIndentedJson({ id, name, state })}\n` : `${id}\n`);
}

/** The profile or the host that the argument or the flags name. An argument is a profile first, and then a host. */
async function named(
  auth: AuthService,
  command: Command,
  flags: GlobalFlags,
): Promise<{ profile: string | undefined; host: string | undefined }> {
  const [argument] = command.args;
  const isProfile = (await auth.profiles()).some(({ name }) => name === argument);
  return {
    profile: flags.profile ?? (isProfile ? argument : undefined),
    host: textFlag(command, '--host') ?? (isProfile ? undefined : argument),
  };
}

/**
 * The profile that the arguments name, or the one of the environment or the file.
 * @throws {CausewayError} `profile_not_found`, and `ambiguous` where several profiles have the host
 */
async function profileOf(auth: AuthService, command: Command, flags: GlobalFlags): Promise<Profile> {
  const { profile, host: typed } = await named(auth, command, flags);
  if (profile !== undefined || typed === undefined) return auth.profile(profile);
  const { host } = parseHost(typed);
  const [first, ...others] = (await auth.profilesOf(host)).filter(maySignIn);
  if (!first) {
    throw new CausewayError('profile_not_found', `No profile signs in to ${host}.`, {
      remedy: `Sign in with: causeway login --host ${host}`,
    });
  }
  if (others.length === 0) return first;
  const names = [first, ...others].map(({ name }) => name).join(' and ');
  throw new CausewayError('ambiguous', `${names} match ${host}.`, { remedy: 'Use --profile to say which one.' });
}
