import { text } from 'node:stream/consumers';
import { clockTime } from '../../preload/contract/words/times.ts';
import { changeUserSettings, readUserSettings } from '../app/settings.ts';
import {
  maySignIn,
  type OAuthApplication,
  type Profile,
  type ProfileEntry,
  type SignInOptions,
  type SignInProgress,
  type SignInState,
} from '../auth/auth.ts';
import type { AuthService } from '../auth/open.ts';
import { once } from '../auth/opened-once.ts';
import { parseHost } from '../auth/profiles/host.ts';
import { portNumber } from '../auth/profiles/profile-settings.ts';
import { askHub } from '../hub/attach.ts';
import { hubFolder, readRendezvous } from '../hub/rendezvous.ts';
import { lockedValue } from '../permissions/policy/policy.ts';
import { currentPolicy } from '../permissions/policy/system-policy.ts';
import { CausewayError } from '../platform/errors.ts';
import { createApplicationCommand } from '../platform/next-action.ts';
import { Secret } from '../platform/secret.ts';
import type { CommandContext } from './command.ts';
import { askHidden, canAsk, confirm } from './question.ts';
import { fitted, printable, writeAnswer, writeDone, writeNotice } from './terminal.ts';

/** The first of the ports on which the sign-in waits for the browser. */
const DEFAULT_CALLBACK_PORT = 8020;

type ApplicationOptions = Pick<LoginOptions, 'scopes' | 'clientSecretStdin' | 'callbackPort'>;

export interface LoginOptions {
  host?: string;
  profile?: string;
  json?: boolean;
  /** False for `--no-browser`. */
  browser: boolean;
  /** With a code instead of a browser here. */
  deviceCode?: boolean;
  clientId?: string;
  clientSecretStdin?: boolean;
  callbackPort?: string;
  scopes?: string;
  builtInClient?: boolean;
  /** Where sign-ins are kept from now on. */
  store?: 'keychain' | 'encrypted-file';
  yes?: boolean;
}

/** `causeway login`: signs in in the browser. A profile and an application that are new are kept only if that succeeds. */
export async function login(context: CommandContext, options: LoginOptions): Promise<void> {
  const { profile, userName, expiresAt, scopes } = await signInWithBrowser(context, options);
  if (options.json) {
    const { name, host, method } = profile;
    await writeAnswer(context, 'login', {
      profile: name,
      host,
      method,
      state: 'signed-in',
      userName: userName ?? null,
      expiresAt: asDate(expiresAt),
      scopes: [...scopes],
    });
  } else {
    const who = userName === undefined ? '' : ` as ${userName}`;
    await writeDone(context, `Signed in to ${profile.host}${who} (profile ${profile.name}).`);
  }
}

/** What `signInWithBrowser` came to. */
interface BrowserSignIn extends Omit<Extract<SignInState, { state: 'signed-in' }>, 'state'> {
  profile: Profile;
}

/** Signs in, as `login` says. @throws {CausewayError} what keeps it from succeeding */
export async function signInWithBrowser(context: CommandContext, options: LoginOptions): Promise<BrowserSignIn> {
  if (options.store !== undefined) await rememberStore(context, options.store);
  try {
    return await signInOnce(context, options);
  } catch (error) {
    if (!(await agreesToFile(context, error))) throw error;
    await rememberStore(context, 'encrypted-file');
    return signInOnce(context, options);
  }
}

/** Whether sign-ins may be kept in a file, because there is no keychain here. Nobody is asked where something else decides. */
async function agreesToFile(context: CommandContext, error: unknown): Promise<boolean> {
  const { env } = context;
  if (!(error instanceof CausewayError && error.code === 'keychain_unavailable')) return false;
  if (env.CAUSEWAY_TOKEN_STORE || !canAsk(context) || (await isApplicationRunning(env))) return false;
  if (lockedValue(await currentPolicy(), 'tokenStore') !== undefined) return false;
  const question = 'There is no keychain here. Keep sign-ins in an encrypted file that only you can read?';
  return confirm(context, question, '--store encrypted-file');
}

/** @throws {CausewayError} `usage` if something else decides */
async function rememberStore(context: CommandContext, kind: 'keychain' | 'encrypted-file'): Promise<void> {
  const { settings } = await readUserSettings(context.env);
  await changeUserSettings(context.causeway(), { set: { tokenStore: kind }, reset: [] });
  if (settings.tokenStore === kind) return;
  const where = kind === 'keychain' ? 'the keychain' : 'an encrypted file';
  await writeNotice(context, `Sign-ins are kept in ${where} from now on, for AI clients too.`);
}

