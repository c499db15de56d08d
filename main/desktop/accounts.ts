import type { accountRequests } from '../../preload/contract/accounts.ts';
import type {
  Account,
  OAuthApplicationChange,
  OAuthApplicationState,
  OtherSignIn,
  SignInStep,
} from '../../preload/contract.ts';
import type { AuthService, ProfileEntry, SignInProgress } from '../auth/auth.ts';
import type { Causeway } from '../causeway.ts';
import { CausewayError } from '../platform/errors.ts';
import { Secret } from '../platform/secret.ts';
import type { DesktopContext, HandlersOf } from './context.ts';
import { problemFor } from './failure.ts';
import type { DesktopModel } from './model.ts';

/** The profiles and their sign-ins, as the window shows and changes them. */
export class Accounts {
  readonly #causeway: Causeway;
  readonly #model: DesktopModel;

  constructor(causeway: Causeway, model: DesktopModel) {
    this.#causeway = causeway;
    this.#model = model;
  }

  async list(): Promise<Account[]> {
    const auth = await this.#causeway.auth();
    const entries = await auth.profiles();
    return Promise.all(entries.map(async (entry) => accountOf(entry, await stateOf(entry, auth))));
  }

  async add(name: string, host: string): Promise<void> {
    const auth = await this.#causeway.auth();
    await auth.addProfile(name, host);
  }

  /** Signs in. Another profile than the open one has no screen of its own, so what goes wrong with it is shown on each. */
  async signInTo(name: string): Promise<void> {
    this.#model.showFailedAction(null);
    try {
      await this.#model.signInTo(name);
    } catch (error) {
      this.#model.showFailedAction({ title: notSignedIn(name), problem: problemFor(error) });
    }
  }

  /** Signs out, and shows it where that profile is the open one. */
  async signOut(name: string): Promise<{ revoked: boolean }> {
    const auth = await this.#causeway.auth();
    const outcome = await auth.signOut(await auth.profile(name));
    if (this.#model.state.profile === name) await this.#model.open(name);
    return outcome;
  }

  /** Removes the profile with its sign-in. Where it is the open one, the default one is opened. */
  async remove(name: string): Promise<void> {
    const auth = await this.#causeway.auth();
    await auth.removeProfile(name);
    await this.#model.open(this.#stillOpen(name));
  }

  async rename(from: string, to: string): Promise<void> {
    const auth = await this.#causeway.auth();
    await auth.renameProfile(from, to);
    await this.#model.open(this.#model.state.profile === from ? to : this.#stillOpen(from));
  }

  async application(name: string): Promise<OAuthApplicationState> {
    const auth = await this.#causeway.auth();
    const { host } = await auth.profile(name);
    const found = await auth.oauthApplication(host);
    if (!found) return null;
    const { clientId, callbackPort = null, clientSecret, scopes = null } = found;
    return { clientId, callbackPort, scopes: scopes && [...scopes], hasSecret: clientSecret !== undefined };
  }

  /** The application belongs to the workspace: all profiles of its host sign in through it. */
  async setApplication(name: string, change: OAuthApplicationChange): Promise<void> {
    const auth = await this.#causeway.auth();
    const { host } = await auth.profile(name);
    if (change === null) return auth.setOAuthApplication(host, undefined);
    const { clientId, callbackPort, scopes, secret } = change;
    const before = await auth.oauthApplication(host);
    await auth.setOAuthApplication(host, {
      clientId,
      clientSecret: secretOf(secret, before?.clientSecret),
      callbackPort: callbackPort ?? undefined,
      scopes: scopes ?? undefined,
    });
  }

  #stillOpen(gone: string): string | undefined {
    const { profile } = this.#model.state;
    return profile === null || profile === gone ? undefined : profile;
  }
}

/** What is said where a sign-in came to nothing. */
export function notSignedIn(profile: string): string {
  return `You are not signed in to ${profile}`;
}

function secretOf(
  change: NonNullable<OAuthApplicationChange>['secret'],
  before: Secret | undefined,
): Secret | undefined {
  if (change === 'keep') return before;
  return change === 'none' ? undefined : new Secret(change.value);
}

function accountOf(entry: ProfileEntry, state: Account['state']): Account {
  const { name, isDefault } = entry;
  if (!entry.usable) return { name, isDefault, host: entry.host ?? null, method: null, state };
  const { host, method } = entry.profile;
  return { name, isDefault, host, method, state };
}

