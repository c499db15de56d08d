import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { type CommandLine, openCommandLine, runCommand, WAREHOUSES } from './harness.ts';

/** `causeway warehouse verify` where something is wrong, or where there is nothing to check: never a false all-clear. */

const { shared, science, finance, starter } = WAREHOUSES;

let cli: CommandLine;
beforeEach(async () => {
  cli = await openCommandLine();
});
afterEach(() => cli[Symbol.asyncDispose]());

interface Result {
  id: string;
  status: string;
  message: string;
}

async function verify(profile: string, args: string[] = [], more: NodeJS.ProcessEnv = {}) {
  const env = { ...cli.env, ...more };
  const { code, stdout, stderr } = await runCommand(env, ['warehouse', 'verify', ...args, '--json', '-p', profile]);
  const results: Result[] = JSON.parse(stdout).checks;
  const verdicts = results.map(({ id, status }) => `${id} ${status}`);
  return { code, verdicts, evidence: results.map(({ message }) => message).join('\n'), stderr };
}

describe('verify', () => {
  test('fails if the user lacks CAN USE on the warehouse of the override', async () => {
    cli.give('ben', finance);
    const { code, verdicts, evidence } = await verify('ben');
    // A warehouse that is hidden has no name, and may be as if it were gone: the record names it all the same.
    expect(verdicts).toEqual([expect.stringMatching(/^record (fail|pass)$/), 'resolver fail']);
    const why = new RegExp(
      `You do not have CAN USE on (Finance BI \\(|warehouse )${finance}|${finance} no longer exists, or you cannot see it`,
    );
    expect(evidence).toMatch(why);
    expect(evidence).toContain('Queries will fail.');
    expect(code).toBe(1);
  });

  test('fails if the user lacks CAN USE on the workspace default', async () => {
    cli.without('hidesWarehouses');
    cli.workspace.state.setWorkspaceDefault(finance);
    const { code, verdicts, evidence } = await verify('ben');
    expect(verdicts).toEqual(['record skipped', 'resolver fail']);
    expect(evidence).toContain('You do not have CAN USE on Finance BI');
    expect(code).toBe(1);
  });

  test('is uncertain if it cannot read what the user can use, and says so', async () => {
    cli.give('ben', shared);
    const list = '/api/2.0/sql/warehouses';
    // The second of the two lists is that of the usable ones.
    cli.workspace.faults.add({ effect: { kind: 'html' }, method: 'GET', path: list, skip: 1, times: 1 });
    const { code, verdicts, evidence } = await verify('ben');
    expect(verdicts).toEqual(['record unknown', 'resolver unknown']);
    expect(evidence).toContain('Your permission on Shared analytics');
    expect(code).toBe(5);
  });

  test('succeeds without an override if the lookup returns the workspace default', async () => {
    const { code, verdicts, evidence } = await verify('ben');
    expect(verdicts).toEqual(['record skipped', 'resolver pass']);
    expect(evidence).toContain('The workspace stores no override. There is no record to check.');
    expect(code).toBe(0);
  });

  test('accepts the workspace default as the named target if there is no override', async () => {
    expect(await verify('ben', ['starter'])).toMatchObject({
      code: 0,
      verdicts: ['record skipped', 'resolver pass'],
    });
    expect(await verify('ben', ['data science'])).toMatchObject({
      code: 1,
      verdicts: ['record fail', 'resolver fail'],
    });
  });

  test.each(['ana', 'ben'])('assumes no intention if neither an override nor a default is set (%s)', async (user) => {
    cli.workspace.state.setWorkspaceDefault(undefined);
    const { code, verdicts, evidence } = await verify(user);
    expect(verdicts).toEqual(['record skipped', 'resolver unknown']);
    expect(evidence).toContain('nothing to compare it with');
    expect(evidence).not.toMatch(/Intended|recorded/);
    expect(code).toBe(5);
  });

  test('stops nothing end to end if there is no intention', async () => {
    cli.workspace.state.setWorkspaceDefault(undefined);
    const { verdicts, evidence } = await verify('ana', ['--end-to-end', '--stop-warehouses']);
    expect(verdicts).toContain('end-to-end unknown');
    expect(evidence).toContain('Nothing was stopped. No warehouse is set to check. Name one.');
    expect(cli.workspace.requests.count({ path: '*/stop' })).toBe(0);
  });

  test('fails if the override names a warehouse that no longer exists', async () => {
    cli.give('ben', shared);
    cli.workspace.state.warehouses = cli.workspace.state.warehouses.filter(({ id }) => id !== shared);
    const { code, verdicts, evidence } = await verify('ben');
    expect(verdicts).toContain('resolver fail');
    expect(evidence).toContain(`Warehouse ${shared} no longer exists, or you cannot see it. Queries will fail.`);
    expect(code).toBe(1);
  });

  test('is unknown if an override follows the last selection', async () => {
    cli.give('ben');
    expect(await verify('ben')).toMatchObject({ code: 5, verdicts: ['record unknown', 'resolver unknown'] });
  });
});

