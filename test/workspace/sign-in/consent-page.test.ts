import * as oauth from 'oauth4webapi';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { type Page, ScriptedBrowser } from '../scripted-browser.ts';
import { type EmbeddedWorkspace, startWorkspace } from '../workspace.ts';
import { type Attempt, discover, OAuthClient, type Started } from './oauth-client.ts';

/** The page on which a user decides. */

let workspace: EmbeddedWorkspace;
let client: OAuthClient;

beforeAll(async () => {
  workspace = await startWorkspace({ autoApprove: 'ben@example.com' });
  client = new OAuthClient(workspace, await discover(workspace));
});
afterAll(() => workspace.close());

describe('the consent page', () => {
  beforeEach(() => workspace.approve('ask'));

  async function consentPage(browser: ScriptedBrowser, options: Attempt = {}): Promise<[Page, Started]> {
    const started = await client.attempt(options);
    const page = await browser.open(started.address);
    if (page.kind !== 'page') throw new Error('It was decided without a page.');
    return [page, started];
  }

  test('names the application, what it requests, and who can sign in; its headers are strict', async () => {
    const [page] = await consentPage(new ScriptedBrowser(), { scope: 'sql offline_access' });
    expect(page.status).toBe(200);
    for (const text of ['databricks-cli', 'Run queries', 'Stay signed in', 'Ana Ferreira', 'chloe@example.com']) {
      expect(page.text).toContain(text);
    }
    expect(page.text).not.toContain('Nightly agent');
    expect(page.text).not.toContain('<script');
    expect(page.headers.get('content-security-policy')).toContain("default-src 'none'");
    expect(page.headers.get('cache-control')).toBe('no-store');
  });

  test('allow signs in as the user who was chosen', async () => {
    const browser = new ScriptedBrowser();
    const [page, started] = await consentPage(browser);
    const end = await browser.open(page.url, { user: 'chloe@example.com', decision: 'allow' });
    const tokens = await client.exchange(started, end.url);
    expect(await client.me(tokens.access_token)).toBe('chloe@example.com');
  });

  test('it appears again the next time, and another user can be chosen', async () => {
    const browser = new ScriptedBrowser();
    for (const user of ['chloe@example.com', 'ana@example.com', 'ana@example.com']) {
      const [page, started] = await consentPage(browser);
      const end = await browser.open(page.url, { user, decision: 'allow' });
      expect(await client.me((await client.exchange(started, end.url)).access_token)).toBe(user);
    }
  });

  test.each([
    [{ decision: 'deny', user: 'ben@example.com' }],
    [{ decision: 'allow' }],
    [{ decision: 'allow', user: 'nobody@example.com' }],
  ])('%o is a refusal, and the application is notified of it', async (form) => {
    const browser = new ScriptedBrowser();
    const [page, started] = await consentPage(browser);
    const end = await browser.open(page.url, form);
    expect(() => client.validated(started, end.url)).toThrow(oauth.AuthorizationResponseError);
    expect(end.url.searchParams.get('error')).toBe('access_denied');
  });

  test('a page that has expired, or belongs to another browser, says what to do', async () => {
    const [page] = await consentPage(new ScriptedBrowser());
    const stranger = await new ScriptedBrowser().open(page.url, { user: 'ben@example.com', decision: 'allow' });
    expect(stranger).toMatchObject({ kind: 'page', status: 400, text: expect.stringContaining('sign in once more') });
  });

  test('`deny` denies without a page', async () => {
    workspace.approve('deny');
    const callback = await client.callbackOf(await client.attempt());
    expect(callback.searchParams.get('error')).toBe('access_denied');
  });
});