async function isApplicationRunning(env: NodeJS.ProcessEnv): Promise<boolean> {
  const rendezvous = readRendezvous(hubFolder(env));
  return rendezvous !== undefined && (await askHub(rendezvous, { question: 'sessions' })) !== null;
}

async function signInOnce(context: CommandContext, options: LoginOptions): Promise<BrowserSignIn> {
  const auth = await context.causeway().auth();
  const application = await askedApplication(context, options);
  const { profile, newAt } = await findOrDraftProfile(auth, options);
  const keepRest = once(async () => {
    const isAdded = newAt !== undefined && (await addUnlessThere(auth, profile, newAt));
    try {
      if (application !== undefined) await auth.setOAuthApplication(profile.host, application ?? undefined);
    } catch (error) {
      if (isAdded) await auth.removeProfile(profile.name).catch(() => undefined);
      throw error;
    }
  });
  const state = await auth.signIn(profile, {
    signal: context.signal,
    openBrowser: options.browser ? 'if-possible' : 'never',
    withCode: options.deviceCode,
    paste: (page) => paste(context, page),
    mustKeep: true,
    application,
    keepRest,
    confirmChange: async ({ from, to }, beforeQuestion) => {
      if (options.yes === true || !canAsk(context)) return true;
      await beforeQuestion();
      return confirmChange(context, profile, from, to);
    },
    onProgress: (progress) => {
      if (!context.quiet || isNeeded(progress)) tell(context, profile, progress);
    },
  });
  if (state.state !== 'signed-in') throw new CausewayError('signed_out', `Not signed in to ${profile.host}.`);
  // Another program may have signed in meanwhile, with a profile of its own.
  await keepRest();
  const { state: _, ...found } = state;
  return { ...found, profile };
}

const PASTE =
  'If your browser is on another computer, it cannot open the last page. Paste the address of that page here. It is not shown:';

/** Asks for the address at which the browser ends, where it may be on another computer, until it is the right one. */
async function paste(
  context: CommandContext,
  { opened, take, signal }: Parameters<NonNullable<SignInOptions['paste']>>[0],
): Promise<void> {
  const { env, stderr } = context;
  // The browser of an SSH session is that of the computer which is far away, if there is one at all.
  const mayBeElsewhere = !opened || Boolean(env.SSH_CONNECTION || env.SSH_TTY);
  if (!mayBeElsewhere || !canAsk(context)) return;
  while (!signal.aborted) {
    const asking = { signal, unchanged: 'You are not signed in.' };
    const text = await askHidden(context, PASTE, asking).catch((error: unknown) => {
      if (signal.aborted) return undefined;
      throw error;
    });
    if (text === undefined) return;
    const refusal = take(text);
    if (refusal === undefined) return;
    stderr.write(fitted(stderr, printable(refusal)));
  }
}

/** Asks where somebody can answer. Elsewhere the new user stays signed in, and a line says who was before. */
async function confirmChange(
  context: CommandContext,
  { name }: Profile,
  from: string | undefined,
  to: string | undefined,
): Promise<boolean> {
  const before = `Profile ${name} is signed in as ${printable(from ?? 'a user whose name is not known')}.`;
  const question = to === undefined ? 'Sign in as another user instead?' : `Sign in as ${printable(to)} instead?`;
  return confirm(context, `${before} ${question}`, '--yes', 'The sign-in before stays.');
}

/** What has become of the sign-in before. */
function formatReplaced(
  { name }: Profile,
  { userName, isOtherUser, revoked }: Extract<SignInProgress, { step: 'replaced' }>,
): string {
  const who = userName ?? 'a user whose name is not known';
  const whose = isOtherUser ? `Profile ${name} was signed in as ${who} before. That sign-in` : 'The sign-in before';
  return revoked
    ? `${whose} has ended, and the workspace revoked its tokens.`
    : `${whose} has ended here. The workspace did not confirm the revocation of its tokens. They will expire.`;
}

/** @returns false if another process has added the same one meanwhile */
async function addUnlessThere(auth: AuthService, { name, host }: Profile, newAt: string): Promise<boolean> {
  try {
    await auth.addProfile(name, newAt);
    return true;
  } catch (error) {
    const isTheSame = await auth.profile(name).then(
      (found) => found.host === host,
      () => false,
    );
    if (isTheSame && error instanceof CausewayError && error.code === 'already_exists') return false;
    throw error;
  }
}

