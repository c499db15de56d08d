import { beforeEach, expect, it, onTestFinished } from 'vitest';
import { z } from 'zod';
import { type Caller, callerAs } from './caller.ts';
import { type EmbeddedWorkspace, startWorkspace } from './workspace.ts';

const HISTORY = '/api/2.0/sql/history/queries';
const SHARED = '8baced1ff014912d';

let workspace: EmbeddedWorkspace;
let ana: Caller;
let ben: Caller;
let chloe: Caller;
beforeEach(async () => {
  workspace = await startWorkspace({
    mcp: { sessions: 'none', answers: 'json' },
    state: { workspaceDefaultWarehouseId: SHARED },
  });
  onTestFinished(() => workspace.close());
  [ana, ben, chloe] = [callerAs(workspace, 'ana'), callerAs(workspace, 'ben'), callerAs(workspace, 'chloe')];
});

const Body = z.object({ res: z.array(z.record(z.string(), z.unknown())).default([]), has_next_page: z.boolean() });

async function run(as: Caller, query: string): Promise<string> {
  const params = { name: 'execute_sql', arguments: { query } };
  await as('POST', '/api/2.0/mcp/sql', { jsonrpc: '2.0', id: 1, method: 'tools/call', params });
  await expect.poll(() => workspace.statements.at(-1)?.endedMs).toBeDefined();
  return workspace.statements.at(-1)?.statementId ?? '';
}

async function history(as: Caller, query: Record<string, string> = {}) {
  const answer = await as('GET', `${HISTORY}?${new URLSearchParams(query)}`);
  return { ...answer, ...Body.parse(answer.body) };
}

it('says which warehouse a statement ran on, whose it was, and through what, under the id that the tool gave', async () => {
  const id = await run(ben, 'SELECT 1');
  const { res, text } = await history(ben, { 'filter_by.statement_ids': id, include_metrics: 'true' });
  expect(res).toMatchObject([
    {
      query_id: id,
      session_id: id,
      status: 'FINISHED',
      is_final: true,
      warehouse_id: SHARED,
      user_name: 'ben@example.com',
      query_text: 'SELECT 1',
      statement_type: 'SELECT',
      client_application: 'Databricks SQL MCP',
      rows_produced: 1,
      metrics: { result_from_cache: false },
    },
  ]);
  expect(text).toContain('"user_id":9007199254740993002,');
});

it('is newest first, in pages, and has no `res` where nothing fits', async () => {
  const ids = [await run(ben, 'SELECT 1'), await run(ben, 'SELECT 2'), await run(ben, 'SELECT nonsense')];
  const first = await history(ben, { max_results: '2' });
  expect(first.res.map(({ query_id }) => query_id)).toEqual([ids[2], ids[1]]);
  expect(first.res[0]).toMatchObject({ status: 'FAILED', error_message: expect.stringMatching(/nonsense/) });
  const rest = await history(ben, { max_results: '2', page_token: String(first.body.next_page_token) });
  expect([rest.res.map(({ query_id }) => query_id), rest.has_next_page]).toEqual([[ids[0]], false]);
  expect((await history(ben, { 'filter_by.statuses': 'QUEUED' })).body).not.toHaveProperty('res');
});

it('filters by warehouse, user, status and time, each of which may come several times', async () => {
  await run(ben, 'SELECT 1');
  await run(ana, 'SELECT 2');
  const texts = async (query: string) => {
    const { body } = await ana('GET', `${HISTORY}?${query}`);
    return Body.parse(body).res.map(({ query_text }) => query_text);
  };
  expect(await texts('filter_by.user_ids=9007199254740993002')).toEqual(['SELECT 1']);
  expect(await texts(`filter_by.warehouse_ids=ffff&filter_by.warehouse_ids=${SHARED}`)).toHaveLength(2);
  expect(await texts('filter_by.statuses=RUNNING')).toEqual([]);
  const [first] = workspace.statements;
  expect(await texts(`filter_by.query_start_time_range.end_time_ms=${(first?.submittedMs ?? 0) - 1}`)).toEqual([]);
});

it('shows others’ statements to admins and to the owner of the warehouse, and not for CAN USE', async () => {
  await run(ben, 'SELECT 1');
  expect((await history(chloe)).res).toEqual([]);
  expect((await history(ana)).res).toHaveLength(1);
  for (const warehouse of workspace.state.warehouses) warehouse.creatorName = 'chloe@example.com';
  expect((await history(chloe)).res).toHaveLength(1);
});

it.each([
  'filter_by.statuses=DONE',
  'max_results=many',
  'filter_by.query_start_time_range.start_time_ms=1&filter_by.query_start_time_range.end_time_ms=9999999999',
])('refuses %s', async (query) => {
  await run(ben, 'SELECT 1');
  expect((await ben('GET', `${HISTORY}?${query}`)).status).toBe(400);
});
