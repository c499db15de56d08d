import { afterEach, describe, expect, it } from 'vitest';
import type { StateOptions } from '../state.ts';
import type { ManagedServerSettings } from './settings.ts';
import { statementRows, untilDone } from './sql-answers.ts';
import { type Connection, startTestHost, type TestHost } from './test-host.ts';

const PATH = '/api/2.0/mcp/sql';
const ANA = 'ana@example.com';
const BEN = 'ben@example.com';
const CHLOE = 'chloe@example.com';
const BEN_ID = '9007199254740993002';

const SHARED = '8baced1ff014912d';
const STOPPED = '3f0c8a1d5e7b2946';
const NOT_BENS = 'c7e5190b3d48f62a';
const NOT_CHLOES = 'd10f6b8e24a97c53';
const DELETING = 'e93a7d52c0b614f8';
const DELETED = 'f46b21c98d0e5a73';

/** Ben's queries run on a warehouse that runs already. */
const RUNNING: StateOptions = { workspaceDefaultWarehouseId: SHARED };

let host: TestHost;
afterEach(() => host.close());

async function start(state: StateOptions = RUNNING, settings: Partial<ManagedServerSettings> = {}): Promise<void> {
  host = await startTestHost(state, settings);
}

function connect(user = BEN): Promise<Connection> {
  return host.connect(PATH, user);
}

function overrideTo(warehouseId: string): void {
  host.state.overrides.set(BEN_ID, { userId: BEN_ID, type: 'CUSTOM', warehouseId });
}

function statesOfWarehouses(): Map<string, string> {
  return new Map(host.state.warehouses.map(({ id, state }) => [id, state]));
}

async function rowsOf(connection: Connection, query: string): Promise<(string | null)[][]> {
  return statementRows(await untilDone(connection, await connection.call('execute_sql', { query })));
}

describe('the tools', () => {
  it('are three, two of which are annotated as read-only', async () => {
    await start();
    const { tools } = await (await connect()).client.listTools();
    expect(tools.map(({ name, annotations }) => [name, annotations?.readOnlyHint])).toEqual([
      ['execute_sql', false],
      ['execute_sql_read_only', true],
      ['poll_sql_result', true],
    ]);
  });

  it('answer in the shape of the real ones', async () => {
    await start();
    const ben = await connect();
    const answer = await untilDone(ben, await ben.call('execute_sql', { query: "SELECT 1 AS a, NULL AS b, 'x' AS c" }));
    expect(answer).toEqual({
      statement_id: expect.stringMatching(/^[0-9a-f-]{36}$/),
      status: { state: 'SUCCEEDED' },
      manifest: { schema: { columns: [{ name: 'a' }, { name: 'b' }, { name: 'c' }] }, truncated: false },
      result: {
        data_array: [{ values: [{ string_value: '1' }, { null_value: 'NULL_VALUE' }, { string_value: 'x' }] }],
      },
    });
  });

  it('refuse a call without its argument, an unknown statement and another user’s', async () => {
    await start();
    const [ben, chloe] = [await connect(), await connect(CHLOE)];
    await expect(ben.call('execute_sql', {})).rejects.toThrow("BAD_REQUEST: Missing parameter value for 'query'");
    await expect(ben.call('execute_sql', { query: 7 })).rejects.toThrow("BAD_REQUEST: Parameter 'query' is malformed");
    await expect(ben.call('poll_sql_result', { statement_id: 'x' })).rejects.toThrow('BAD_REQUEST: Statement x not');
    const { statement_id } = await ben.call('execute_sql', { query: 'SELECT 1' });
    await expect(chloe.call('poll_sql_result', { statement_id })).rejects.toThrow('not found');
    await expect(ben.call('execute_python', {})).rejects.toThrow("BAD_REQUEST: Tool 'execute_python' not found");
  });
});

