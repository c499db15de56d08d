import type { accountRequests } from '../../preload/contract/accounts.ts';
import type { Account, OAuthApplicationChange, OAuthApplicationState } from '../../preload/contract.ts';
import type { Causeway } from '../app/causeway.ts';
import type { AuthService, ProfileEntry } from '../auth/auth.ts';
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

  /** Adds a profile of a workspace, which has to answer like one. @throws {CausewayError} as `AuthService.findWorkspace` */
  async add(name: string, url: string): Promise<void> {
    const auth = await this.#causeway.auth();
    await auth.findWorkspace(url);
    await auth.addProfile(name, url);
  }

  /** Signs in. A profile that is not open has no screen of its own, so its failure is shown on every screen. */
  async signInTo(name: string): Promise<void> {
    this.#model.show({ failedAction: null });
    try {
      await this.#model.signInTo(name);
    } catch (error) {
      this.#model.show({ failedAction: { title: notSignedIn(name), problem: problemFor(error), profile: name } });
    }
  }

  /** Signs out, and reopens the profile if it is the open one. */
  async signOut(name: string): Promise<{ revoked: boolean }> {
    const auth = await this.#causeway.auth();
    const outcome = await auth.signOut(await auth.profile(name));
    if (this.#model.state.profile === name) await this.#model.open(name);
    return outcome;
  }

  /** Removes the profile with its sign-in. If it is the open one, opens the default profile. */
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

  /** Points a profile to another workspace, which has to answer like one. @throws {CausewayError} as `AuthService.findWorkspace` */
  async move(name: string, url: string): Promise<void> {
    const auth = await this.#causeway.auth();
    await auth.findWorkspace(url);
    await auth.moveProfile(name, url);
    await this.#model.open(this.#model.state.profile ?? undefined);
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

/** The title of a failed sign-in. */
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
    if (signIn.state === 'signed-out') {
      return { status: 'signed-out', ...(signIn.demanded !== undefined && { demanded: signIn.demanded }) };
    }
    if (signIn.state !== 'signed-in') return { status: signIn.state };
    const { userName = null, expiresAt = null, renewable } = signIn;
    return { status: 'signed-in', userName, expiresAt, renewable };
  } catch (error) {
    // One unreadable profile, for example behind a locked keychain, must not hide the others.
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
    changeAccountAddress: async ({ profile, host }) => void (await accounts.move(profile, host)),
    getOAuthApplication: ({ profile }) => accounts.application(profile),
    setOAuthApplication: async ({ profile, application }) => void (await accounts.setApplication(profile, application)),
    addAccount: async ({ profile, host }) => void (await accounts.add(profile, host)),
  };
}
