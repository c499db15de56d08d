import { describe, expect, test } from 'vitest';
import { CausewayError } from '../../../main/platform/errors.ts';
import { type ScriptedBrowser, scriptedBrowser } from './scripted-browser.ts';
import { setStage, signInOutcome } from './stage.ts';

const stage = setStage();
const isCallback = (url: URL) => url.hostname === 'localhost';
const changed = (url: URL, name: string, value: string) => {
  const copy = new URL(url);
  copy.searchParams.set(name, value);
  return copy;
};

/** With more than one parameter of that name, whether there was one or not. */
const added = (url: URL, name: string, value: string) => {
  const copy = new URL(url);
  for (let count = 0; count < 2; count += 1) copy.searchParams.append(name, value);
  return copy;
};

/** Sends answers to other sign-ins to the listener of this one. */
async function flood(page: string): Promise<void> {
  const redirect = new URL(page).searchParams.get('redirect_uri');
  for (let round = 0; round < 100; round += 1) {
    await Promise.all(Array.from({ length: 20 }, () => fetch(`${redirect}/?code=c&state=of-yesterday`)));
  }
}

describe('a sign-in that fails says so, in the browser and in the terminal, and can be repeated', () => {
  interface Failure {
    what: string;
    /** What is done to the workspace or to the browser before. */
    arrange?: () => void;
    browser?: () => ScriptedBrowser;
    signInTimeoutMs?: number;
    code: string;
    message: () => string;
    remedy: string;
    /** What the browser shows in the end. */
    page?: string;
  }
  const failures: Failure[] = [
    {
      what: 'the person does not allow it',
      arrange: () => stage.workspace.approve('deny'),
      code: 'consent_denied',
      message: () =>
        `Access to ${stage.workspace.host} was denied. The workspace says: The person did not allow the application.`,
      remedy: 'Sign in again and allow access. If you did not deny it yourself, ask your administrator.',
      page: 'was denied.',
    },
    {
      what: 'the tab is closed, or left',
      browser: () => scriptedBrowser((url) => (isCallback(url) ? undefined : url)),
      signInTimeoutMs: 200,
      code: 'sign_in_timeout',
      message: () =>
        `The sign-in to ${stage.workspace.host} timed out: no answer came from the browser within 0.2 seconds.`,
      remedy: 'Sign in again. If no page opens, copy the link into your browser.',
    },
    {
      what: 'another workspace answers',
      browser: () =>
        scriptedBrowser((url) => (isCallback(url) ? changed(url, 'iss', 'https://other.example/oidc') : url)),
      code: 'wrong_workspace',
      message: () => `The browser's response did not come from ${stage.workspace.host}. It was ignored.`,
      remedy: 'Close the other sign-in pages and sign in again.',
      page: 'The browser&#39;s response did not come from',
    },
    {
      what: 'the code has expired or was used before',
      browser: () => scriptedBrowser((url) => (isCallback(url) ? changed(url, 'code', 'spent') : url)),
      code: 'sign_in_failed',
      message: () =>
        expect.stringMatching(
          / did not accept the code of the sign-in: it was used before, or has expired \(invalid_grant.*\)\.$/,
        ),
      remedy: 'Sign in again.',
      page: 'it was used before, or has expired',
    },
    {
      what: 'the answer belongs to another sign-in',
      browser: () => scriptedBrowser((url) => (isCallback(url) ? changed(url, 'state', 'tampered') : url)),
      signInTimeoutMs: 2_000,
      code: 'sign_in_timeout',
      message: () =>
        `The sign-in to ${stage.workspace.host} timed out: no answer came from the browser within 2 seconds.`,
      remedy: 'Sign in again. If no page opens, copy the link into your browser.',
      page: 'This page belongs to another sign-in',
    },
    ...['code', 'state', 'iss'].map((name) => ({
      what: `the answer has two "${name}" parameters`,
      browser: () => scriptedBrowser((url) => (isCallback(url) ? added(url, name, 'other') : url)),
      code: 'sign_in_failed',
      message: () => `The browser came back from ${stage.workspace.host} with more than one "${name}" parameter.`,
      remedy: 'Sign in again. If it keeps failing, send this message to your administrator.',
      page: 'with more than one &quot;',
    })),
    {
      what: 'the answer has an empty code',
      browser: () => scriptedBrowser((url) => (isCallback(url) ? changed(url, 'code', '') : url)),
      code: 'sign_in_failed',
      message: () => `The browser came back from ${stage.workspace.host} without a code.`,
      remedy: 'Sign in again. If it keeps failing, send this message to your administrator.',
      page: 'without a code',
    },
    {
      what: 'the answer is an error in HTML',
      browser: () =>
        scriptedBrowser((url) => {
          if (!isCallback(url)) return url;
          const copy = changed(url, 'error', '<script>alert(1)</script>');
          copy.searchParams.set('error_description', '<img src=x onerror=alert(1)>');
          copy.searchParams.delete('code');
          return copy;
        }),
      code: 'sign_in_failed',
      message: () =>
        `${stage.workspace.host} ended the sign-in (<script>alert(1)</script>: <img src=x onerror=alert(1)>).`,
      remedy: 'Sign in again. If it keeps failing, send this message to your administrator.',
      page: '(&lt;script&gt;alert(1)&lt;/script&gt;: &lt;img',
    },
    {
      what: 'the workspace ends it with an explanation',
      browser: () =>
        scriptedBrowser((url) => {
          if (!isCallback(url)) return url;
          const copy = changed(url, 'error', 'invalid_request');
          copy.searchParams.set('error_description', 'Multi-factor\u001b[31m authentication is required');
          copy.searchParams.delete('code');
          return copy;
        }),
      code: 'sign_in_failed',
      message: () =>
        expect.stringMatching(/ended the sign-in \(invalid_request: Multi-factor.* authentication is required\)\.$/),
      remedy: 'Sign in again. If it keeps failing, send this message to your administrator.',
      page: 'authentication is required',
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
      code: 'unavailable',
      message: () => `The sign-in service of ${stage.workspace.host} is not available (server_error).`,
      remedy: 'Try again in a minute.',
      page: 'is not available (server_error).',
    },
    {
      what: 'the sign-in service is down for long',
      arrange: () =>
        stage.workspace.faults.add({
          path: '/oidc/.well-known/*',
          effect: { kind: 'unavailable', retryAfter: '60' },
        }),
      code: 'unavailable',
      message: () => `The sign-in service of ${stage.workspace.host} is not available (HTTP 503).`,
      remedy: 'Try again in a minute.',
    },
    {
      what: 'the sign-in service is down when the code is traded',
      arrange: () => stage.workspace.faults.add({ path: '/oidc/v1/token', effect: { kind: 'html' } }),
      code: 'unavailable',
      message: () => `The sign-in service of ${stage.workspace.host} is not available (HTTP 502).`,
      remedy: 'Try again in a minute.',
      page: 'is not available (HTTP 502).',
    },
    {
      what: 'the workspace does not let the user in',
      arrange: () =>
        stage.workspace.faults.add({
          path: '/api/2.0/preview/scim/v2/Me',
          effect: { kind: 'answer', status: 403, body: '{"message":"Unauthorized access to Org: 7405605519549535"}' },
        }),
      code: 'permission_denied',
      message: () =>
        `${stage.workspace.host} does not give this user access (403: Unauthorized access to Org: 7405605519549535).`,
      remedy: 'Sign in as another user, or ask a workspace admin to add this one to the workspace.',
      page: 'does not give this user access',
    },
    {
      what: 'the address is no workspace',
      arrange: () =>
        stage.workspace.faults.add({
          path: '/oidc/.well-known/*',
          effect: { kind: 'answer', status: 404, body: 'gone' },
        }),
      code: 'wrong_workspace',
      message: () => `${stage.workspace.host} does not respond like a Databricks workspace (HTTP 404).`,
      remedy: 'Copy the address from your browser while the workspace is open.',
    },
    {
      what: 'the workspace does not take its own token',
      arrange: () =>
        stage.workspace.faults.add({ path: '/api/2.0/preview/scim/v2/Me', effect: { kind: 'refuse-token' } }),
      code: 'unauthenticated',
      message: () => `${stage.workspace.host} does not accept the token.`,
      remedy: 'Check that the token is for this workspace, then sign in again.',
      page: 'does not accept the token.',
    },
    {
      what: 'the workspace offers no PKCE',
      arrange: () => {
        const metadata = {
          issuer: `${stage.workspace.host}/oidc`,
          authorization_endpoint: `${stage.workspace.host}/oidc/v1/authorize`,
          token_endpoint: `${stage.workspace.host}/oidc/v1/token`,
        };
        const headers = { 'content-type': 'application/json' };
        const effect = { kind: 'answer', status: 200, headers, body: JSON.stringify(metadata) } as const;
        stage.workspace.faults.add({ path: '/oidc/.well-known/*', effect });
      },
      code: 'sign_in_failed',
      message: () => `${stage.workspace.host} does not support sign-in with PKCE (S256). Causeway requires it.`,
      remedy: 'Check that the host is a Databricks workspace.',
    },
  ];

  test.each(failures)(
    '$what',
    async ({ arrange, browser: makeBrowser, signInTimeoutMs, code, message, remedy, page }) => {
      arrange?.();
      const browser = makeBrowser?.() ?? scriptedBrowser();
      const failure = await signInOutcome(
        stage.open({ openBrowser: browser.open, ...(signInTimeoutMs === undefined ? {} : { signInTimeoutMs }) }),
      );
      expect(failure).toBeInstanceOf(CausewayError);
      expect(failure).toMatchObject({ code, message: message(), remedy });
      if (page) expect((await browser.page()).text).toContain(page);

      stage.workspace.approve({ as: 'ana@example.com' });
      stage.workspace.faults.clear();
      expect(await signInOutcome(stage.open({ openBrowser: scriptedBrowser().open }))).toMatchObject({
        state: 'signed-in',
      });
    },
  );

  test('a stray callback does not end a sign-in that it does not belong to', async () => {
    const honest = scriptedBrowser();
    const stale = scriptedBrowser((url) => (isCallback(url) ? changed(url, 'state', 'of-yesterday') : url));
    const auth = stage.open({ openBrowser: stale.open });
    const steps: string[] = [];
    const state = await signInOutcome(auth, {
      onProgress: ({ step }) => {
        steps.push(step);
        if (step === 'ignored-answer') void honest.open(stale.opened[0] ?? '');
      },
    });
    expect(state).toMatchObject({ state: 'signed-in' });
    expect(steps).toEqual(['waiting-for-browser', 'ignored-answer', 'finishing']);
  });

  test('2,000 stray callbacks are summarized in a few lines', async () => {
    const honest = scriptedBrowser();
    const auth = stage.open({ openBrowser: async () => undefined });
    const counts: number[] = [];
    const state = await signInOutcome(auth, {
      onProgress: (progress) => {
        if (progress.step === 'ignored-answer') counts.push(progress.count);
        if (progress.step === 'waiting-for-browser') void flood(progress.url).then(() => honest.open(progress.url));
      },
    });
    expect(state).toMatchObject({ state: 'signed-in' });
    expect(counts).toEqual([1, 10, 100, 1000]);
  });

  test('reports an unreachable workspace', async () => {
    const gone = `http://127.0.0.1:1`;
    const auth = stage.open({ env: { ...stage.home.env, DATABRICKS_CONFIG_FILE: `${stage.home.configFile}.2` } });
    const profile = await auth.addProfile('gone', gone);
    await expect(auth.signIn(profile)).rejects.toMatchObject({
      code: 'unreachable',
      message: `${gone} cannot be reached (ECONNREFUSED).`,
      remedy: 'Check the host name and your network, VPN and proxy.',
    });
  });

  test('reports a connection that is not valid TLS', async () => {
    const secure = stage.workspace.host.replace('http:', 'https:');
    const auth = stage.open({ env: { ...stage.home.env, DATABRICKS_CONFIG_FILE: `${stage.home.configFile}.2` } });
    const profile = await auth.addProfile('secure', secure);
    await expect(auth.signIn(profile)).rejects.toMatchObject({
      code: 'tls',
      message: expect.stringMatching(/^The connection to https:\/\/127\.0\.0\.1:\d+ is not trusted \(\w+\)\.$/),
      remedy: 'Check the host. Behind a company proxy, set NODE_EXTRA_CA_CERTS to its certificate file.',
    });
  });
});
