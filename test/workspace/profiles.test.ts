import { describe, expect, it, onTestFinished } from 'vitest';
import { BEHAVIORS, type BehaviorName, behaviorsOf, PROFILE_NAMES, profileNamed } from './behaviors.ts';
import { type Caller, callerAs, userNamed } from './caller.ts';
import { type EmbeddedWorkspace, startWorkspace } from './workspace.ts';

const OVERRIDES = '/api/warehouses/v1/default-warehouse-overrides';
const MINE = `${OVERRIDES}/me`;
const WAREHOUSES = '/api/2.0/sql/warehouses';
const SHARED = '8baced1ff014912d';
const FINANCE = 'c7e5190b3d48f62a';
const SQL = '/api/2.0/mcp/sql';
const OPEN = {
  jsonrpc: '2.0',
  id: 1,
  method: 'initialize',
  params: { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: 'test', version: '1' } },
};
const LIST = { jsonrpc: '2.0', id: 7, method: 'tools/list' };
/** Answered at once. */
const LIST_NOTHING = { jsonrpc: '2.0', id: 9, method: 'ping' };
const QUERY = {
  jsonrpc: '2.0',
  id: 8,
  method: 'tools/call',
  params: { name: 'execute_sql', arguments: { query: 'SELECT 1' } },
};

async function start(...behaviors: BehaviorName[]): Promise<EmbeddedWorkspace & { ana: Caller; ben: Caller }> {
  const workspace = await startWorkspace({ profile: 'lenient' });
  onTestFinished(() => workspace.close());
  for (const name of behaviors) workspace.behaviors.add(name);
  return Object.assign(workspace, { ana: callerAs(workspace, 'ana'), ben: callerAs(workspace, 'ben') });
}

function send(workspace: EmbeddedWorkspace, path: string, headers: Record<string, string>, body?: unknown) {
  const authorization = `Bearer ${userNamed(workspace, 'ben').token}`;
  const common = { accept: 'application/json, text/event-stream', authorization, ...headers };
  if (body === undefined) return fetch(workspace.host + path, { headers: common });
  return fetch(workspace.host + path, { method: 'POST', headers: common, body: JSON.stringify(body) });
}

const AS_JSON = { 'content-type': 'application/json' };

describe('profiles', () => {
  it('are sets of behaviors, and each behavior is in one of them', () => {
    const inUse = new Set(PROFILE_NAMES.flatMap((name) => [...behaviorsOf(profileNamed(name))]));
    expect([...inUse].sort()).toEqual(Object.keys(BEHAVIORS).sort());
  });

  it('that do not exist are refused with the names of those that do', () => {
    expect(() => profileNamed('tidy')).toThrow(/"tidy".*strict, lenient, hidden, stateless, sloppy, slow, mixed/);
  });
});

describe('demands', () => {
  it('a body needs its content type, and Accept has to allow JSON', async () => {
    const workspace = await start('demandsJson');
    const create = `${OVERRIDES}?default_warehouse_override_id=me`;
    expect((await send(workspace, create, { 'content-type': 'text/plain' }, { type: 'LAST_SELECTED' })).status).toBe(
      415,
    );
    expect((await send(workspace, WAREHOUSES, { accept: 'text/html' })).status).toBe(406);
    expect((await send(workspace, create, AS_JSON, { type: 'LAST_SELECTED' })).status).toBe(200);
  });

  it('parameters and fields that are not known are refused', async () => {
    const { ben } = await start('refusesUnknownParameters', 'refusesUnknownFields');
    expect((await ben('GET', `${MINE}?verbose=1`)).status).toBe(400);
    expect((await ben('GET', `${WAREHOUSES}?page_size=2&page_size=3`)).status).toBe(400);
    const update = `${MINE}?update_mask=*&allow_missing=true`;
    expect((await ben('PATCH', update, { type: 'LAST_SELECTED', warehouse: SHARED })).status).toBe(400);
    expect((await ben('PATCH', update, { type: 'LAST_SELECTED' })).status).toBe(200);
  });

  it('requests of a session name the revision that was negotiated', async () => {
    const workspace = await start('demandsProtocolVersion');
    const session = (await send(workspace, SQL, AS_JSON, OPEN)).headers.get('mcp-session-id') ?? '';
    const headers = { ...AS_JSON, 'mcp-session-id': session };
    const versions = [{}, { 'mcp-protocol-version': '2025-03-26' }, { 'mcp-protocol-version': '2025-06-18' }];
    const statuses = [];
    for (const more of versions) statuses.push((await send(workspace, SQL, { ...headers, ...more }, LIST)).status);
    expect(statuses).toEqual([400, 400, 200]);
  });

  it('there is no stream to listen to: 405', async () => {
    const answer = await send(await start('refusesListening'), SQL, {});
    expect([answer.status, answer.headers.get('allow')]).toEqual([405, 'POST']);
  });
});

