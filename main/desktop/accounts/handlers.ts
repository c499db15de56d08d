import type { accountRequests } from '../../../preload/contract/accounts.ts';
import type { DesktopContext } from '../context.ts';
import type { HandlersOf } from '../handlers.ts';
import { Accounts } from './accounts.ts';

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
