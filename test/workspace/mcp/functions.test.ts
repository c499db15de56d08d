import { afterEach, beforeEach, expect, it } from 'vitest';
import { fixtureFunctions } from '../fixture.ts';
import { statementRows, untilDone } from './sql-answers.ts';
import { type Connection, startTestHost, type TestHost } from './test-host.ts';

let host: TestHost;
beforeEach(async () => {
  host = await startTestHost({ workspaceDefaultWarehouseId: '8baced1ff014912d' });
});
afterEach(() => host.close());

function connect(path = 'functions/main/default', user = 'ben@example.com'): Promise<Connection> {
  return host.connect(`/api/2.0/mcp/${path}`, user);
}

it('the functions server offers each function as a tool with its comment and its typed parameters', async () => {
  const { tools } = await (await connect()).client.listTools();
  expect(tools.map(({ name }) => name)).toEqual([
    'main__default__fare_with_tip',
    'main__default__initials',
    'main__default__busiest_pickup_zips',
  ]);
  expect(tools[0]).toMatchObject({
    description: 'The fare of a trip with a tip added, in dollars.',
    inputSchema: {
      type: 'object',
      properties: {
        fare: { type: 'number', description: 'The fare in dollars.' },
        tip_percent: { type: 'integer', description: 'The tip in percent of the fare.' },
      },
      required: ['fare', 'tip_percent'],
    },
  });
});

it('the functions server offers one function if the path names it', async () => {
  expect(await (await connect('functions/main/default/initials')).toolNames()).toEqual(['main__default__initials']);
});

it('a function runs in SQL, and returns one value or a table', async () => {
  const functions = await connect();
  expect(await functions.call('main__default__fare_with_tip', { fare: 12.5, tip_percent: 20 })).toEqual({
    is_truncated: false,
    columns: ['output'],
    rows: [['15.0']],
  });
  const table = await functions.call('main__default__busiest_pickup_zips', { how_many: 2 });
  expect(table).toMatchObject({ columns: ['pickup_zip', 'trips'], rows: [expect.any(Array), expect.any(Array)] });
});

it('an argument is used as a value, whatever it contains', async () => {
  const functions = await connect();
  const { rows } = await functions.call('main__default__initials', { full_name: "robert '); DROP TABLE x; --" });
  expect(rows).toEqual([["R'DTX-"]]);
});

it.each([
  ['without an argument', { fare: 1 }, "BAD_REQUEST: Missing parameter value for 'tip_percent'"],
  ['with one of another type', { fare: 1, tip_percent: 1.5 }, "BAD_REQUEST: Parameter 'tip_percent' is malformed"],
])('a call %s is refused', async (_, args, message) => {
  await expect((await connect()).call('main__default__fare_with_tip', args)).rejects.toThrow(message);
});

it('a function returns the same in a query', async () => {
  const sql = await connect('sql');
  const query = "SELECT main.default.initials('Grace Hopper')";
  expect(statementRows(await untilDone(sql, await sql.call('execute_sql', { query })))).toEqual([['GH']]);
});

it('a function that is added to the catalog later can be called', async () => {
  const functions = await connect();
  await functions.call('main__default__initials', { full_name: 'a b' });
  const [template] = fixtureFunctions();
  if (!template) throw new Error('The fixture has no functions.');
  const parameters = [{ name: 'day', type: 'DATE' as const, comment: '' }];
  host.state.functions.push({ ...template, name: 'weekday', parameters, returns: 'STRING', sql: 'dayname(day)' });
  expect(await functions.toolNames()).toContain('main__default__weekday');
  expect(await functions.call('main__default__weekday', { day: '2026-11-05' })).toMatchObject({ rows: [['Thursday']] });
});

it('the functions server has no tools without a grant, and an error for what does not exist', async () => {
  expect(await (await connect('functions/main/finance')).toolNames()).toEqual([]);
  expect(await (await connect('functions/samples/tpch')).toolNames()).toEqual([]);
  await expect((await connect('functions/main/nowhere')).toolNames()).rejects.toThrow('Schema main.nowhere not found');
  await expect((await connect('functions/main/default/nothing')).toolNames()).rejects.toThrow('Function main.default');
});

it('an open session sees at once that the user has joined a group', async () => {
  const finance = await connect('functions/main/finance');
  expect(await finance.toolNames()).toEqual([]);
  const { users } = host.state;
  const joined = users.map((user) => ({ ...user, groups: [...user.groups, 'finance'] }));
  host.state.replace({ users: joined });
  expect(await finance.toolNames()).toEqual(['main__finance__net_amount']);
});
