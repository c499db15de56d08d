import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type Causeway, createCauseway } from '../../../main/app/causeway.ts';
import type { Hub } from '../../../main/hub/server.ts';
import type { HubCall } from '../../../main/hub/session-record.ts';
import { installBrowser, runCauseway } from '../auth/causeway-process.ts';
import { noKeychain, sessionVariables } from '../auth/secret-service.ts';
import { setStage } from '../auth/stage.ts';
import { ProxyProcess } from './proxy-process.ts';

const PATH = '/api/2.0/mcp/sql';
const ANA = 'ana@example.com';
const BEN = 'ben@example.com';
const WITH_LOGOUT = 'with a logout between them';
// A token that the workspace no longer takes would hide who still sends it.
/** Sessions, so that one of the first user could go on as the second. */
const stage = setStage(() => '', { accessTokensOutliveRevocation: true, mcp: { sessions: 'demanded' } });
let clients: ProxyProcess[];
let calls: HubCall[];
let causeway: Causeway | undefined;
let hub: Hub | undefined;

/** The requests to the server, as it has logged them. */
const requests = () => stage.workspace.requests.list({ path: PATH });
const users = () => [...new Set(requests().map(({ userName }) => userName))];
const sessions = () => [...new Set(requests().map(({ headers }) => headers['mcp-session-id']))].filter(Boolean);
const ran = () => stage.workspace.statements.length;

async function signIn(as: string) {
  stage.workspace.approve({ as });
  return runCauseway(stage.home, ['login', '--profile', 'user']);
}

function startClient(): ProxyProcess {
  const client = new ProxyProcess(['--profile', 'user', '--path', PATH], stage.home.env);
  clients.push(client);
  return client;
}

async function serve(how: string): Promise<void> {
  if (how === 'alone') return;
  causeway = createCauseway({ env: stage.home.env });
  hub = await causeway.serveProxies({ onCall: (call) => calls.push(call) });
}

const query = (client: ProxyProcess, id: number) =>
  client.request(id, 'tools/call', { name: 'execute_sql', arguments: { query: 'SELECT 1' } });

const toldOf = (end: string) => ({
  message: expect.stringMatching(
    new RegExp(
      `^You are now signed in to \\S+ as ${BEN} \\(profile user\\)\\. This session was started as ${ANA}\\. ${end}`,
    ),
  ),
  data: { source: 'causeway', reason: 'user_changed' },
});

beforeEach(async () => {
  [clients, calls, hub, causeway] = [[], [], undefined, undefined];
  await installBrowser(stage.home);
});
afterEach(async () => {
  for (const client of clients) await client.close();
  await hub?.close();
  await causeway?.close();
});

const STORES = ['encrypted-file', ...(noKeychain === undefined ? ['keychain'] : [])];