describe('verify with DATABRICKS_WAREHOUSE_ID', () => {
  test('blames the variable, and not the override, if it names another warehouse', async () => {
    cli.give('ben', shared);
    const { code, verdicts, evidence } = await verify('ben', [], { DATABRICKS_WAREHOUSE_ID: science });
    expect(verdicts).toEqual(['record pass', 'resolver fail']);
    expect(evidence).toContain(`DATABRICKS_WAREHOUSE_ID is set to Data science (${science})`);
    expect(evidence).toContain('Without it: The Databricks CLI is not installed here. By the rules of its version');
    expect(evidence).not.toContain('takes precedence');
    expect(code).toBe(1);
  });

  test('says so if the variable names a warehouse that does not exist', async () => {
    const { code, evidence } = await verify('ben', [], { DATABRICKS_WAREHOUSE_ID: 'nowhere' });
    expect(evidence).toContain('DATABRICKS_WAREHOUSE_ID is set to warehouse nowhere');
    expect(code).toBe(1);
  });

  test('does not accept it in place of a lookup with another result', async () => {
    const { code, verdicts } = await verify('ben', [science], { DATABRICKS_WAREHOUSE_ID: science });
    expect(verdicts).toEqual(['record fail', 'resolver fail']);
    expect(code).toBe(1);
  });

  test('succeeds if the lookup returns the same without it', async () => {
    const { code, evidence } = await verify('ben', [], { DATABRICKS_WAREHOUSE_ID: starter });
    expect(evidence).toContain(`DATABRICKS_WAREHOUSE_ID is also set to Starter Warehouse (${starter}).`);
    expect(code).toBe(0);
  });
});