describe('SQL', () => {
  it('is real, with three-level names', async () => {
    await start();
    const ben = await connect();
    const join = 'FROM samples.tpch.nation JOIN samples.tpch.region ON n_regionkey = r_regionkey';
    expect(await rowsOf(ben, `SELECT r_name, count(*) ${join} GROUP BY ALL ORDER BY ALL`)).toEqual([
      ['AFRICA', '5'],
      ['AMERICA', '5'],
      ['ASIA', '5'],
      ['EUROPE', '5'],
      ['MIDDLE EAST', '5'],
    ]);
    expect(await rowsOf(ben, 'SELECT count(*) FROM `samples`.`nyctaxi`.`trips`')).toEqual([['600']]);
    expect(await rowsOf(ben, "SELECT current_user(), 9007199254740993, 0.10, DATE '2026-11-05'")).toEqual([
      [BEN, '9007199254740993', '0.10', '2026-11-05'],
    ]);
    expect(await rowsOf(ben, "SELECT main.default.fare_with_tip(10, 15), [1, 2], {'k': 'v'}")).toEqual([
      ['11.5', '[1,2]', '{"k":"v"}'],
    ]);
  });

  it('writes, and all users see it', async () => {
    await start();
    const [ben, chloe] = [await connect(), await connect(CHLOE)];
    await rowsOf(ben, 'CREATE TABLE main.default.notes (text STRING)');
    expect(await rowsOf(ben, "INSERT INTO notes VALUES ('a'), ('b')")).toEqual([['2']]);
    expect(await rowsOf(chloe, 'SELECT text FROM main.default.notes ORDER BY text')).toEqual([['a'], ['b']]);
  });

  it.each([
    'CREATE TABLE main.default.t AS SELECT 1',
    'INSERT INTO samples.tpch.region VALUES (9, 1)',
    'DELETE FROM samples.tpch.region',
    'DROP TABLE samples.tpch.region',
    'EXPLAIN ANALYZE DELETE FROM samples.tpch.region',
  ])('does not write if it is read-only: %s', async (query) => {
    await start();
    const ben = await connect();
    const answer = await untilDone(ben, await ben.call('execute_sql_read_only', { query }));
    expect(answer.status).toMatchObject({ state: 'FAILED', error: { error_code: 'PERMISSION_DENIED' } });
    expect(await rowsOf(ben, 'SELECT count(*) FROM samples.tpch.region')).toEqual([['5']]);
  });

  it.each([
    ['SELEC 1', 'PARSE_SYNTAX_ERROR'],
    ['SELECT 1; SELECT 2', 'PARSE_SYNTAX_ERROR'],
    ['SET threads = 1', 'PARSE_SYNTAX_ERROR'],
    ['SELECT * FROM samples.tpch.nowhere', 'TABLE_OR_VIEW_NOT_FOUND'],
    ['SELECT * FROM elsewhere.tpch.nation', 'TABLE_OR_VIEW_NOT_FOUND'],
    ['SELECT * FROM samples.nowhere.nation', 'SCHEMA_NOT_FOUND'],
    ['SELECT nothing FROM samples.tpch.nation', 'UNRESOLVED_COLUMN'],
    ["SELECT CAST('x' AS INT)", 'CAST_INVALID_INPUT'],
    ['CREATE SCHEMA main.mine', 'UNSUPPORTED_FEATURE'],
  ])('fails with a reason: %s', async (query, condition) => {
    await start();
    const ben = await connect();
    const answer = await untilDone(ben, await ben.call('execute_sql', { query }));
    expect(answer).toEqual({
      statement_id: expect.any(String),
      status: {
        state: 'FAILED',
        error: { error_code: 'BAD_REQUEST', message: expect.stringContaining(`[${condition}]`) },
      },
    });
  });

  it('does not reach the files of this machine', async () => {
    await start();
    const ben = await connect();
    const answer = await untilDone(ben, await ben.call('execute_sql', { query: "FROM read_text('/etc/hostname')" }));
    expect(answer.status).toMatchObject({ state: 'FAILED', error: { error_code: 'PERMISSION_DENIED' } });
  });

  it("leaves out rows beyond the real server's limit, and says so", async () => {
    await start();
    const ben = await connect();
    const answer = await untilDone(ben, await ben.call('execute_sql', { query: 'FROM range(20000)' }));
    expect(answer.manifest).toMatchObject({ truncated: true });
    expect(statementRows(answer)).toHaveLength(12_288);
  });
});

