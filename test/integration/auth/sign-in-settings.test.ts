import { appendFile, readFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import { missingScopes } from '../../../main/auth/oauth/scopes.ts';
import { Secret } from '../../../main/platform/secret.ts';
import type { OAuthClient } from '../../workspace/sign-in/clients.ts';
import { scriptedBrowser } from './scripted-browser.ts';
import { setStage, signInOutcome } from './stage.ts';

const APPLICATION: OAuthClient = {
  clientId: 'our-application',
  clientSecret: 'application-secret',
  redirectUris: ['http://localhost'],
  scopes: ['sql', 'genie', 'offline_access'],
};
const stage = setStage(undefined, { oauthClients: [APPLICATION] });

describe('a unified host', () => {
  test('has its sign-in service under the account, and receives the workspace in the request', async () => {
    const headers = { 'content-type': 'application/json' };
    const real = await (await fetch(`${stage.workspace.host}/oidc/.well-known/oauth-authorization-server`)).text();
    stage.workspace.faults.add({
      path: '/.well-known/databricks-config',
      effect: { kind: 'answer', status: 200, headers, body: JSON.stringify({ host_type: 'UNIFIED_HOST' }) },
    });
    stage.workspace.faults.add({
      path: '/oidc/accounts/acc-1/*',
      effect: { kind: 'answer', status: 200, headers, body: real },
    });
    stage.workspace.requests.clear();
    await appendFile(stage.home.configFile, 'account_id = acc-1\nworkspace_id = 7405610757559437099\n');
    expect(await signInOutcome(stage.open({ openBrowser: scriptedBrowser().open }))).toMatchObject({
      state: 'signed-in',
    });
    const asked = stage.workspace.requests.list({ path: '*/.well-known/oauth-authorization-server' });
    expect(asked.map(({ path }) => path)).toEqual(['/oidc/accounts/acc-1/.well-known/oauth-authorization-server']);
    const [me] = stage.workspace.requests.list({ path: '/api/2.0/preview/scim/v2/Me' });
    expect(me?.headers['x-databricks-workspace-id']).toBe('7405610757559437099');
  });

  test('is found by its account id if it does not announce itself', async () => {
    const headers = { 'content-type': 'application/json' };
    const real = await (await fetch(`${stage.workspace.host}/oidc/.well-known/oauth-authorization-server`)).text();
    stage.workspace.faults.add({ path: '/.well-known/databricks-config', effect: { kind: 'redirect' } });
    stage.workspace.faults.add({ path: '/oidc/.well-known/*', effect: { kind: 'answer', status: 404 } });
    stage.workspace.faults.add({
      path: '/oidc/accounts/acc-1/*',
      effect: { kind: 'answer', status: 200, headers, body: real },
    });
    await appendFile(stage.home.configFile, 'account_id = acc-1\n');
    expect(await signInOutcome(stage.open({ openBrowser: scriptedBrowser().open }))).toMatchObject({
      state: 'signed-in',
    });
  });
});

describe('the callback port', () => {
  test('is only the one that the profile names, and a taken one is reported', async () => {
    const other = createServer();
    await new Promise<void>((resolve) => other.listen(0, '127.0.0.1', resolve));
    const { port } = other.address() as AddressInfo;
    try {
      await appendFile(stage.home.configFile, `oauth_callback_port = ${port}\n`);
      const browser = scriptedBrowser();
      expect(await signInOutcome(stage.open({ openBrowser: browser.open }))).toMatchObject({
        code: 'sign_in_failed',
        message: `Port ${port} of this computer is used by another program. The browser cannot return the sign-in.`,
        remedy: 'Quit that program, or choose another callback port (oauth_callback_port).',
      });
      expect(browser.opened).toEqual([]);
    } finally {
      other.close();
    }
    const browser = scriptedBrowser();
    expect(await signInOutcome(stage.open({ openBrowser: browser.open }))).toMatchObject({ state: 'signed-in' });
    expect(new URL(browser.opened[0] ?? '').searchParams.get('redirect_uri')).toBe(`http://localhost:${port}`);
  });
});

describe('an OAuth application of the account', () => {
  const application = {
    clientId: APPLICATION.clientId,
    clientSecret: new Secret(APPLICATION.clientSecret ?? ''),
    callbackPort: undefined,
    scopes: ['sql'],
  };

  test('is used for its workspace, with the scopes that the servers need', async () => {
    const browser = scriptedBrowser();
    const auth = stage.open({ openBrowser: browser.open });
    await auth.setOAuthApplication(stage.workspace.host, application);
    expect(await auth.oauthApplication(stage.workspace.host)).toEqual(application);
    const state = await signInOutcome(auth, { servers: ['/api/2.0/mcp/genie/1'] });
    expect(state).toMatchObject({ state: 'signed-in', scopes: ['sql', 'genie', 'offline_access'] });
    const asked = new URL(browser.opened[0] ?? '').searchParams;
    expect(asked.get('client_id')).toBe('our-application');
    expect(missingScopes(['sql', 'genie', 'offline_access'], ['/api/2.0/mcp/vector-search/a/b'])).toEqual([
      'vector-search',
    ]);

    const profile = await auth.profile('user');
    const token = await auth.tokens(profile).token();
    expect(
      (await stage.open({ openBrowser: browser.open }).tokens(profile).token({ rejected: token })).equals(token),
    ).toBe(false);
    expect(await auth.signOut(profile)).toEqual({ revoked: true });
  });

  test('requests the scopes of the servers that are configured for the profile', async () => {
    const browser = scriptedBrowser();
    const configuredPaths = async () => ['/api/2.0/mcp/genie/space', '/api/2.0/mcp/sql'];
    const auth = stage.open({ openBrowser: browser.open, configuredPaths });
    await auth.setOAuthApplication(stage.workspace.host, application);
    expect(await signInOutcome(auth)).toMatchObject({ scopes: ['sql', 'genie', 'offline_access'] });
    expect(new URL(browser.opened[0] ?? '').searchParams.get('scope')).toBe('sql genie offline_access');
  });

  test('is explained if it cannot request a scope', async () => {
    const auth = stage.open({ openBrowser: scriptedBrowser().open });
    await auth.setOAuthApplication(stage.workspace.host, { ...application, scopes: ['unity-catalog'] });
    expect(await signInOutcome(auth)).toMatchObject({
      code: 'missing_scope',
      message: expect.stringMatching(
        / does not allow the application our-application to request unity-catalog, offline_access\. The workspace says: .*scope/,
      ),
      remedy: expect.stringMatching(/^Ask the account administrator to add these scopes /),
      action: {
        do: 'create-application',
        command: expect.stringMatching(
          /^databricks account custom-app-integration create --json '.*"redirect_urls":\["http:.*"scopes":\["unity-catalog","offline_access"\]/,
        ),
      },
    });
  });

  test('is to be registered with the port that the next sign-in uses, whichever is taken now', async () => {
    const taken = await held(8020);
    try {
      const browser = scriptedBrowser();
      const auth = stage.open({ openBrowser: browser.open });
      await auth.setOAuthApplication(stage.workspace.host, { ...application, scopes: ['unity-catalog'] });
      const failure = await signInOutcome(auth);
      expect(new URL(browser.opened[0] ?? '').searchParams.get('redirect_uri')).not.toBe('http://localhost:8020');
      expect(failure).toMatchObject({
        action: { port: 8020, command: expect.stringContaining('"redirect_urls":["http://localhost:8020"]') },
      });
    } finally {
      taken.close();
    }
  });

  test('keeps its secret out of every file, and is forgotten when it is removed', async () => {
    const auth = stage.open({ openBrowser: scriptedBrowser().open });
    await auth.setOAuthApplication(stage.workspace.host, application);
    const file = `${stage.home.env.CAUSEWAY_HOME}/config/oauth-applications.json`;
    expect(await readFile(file, 'utf8')).not.toContain('application-secret');
    await auth.setOAuthApplication(stage.workspace.host, undefined);
    expect(await auth.oauthApplication(stage.workspace.host)).toBeUndefined();
    expect(await readFile(file, 'utf8')).toBe('{}\n');
  });
});

/** A server that holds a port. The sign-in of a test in another process may have it for a moment. */
async function held(port: number): Promise<Server> {
  for (;;) {
    const server = createServer();
    const isHeld = await new Promise<boolean>((resolve) => {
      server.once('error', () => resolve(false));
      server.listen(port, '127.0.0.1', () => resolve(true));
    });
    if (isHeld) return server;
    await sleep(50);
  }
}