async function stateOf(entry: ProfileEntry, auth: AuthService): Promise<Account['state']> {
  if (!entry.usable) return { status: 'unusable', message: entry.message };
  try {
    const signIn = await auth.signInState(entry.profile);
    if (signIn.state !== 'signed-in') return { status: signIn.state };
    const { userName = null, expiresAt = null, renewable } = signIn;
    return { status: 'signed-in', userName, expiresAt, renewable };
  } catch (error) {
    // One profile that cannot be read, for a locked keychain say, must not hide the others.
    return { status: 'unreadable', problem: problemFor(error) };
  }
}

export function accountHandlers({ causeway, model }: DesktopContext): HandlersOf<typeof accountRequests> {
  const accounts = new Accounts(causeway, model);
  return {
    listAccounts: () => accounts.list(),
    signInTo: async ({ profile }) => void (await accounts.signInTo(profile)),
    cancelSignInTo: async ({ profile }) => void model.cancelSignInTo(profile),
    signOut: ({ profile }) => accounts.signOut(profile),
    removeAccount: async ({ profile }) => void (await accounts.remove(profile)),
    renameAccount: async ({ profile, name }) => void (await accounts.rename(profile, name)),
    getOAuthApplication: ({ profile }) => accounts.application(profile),
    setOAuthApplication: async ({ profile, application }) => void (await accounts.setApplication(profile, application)),
    addAccount: async ({ profile, host }) => void (await accounts.add(profile, host)),
  };
}

/** A sign-in that has been asked for. */
export const AT_START: SignInStep = { step: 'starting', address: null };

/** What the window shows of a sign-in that is under way. */
export function signInProgress(progress: SignInProgress): SignInStep {
  switch (progress.step) {
    case 'waiting-for-browser':
      return { step: progress.step, address: progress.opened ? null : progress.url };
    case 'ignored-answer':
      return { step: 'waiting-for-browser', address: null };
    default:
      return { step: progress.step, address: null };
  }
}

/** The origins of the workspaces that the person has configured, in the file or by the environment. */
export async function configuredHosts(causeway: Causeway): Promise<string[]> {
  const auth = await causeway.auth();
  const entries = await auth.profiles();
  const listed = entries.flatMap((entry) => (entry.usable ? [entry.profile.host] : []));
  const byDefault = await auth.profile().then(
    ({ host }) => [host],
    () => [],
  );
  return [...new Set([...listed, ...byDefault])];
}

interface UnderWay {
  work: AbortController;
  done: Promise<void>;
}

/** Sign-ins to profiles that are not the open one, which stays as it is. */
export class OtherSignIns {
  readonly #causeway: Causeway;
  readonly #show: (signIns: OtherSignIn[]) => void;
  readonly #underWay = new Map<string, UnderWay>();
  #shown: readonly OtherSignIn[] = [];

  constructor(causeway: Causeway, show: (signIns: OtherSignIn[]) => void) {
    this.#causeway = causeway;
    this.#show = show;
  }

  /**
   * Who asks for one that is under way waits for it. One that is cancelled has ended as the person wanted.
   * @throws {CausewayError} as `AuthService.signIn`
   */
  signIn(profile: string): Promise<void> {
    const known = this.#underWay.get(profile);
    if (known) return known.done;
    const work = new AbortController();
    const done = this.#run(profile, work.signal)
      .catch((error: unknown) => {
        if (!work.signal.aborted) throw error;
      })
      .finally(() => {
        this.#underWay.delete(profile);
        this.#update(profile, null);
      });
    this.#underWay.set(profile, { work, done });
    return done;
  }

  cancel(profile: string): void {
    this.#underWay.get(profile)?.work.abort(new CausewayError('sign_in_cancelled', 'Signing in was cancelled.'));
  }

  close(): void {
    for (const profile of this.#underWay.keys()) this.cancel(profile);
  }

  async #run(name: string, signal: AbortSignal): Promise<void> {
    this.#update(name, { profile: name, ...AT_START });
    const auth = await this.#causeway.auth();
    const profile = await auth.profile(name);
    signal.throwIfAborted();
    await auth.signIn(profile, {
      signal,
      onProgress: (progress) => {
        if (!signal.aborted) this.#update(name, { profile: name, ...signInProgress(progress) });
      },
    });
  }

  #update(profile: string, now: OtherSignIn | null): void {
    const others = this.#shown.filter((each) => each.profile !== profile);
    const shown = now ? [...others, now] : others;
    this.#shown = shown;
    this.#show(shown);
  }
}