describe('grants', () => {
  it.each([
    'SELECT * FROM main.finance.invoices',
    'SELECT * FROM `main`.`finance`.`invoices`',
    'SELECT * FROM finance.invoices',
    'SELECT (SELECT count(*) FROM MAIN.Finance.invoices)',
    'INSERT INTO main.finance.invoices SELECT 9, 9, 9',
    'SELECT main.finance.net_amount(12)',
    'SHOW TABLES IN main.finance',
  ])('refuse users without one: %s', async (query) => {
    await start();
    const ana = await connect(ANA);
    const answer = await untilDone(ana, await ana.call('execute_sql', { query }));
    expect(answer.status).toMatchObject({ state: 'FAILED', error: { error_code: 'PERMISSION_DENIED' } });
  });

  it('take effect at the next query', async () => {
    await start();
    const ben = await connect();
    host.state.schemas.find(({ schema }) => schema === 'finance')?.grantedTo.add(BEN);
    expect(await rowsOf(ben, 'SELECT count(*) FROM main.finance.invoices')).toEqual([['5']]);
  });

  it('decide what SHOW lists', async () => {
    await start();
    const ben = await connect();
    expect(await rowsOf(ben, 'SHOW SCHEMAS IN main')).toEqual([['default'], ['support']]);
    expect(await rowsOf(ben, 'SHOW CATALOGS')).toEqual([['main'], ['samples'], ['system']]);
    expect((await rowsOf(ben, 'SHOW TABLES IN samples.nyctaxi')).map((row) => row[1])).toEqual(['trips']);
  });
});

