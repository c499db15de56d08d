import { writeFile } from 'node:fs/promises';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type Causeway, createCauseway } from '../../../../main/app/causeway.ts';
import type { MonitoredServer } from '../../../../main/hub/health/health.ts';
import type { HealthMonitor, MonitoredServerState } from '../../../../main/hub/health/monitor.ts';
import { type EmbeddedWorkspace, startWorkspace } from '../../../workspace/workspace.ts';
import { type OwnHome, ownHome } from '../../auth/own-home.ts';
import { scriptedBrowser } from '../../auth/scripted-browser.ts';
import { TestClock } from './test-clock.ts';

const MINUTE = 60_000;
const SQL = '/api/2.0/mcp/sql';

let workspace: EmbeddedWorkspace;
let home: OwnHome;
let causeway: Causeway;
let browser: ReturnType<typeof scriptedBrowser>;
let clock: TestClock;
let warm: HealthMonitor;
let heard: MonitoredServerState[][];

const config = () => {
  const sections = workspace.users.map(
    ({ userName, token }) => `[${userName.split('@')[0]}]\nhost = ${workspace.host}\ntoken = ${token}\n`,
  );
  return [...sections, `[user]\nhost = ${workspace.host}\n`].join('');
};

beforeEach(async () => {
  workspace = await startWorkspace({ autoApprove: 'ana@example.com' });
  home = await ownHome(config());
  browser = scriptedBrowser();
  causeway = createCauseway({ env: home.env, openBrowser: browser.open });
  clock = new TestClock();
  heard = [];
});
afterEach(async () => {
  await warm.close();
  await causeway.close();
  await workspace.close();
  await home.remove();
  expect(clock.waiting).toBe(0);
});

const sql = (profile: string): MonitoredServer => ({ name: `sql-${profile}`, profile, path: SQL });

async function keep(...servers: MonitoredServer[]): Promise<void> {
  warm = await causeway.monitorHealth(servers, { clock, random: () => 0.5, onChange: (states) => heard.push(states) });
}

const healthOf = (name: string) => warm.states().find((state) => state.name === name)?.health;
/** Waits for a state that comes by itself, once what the clock has set off is done. */
const becomes = (name: string, health: object) =>
  expect.poll(() => healthOf(name), { timeout: 10_000 }).toMatchObject(health);
const asked = (path = SQL) => workspace.requests.count({ path, method: 'POST' });

describe('configured servers', () => {
  it('are connected at once, and recognized by what they offer', async () => {
    const functions = { name: 'finance', profile: 'chloe', path: '/api/2.0/mcp/functions/main/finance' };
    const nowhere = { name: 'nowhere', profile: 'ana', path: '/api/2.0/mcp/functions/main/nowhere' };
    const wrong = { name: 'wrong', profile: 'ana', path: '/api/2.0/mcp/nothing' };
    const gone = { name: 'gone', profile: 'no-such-profile', path: SQL };
    await keep(sql('ana'), functions, nowhere, wrong, gone);
    expect(warm.states().map(({ health }) => health.name)).toEqual(Array(5).fill('connecting'));
    await becomes('sql-ana', { name: 'ready', tools: 3, checkedAt: clock.now() });
    await becomes('finance', { name: 'no-grants' });
    await becomes('nowhere', { name: 'not-found', problem: { code: 'not_found' } });
    await becomes('wrong', { name: 'not-found', problem: { code: 'feature_unavailable' } });
    await becomes('gone', { name: 'failing', problem: { code: 'profile_not_found' } });
    expect(heard.at(-1)).toEqual(warm.states());
  });

  it('are left alone while the user is signed out: no browser opens, and the workspace gets no request', async () => {
    await keep(sql('user'));
    await becomes('sql-user', { name: 'signed-out', problem: { code: 'signed_out' } });
    for (let minute = 0; minute < 30; minute += 1) {
      clock.pass(MINUTE);
      await becomes('sql-user', { name: 'signed-out' });
    }
    expect(browser.opened).toEqual([]);
    expect(workspace.requests.count({})).toBe(0);
  });

  it('are checked once, and then only on request, if they are not monitored', async () => {
    await keep(sql('ana'));
    warm.probeAutomatically(false);
    await becomes('sql-ana', { name: 'ready' });
    const once = asked();
    for (let hour = 0; hour < 24; hour += 1) {
      clock.pass(60 * MINUTE);
      warm.resume();
    }
    expect(asked()).toBe(once);
    expect(await warm.recheck('sql-ana')).toMatchObject([{ health: { name: 'ready', checkedAt: clock.now() } }]);
    expect(asked()).toBeGreaterThan(once);
    const twice = asked();
    clock.pass(60 * MINUTE);
    warm.probeAutomatically(true);
    await expect.poll(() => asked()).toBeGreaterThan(twice);
    await becomes('sql-ana', { name: 'ready', checkedAt: clock.now() });
  });

  it('wait for the browser while the user signs in, and are ready after one sign-in', async () => {
    workspace.approve('ask');
    await keep(sql('user'), { ...sql('user'), name: 'other' }, sql('ana'));
    await becomes('sql-user', { name: 'signed-out' });
    await becomes('sql-ana', { name: 'ready' });
    const auth = await causeway.auth();
    const signedIn = auth.signIn(await auth.profile('user'));
    await becomes('sql-user', { name: 'waiting-for-browser' });
    expect(healthOf('sql-ana')).toMatchObject({ name: 'ready' });
    workspace.approve({ as: 'ana@example.com' });
    await browser.open(browser.opened[0] ?? '');
    await signedIn;
    await becomes('sql-user', { name: 'ready' });
    await becomes('other', { name: 'ready' });
    expect(workspace.state.mcpCalls.filter(({ method }) => method === 'tools/list')).toHaveLength(3);
    expect(workspace.requests.count({ grantType: 'authorization_code' })).toBe(1);
  });

  it('are signed out again if the sign-in is abandoned', async () => {
    workspace.approve('ask');
    await keep(sql('user'));
    await becomes('sql-user', { name: 'signed-out' });
    const auth = await causeway.auth();
    const given = new AbortController();
    const signedIn = auth.signIn(await auth.profile('user'), { signal: given.signal }).catch(() => undefined);
    await becomes('sql-user', { name: 'waiting-for-browser' });
    given.abort();
    await signedIn;
    await becomes('sql-user', { name: 'signed-out' });
    expect(browser.opened).toHaveLength(1);
  });

  it('are added and removed with the list, and those that stay are not probed again', async () => {
    await keep(sql('ana'));
    await becomes('sql-ana', { name: 'ready' });
    const before = asked();
    warm.update([sql('ana'), sql('ben')]);
    await becomes('sql-ben', { name: 'ready' });
    expect(asked()).toBe(2 * before);
    warm.update([sql('ben')]);
    expect(warm.states().map(({ name }) => name)).toEqual(['sql-ben']);
    expect(asked()).toBe(2 * before);
  });
});