describe.each(['alone', 'through the application'])('two users in turn, %s', (how) => {
  const cases = STORES.flatMap((store) =>
    ['without a logout between them', WITH_LOGOUT].map((between) => [between, store]),
  );
  it.each(cases)(
    '%s (%s): nothing is sent as the first one again, and clients are told before they continue as the second',
    async (between, store) => {
      Object.assign(stage.home.env, sessionVariables, { CAUSEWAY_TOKEN_STORE: store });
      await serve(how);
      expect((await signIn(ANA)).code).toBe(0);
      for (const client of [startClient(), startClient(), startClient()]) {
        await client.open();
        expect((await query(client, 1)).result).toBeDefined();
      }
      const sessionsOfAna = sessions();
      expect([users(), sessionsOfAna.length]).toEqual([[ANA], 3]);

      stage.workspace.requests.clear();
      if (between === WITH_LOGOUT) {
        const logout = await runCauseway(stage.home, ['logout', '--profile', 'user']);
        expect(logout.stdout).toContain('revoked its tokens');
        for (const client of clients) expect((await query(client, 2)).error).toBeDefined();
        expect(requests().filter(({ method }) => method === 'POST')).toEqual([]);
      }
      const login = await signIn(BEN);
      expect(login).toMatchObject({ code: 0, stdout: expect.stringContaining(`as ${BEN}`) });
      if (between !== WITH_LOGOUT) {
        expect(login.stderr).toContain(
          `Profile user was signed in as ${ANA} before. That sign-in has ended, and the workspace revoked its tokens.`,
        );
      }
      for (const client of clients) {
        expect((await query(client, 3)).error).toMatchObject(toldOf('Nothing was sent\\.'));
        expect((await query(client, 4)).result).toBeDefined();
      }
      expect(users()).toEqual([BEN]);
      expect(ran()).toBe(6);
      expect(sessions()).toHaveLength(3);
      for (const id of sessions()) expect(sessionsOfAna).not.toContain(id);
      if (store === 'keychain') await runCauseway(stage.home, ['logout', '--profile', 'user']);
      if (!hub) return;
      const told = calls
        .filter(({ method }) => method === 'tools/call')
        .map(({ user, outcome }) => `${user} ${outcome}`);
      expect(new Set(told)).toEqual(new Set([`${ANA} answered`, 'null error', `${BEN} answered`]));
    },
  );

  it('a call that is under way is answered with words, is not sent again, and its server session is not used again', async () => {
    await serve(how);
    await signIn(ANA);
    const client = startClient();
    await client.open();
    expect((await query(client, 1)).result).toBeDefined();
    const [sessionOfAna] = sessions();
    stage.workspace.faults.add({ path: PATH, effect: { kind: 'stall', milliseconds: 30_000, afterBytes: 0 } });
    const call = query(client, 2);
    await expect.poll(ran).toBe(2);
    stage.workspace.requests.clear();
    await signIn(BEN);
    expect((await call).error).toMatchObject(toldOf('.* without the response to tools/call\\. It may have run\\.'));
    // The client has been told.
    expect((await query(client, 3)).result).toBeDefined();
    expect([ran(), users()]).toEqual([3, [BEN]]);
    expect(sessions()).not.toContain(sessionOfAna);
  });

  it('the title of the server says as whom a session acts, and a client that begins anew need not be told', async () => {
    await serve(how);
    await signIn(ANA);
    const client = startClient();
    // Once it is connected, the server itself answers.
    const title = async (id: string) => {
      await client.request(`list-${id}`, 'tools/list');
      const params = { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: 'tests', version: '1' } };
      return Object((await client.request(id, 'initialize', params)).result).serverInfo.title;
    };
    await client.open();
    expect(await title('as-ana')).toContain(` (${ANA})`);
    await signIn(BEN);
    expect(await title('as-ben')).toContain(` (${BEN})`);
    client.send({ jsonrpc: '2.0', method: 'notifications/initialized' });
    expect((await query(client, 2)).result).toBeDefined();
  });

  it('the second one is shown no tools that were remembered of the first one', async () => {
    await serve(how);
    await signIn(ANA);
    const tools = async (client: ProxyProcess) => {
      await client.open();
      return JSON.stringify((await client.request('tools', 'tools/list')).result);
    };
    expect(await tools(startClient())).toContain('execute_sql');
    await signIn(BEN);
    stage.workspace.faults.add({ path: PATH, effect: { kind: 'unavailable', retryAfter: '60' }, times: 'always' });
    expect(await tools(startClient())).not.toContain('execute_sql');
    stage.workspace.faults.clear();
  });
});

describe('a session that continues over another transport', () => {
  it('tells its client that another user has signed in meanwhile', async () => {
    await serve('through the application');
    await signIn(ANA);
    const client = startClient();
    await client.open();
    expect((await query(client, 1)).result).toBeDefined();
    await hub?.close();
    hub = undefined;
    await signIn(BEN);
    stage.workspace.requests.clear();
    expect((await query(client, 2)).error).toMatchObject(toldOf('Nothing was sent\\.'));
    expect((await query(client, 3)).result).toBeDefined();
    expect(users()).toEqual([BEN]);
  });
});
