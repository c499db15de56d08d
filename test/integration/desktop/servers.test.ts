import { readFile, writeFile } from 'node:fs/promises';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { type Causeway, createCauseway } from '../../../main/app/causeway.ts';
import { proposeServer } from '../../../main/app/servers/change-list.ts';
import { openServers, withoutServer, withServer } from '../../../main/clients/servers.ts';
import { problemFor } from '../../../main/desktop/failure.ts';
import { DesktopModel } from '../../../main/desktop/model.ts';
import { DesktopServers } from '../../../main/desktop/servers/servers.ts';
import { PermissionsFile } from '../../../main/permissions/permissions-file.ts';
import { inOneLine } from '../../../main/words/failure.ts';
import { type EmbeddedWorkspace, startWorkspace } from '../../workspace/workspace.ts';
import { type OwnHome, ownHome } from '../auth/own-home.ts';

const FUNCTIONS = {
  name: 'functions',
  profile: 'ana',
  kind: 'functions',
  path: '/api/2.0/mcp/functions/main/default',
} as const;

const Statement = z.object({ statement_id: z.string() });

let workspace: EmbeddedWorkspace;
let home: OwnHome;
let causeway: Causeway;
let model: DesktopModel;
let servers: DesktopServers;

beforeEach(async () => {
  workspace = await startWorkspace();
  home = await ownHome(await readFile(workspace.profileFile, 'utf8'));
  causeway = createCauseway({ env: home.env });
  model = new DesktopModel(causeway);
  servers = new DesktopServers({ causeway, env: home.env, model, keep: true, onUsage: () => {} });
  await servers.start();
});
afterEach(async () => {
  await servers.close();
  await model.close();
  await causeway.close();
  await workspace.close();
  await home.remove();
});

const labels = () => model.state.servers.map(({ name, state }) => `${name}: ${state.label}`);