/** @throws {CausewayError} `usage` if the profile is another workspace's, `profile_not_found`, `profile_unusable` */
async function findOrDraftProfile(
  auth: AuthService,
  options: LoginOptions,
): Promise<{ profile: Profile; newAt?: string }> {
  if (options.host === undefined) return { profile: await auth.profile(options.profile) };
  const { host } = parseHost(options.host);
  const entries = await auth.profiles();
  if (options.profile !== undefined) {
    if (!entries.some(({ name }) => name === options.profile)) {
      return { profile: await auth.draftProfile(options.profile, options.host), newAt: options.host };
    }
    const profile = await auth.profile(options.profile);
    if (profile.host === host) return { profile };
    throw new CausewayError('usage', `Profile "${profile.name}" names ${profile.host}, not ${host}.`, {
      remedy: 'Choose another name with --profile.',
    });
  }
  const known = (await auth.profilesOf(host)).find(maySignIn);
  if (known) return { profile: known };
  return { profile: await auth.draftProfile(freeName(host, entries), options.host), newAt: options.host };
}

/** The first part of the host's name, with a number if that is in use. */
function freeName(host: string, entries: ProfileEntry[]): string {
  const { hostname } = new URL(host);
  const base = /^[a-z]/.test(hostname) ? (hostname.split('.')[0] ?? 'workspace') : 'workspace';
  const usedNames = new Set(entries.map(({ name }) => name));
  for (let number = 1; ; number += 1) {
    const name = number === 1 ? base : `${base}-${number}`;
    if (!usedNames.has(name)) return name;
  }
}

/** The OAuth application that the options name: null for the built-in one, undefined for the one that is stored. */
async function askedApplication(
  { stdin }: CommandContext,
  options: LoginOptions,
): Promise<OAuthApplication | null | undefined> {
  const { clientId, callbackPort, scopes, clientSecretStdin, builtInClient } = options;
  if (builtInClient) return null;
  if (clientId === undefined) {
    if (clientSecretStdin || callbackPort || scopes) {
      throw new CausewayError('usage', 'An OAuth application needs a client id.', {
        remedy: `Add --client-id. For an application that is used with --callback-port ${applicationPort(options)}, an account admin runs: ${applicationCommand(options)}`,
      });
    }
    return undefined;
  }
  const port = portNumber(callbackPort);
  if (callbackPort !== undefined && port === undefined) {
    throw new CausewayError('usage', `--callback-port "${callbackPort}" is not a port.`);
  }
  return {
    clientId,
    clientSecret: clientSecretStdin ? new Secret((await text(stdin)).trim()) : undefined,
    callbackPort: port,
    scopes: scopesOf(scopes),
  };
}

function applicationPort({ callbackPort }: ApplicationOptions): number {
  return portNumber(callbackPort) ?? DEFAULT_CALLBACK_PORT;
}

/** The command that creates an application for the given options. @param name its name; `causeway` if left out */
export function applicationCommand(options: ApplicationOptions, name?: string): string {
  const { scopes, clientSecretStdin } = options;
  return createApplicationCommand({
    name,
    redirectUrl: `http://localhost:${applicationPort(options)}`,
    scopes: scopesOf(scopes) ?? ['all-apis'],
    confidential: clientSecretStdin === true,
  });
}

function scopesOf(text: string | undefined): string[] | undefined {
  return text?.split(/[\s,]+/).filter(Boolean);
}

/** Without the address to open, the user could not go on. */
function isNeeded(progress: SignInProgress): boolean {
  return progress.step === 'waiting-for-device' || (progress.step === 'waiting-for-browser' && !progress.opened);
}

function tell({ stderr }: CommandContext, profile: Profile, progress: SignInProgress): void {
  const { host } = profile;
  const say = (line: string) => stderr.write(fitted(stderr, printable(line)));
  switch (progress.step) {
    case 'waiting-for-other':
      say(`Another program is signing in to ${host}. Waiting for it…`);
      break;
    case 'waiting-for-browser':
      say(
        progress.opened
          ? `Your browser opens the sign-in page of ${host}.`
          : `Open this address in a browser to sign in to ${host}:`,
      );
      say(progress.opened ? `If it does not, open this address: ${progress.url}` : progress.url);
      say('Waiting for up to five minutes. Press Ctrl-C to cancel.');
      break;
    case 'waiting-for-device':
      say(`Open this address on any device to sign in to ${host}:`);
      say(progress.url);
      say(`Enter this code there: ${progress.code}`);
      say(`Waiting until ${clockTime(progress.expiresAt, Date.now())}. Press Ctrl-C to cancel.`);
      break;
    case 'ignored-answer':
      say(
        progress.count === 1
          ? 'Ignored a response to another sign-in. Still waiting…'
          : `Ignored ${progress.count} responses to other sign-ins. Still waiting…`,
      );
      break;
    case 'finishing':
      say('The browser has responded. Finishing…');
      break;
    case 'replaced':
      say(formatReplaced(profile, progress));
      break;
  }
}

/** A time in ISO 8601; null if there is none. */
export function asDate(at: number | null | undefined): string | null {
  return at === null || at === undefined ? null : new Date(at).toISOString();
}
