import type { signInRequests } from '../../preload/contract/sign-in.ts';
import type { AwaitedSignIn } from '../../preload/contract.ts';
import { findService } from '../app/servers/service.ts';
import { CausewayError } from '../platform/errors.ts';
import type { DesktopContext, HandlersOf } from './context.ts';

/** The sign-in pages that wait for the user in the browser: those of workspaces and those of services. */
export function signInHandlers({ causeway, shell }: DesktopContext): HandlersOf<typeof signInRequests> {
  const addressOf = async (awaited: AwaitedSignIn): Promise<string> => {
    const address = 'server' in awaited ? await ofService(awaited.server) : await ofProfile(awaited.profile);
    if (address !== undefined) return address;
    throw new CausewayError('conflict', 'This sign-in has ended.', { remedy: 'Sign in again.' });
  };
  const ofProfile = async (name: string) => {
    const auth = await causeway.auth();
    return auth.signInUnderWay(await auth.profile(name))?.url;
  };
  const ofService = async (server: string) => (await findService(causeway, server)).page;
  return {
    openSignInPage: async (awaited) => void (await shell.openInBrowser(await addressOf(awaited))),
    copySignInLink: async (awaited) => void shell.copy(await addressOf(awaited)),
    serviceSignInPage: async ({ server }) => {
      const service = await findService(causeway, server);
      const { page } = service;
      if (page === undefined) return null;
      const user = await service.userName().catch(() => null);
      return { host: service.profile.host, user, address: page };
    },
    cancelServiceSignIn: async ({ server }) => void (await findService(causeway, server)).cancel(),
  };
}