describe('the proof', () => {
  const HISTORY = { method: 'GET', path: '/api/2.0/sql/history/queries' };
  const nothing = { kind: 'answer', status: 200, body: '{}' } as const;
  const forbidden = { kind: 'answer', status: 403, body: '{"error_code":"PERMISSION_DENIED","message":"no"}' } as const;
  const stops = () => cli.workspace.requests.count({ path: '*/stop' });

  test('says for a user who may stop nothing where a query ran, and stops nothing', async () => {
    cli.give('ben', shared);
    const { code, verdicts, evidence } = await verify('ben', ['--prove']);
    expect(verdicts).toEqual(['record pass', 'resolver pass', 'query pass']);
    expect(evidence).toContain(
      `By the query history, the query ran on Shared analytics (${shared}). Nothing was stopped.`,
    );
    expect([code, stops()]).toEqual([0, 0]);
  });

  test('fails where a query runs elsewhere than expected', async () => {
    cli.give('ana', science);
    const { code, verdicts, evidence } = await verify('ana', ['--prove', 'starter']);
    expect(verdicts).toContain('query fail');
    expect(evidence).toContain('the query ran on Data science');
    expect(evidence).toContain('Expected: Starter Warehouse (');
    expect(code).toBe(1);
  });

  test('settles what a pin does beside an override', async () => {
    cli.give('ana', science);
    const { code, verdicts, evidence } = await verify('ana', ['--pin', 'finance bi']);
    expect(verdicts).toEqual(['record pass', 'resolver pass', 'query pass']);
    expect(evidence).toContain(`the query ran on Finance BI (${finance}), named in _meta. Nothing was stopped.`);
    expect([code, stops()]).toEqual([0, 0]);
  });

  test('says where queries run that follow the last selection', async () => {
    cli.give('ben');
    const { verdicts, evidence } = await verify('ben', ['--prove']);
    expect(verdicts).toEqual(['record unknown', 'resolver unknown', 'query pass']);
    expect(evidence).toMatch(/By the query history, the query ran on \w.* Nothing was stopped\./);
  });

  test('is kept as seen, with its time, until the override changes', async () => {
    const shown = async () => JSON.parse((await cli.run('ben', 'warehouse', '--json')).stdout);
    cli.give('ben');
    expect(await shown()).toMatchObject({ warehouse: null, certainty: 'unknown', seen: null });
    const { evidence } = await verify('ben', ['--prove']);
    const [, name = '', id = ''] = /the query ran on (.*) \((\w+)\)/.exec(evidence) ?? [];
    const seen = await shown();
    expect(seen).toMatchObject({ warehouse: { id, name }, certainty: 'seen', seen: { id, name }, problems: [] });
    expect(seen.steps[0].reason).toMatch(new RegExp(` Seen: your last query ran on ${name}\\.$`));
    expect((await cli.run('ben', 'warehouse')).stdout).toMatch(new RegExp(`^${name} \\(.*\\), seen just now\n`));
    expect((await cli.run('ben', 'warehouse', 'list')).stdout).toMatch(new RegExp(`→ . +${name} `));
    cli.give('ben', shared);
    expect(await shown()).toMatchObject({ warehouse: { id: shared }, certainty: 'known', seen: null });
    cli.give('ben');
    expect(await shown()).toMatchObject({ warehouse: { id }, certainty: 'seen' });
    await cli.run('ben', 'warehouse', 'clear');
    expect((await shown()).certainty).not.toBe('seen');
  });

  test('of a pin says nothing of queries without one', async () => {
    cli.give('ana');
    await verify('ana', ['--pin', 'finance bi']);
    expect(JSON.parse((await cli.run('ana', 'warehouse', '--json')).stdout)).toMatchObject({ seen: null });
  });

  test('corrects a prediction', async () => {
    cli.workspace.state.setWorkspaceDefault(undefined);
    const seen = { id: starter, name: 'Starter Warehouse', state: 'RUNNING', num_clusters: 1 };
    const body = JSON.stringify({ warehouses: [seen] });
    const effect = { kind: 'answer', status: 200, body } as const;
    cli.workspace.faults.add({ effect, method: 'GET', path: '/api/2.0/sql/warehouses', times: 'always' });
    const { verdicts, evidence } = await verify('ana', ['--prove']);
    expect(verdicts).toContain('query pass');
    expect(evidence).toContain('the query ran on Shared analytics');
    expect(evidence).toContain('The prediction, Starter Warehouse, was wrong.');
    const { warehouse, certainty, steps } = JSON.parse((await cli.run('ana', 'warehouse', '--json')).stdout);
    expect([warehouse.name, certainty]).toEqual(['Shared analytics', 'seen']);
    expect(steps[2].reason).toContain('The prediction, Starter Warehouse, was wrong.');
  });

  test('takes no other statement for its own', async () => {
    cli.give('ana', science);
    const other = { query_id: '01f0-other', warehouse_id: science, status: 'FINISHED' };
    const effect = { ...nothing, body: JSON.stringify({ res: [other] }) };
    cli.workspace.faults.add({ ...HISTORY, effect, times: 'always' });
    expect((await verify('ana', ['--prove'])).verdicts).toContain('query unknown');
  });

  test('waits for a statement that is late', async () => {
    cli.give('ana', science);
    cli.workspace.faults.add({ ...HISTORY, effect: nothing, times: 2 });
    expect((await verify('ana', ['--prove'])).verdicts).toContain('query pass');
  });

  test.each([
    ['absent', nothing],
    ['hidden', forbidden],
  ])('does not pass if the statement is %s', async (_how, effect) => {
    cli.give('ana', science);
    cli.workspace.faults.add({ ...HISTORY, effect, times: 'always' });
    const { code, verdicts, evidence } = await verify('ana', ['--prove']);
    expect(verdicts).toEqual(['record pass', 'resolver pass', 'query unknown']);
    expect(evidence).toMatch(/The query history does not show statement [\w-]+: it is not known where the query ran\./);
    expect(code).toBe(5);
  });
});

