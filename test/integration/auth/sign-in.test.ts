import { appendFile, readFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { AuthService, SignInOptions, SignInProgress } from '../../../main/auth/auth.ts';
import { openAuth } from '../../../main/auth/open.ts';
import { missingScopes } from '../../../main/auth/scopes.ts';
import { CausewayError } from '../../../main/platform/errors.ts';
import { Secret } from '../../../main/platform/secret.ts';
import type { OAuthClient } from '../../workspace/sign-in/clients.ts';
import { type EmbeddedWorkspace, startWorkspace } from '../../workspace/workspace.ts';
import { type OwnHome, ownHome } from './own-home.ts';
import { type ScriptedBrowser, scriptedBrowser } from './scripted-browser.ts';

const APPLICATION: OAuthClient = {
  clientId: 'our-application',
  clientSecret: 'application-secret',
  redirectUris: ['http://localhost'],
  scopes: ['sql', 'genie', 'offline_access'],
};
let workspace: EmbeddedWorkspace;
let home: OwnHome;
let opened: AuthService[];

beforeEach(async () => {
  workspace = await startWorkspace({ autoApprove: 'ana@example.com', oauthClients: [APPLICATION] });
  home = await ownHome(`[user]\nhost = ${workspace.host}\n`);
  opened = [];
});
afterEach(async () => {
  await Promise.all(opened.map((auth) => auth.close()));
  await workspace.close();
  await home.remove();
});

function open(browser: ScriptedBrowser['open'], patienceMs?: number, env = home.env): AuthService {
  const auth = openAuth({ env, openBrowser: browser, ...(patienceMs === undefined ? {} : { patienceMs }) });
  opened.push(auth);
  return auth;
}

/** Signs in, and gives the error where it fails. */
async function outcome(auth: AuthService, options?: SignInOptions): Promise<unknown> {
  return auth.signIn(await auth.profile('user'), options).catch((error: unknown) => error);
}

const isCallback = (url: URL) => url.hostname === 'localhost';
const changed = (url: URL, name: string, value: string) => {
  const copy = new URL(url);
  copy.searchParams.set(name, value);
  return copy;
};

describe('signing in in the browser', () => {
  test('ends on a page that says so, with tokens that are somebody’s', async () => {
    const browser = scriptedBrowser();
    const auth = open(browser.open);
    const steps: SignInProgress[] = [];
    const state = await outcome(auth, { onProgress: (progress) => steps.push(progress) });
    expect(state).toMatchObject({ state: 'signed-in', userName: 'ana@example.com', renewable: true });
    const page = await browser.page();
    expect(page.status).toBe(200);
    expect(page.text).toContain('You are signed in');
    expect(page.text).toContain('You can close this window.');
    expect(page.text).toContain('as ana@example.com (profile user)');
    expect(steps).toEqual([
      { step: 'waiting-for-browser', url: browser.opened[0], opened: true },
      { step: 'finishing' },
    ]);
    expect(await auth.whoAmI(await auth.profile('user'))).toBe('ana@example.com');
  });

  test('asks as RFC 7636 and RFC 8252 want it, and never for the verifier to leave', async () => {
    const browser = scriptedBrowser();
    await outcome(open(browser.open));
    const asked = new URL(browser.opened[0] ?? '');
    expect(Object.fromEntries(asked.searchParams)).toMatchObject({
      response_type: 'code',
      client_id: 'databricks-cli',
      scope: 'all-apis offline_access',
      code_challenge_method: 'S256',
    });
    expect(asked.searchParams.get('redirect_uri')).toMatch(/^http:\/\/localhost:80[234]\d$/);
    expect(asked.searchParams.get('code_challenge')).toMatch(/^[\w-]{43}$/);
    expect(asked.searchParams.get('state')).toMatch(/^[\w-]{43}$/);
    expect(asked.href).not.toContain('verifier');
  });

  test('opens one page however many windows and processes ask at once, and all share its outcome', async () => {
    const browser = scriptedBrowser();
    const services = [open(browser.open), open(browser.open), open(browser.open)];
    const steps: string[] = [];
    const states = await Promise.all(
      services.flatMap((auth) => [1, 2, 3].map(() => outcome(auth, { onProgress: ({ step }) => steps.push(step) }))),
    );
    for (const state of states) expect(state).toMatchObject({ state: 'signed-in', userName: 'ana@example.com' });
    expect(browser.opened).toHaveLength(1);
    expect(workspace.requests.count({ grantType: 'authorization_code' })).toBe(1);
    expect(steps).toContain('waiting-for-other');
  });

  test('shares a refusal too: nobody who waited opens another page', async () => {
    workspace.approve('deny');
    const browser = scriptedBrowser();
    const services = [open(browser.open), open(browser.open), open(browser.open)];
    const failures = await Promise.all(services.map((auth) => outcome(auth)));
    for (const failure of failures) expect(failure).toMatchObject({ code: 'consent_denied' });
    expect(browser.opened).toHaveLength(1);
  });

  test('that is only wanted if needed asks nobody who is signed in, has just refused, or has just signed out', async () => {
    const browser = scriptedBrowser();
    const ask = () => outcome(open(browser.open), { onlyIfNeeded: true });
    workspace.approve('deny');
    expect(await ask()).toMatchObject({ code: 'consent_denied' });
    expect(await ask()).toMatchObject({ code: 'consent_denied' });
    expect(browser.opened).toHaveLength(1);

    workspace.approve({ as: 'ana@example.com' });
    const auth = open(browser.open);
    expect(await outcome(auth)).toMatchObject({ state: 'signed-in' });
    expect(await ask()).toMatchObject({ state: 'signed-in' });
    expect(browser.opened).toHaveLength(2);

    await auth.signOut(await auth.profile('user'));
    expect(await ask()).toMatchObject({ code: 'signed_out' });
    expect(browser.opened).toHaveLength(2);
  });

  test('shows the address to copy where the browser cannot be opened', async () => {
    const browser = scriptedBrowser();
    const auth = open(() => Promise.reject(new Error('no display')));
    const state = await outcome(auth, {
      onProgress: (progress) => {
        if (progress.step === 'waiting-for-browser' && !progress.opened) void browser.open(progress.url);
      },
    });
    expect(state).toMatchObject({ state: 'signed-in' });
  });

  test('fails instead where nobody would see the address', async () => {
    const auth = open(() => Promise.reject(new Error('no display')));
    expect(await outcome(auth, { openBrowser: 'must' })).toMatchObject({
      code: 'signed_out',
      message: `Profile "user" is signed out of ${workspace.host}. The browser could not be opened.`,
      remedy: 'Sign in with: causeway login --profile user.',
    });
  });

  test('is refused before the browser opens where it could not be kept', async () => {
    const browser = scriptedBrowser();
    const auth = open(browser.open, undefined, { ...home.env, CAUSEWAY_TOKEN_STORE: 'memory' });
    expect(await outcome(auth, { mustKeep: true })).toMatchObject({
      code: 'keychain_unavailable',
      message: 'A sign-in could not be kept here, so none was begun.',
    });
    expect(browser.opened).toEqual([]);
    expect(await outcome(auth)).toMatchObject({ state: 'signed-in' });
  });

  test('is over when it is cancelled, and the port is free at once', async () => {
    const stop = new AbortController();
    const auth = open(async () => undefined);
    let port = 0;
    const failure = await outcome(auth, {
      signal: stop.signal,
      onProgress: (progress) => {
        if (progress.step !== 'waiting-for-browser') return;
        port = Number(new URL(new URL(progress.url).searchParams.get('redirect_uri') ?? '').port);
        stop.abort();
      },
    });
    expect(failure).toMatchObject({
      code: 'sign_in_cancelled',
      message: `The sign-in to ${workspace.host} was cancelled.`,
    });
    const next = createServer();
    await new Promise<void>((resolve, reject) => {
      next.once('error', reject);
      next.listen(port, '127.0.0.1', resolve);
    });
    next.close();
  });
});

describe('a sign-in that goes wrong says so, in the browser and here, and can be tried again', () => {
  interface Failure {
    what: string;
    /** What is done to the workspace or to the browser before. */
    arrange?: () => void;
    browser?: () => ScriptedBrowser;
    patienceMs?: number;
    code: string;
    message: () => string;
    remedy: string;
    /** What the browser shows in the end. */
    page?: string;
  }
  const failures: Failure[] = [
    {
      what: 'the person does not allow it',
      arrange: () => workspace.approve('deny'),
      code: 'consent_denied',
      message: () => `Causeway was not allowed to use ${workspace.host}.`,
      remedy: 'Sign in again and allow it; if you did not refuse it yourself, ask your administrator.',
      page: 'Causeway was not allowed to use',
    },
    {
      what: 'the tab is closed, or left',
      browser: () => scriptedBrowser((url) => (isCallback(url) ? undefined : url)),
      patienceMs: 200,
      code: 'sign_in_timeout',
      message: () => `Nobody finished signing in to ${workspace.host} in the browser in time.`,
      remedy: 'Sign in again. If no page opened, copy the address into your browser.',
    },
    {
      what: 'another workspace answers',
      browser: () =>
        scriptedBrowser((url) => (isCallback(url) ? changed(url, 'iss', 'https://other.example/oidc') : url)),
      code: 'wrong_workspace',
      message: () => `The browser's answer did not come from ${workspace.host}, and was not used.`,
      remedy: 'Close the other sign-in pages and sign in again.',
      page: 'The browser&#39;s answer did not come from',
    },
    {
      what: 'the code has expired or was used before',
      browser: () => scriptedBrowser((url) => (isCallback(url) ? changed(url, 'code', 'spent') : url)),
      code: 'sign_in_failed',
      message: () => `The sign-in to ${workspace.host} took too long: its code has expired.`,
      remedy: 'Sign in again.',
      page: 'its code has expired.',
    },
    {
      what: 'the answer belongs to another sign-in',
      browser: () => scriptedBrowser((url) => (isCallback(url) ? changed(url, 'state', 'tampered') : url)),
      patienceMs: 300,
      code: 'sign_in_timeout',
      message: () => `Nobody finished signing in to ${workspace.host} in the browser in time.`,
      remedy: 'Sign in again. If no page opened, copy the address into your browser.',
      page: 'This page belongs to another sign-in',
    },
    {
      what: 'the workspace ends it for a reason of its own',
      browser: () =>
        scriptedBrowser((url) => {
          if (!isCallback(url)) return url;
          const copy = changed(url, 'error', 'server_error');
          copy.searchParams.delete('code');
          return copy;
        }),
      code: 'sign_in_failed',
      message: () => `${workspace.host} ended the sign-in (server_error).`,
      remedy: 'Sign in again. If it stays so, give this line to your administrator.',
      page: 'ended the sign-in (server_error).',
    },
    {
      what: 'the sign-in service is down',
      arrange: () => workspace.faults.add({ path: '/oidc/.well-known/*', effect: { kind: 'unavailable' } }),
      code: 'unavailable',
      message: () => `The sign-in service of ${workspace.host} is not available (HTTP 503).`,
      remedy: 'Try again in a minute.',
    },
    {
      what: 'the sign-in service is down when the code is traded',
      arrange: () => workspace.faults.add({ path: '/oidc/v1/token', effect: { kind: 'html' } }),
      code: 'unavailable',
      message: () => `The sign-in service of ${workspace.host} is not available (HTTP 502).`,
      remedy: 'Try again in a minute.',
      page: 'is not available (HTTP 502).',
    },
    {
      what: 'the address is no workspace',
      arrange: () =>
        workspace.faults.add({ path: '/oidc/.well-known/*', effect: { kind: 'answer', status: 404, body: 'gone' } }),
      code: 'wrong_workspace',
      message: () => `${workspace.host} does not answer like a Databricks workspace (HTTP 404).`,
      remedy: 'Check the address: it is the one your browser shows when you are in the workspace.',
    },
    {
      what: 'the workspace does not take its own token',
      arrange: () => workspace.faults.add({ path: '/api/2.0/preview/scim/v2/Me', effect: { kind: 'refuse-token' } }),
      code: 'unauthenticated',
      message: () => `${workspace.host} does not accept the token.`,
      remedy: 'Check that the host is the workspace that the token is for, and sign in again.',
      page: 'does not accept the token.',
    },
    {
      what: 'the workspace offers no PKCE',
      arrange: () => {
        const metadata = {
          issuer: `${workspace.host}/oidc`,
          authorization_endpoint: `${workspace.host}/oidc/v1/authorize`,
          token_endpoint: `${workspace.host}/oidc/v1/token`,
        };
        const headers = { 'content-type': 'application/json' };
        const effect = { kind: 'answer', status: 200, headers, body: JSON.stringify(metadata) } as const;
        workspace.faults.add({ path: '/oidc/.well-known/*', effect });
      },
      code: 'sign_in_failed',
      message: () => `${workspace.host} does not offer signing in with PKCE (S256), without which nothing is sent.`,
      remedy: 'Check that the host is a Databricks workspace.',
    },
  ];

  test.each(failures)('$what', async ({ arrange, browser: makeBrowser, patienceMs, code, message, remedy, page }) => {
    arrange?.();
    const browser = makeBrowser?.() ?? scriptedBrowser();
    const failure = await outcome(open(browser.open, patienceMs));
    expect(failure).toBeInstanceOf(CausewayError);
    expect(failure).toMatchObject({ code, message: message(), remedy });
    if (page) expect((await browser.page()).text).toContain(page);

    workspace.approve({ as: 'ana@example.com' });
    workspace.faults.clear();
    expect(await outcome(open(scriptedBrowser().open))).toMatchObject({ state: 'signed-in' });
  });

  test('a stray answer does not end the sign-in that it does not belong to', async () => {
    const honest = scriptedBrowser();
    const stale = scriptedBrowser((url) => (isCallback(url) ? changed(url, 'state', 'of-yesterday') : url));
    const auth = open(stale.open);
    const steps: string[] = [];
    const state = await outcome(auth, {
      onProgress: ({ step }) => {
        steps.push(step);
        if (step === 'ignored-answer') void honest.open(stale.opened[0] ?? '');
      },
    });
    expect(state).toMatchObject({ state: 'signed-in' });
    expect(steps).toEqual(['waiting-for-browser', 'ignored-answer', 'finishing']);
  });

  test('an unreachable workspace', async () => {
    const gone = `http://127.0.0.1:1`;
    const auth = openAuth({ env: { ...home.env, DATABRICKS_CONFIG_FILE: `${home.configFile}.2` } });
    opened.push(auth);
    const profile = await auth.addProfile('gone', gone);
    await expect(auth.signIn(profile)).rejects.toMatchObject({
      code: 'unreachable',
      message: `${gone} cannot be reached (ECONNREFUSED).`,
      remedy: 'Check the host name, network, VPN and proxy.',
    });
  });

  test('a connection that is not what TLS should be', async () => {
    const secure = workspace.host.replace('http:', 'https:');
    const auth = openAuth({ env: { ...home.env, DATABRICKS_CONFIG_FILE: `${home.configFile}.2` } });
    opened.push(auth);
    const profile = await auth.addProfile('secure', secure);
    await expect(auth.signIn(profile)).rejects.toMatchObject({
      code: 'tls',
      message: expect.stringMatching(/^The connection to https:\/\/127\.0\.0\.1:\d+ is not trusted \(\w+\)\.$/),
      remedy: 'Check the host; behind a company proxy, name its certificate file in NODE_EXTRA_CA_CERTS.',
    });
  });
});

describe('a unified host', () => {
  test('has its sign-in service below the account, and is told which workspace is meant', async () => {
    const headers = { 'content-type': 'application/json' };
    const real = await (await fetch(`${workspace.host}/oidc/.well-known/oauth-authorization-server`)).text();
    workspace.faults.add({
      path: '/.well-known/databricks-config',
      effect: { kind: 'answer', status: 200, headers, body: JSON.stringify({ host_type: 'UNIFIED_HOST' }) },
    });
    workspace.faults.add({
      path: '/oidc/accounts/acc-1/*',
      effect: { kind: 'answer', status: 200, headers, body: real },
    });
    workspace.requests.clear();
    await appendFile(home.configFile, 'account_id = acc-1\nworkspace_id = 7405610757559437099\n');
    expect(await outcome(open(scriptedBrowser().open))).toMatchObject({ state: 'signed-in' });
    const asked = workspace.requests.list({ path: '*/.well-known/oauth-authorization-server' });
    expect(asked.map(({ path }) => path)).toEqual(['/oidc/accounts/acc-1/.well-known/oauth-authorization-server']);
    const [me] = workspace.requests.list({ path: '/api/2.0/preview/scim/v2/Me' });
    expect(me?.headers['x-databricks-workspace-id']).toBe('7405610757559437099');
  });

  test('that does not say so is found all the same', async () => {
    const headers = { 'content-type': 'application/json' };
    const real = await (await fetch(`${workspace.host}/oidc/.well-known/oauth-authorization-server`)).text();
    workspace.faults.add({ path: '/.well-known/databricks-config', effect: { kind: 'redirect' } });
    workspace.faults.add({ path: '/oidc/.well-known/*', effect: { kind: 'answer', status: 404 } });
    workspace.faults.add({
      path: '/oidc/accounts/acc-1/*',
      effect: { kind: 'answer', status: 200, headers, body: real },
    });
    await appendFile(home.configFile, 'account_id = acc-1\n');
    expect(await outcome(open(scriptedBrowser().open))).toMatchObject({ state: 'signed-in' });
  });
});

describe('the callback port', () => {
  test('that the profile names is the only one, and taken it is said so', async () => {
    const other: Server = createServer();
    await new Promise<void>((resolve) => other.listen(0, '127.0.0.1', resolve));
    const { port } = other.address() as AddressInfo;
    try {
      await appendFile(home.configFile, `oauth_callback_port = ${port}\n`);
      const browser = scriptedBrowser();
      expect(await outcome(open(browser.open))).toMatchObject({
        code: 'sign_in_failed',
        message: `Port ${port} of this computer is used by another program, so the browser could not bring the answer.`,
        remedy: 'End that program, or choose another callback port (oauth_callback_port).',
      });
      expect(browser.opened).toEqual([]);
    } finally {
      other.close();
    }
    const browser = scriptedBrowser();
    expect(await outcome(open(browser.open))).toMatchObject({ state: 'signed-in' });
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
    const auth = open(browser.open);
    await auth.setOAuthApplication(workspace.host, application);
    expect(await auth.oauthApplication(workspace.host)).toEqual(application);
    const state = await outcome(auth, { servers: ['/api/2.0/mcp/genie/1'] });
    expect(state).toMatchObject({ state: 'signed-in', scopes: ['sql', 'genie', 'offline_access'] });
    const asked = new URL(browser.opened[0] ?? '').searchParams;
    expect(asked.get('client_id')).toBe('our-application');
    expect(missingScopes(['sql', 'genie', 'offline_access'], ['/api/2.0/mcp/vector-search/a/b'])).toEqual([
      'vector-search',
    ]);

    const profile = await auth.profile('user');
    const token = await auth.tokens(profile).token();
    expect((await open(browser.open).tokens(profile).token({ rejected: token })).equals(token)).toBe(false);
    expect(await auth.signOut(profile)).toEqual({ revoked: true });
  });

  test('that may not ask for a scope is explained', async () => {
    const auth = open(scriptedBrowser().open);
    await auth.setOAuthApplication(workspace.host, { ...application, scopes: ['unity-catalog'] });
    expect(await outcome(auth)).toMatchObject({
      code: 'missing_scope',
      message: `${workspace.host} does not let the application our-application ask for unity-catalog, offline_access.`,
      remedy: 'Ask the account administrator to add these scopes to the OAuth application.',
    });
  });

  test('keeps its secret out of every file, and is forgotten when it is removed', async () => {
    const auth = open(scriptedBrowser().open);
    await auth.setOAuthApplication(workspace.host, application);
    const file = `${home.env.CAUSEWAY_HOME}/config/oauth-applications.json`;
    expect(await readFile(file, 'utf8')).not.toContain('application-secret');
    await auth.setOAuthApplication(workspace.host, undefined);
    expect(await auth.oauthApplication(workspace.host)).toBeUndefined();
    expect(await readFile(file, 'utf8')).toBe('{}\n');
  });
});
