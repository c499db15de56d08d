import { SIGN_IN_METHODS } from '../../preload/contract/words/sign-in.ts';
import { clockTime, timeUntil } from '../../preload/contract/words/times.ts';
import { type SignInStatus, signInStatus } from '../app/accounts.ts';
import type { Causeway } from '../app/causeway.ts';
import type { Profile, ProfileEntry } from '../auth/auth.ts';
import type { AuthService } from '../auth/open.ts';
import { CausewayError, sentences } from '../platform/errors.ts';
import { SILENCE } from '../platform/silent-host.ts';
import { inOneLine } from '../words/failure.ts';
import { checkToken, type TokenCheck } from '../workspace/check-token.ts';
import type { Answer } from './answers/answers.ts';
import { type CommandContext, EXIT_UNKNOWN } from './command.ts';
import { jsonFailure } from './failure.ts';

import { asDate } from './login.ts';
import { identifierText, writeAnswer, writeDone, writeLine, writeNotice, writeTable } from './terminal.ts';

export interface LogoutOptions {
  profile?: string;
  json?: boolean;
}

/** `causeway logout`: ends a sign-in here and at the workspace. */
export async function logout(context: CommandContext, options: LogoutOptions): Promise<void> {
  const auth = await context.causeway().auth();
  const profile = await auth.profile(options.profile);
  const { wasSignedIn, revoked } = await signOutOf(auth, profile);
  if (options.json) {
    const { name, host, method } = profile;
    const state = 'signed-out' as const;
    const signedOut = { profile: name, host, method, state, userName: null, expiresAt: null };
    return writeAnswer(context, 'logout', { ...signedOut, wasSignedIn, revoked });
  }
  if (!wasSignedIn) {
    return writeDone(context, `You were not signed in to ${profile.host} (profile ${profile.name}).`);
  }
  const atWorkspace = revoked
    ? 'The workspace revoked its tokens.'
    : 'The workspace did not confirm the revocation of its tokens. They will expire.';
  await writeDone(context, `Signed out of ${profile.host} (profile ${profile.name}). ${atWorkspace}`);
}

/** Ends a sign-in. That there is none is not a failure: it is what was asked for. */
async function signOutOf(auth: AuthService, profile: Profile): Promise<{ wasSignedIn: boolean; revoked: boolean }> {
  try {
    return { wasSignedIn: true, ...(await auth.signOut(profile)) };
  } catch (error) {
    if (error instanceof CausewayError && error.code === 'signed_out') return { wasSignedIn: false, revoked: false };
    throw error;
  }
}

export interface ProfilesOptions {
  json?: boolean;
  skipValidate?: boolean;
}

/** A profile as it is printed, and whether its sign-in is renewed without the user. */
type Row = Answer<'profiles'>['profiles'][number] & { renewable?: boolean };

/** How long the slowest workspace may take, in milliseconds: longer than a silent host, whose error is more specific. */
const WHOAMI_TIMEOUT_MS = SILENCE.limitMs + 5_000;

/** `causeway profiles`: every profile, with what its workspace says unless that is not wanted. */
export async function profiles(context: CommandContext, options: ProfilesOptions): Promise<void> {
  const causeway = context.causeway();
  const late = new AbortController();
  const seconds = WHOAMI_TIMEOUT_MS / 1000;
  const tooLate = () => late.abort(new CausewayError('timeout', `There was no response within ${seconds} seconds.`));
  const timer = setTimeout(tooLate, WHOAMI_TIMEOUT_MS);
  const signal = AbortSignal.any([context.signal, late.signal]);
  const entries = await (await causeway.auth()).profiles();
  const rows = await Promise.all(
    entries.map((entry) => describe(causeway, entry, options.skipValidate === true, signal)),
  ).finally(() => clearTimeout(timer));
  context.signal.throwIfAborted();
  if (options.json) return writeAnswer(context, 'profiles', { profiles: rows.map(({ renewable: _, ...row }) => row) });
  if (rows.length === 0) {
    return writeNotice(context, 'There are no profiles. Sign in with: causeway login --host https://YOUR-WORKSPACE');
  }
  const table = rows.map(({ renewable, ...row }) => [
    `${row.isDefault ? '*' : ' '} ${row.profile}`,
    row.host ?? '-',
    row.method === null ? '-' : SIGN_IN_METHODS[row.method].command,
    stateText(row, renewable),
    row.userName ?? '-',
  ]);
  await writeTable(context, table, ['  PROFILE', 'HOST', 'METHOD', 'STATE', 'WHO']);
  for (const { profile, error } of rows) {
    if (error) await writeLine(context.stderr, `${profile}: ${sentences(error.message, error.remedy)}`);
  }
}

