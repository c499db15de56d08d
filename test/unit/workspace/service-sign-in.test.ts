import { Agent } from 'undici';
import { afterEach, expect, it } from 'vitest';
import type { SignInPage, SignInPages } from '../../../main/auth/auth.ts';
import { CausewayError } from '../../../main/platform/errors.ts';
import { createRestClient } from '../../../main/workspace/client.ts';
import { ServiceSignIn } from '../../../main/workspace/service-sign-in.ts';

const PROFILE = { name: 'ben', host: 'https://w.example', method: 'oauth-user', workspaceId: undefined } as const;
const unused = () => Promise.reject(new Error('not used'));

let service: ServiceSignIn | undefined;
afterEach(() => service?.close());

/** A sign-in whose page another process shows at the moment at which this one wants to. */
function shownElsewhere(after: { isSignedIn: boolean; page: SignInPage | undefined }) {
  let isShown = false;
  const pages: SignInPages = {
    current: async () => (isShown ? after.page : undefined),
    open: async () => {
      isShown = true;
      throw new CausewayError('service_signed_out', 'A page was shown before.');
    },
    refuseUnasked: unused,
    end: unused,
    clear: async () => {},
  };
  const real = createRestClient({ profile: PROFILE, tokens: { token: unused }, dispatcher: new Agent() });
  const client = {
    ...real,
    users: { ...real.users, me: async () => ({ user: { id: '1', userName: 'ben@example.com' }, workspaceId: '1' }) },
    mcpServices: {
      ...real.mcpServices,
      signInConnection: async () => ({
        service: 'system.ai.github',
        serviceId: 'id-1',
        connection: 'system.ai.github',
      }),
      hasCredential: async () => after.isSignedIn,
    },
  };
  const auth = { openBrowser: unused, pagesOf: async () => pages };
  service = new ServiceSignIn({ auth, profile: PROFILE, service: 'system.ai.github', client: async () => client });
  return service;
}

it('joins a page that another process has opened meanwhile', async () => {
  const page = { state: 'open', profile: 'ben', openedAt: Date.now(), url: 'https://w.example/x' } as const;
  expect(await shownElsewhere({ isSignedIn: false, page }).begin()).toBe('before');
});

it('is done if that page has led to the sign-in already', async () => {
  const signIn = shownElsewhere({ isSignedIn: true, page: undefined });
  expect(await signIn.begin()).toBe('before');
  await signIn.signedIn();
});

it('is refused if that page has ended without one', async () => {
  await expect(shownElsewhere({ isSignedIn: false, page: undefined }).begin()).rejects.toThrow(
    'A page was shown before.',
  );
});