describe('the check of a pin from a cold start', () => {
  const ofPin = (...pin: string[]) => verify('ana', ['--cold', '--stop-warehouses', ...pin]);

  test('starts the pinned warehouse rather than that of the override', async () => {
    cli.give('ana', science);
    const { code, verdicts, evidence } = await ofPin('--pin', 'finance bi');
    expect(verdicts).toEqual(['record pass', 'resolver pass', 'end-to-end pass']);
    expect(evidence).toContain('The query started Finance BI and nothing else.');
    expect(evidence).toContain('The query named its warehouse in _meta.');
    expect(code).toBe(0);
    expect(cli.workspace.statements.at(-1)?.choice).toEqual({ source: 'request', warehouseId: finance });
  });

  test('uses the only pin among the entries, and asks which one if there are two', async () => {
    const pin = async (...args: string[]) => (await cli.run('ana', ...args)).code;
    expect((await cli.run('ana', 'warehouse', 'verify', '--pin')).stderr).toContain('is pinned to a warehouse');
    expect(await pin('servers', 'add', '--path', '/api/2.0/mcp/sql', '--meta', `warehouse_id=${science}`)).toBe(0);
    const { evidence } = await ofPin('--pin');
    expect(evidence).toContain('The query started Data science and nothing else.');
    expect(
      await pin('servers', 'add', '--path', '/api/2.0/mcp/sql', '--name', 'other', '--meta', `warehouse_id=${finance}`),
    ).toBe(0);
    const { code, stderr } = await cli.run('ana', 'warehouse', 'verify', '--pin');
    expect([code, stderr]).toEqual([2, expect.stringContaining(`${science} and ${finance}`)]);
  });

  test.each([
    ['/ai-gateway/mcp-services/system.ai.dbsql', '/api/2.0/mcp/sql'],
    ['/api/2.0/mcp/sql', '/ai-gateway/mcp-services/system.ai.dbsql'],
  ])('goes through the server whose entry has the pin, and names it: %s', async (path, other) => {
    const add = (at: string, ...more: string[]) =>
      cli.run('ana', 'servers', 'add', '--path', at, '--no-check', ...more);
    await add(other, '--name', 'unpinned');
    await add(path, '--name', 'pinned', '--meta', `warehouse_id=${finance}`);
    const { code, evidence } = await ofPin('--pin');
    expect(code, evidence).toBe(0);
    expect(evidence).toContain(`It went through ${path}.`);
    const posts = (of: string) => cli.workspace.requests.count({ path: of, method: 'POST' });
    expect(posts(path)).toBeGreaterThan(0);
    expect(posts(other)).toBe(0);
  });

  test('stops nothing if the session cannot be opened, or the user cannot use the pinned warehouse', async () => {
    cli.without('hidesWarehouses');
    const running = () => cli.workspace.state.warehouses.filter(({ state }) => state === 'RUNNING').length;
    const before = running();
    cli.workspace.faults.add({ effect: { kind: 'html' }, method: 'POST', path: '/api/2.0/mcp/sql' });
    const closed = await ofPin('--pin', finance);
    expect(closed.verdicts).toContain('end-to-end unknown');
    expect(closed.evidence).toContain('Nothing was stopped.');
    const forbidden = await verify('ben', ['--cold', '--stop-warehouses', '--pin', finance]);
    expect(forbidden.evidence).toContain('Nothing was stopped. You do not have CAN USE on Finance BI');
    expect(running()).toBe(before);
  });
});

describe('the check from a cold start', () => {
  const endToEnd = (profile = 'ana') => verify(profile, ['--cold', '--stop-warehouses']);
  const stops = () => cli.workspace.requests.count({ path: '*/stop' });

  test.each(['legacy', 'modern'] as const)('passes if the SQL server supports %s revisions only', async (revision) => {
    cli.workspace.mcp.settings.revision = revision;
    cli.give('ana', science);
    const { code, verdicts } = await endToEnd();
    expect(verdicts).toEqual(['record pass', 'resolver pass', 'end-to-end pass']);
    expect(code).toBe(0);
  });

  test('stops a target again that was stopped before', async () => {
    cli.give('ana', science);
    const { evidence } = await endToEnd();
    expect(evidence).toContain('Stopped again: Data science.');
    const target = () => cli.workspace.state.warehouses.find(({ id }) => id === science)?.state;
    await expect.poll(target).toBe('STOPPED');
  });

  test('opens its session before it stops anything, and sends its query after that', async () => {
    cli.give('ana', science);
    await endToEnd();
    const paths = cli.workspace.requests.list().map(({ path }) => path);
    const firstStop = paths.findIndex((path) => path.endsWith('/stop'));
    expect(paths.indexOf('/api/2.0/mcp/sql')).toBeLessThan(firstStop);
    expect(paths.lastIndexOf('/api/2.0/mcp/sql')).toBeGreaterThan(firstStop);
  });

  test.each([
    ['lacks the scope', { kind: 'missing-scope', scope: 'sql' }],
    ['is not there', { kind: 'answer', status: 404, body: '{"error_code":"ENDPOINT_NOT_FOUND","message":"no"}' }],
    ['answers with a page', { kind: 'html' }],
  ] as const)('stops nothing if the SQL server %s', async (_why, effect) => {
    cli.give('ana', science);
    cli.workspace.faults.add({ effect, path: '/api/2.0/mcp/sql', times: 'always' });
    const { code, verdicts, evidence } = await endToEnd();
    expect(verdicts).toContain('end-to-end unknown');
    expect(evidence).toContain('Nothing was stopped. The SQL server is not available.');
    expect(stops()).toBe(0);
    expect(code).toBe(5);
  });

  test('stops nothing if the user cannot use the target', async () => {
    cli.give('ben', finance);
    const { code, verdicts, evidence } = await endToEnd('ben');
    expect(verdicts.slice(1)).toEqual(['resolver fail', 'end-to-end unknown']);
    expect(evidence).toMatch(
      /Nothing was stopped\. (You do not have CAN USE on |Warehouse c7e5190b3d48f62a no longer exists, or)/,
    );
    expect(stops()).toBe(0);
    expect(code).toBe(1);
  });
});
