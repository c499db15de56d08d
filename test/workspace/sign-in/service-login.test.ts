import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { callerAs, callerWith } from '../caller.ts';
import { type Page, ScriptedBrowser } from '../scripted-browser.ts';
import { type EmbeddedWorkspace, startWorkspace } from '../workspace.ts';
import { discover, OAuthClient } from './oauth-client.ts';

/** The page on which a user signs in to what is behind a service. */

const GITHUB = 'system.ai.github';
const SEARCH = {
  jsonrpc: '2.0',
  id: 1,
  method: 'tools/call',
  params: { name: 'search_code', arguments: { query: 'retry' } },
};

let workspace: EmbeddedWorkspace;
let client: OAuthClient;
beforeAll(async () => {
  workspace = await startWorkspace({ profile: 'lenient' });
  client = new OAuthClient(workspace, await discover(workspace));
});
beforeEach(() => {
  workspace.state.replace({});
  workspace.requests.clear();
  workspace.mcp.settings.activationMs = 0;
  workspace.approve('ask');
});
afterAll(() => workspace.close());

const pageOf = (query: Record<string, string>) => `${workspace.host}/mcp-service-login?${new URLSearchParams(query)}`;

async function opened(address: string, browser = new ScriptedBrowser()): Promise<Page> {
  const page = await browser.open(address);
  if (page.kind !== 'page') throw new Error(`No page but ${page.url}`);
  return page;
}

describe('the sign-in page of a service', () => {
  test('names the service, and signs in the user whose button was pressed', async () => {
    const page = await opened(pageOf({ name: GITHUB }));
    expect(page.status).toBe(200);
    for (const text of ['Sign in to github', 'Ben Okafor', 'Allow', 'Deny']) expect(page.text).toContain(text);
    expect(workspace.gateway.isSignedIn('ben', GITHUB)).toBe(false);
    const end = await new ScriptedBrowser().open(page.url, { user: 'ben@example.com', decision: 'allow' });
    expect(end).toMatchObject({ kind: 'page', status: 200, text: expect.stringContaining('You are signed in') });
    expect([workspace.gateway.isSignedIn('ben', GITHUB), workspace.gateway.isSignedIn('ana', GITHUB)]).toEqual([
      true,
      false,
    ]);
  });

  test('does not sign in a user who denies', async () => {
    const page = await opened(pageOf({ name: GITHUB }));
    await new ScriptedBrowser().open(page.url, { user: 'ben@example.com', decision: 'deny' });
    expect(workspace.gateway.isSignedIn('ben', GITHUB)).toBe(false);
  });

  test.each(['system.ai.web_search', 'main.support.tickets', 'system.ai.nothing', ''])(
    'answers 404 for %j, if there is nothing to sign in to',
    async (name) => {
      expect((await opened(pageOf({ name }))).status).toBe(404);
    },
  );

  test('redirects back only to an https address', async () => {
    workspace.approve({ as: 'ben@example.com' });
    const back = await new ScriptedBrowser().open(pageOf({ name: GITHUB, return_to: 'https://app.example/done' }));
    expect(back).toMatchObject({ kind: 'departure', url: new URL('https://app.example/done') });
    const stays = await opened(pageOf({ name: GITHUB, return_to: 'http://app.example/done' }));
    expect(stays.text).toContain('You are signed in');
  });

  test('is decided without a click if sign-ins to the workspace are', async () => {
    workspace.approve({ as: 'ben@example.com' });
    await opened(pageOf({ name: GITHUB }));
    expect(workspace.gateway.isSignedIn('ben', GITHUB)).toBe(true);
    workspace.approve('deny');
    await opened(pageOf({ name: 'system.ai.slack' }));
    expect(workspace.gateway.isSignedIn('ben', 'system.ai.slack')).toBe(false);
  });
});

test('a call is refused until the user signs in on the page, then answered for every client of that user, with any token', async () => {
  workspace.approve({ as: 'ben@example.com' });
  const tokens = [await client.signIn(), await client.signIn()];
  const callers = [
    ...tokens.map(({ access_token }) => callerWith(workspace, access_token)),
    callerAs(workspace, 'ben'),
  ];
  const path = `/ai-gateway/mcp-services/${GITHUB}`;
  for (const caller of callers) expect((await caller('POST', path, SEARCH)).status).toBe(401);
  await opened(pageOf({ name: GITHUB }));
  for (const caller of callers) expect((await caller('POST', path, SEARCH)).status).toBe(200);
  expect(workspace.requests.count({ path: '/mcp-service-login' })).toBe(1);
});

test('a credential that is not active yet does not count', async () => {
  workspace.mcp.settings.activationMs = 150;
  workspace.approve({ as: 'ben@example.com' });
  await opened(pageOf({ name: GITHUB }));
  const ben = callerAs(workspace, 'ben');
  expect((await ben('POST', `/ai-gateway/mcp-services/${GITHUB}`, SEARCH)).status).toBe(401);
  await expect.poll(async () => (await ben('POST', `/ai-gateway/mcp-services/${GITHUB}`, SEARCH)).status).toBe(200);
});

describe('a sign-in to a service within a sign-in to the workspace that names a `resource`', () => {
  const resource = () => `${workspace.host}/ai-gateway/mcp-services/${GITHUB}`;

  test('comes after the consent, and the callback after it', async () => {
    const browser = new ScriptedBrowser();
    const started = await client.attempt({ extra: { resource: resource() } });
    const consent = await opened(started.address.href, browser);
    const page = await browser.open(consent.url, { user: 'ben@example.com', decision: 'allow' });
    if (page.kind !== 'page') throw new Error('It was decided without the page of the service.');
    expect([page.url.pathname, page.url.searchParams.get('name')]).toEqual(['/mcp-service-login', GITHUB]);
    const end = await browser.open(page.url, { user: 'ben@example.com', decision: 'allow' });
    const { access_token } = await client.exchange(started, end.url);
    const path = `/ai-gateway/mcp-services/${GITHUB}`;
    expect((await callerWith(workspace, access_token)('POST', path, SEARCH)).status).toBe(200);
  });

  test('can be denied, and the workspace sign-in succeeds anyway', async () => {
    const browser = new ScriptedBrowser();
    const started = await client.attempt({ extra: { resource: resource() } });
    const consent = await opened(started.address.href, browser);
    const page = await browser.open(consent.url, { user: 'ben@example.com', decision: 'allow' });
    const end = await browser.open(page.url, { user: 'ben@example.com', decision: 'deny' });
    expect(await client.me((await client.exchange(started, end.url)).access_token)).toBe('ben@example.com');
    expect(workspace.gateway.isSignedIn('ben', GITHUB)).toBe(false);
  });

  test('needs no click if sign-ins are decided automatically, and no page if nothing is pending', async () => {
    workspace.approve({ as: 'ben@example.com' });
    await client.signIn({ extra: { resource: resource() } });
    expect(workspace.gateway.isSignedIn('ben', GITHUB)).toBe(true);
    await client.signIn({ extra: { resource: resource() } });
    await client.signIn({ extra: { resource: `${workspace.host}/api/2.0/mcp/sql` } });
    expect(workspace.requests.count({ path: '/mcp-service-login' })).toBe(1);
  });
});