describe('the warehouse of a query', () => {
  it('is the one in the request, otherwise the one of the override, otherwise the workspace default', async () => {
    await start();
    const ben = await connect();
    await rowsOf(ben, 'SELECT 1');
    overrideTo(STOPPED);
    await rowsOf(ben, 'SELECT 2');
    await ben.call('execute_sql', { query: 'SELECT 3' }, { warehouse_id: SHARED });
    host.state.overrides.clear();
    host.state.workspaceDefaultWarehouseId = undefined;
    await rowsOf(ben, 'SELECT 4');
    expect(host.servers.statements.map(({ choice }) => choice)).toEqual([
      { source: 'workspace-default', warehouseId: SHARED },
      { source: 'override', type: 'CUSTOM', warehouseId: STOPPED },
      { source: 'request', warehouseId: SHARED },
      { source: 'heuristic', tier: 1, warehouseId: SHARED },
    ]);
  });

  it('is the last selected one if the override says so', async () => {
    await start({
      ...RUNNING,
      overrides: [{ userId: BEN_ID, type: 'LAST_SELECTED', warehouseId: undefined }],
      lastSelected: { [BEN_ID]: STOPPED },
    });
    await rowsOf(await connect(), 'SELECT 1');
    expect(host.servers.statements[0]?.choice).toMatchObject({ source: 'override', warehouseId: STOPPED });
  });

  it('is not pinned by an argument, the URL or a header', async () => {
    await start();
    const ben = await host.connect(`${PATH}?warehouse_id=${STOPPED}`, BEN);
    await ben.call('execute_sql', { query: 'SELECT 1', warehouse_id: STOPPED });
    await host.post(
      `${PATH}?warehouse_id=${STOPPED}`,
      BEN,
      {
        jsonrpc: '2.0',
        id: 1,
        method: 'tools/call',
        params: { name: 'execute_sql', arguments: { query: 'SELECT 2' } },
      },
      { 'mcp-session-id': ben.transport.sessionId ?? '', 'x-databricks-warehouse-id': STOPPED },
    );
    expect(host.servers.statements.map(({ choice }) => choice.source)).toEqual([
      'workspace-default',
      'workspace-default',
    ]);
  });

  it('follows another heuristic once the server has one', async () => {
    await start({ workspaceDefaultWarehouseId: undefined });
    const ben = await connect();
    host.servers.settings.heuristic = (usable) => ({ warehouseId: usable[0]?.id ?? '', tier: 1 });
    await rowsOf(ben, 'SELECT 1');
    expect(host.servers.statements[0]?.choice).toEqual({ source: 'heuristic', warehouseId: STOPPED, tier: 1 });
  });

  it('is started if it is stopped, and no other one is', async () => {
    await start();
    overrideTo(STOPPED);
    const before = statesOfWarehouses();
    const ben = await connect();
    const first = await ben.call('execute_sql', { query: 'SELECT 1' });
    expect(first).toEqual({ statement_id: expect.any(String), status: { state: 'PENDING' } });
    expect((await untilDone(ben, first)).status).toEqual({ state: 'SUCCEEDED' });
    expect(statesOfWarehouses()).toEqual(new Map([...before, [STOPPED, 'RUNNING']]));
    await rowsOf(ben, 'SELECT 2');
    expect(host.servers.statements.map(({ startedWarehouse }) => startedWarehouse)).toEqual([true, false]);
  });

  it.each([
    ['the user cannot use it', NOT_BENS, 'PERMISSION_DENIED', 'CAN_USE'],
    ['it is being deleted', DELETING, 'RESOURCE_DOES_NOT_EXIST', DELETING],
    ['it is deleted', DELETED, 'RESOURCE_DOES_NOT_EXIST', DELETED],
    ['it never existed', '0000', 'RESOURCE_DOES_NOT_EXIST', '0000'],
  ])('makes the query fail when %s', async (_, warehouseId, error_code, word) => {
    await start();
    overrideTo(warehouseId);
    const before = statesOfWarehouses();
    const answer = await (await connect()).call('execute_sql', { query: 'SELECT 1' });
    expect(answer.status).toEqual({ state: 'FAILED', error: { error_code, message: expect.stringContaining(word) } });
    expect(statesOfWarehouses()).toEqual(before);
  });

  it('makes the query fail when the request names one that the user cannot use', async () => {
    await start();
    const answer = await (await connect(CHLOE)).call(
      'execute_sql',
      { query: 'SELECT 1' },
      { warehouse_id: NOT_CHLOES },
    );
    expect(answer.status).toMatchObject({ error: { error_code: 'PERMISSION_DENIED' } });
  });

  it('makes the query fail when there is none at all', async () => {
    await start({ warehouses: [], workspaceDefaultWarehouseId: undefined });
    const answer = await (await connect()).call('execute_sql', { query: 'SELECT 1' });
    expect(answer.status).toMatchObject({ state: 'FAILED', error: { message: expect.stringContaining(BEN) } });
  });

  it('makes the query fail when it does not come up', async () => {
    await start({ ...RUNNING, startupMs: 60_000 });
    overrideTo(STOPPED);
    const ben = await connect();
    const pending = await ben.call('execute_sql', { query: 'SELECT 1' });
    host.state.deleteWarehouse(STOPPED);
    expect((await untilDone(ben, pending)).status).toMatchObject({
      state: 'FAILED',
      error: { error_code: 'INVALID_STATE', message: expect.stringContaining('DELETING') },
    });
  });

  it('keeps the query pending for as long as it takes, and closing ends that', async () => {
    await start({ ...RUNNING, startupMs: 60_000 }, { waitMs: 1 });
    overrideTo(STOPPED);
    const ben = await connect();
    const { statement_id } = await ben.call('execute_sql', { query: 'SELECT 1' });
    expect((await ben.call('poll_sql_result', { statement_id })).status).toEqual({ state: 'PENDING' });
    await host.close();
    expect(host.servers.statements[0]?.status).toEqual({ state: 'CANCELED' });
  });
});