async function describe(
  causeway: Causeway,
  entry: ProfileEntry,
  skipValidate: boolean,
  signal: AbortSignal,
): Promise<Row> {
  const row = { profile: entry.name, isDefault: entry.isDefault, userName: null, expiresAt: null, error: null };
  if (!entry.usable) {
    const error = jsonFailure(new CausewayError('profile_unusable', entry.message));
    return { ...row, host: entry.host ?? null, method: null, state: 'unusable', error };
  }
  const { profile } = entry;
  const known: Row = { ...row, host: profile.host, method: profile.method, state: 'not-checked' };
  try {
    const users = skipValidate ? undefined : (await causeway.open(profile.name)).client.users;
    const checked = users && (await checkToken(users, signal));
    if (checked && 'error' in checked) {
      return { ...known, state: FAILED_CHECKS[checked.state](checked.error), error: jsonFailure(checked.error) };
    }
    const asked: Row = checked ? { ...known, state: 'ready', userName: checked.userName ?? null } : known;
    return signedIn(asked, await signInStatus(await causeway.auth(), entry));
  } catch (error) {
    const isLate = error instanceof CausewayError && ['cancelled', 'timeout'].includes(error.code);
    return { ...known, state: isLate ? 'unreachable' : 'failed', error: jsonFailure(error) };
  }
}

/** The end of an access token frightens where it is renewed by itself, and matters where it is not. */
function stateText({ state, expiresAt }: Row, renewable?: boolean): string {
  if (state !== 'signed-in') return identifierText(state);
  if (renewable) return 'signed in, renews itself';
  if (expiresAt === null) return 'signed in';
  const [at, now] = [Date.parse(expiresAt), Date.now()];
  return at <= now ? 'signed in, ended' : `signed in until ${clockTime(at, now)}, ${timeUntil(at, now)}`;
}

/** A profile's row with what is known of its sign-in. */
function signedIn(row: Row, found: SignInStatus): Row {
  switch (found.status) {
    case 'signed-in': {
      const userName = row.userName ?? found.userName;
      const { renewable } = found;
      return { ...row, state: 'signed-in', userName, expiresAt: asDate(found.expiresAt), renewable };
    }
    case 'signed-out': {
      const { demanded } = found;
      const required = `Your organization requires the OAuth application "${demanded}".`;
      const error = demanded === undefined ? null : jsonFailure(new CausewayError('managed', required));
      return { ...row, state: 'signed-out', userName: null, error };
    }
    case 'unreadable':
      throw found.error;
    default:
      return row;
  }
}

/** The states of a profile whose token does not work, or could not be checked. */
const FAILED_CHECKS: Record<Exclude<TokenCheck['state'], 'signed-in'>, (error: CausewayError) => Row['state']> = {
  // Whether there was a token at all that could be refused.
  refused: ({ code }) => (code === 'unauthenticated' ? 'refused' : 'signed-out'),
  forbidden: () => 'no-access',
  'not-asked': () => 'unreachable',
};

export interface WhoamiOptions {
  profile?: string;
  json?: boolean;
}

/**
 * `causeway whoami`: asks the workspace whose token it is (spec/managed-mcp-endpoints.md › Authentication, the diagnostic
 * behind a 401). Exit code 3 if the token is refused, 5 if the workspace could not be asked.
 */
export async function whoami(context: CommandContext, options: WhoamiOptions): Promise<void> {
  const causeway = context.causeway();
  const { client, profile } = await causeway.open(options.profile);
  const found = await checkToken(client.users, context.signal);
  if (found.state === 'refused' || found.state === 'forbidden') throw found.error;
  if (found.state === 'not-asked') context.setExitCode(EXIT_UNKNOWN);
  const who = found.state === 'signed-in' ? found : undefined;
  const { name, host, method } = profile;
  if (options.json) await writeAnswer(context, 'whoami', await whoamiAnswer(await causeway.auth(), profile, found));
  if (found.state === 'not-asked') {
    const doubt = `Causeway could not check the token of profile ${name} at ${host}.`;
    return writeLine(context.stderr, `causeway: ${doubt} ${inOneLine(found.error)}`);
  }
  if (options.json) return;
  await writeLine(context.stdout, formatUser(who));
  await writeDone(context, `The token works at ${host} (profile ${name}, ${SIGN_IN_METHODS[method].command}).`);
}

type Known = Extract<TokenCheck, { state: 'signed-in' | 'not-asked' }>;

async function whoamiAnswer(auth: AuthService, profile: Profile, found: Known): Promise<Answer<'whoami'>> {
  const { name, host, method } = profile;
  const signIn = await auth.signInState(profile);
  const isSignIn = signIn.state === 'signed-in';
  const account = { profile: name, host, method, expiresAt: asDate(isSignIn ? signIn.expiresAt : undefined) };
  if (found.state === 'not-asked') {
    const nobody = { userName: null, displayName: null, isServicePrincipal: null };
    return { ...account, ...nobody, state: 'unreachable', error: jsonFailure(found.error) };
  }
  const { userName = null, displayName = null, isServicePrincipal = null } = found;
  const state = isSignIn ? 'signed-in' : 'ready';
  return { ...account, state, userName, displayName, isServicePrincipal, error: null };
}

function formatUser(who: Extract<TokenCheck, { state: 'signed-in' }> | undefined): string {
  if (who?.userName === undefined) return 'The token does not say which user it belongs to.';
  if (!who.isServicePrincipal) return who.userName;
  return who.displayName
    ? `${who.displayName} (service principal ${who.userName})`
    : `Service principal ${who.userName}`;
}
