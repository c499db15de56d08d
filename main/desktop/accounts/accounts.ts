import type { Account, OAuthApplicationChange, OAuthApplicationState } from '../../../preload/contract.ts';
import type { AuthService, ProfileEntry } from '../../auth/auth.ts';
import type { Causeway } from '../../causeway.ts';
import { Secret } from '../../platform/secret.ts';
import type { DesktopModel } from '../model.ts';
import { problemOf } from '../problem.ts';

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
      this.#model.showFailedAction({ title: notSignedIn(name), problem: problemOf(error) });
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
    return { status: 'unreadable', problem: problemOf(error) };
  }
}