describe('warehouses that are hidden', () => {
  it('are in no list, and refused by their id', async () => {
    const { ana, ben } = await start('hidesWarehouses');
    expect((await ben('GET', WAREHOUSES)).text).not.toContain(FINANCE);
    expect((await ben('GET', `${WAREHOUSES}/${FINANCE}`)).status).toBe(403);
    expect((await ana('GET', WAREHOUSES)).text).toContain(FINANCE);
  });

  it('can be as if there were none', async () => {
    const { ben } = await start('hidesWarehouses', 'hiddenIsMissing');
    expect((await ben('GET', `${WAREHOUSES}/${FINANCE}`)).status).toBe(404);
  });
});

describe('what the specification leaves open about overrides', () => {
  it('create replaces, delete needs nothing to delete, any target is taken, changes are answered with nothing', async () => {
    const { ben } = await start('acceptsAnyTarget', 'createReplaces', 'deletesNothing', 'answersChangesWithNothing');
    const create = `${OVERRIDES}?default_warehouse_override_id=me`;
    expect((await ben('DELETE', MINE)).status).toBe(200);
    expect((await ben('POST', create, { type: 'LAST_SELECTED' })).body).toEqual({});
    expect((await ben('POST', create, { type: 'CUSTOM', warehouse_id: 'feed' })).body).toEqual({});
    expect((await ben('GET', MINE)).body).toMatchObject({ type: 'CUSTOM', warehouse_id: 'feed' });
  });

  it('refusals come in other words and forms, with the same status', async () => {
    const { ben } = await start('otherErrors');
    const forms = [];
    for (const path of [OVERRIDES, MINE, `${WAREHOUSES}?page_size=none`]) {
      const { status, headers, text } = await ben('GET', path);
      forms.push([status, headers.get('content-type'), /overrides|admin|page size/.test(text)]);
    }
    expect(forms).toEqual([
      [403, 'application/json', false],
      [404, 'text/html', false],
      [400, 'text/plain', false],
    ]);
    expect((await ben('GET', '/api/2.0/nothing')).body.error_code).toBe('ENDPOINT_NOT_FOUND');
  });
});

describe('answers of the REST API', () => {
  it('leave out what is zero, what is optional, and name what no document does', async () => {
    const { ben } = await start('omitsZeroValues', 'omitsOptionalFields', 'unknownMembers');
    const { body } = await ben('GET', `${WAREHOUSES}/${SHARED}`);
    expect(body).toMatchObject({ id: SHARED, channel: { name: 'CHANNEL_NAME_NEXT' }, compute_kind: 'LAKEHOUSE_RT' });
    expect(Object.keys(body)).not.toContain('odbc_params');
    expect(Object.keys((await ben('GET', `${WAREHOUSES}/${FINANCE}`)).body)).not.toContain('enable_serverless_compute');
    expect((await callerAs(await start('omitsZeroValues'), 'ana')('GET', OVERRIDES)).body).toEqual({});
  });

  it('have small pages', async () => {
    const { ben } = await start('smallPages');
    const { body } = await ben('GET', `${WAREHOUSES}?page_size=100`);
    expect(body.warehouses).toHaveLength(2);
    expect(body.next_page_token).toBeTypeOf('string');
  });
});

describe('answers of the MCP servers', () => {
  it('come in untidy event streams, with ids as text', async () => {
    const workspace = await start('untidyStreams', 'textIds');
    workspace.mcp.settings.sessions = 'none';
    const text = await (await send(workspace, SQL, AS_JSON, QUERY)).text();
    expect(text).toMatch(/^: ready\r\n\r\n(.*\r\n)*data: .*"id":"8".*\r\n$/);
    expect(text).not.toMatch(/\r\n\r\n$/);
    expect(await (await send(workspace, SQL, AS_JSON, LIST)).json()).toMatchObject({ id: '7' });
  });

  it('are late the first time', async () => {
    const workspace = await start('slowFirstAnswers', 'slowToolLists');
    workspace.mcp.settings.sessions = 'none';
    const order: string[] = [];
    const ask = async (name: string, body: unknown) => {
      await (await send(workspace, SQL, AS_JSON, body)).text();
      order.push(name);
    };
    const first = ask('first', { ...LIST, method: 'ping' });
    await ask('second', LIST_NOTHING);
    await first;
    const list = ask('list of tools', LIST);
    await ask('third', LIST_NOTHING);
    await list;
    expect(order).toEqual(['second', 'first', 'third', 'list of tools']);
  });
});
