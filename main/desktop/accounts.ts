import type { accountRequests } from '../../preload/contract/accounts.ts';
import type { Account, OAuthApplicationChange } from '../../preload/contract.ts';
import { signInStatus } from '../app/accounts.ts';
import type { ProfileEntry } from '../auth/auth.ts';
import type { AuthService } from '../auth/open.ts';
import { Secret } from '../platform/secret.ts';
import type { DesktopContext, HandlersOf } from './context.ts';
import { problemFor } from './failure.ts';

/** The profiles and their sign-ins, as the window shows and changes them. */
export function accountHandlers({
  causeway,
  model,
}: Pick<DesktopContext, 'causeway' | 'model'>): HandlersOf<typeof accountRequests> {
  const isOpen = (name: string) => model.state.profile === name;
  /** Opens the profile that was open, or the default one where that is gone. */
  const openUnless = (gone: string) => model.open(isOpen(gone) ? undefined : (model.state.profile ?? undefined));
  return {
    listAccounts: async () => {
      const auth = await causeway.auth();
      return Promise.all((await auth.profiles()).map((entry) => accountOf(auth, entry)));
    },
    // A profile that is not open has no screen of its own, so its failure is shown on every screen.
    signInTo: async ({ profile }) => {
      model.show({ failedAction: null });
      await model.signInTo(profile).catch((error: unknown) => {
        model.show({ failedAction: { title: notSignedIn(profile), problem: problemFor(error), profile } });
      });
    },
    cancelSignInTo: async ({ profile }) => void model.cancelSignInTo(profile),
    signOut: async ({ profile }) => {
      const auth = await causeway.auth();
      const outcome = await auth.signOut(await auth.profile(profile));
      if (isOpen(profile)) await model.open(profile);
      return outcome;
    },
    removeAccount: async ({ profile }) => {
      await (await causeway.auth()).removeProfile(profile);
      await openUnless(profile);
    },
    renameAccount: async ({ profile, name }) => {
      await (await causeway.auth()).renameProfile(profile, name);
      await (isOpen(profile) ? model.open(name) : openUnless(profile));
    },
    changeAccountAddress: async ({ profile, host }) => {
      const auth = await causeway.auth();
      await auth.findWorkspace(host);
      await auth.moveProfile(profile, host);
      await model.open(model.state.profile ?? undefined);
    },
    addAccount: async ({ profile, host }) => {
      const auth = await causeway.auth();
      await auth.findWorkspace(host);
      await auth.addProfile(profile, host);
    },
    getOAuthApplication: async ({ profile }) => {
      const auth = await causeway.auth();
      const found = await auth.oauthApplication((await auth.profile(profile)).host);
      if (!found) return null;
      const { clientId, callbackPort = null, clientSecret, scopes = null } = found;
      return { clientId, callbackPort, scopes: scopes && [...scopes], hasSecret: clientSecret !== undefined };
    },
    // The application belongs to the workspace: all profiles of its host sign in through it.
    setOAuthApplication: async ({ profile, application }) => {
      const auth = await causeway.auth();
      const { host } = await auth.profile(profile);
      const before = await auth.oauthApplication(host);
      await auth.setOAuthApplication(
        host,
        application === null
          ? undefined
          : {
              clientId: application.clientId,
              clientSecret: secretOf(application.secret, before?.clientSecret),
              callbackPort: application.callbackPort ?? undefined,
              scopes: application.scopes ?? undefined,
            },
      );
    },
  };
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

async function accountOf(auth: AuthService, entry: ProfileEntry): Promise<Account> {
  const { name, isDefault } = entry;
  const { host = null, method = null } = entry.usable ? entry.profile : { host: entry.host };
  const found = await signInStatus(auth, entry);
  const state = found.status === 'unreadable' ? { status: found.status, problem: problemFor(found.error) } : found;
  return { name, isDefault, host, method, state };
}