it('a request that waits for a server ends when the server is removed from the list', async () => {
  workspace.faults.add({ path: SQL, effect: { kind: 'delay', milliseconds: 60_000 }, times: 'always' });
  await keep(sql('ana'));
  const checked = warm.recheck('sql-ana');
  await expect.poll(() => asked()).toBe(1);
  warm.update([]);
  expect(await checked).toMatchObject([{ name: 'sql-ana', health: { name: 'connecting' } }]);
});

describe('a server that was ready', () => {
  beforeEach(async () => {
    await keep(sql('ana'));
    await becomes('sql-ana', { name: 'ready' });
  });

  it('is probed every five minutes, and a session that has expired meanwhile is replaced without an error', async () => {
    workspace.faults.expireSessions(404);
    heard = [];
    const before = asked();
    clock.pass(4 * MINUTE);
    expect(asked()).toBe(before);
    clock.pass(MINUTE);
    await becomes('sql-ana', { name: 'ready', checkedAt: clock.now() });
    expect(heard.flat().map(({ health }) => health.name)).toEqual(['ready']);
  });

  it('recovers when the workspace does, on the same port', async () => {
    const port = Number(new URL(workspace.host).port);
    await workspace.close();
    await warm.recheck();
    expect(healthOf('sql-ana')).toMatchObject({
      name: 'unreachable',
      problem: { code: 'unreachable' },
      until: clock.now() + 5_000,
    });
    workspace = await startWorkspace({ port });
    await writeFile(home.configFile, config());
    clock.pass(5_000);
    await becomes('sql-ana', { name: 'ready' });
  });

  it.each([
    [{ kind: 'refuse-token' } as const, 'signed-out', 'unauthenticated'],
    [{ kind: 'block-ip' } as const, 'blocked-by-ip-list', 'ip_blocked'],
    [{ kind: 'missing-scope', scope: 'sql' } as const, 'forbidden', 'missing_scope'],
    [{ kind: 'redirect', location: 'https://portal.example/login' } as const, 'login-page', 'login_page'],
    [{ kind: 'html' } as const, 'failing', 'unavailable'],
  ])('that meets %j is %s, and ready again afterwards', async (effect, name, code) => {
    const fault = workspace.faults.add({ path: SQL, effect, times: 'always' });
    await warm.recheck('sql-ana');
    expect(healthOf('sql-ana')).toMatchObject({ name, problem: { code, remedy: expect.any(String) } });
    expect(browser.opened).toEqual([]);
    const before = asked();
    clock.pass(1_000);
    expect(asked()).toBe(before);
    workspace.faults.remove(fault.id);
    clock.pass(10 * MINUTE);
    await becomes('sql-ana', { name: 'ready' });
  });

  it('is left alone for as long as it asks if it sends Retry-After', async () => {
    workspace.faults.add({ path: SQL, effect: { kind: 'rate-limit', retryAfter: '600' }, times: 'always' });
    await warm.recheck();
    expect(healthOf('sql-ana')).toMatchObject({ name: 'failing', problem: { code: 'rate_limited' } });
    workspace.faults.clear();
    const before = asked();
    clock.pass(9 * MINUTE);
    expect(asked()).toBe(before);
    clock.pass(3 * MINUTE);
    await becomes('sql-ana', { name: 'ready' });
  });
});