describe('the servers of the desktop', () => {
  it('show the titles of Genie spaces, even of those that were added by their ids', async () => {
    const [space] = workspace.state.genieSpaces;
    const path = `/api/2.0/mcp/genie/${space?.spaceId}`;
    const list = await openServers(home.env);
    await list.change((now) => withServer(now, { name: 'genie-7191', profile: 'ana', kind: 'genie', path }));
    const titles = () => model.state.servers.map(({ name, title }) => `${name}: ${title}`);
    await expect.poll(titles).toEqual(['genie-7191: New York taxi trips']);
    const propose = (id = '') => proposeServer(causeway, { profile: 'ana', word: 'genie', target: id });
    const proposed = await propose(space?.spaceId);
    expect(proposed).toEqual({ path, name: 'new-york', title: 'New York taxi trips', same: 'genie-7191' });
    const { same: _same, ...server } = proposed;
    await servers.add({ profile: 'ana', ...server });
    await expect.poll(titles).toEqual(['genie-7191: New York taxi trips', 'new-york: New York taxi trips']);
    expect((await propose('0'.repeat(32))).name).toBe('genie-0000');
  });

  it('count what the user tries, and mark a failed statement as a failure', async () => {
    const list = await openServers(home.env);
    await list.change((now) => withServer(now, { name: 'sql', profile: 'ana', kind: 'sql', path: '/api/2.0/mcp/sql' }));
    await expect.poll(labels).toEqual(['sql: Running, 3 tools']);
    const call = (query: string) => servers.call('sql', 'execute_sql', { query }, {});
    await call('SELECT 1');
    expect(servers.usage()).toMatchObject([{ name: 'sql', calls: 1, hasFailedLast: false }]);
    const { statement_id } = Statement.parse((await call('SELECT * FROM main.default.nowhere')).structured);
    const poll = () => servers.call('sql', 'poll_sql_result', { statement_id }, {});
    await expect.poll(async () => (await poll()).failure?.state, { timeout: 10_000 }).toBe('FAILED');
    expect((await poll()).isError).toBe(false);
    expect(servers.usage()).toMatchObject([
      { hasFailedLast: true, lastFailure: { tool: 'poll_sql_result', client: null } },
    ]);
  });

  it('move to their replacements, with their names', async () => {
    const list = await openServers(home.env);
    await list.change((now) => withServer(now, { name: 'sql', profile: 'ana', kind: 'sql', path: '/api/2.0/mcp/sql' }));
    await expect.poll(() => model.state.servers.map(({ successor }) => successor)).toEqual(['Databricks SQL']);
    expect(await servers.move('sql', new PermissionsFile(home.env))).toMatchObject({
      tools: 3,
      hasPermissions: false,
      failed: [],
    });
    expect(list.read().servers).toMatchObject([{ name: 'sql', path: '/ai-gateway/mcp-services/system.ai.dbsql' }]);
    await expect.poll(() => model.state.servers.map(({ successor }) => successor)).toEqual([null]);
    await expect(servers.move('sql', new PermissionsFile(home.env))).rejects.toMatchObject({ code: 'not_found' });
  });

  it('are those in the list, each with its state; changes by another process are noticed', async () => {
    const list = await openServers(home.env);
    await list.change((now) => withServer(now, FUNCTIONS));
    await expect.poll(labels).toEqual(['functions: Running, 3 tools']);
    await servers.add({ ...FUNCTIONS, name: 'again' });
    await expect.poll(labels).toEqual(['functions: Running, 3 tools', 'again: Running, 3 tools']);
    await list.change((now) => withoutServer(now, 'functions'));
    await expect.poll(labels).toEqual(['again: Running, 3 tools']);
    await servers.remove('again');
    expect(labels()).toEqual([]);
  });

  it('stay as they are while the user edits the file by hand', async () => {
    await servers.add(FUNCTIONS);
    const { path } = await openServers(home.env);
    const whole = await readFile(path, 'utf8');
    await writeFile(path, whole.slice(0, 20));
    await expect.poll(() => model.state.serversProblem).toMatchObject({ code: 'invalid_file' });
    expect(model.state.servers.map(({ name }) => name)).toEqual(['functions']);
    // What is written next is seen: half of it in between has broken nothing.
    await writeFile(path, whole.replace(/"name":\s*"functions"/, '"name": "renamed"'));
    await expect.poll(() => model.state.servers.map(({ name }) => name)).toEqual(['renamed']);
    expect(model.state.serversProblem).toBeNull();
  });

  it('return their tools and answers, and end a call that is canceled', async () => {
    await servers.add(FUNCTIONS);
    const { tools } = await servers.tools('functions');
    expect(tools.map(({ name, effect }) => [name, effect])).toContainEqual(['main__default__initials', 'reads']);
    const answer = await servers.call('functions', 'main__default__initials', { full_name: 'Ada Lovelace' }, {});
    expect(answer).toMatchObject({ isError: false, structured: { rows: [['AL']] } });
    const wrong = servers.call('functions', 'main__default__nothing', {}, {});
    await expect(wrong).rejects.toMatchObject({ message: expect.stringContaining('not found') });
    workspace.faults.add({ path: FUNCTIONS.path, effect: { kind: 'stall', milliseconds: 60_000 }, times: 1 });
    const work = new AbortController();
    const call = servers.call('functions', 'main__default__initials', { full_name: 'x' }, { signal: work.signal });
    work.abort();
    await expect(call).rejects.toMatchObject({ code: 'cancelled' });
  });

  it('ask for a sign-in if one is needed, and say if a name or a path cannot work', async () => {
    await servers.add({ ...FUNCTIONS, profile: 'oauth' });
    await expect.poll(labels).toEqual(['functions: Signed out']);
    expect(model.state.servers[0]?.state).toMatchObject({ action: 'sign-in' });
    await expect(servers.add(FUNCTIONS)).rejects.toMatchObject({ code: 'already_exists' });
    await expect(servers.add({ ...FUNCTIONS, name: 'x', path: '/etc' })).rejects.toMatchObject({ code: 'usage' });
    const propose = (typed: object) => proposeServer(causeway, { profile: 'ana', ...typed });
    await expect(propose({ word: 'functions', target: 'main' })).rejects.toMatchObject({ code: 'usage' });
    await expect(propose({ path: 'https://example.com/api/2.0/mcp/sql' })).rejects.toMatchObject({
      message: expect.stringContaining('does not belong to'),
    });
  });

  it('lead to the accounts as soon as their profile has credentials instead of a sign-in', async () => {
    await servers.add({ ...FUNCTIONS, profile: 'oauth' });
    const action = () => model.state.servers[0]?.state.action;
    await expect.poll(action).toBe('sign-in');
    const [, host] = /\[oauth\][^[]*?(host *=.*)/.exec(await home.readConfig()) ?? [];
    await writeFile(home.configFile, `[oauth]\n${host}\nclient_id = nobody\nclient_secret = wrong\n`);
    await servers.check('functions');
    await expect.poll(action).toBe('accounts');
  });

  it('report a token that no longer covers them as soon as a call is refused', async () => {
    await servers.add(FUNCTIONS);
    await expect.poll(labels).toEqual(['functions: Running, 3 tools']);
    const body = '{"error_code":"PERMISSION_DENIED","message":"Token does not have required scopes: unity-catalog"}';
    workspace.faults.add({ path: FUNCTIONS.path, effect: { kind: 'answer', status: 403, body }, times: 'always' });
    const call = servers.call('functions', 'main__default__initials', { full_name: 'Ada Lovelace' }, {});
    const error = await call.catch((refusal: unknown) => refusal);
    // Its profile uses a personal access token: there is nothing to sign in to.
    const remedy = expect.stringContaining('Create a personal access token with the scope');
    expect(problemFor(error)).toMatchObject({ code: 'missing_scope', remedy });
    expect(inOneLine(error)).toContain('Create a personal access token with the scope');
    await expect.poll(labels).toEqual(['functions: No access']);
    expect(model.state.servers[0]?.state).toMatchObject({ action: 'accounts', remedy });
  });

  it('are not probed while the computer sleeps, and are probed again when it wakes', async () => {
    await servers.add(FUNCTIONS);
    await expect.poll(labels).toEqual(['functions: Running, 3 tools']);
    await servers.suspend();
    workspace.faults.add({ path: FUNCTIONS.path, effect: { kind: 'answer', status: 500, body: '' }, times: 'always' });
    workspace.requests.clear();
    await servers.resume();
    await expect.poll(labels, { timeout: 10_000 }).toEqual(['functions: Not working']);
    expect(workspace.requests.count({ path: FUNCTIONS.path })).toBeGreaterThan(0);
  });
});