it('a sign-in is refreshed without the user while possible, and no page opens when it has expired', async () => {
  await keep(sql('user'));
  const auth = await causeway.auth();
  await auth.signIn(await auth.profile('user'));
  await becomes('sql-user', { name: 'ready' });
  workspace.faults.expireAccessTokens();
  await warm.recheck();
  expect(healthOf('sql-user')).toMatchObject({ name: 'ready' });
  expect(workspace.requests.count({ grantType: 'refresh_token' })).toBe(1);
  workspace.faults.expireAccessTokens();
  workspace.faults.revokeRefreshTokens();
  await warm.recheck();
  expect(healthOf('sql-user')).toMatchObject({ name: 'signed-out', problem: { code: 'signed_out' } });
  clock.pass(30 * MINUTE);
  await becomes('sql-user', { name: 'signed-out' });
  expect(browser.opened).toHaveLength(1);
});

describe('sleep and networks', () => {
  beforeEach(async () => {
    await keep(sql('ana'));
    await becomes('sql-ana', { name: 'ready' });
  });

  it('nothing is probed while the computer sleeps, and everything soon after it wakes', async () => {
    const before = asked();
    warm.suspend();
    clock.pass(60 * MINUTE);
    expect(asked()).toBe(before);
    warm.resume();
    clock.pass(3_000);
    await becomes('sql-ana', { name: 'ready', checkedAt: clock.now() });
  });

  it('a network change ends every pause', async () => {
    const fault = workspace.faults.add({ path: SQL, effect: { kind: 'block-ip' }, times: 'always' });
    await warm.recheck();
    expect(healthOf('sql-ana')).toMatchObject({ name: 'blocked-by-ip-list' });
    workspace.faults.remove(fault.id);
    warm.networkChanged();
    clock.pass(3_000);
    await becomes('sql-ana', { name: 'ready' });
  });
});

it('many servers are probed a few at a time', async () => {
  workspace.faults.add({ path: SQL, effect: { kind: 'delay', milliseconds: 30 }, times: 'always' });
  let most = 0;
  const count = () => {
    const open = workspace.requests.list({ path: SQL }).filter(({ status }) => status === undefined).length;
    most = Math.max(most, open);
  };
  const timer = setInterval(count, 2);
  await keep(...Array.from({ length: 20 }, (_, number) => ({ ...sql('ana'), name: `sql-${number}` })));
  await expect.poll(() => warm.states().every(({ health }) => health.name === 'ready'), { timeout: 20_000 }).toBe(true);
  clearInterval(timer);
  // Besides its question, a session may be listening.
  expect(most).toBeLessThanOrEqual(6);
});

describe('the tools of a server', () => {
  it("are listed with the server's own descriptions", async () => {
    await keep(sql('ana'));
    const tools = await warm.tools('sql-ana');
    expect(tools.map(({ name }) => name)).toContain('execute_sql');
    expect(tools[0]).toMatchObject({ description: expect.any(String), inputSchema: { type: 'object' } });
    await expect(warm.tools('nobody')).rejects.toMatchObject({ code: 'not_found' });
  });

  it('are called through the existing session, and their results are returned unchanged', async () => {
    await keep(sql('ana'));
    await becomes('sql-ana', { name: 'ready' });
    const result = await warm.callTool('sql-ana', 'execute_sql', { query: 'SELECT 1 AS one' });
    expect(result).toMatchObject({ isError: false, structuredContent: { statement_id: expect.any(String) } });
    const wrong = await warm.callTool('sql-ana', 'no_such_tool', {}).catch((error: unknown) => error);
    expect(wrong).toMatchObject({ name: 'CausewayError', message: expect.stringContaining('no_such_tool') });
    expect(workspace.state.mcpCalls.filter(({ method }) => method === 'initialize')).toHaveLength(1);
  });

  it('say why they are not available', async () => {
    await keep(sql('user'));
    await expect(warm.tools('sql-user')).rejects.toMatchObject({ code: 'signed_out' });
    await expect(warm.callTool('sql-user', 'execute_sql', {})).rejects.toMatchObject({ code: 'signed_out' });
    expect(browser.opened).toEqual([]);
  });
});
