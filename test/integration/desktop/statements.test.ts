import { beforeEach, expect, onTestFinished, test } from 'vitest';
import { z } from 'zod';
import { createCauseway } from '../../../main/app/causeway.ts';
import { ANSWERS } from '../../../main/cli/answers/answers.ts';
import { createDesktop } from '../../../main/desktop/desktop.ts';
import { hubFolder, lookUpHub } from '../../../main/hub/rendezvous.ts';
import { ALL_CALLS } from '../../../preload/contract/all-calls.ts';
import { statusText } from '../../../preload/contract/words/statements.ts';
import type { ActivityCall } from '../../../preload/contract.ts';
import { plainSettings, plainShell } from '../../plain-desktop.ts';
import { homeOfAna, startSession } from '../cli/sql-session.ts';
import { runCommand } from '../warehouses/harness.ts';

/** A warehouse that runs, one that has to be started, and both by name. */
const RUNNING = { id: '8baced1ff014912d', name: 'Shared analytics' };
const HISTORY = '/api/2.0/sql/history/queries';

let env: NodeJS.ProcessEnv;
let workspace: Awaited<ReturnType<typeof homeOfAna>>['workspace'];
beforeEach(async () => {
  // A warehouse that is stopped does not start while a test runs.
  ({ env, workspace } = await homeOfAna({ state: { workspaceDefaultWarehouseId: RUNNING.id, startupMs: 600_000 } }));
});

async function startDesktop() {
  const causeway = createCauseway({ env });
  const shell = plainShell();
  const desktop = createDesktop({ causeway, env, settings: plainSettings(env), shell, onEvent: () => {} });
  onTestFinished(async () => {
    await desktop.close();
    await causeway.close();
  });
  await desktop.start(undefined);
  // A proxy that starts before the hub listens works alone.
  await expect.poll(() => lookUpHub(hubFolder(env)).kind).toBe('found');
  const { handlers } = desktop;
  const calls = async (): Promise<ActivityCall[]> => {
    const { rows } = await handlers.activityPage({ filter: ALL_CALLS, upTo: null, from: 0, count: 50 });
    return rows.filter(({ tool }) => tool !== null);
  };
  return { handlers, shell, calls };
}

type Client = Awaited<ReturnType<typeof startSession>>;

/** Runs a query, without waiting for its end. */
async function query(client: Client, id: number, sql: string): Promise<string> {
  const params = { name: 'execute_sql_read_only', arguments: { query: sql } };
  return statementOf((await client.request(id, 'tools/call', params)).result).statement_id;
}

/** The same, and polls it until it has ended, at least once. */
async function queryToEnd(client: Client, id: number, sql: string): Promise<{ statement: string; polls: number }> {
  const statement = await query(client, id, sql);
  for (let polls = 1; ; polls += 1) {
    const params = { name: 'poll_sql_result', arguments: { statement_id: statement } };
    const { result } = await client.request(id * 100 + polls, 'tools/call', params);
    if (!/PENDING|RUNNING/.test(statementOf(result).status.state)) return { statement, polls };
  }
}

const Result = z.object({
  structuredContent: z.object({ statement_id: z.string(), status: z.object({ state: z.string() }) }),
});
const statementOf = (result: unknown) => Result.parse(result).structuredContent;

const histories = () => workspace.requests.count({ path: HISTORY });

// The history is asked at most every fifteen seconds.
test('each call of a client gains where it ran, how long it took and whether it came from the cache; polls stand with it', {
  timeout: 60_000,
}, async () => {
  const { handlers, shell, calls } = await startDesktop();
  const client = await startSession(env, [], 'claude-code');
  const first = await queryToEnd(client, 1, 'SELECT 1 AS one');
  await queryToEnd(client, 2, 'SELECT 1 AS one');
  await queryToEnd(client, 3, 'SELECT nothing FROM nowhere');
  expect(await calls()).toHaveLength(3);
  await expect
    .poll(async () => (await calls()).map(({ statement }) => statement?.lookUp), { timeout: 40_000 })
    .toEqual(['done', 'done', 'done']);
  const [failed, cached, once] = await calls();
  expect(once).toMatchObject({
    outcome: 'answered',
    statement: {
      id: first.statement,
      polls: first.polls,
      record: { warehouse: RUNNING, status: 'FINISHED', isFromCache: false, rows: 1 },
    },
  });
  expect(cached?.statement?.record).toMatchObject({ warehouse: RUNNING, isFromCache: true });
  expect(failed).toMatchObject({ outcome: 'tool-error', statement: { state: 'FAILED', record: { status: 'FAILED' } } });
  // Not one request for each.
  expect(histories()).toBeLessThan(3);
  await handlers.openStatement({ id: once?.id ?? 0 });
  expect(shell.asked.opened.at(-1)).toMatch(
    new RegExp(`^${workspace.host}/sql/history\\?queryId=${first.statement}&queryStart`),
  );
  const found = await handlers.activityPage({
    filter: { ...ALL_CALLS, text: 'shared' },
    upTo: null,
    from: 0,
    count: 9,
  });
  expect(found.total).toBe(3);
  const shown = await runCommand(env, ['activity', '--json']);
  expect(JSON.parse(shown.stdout).calls.at(-1)).toMatchObject({ statement: { record: { status: 'FAILED' } } });
  expect((await runCommand(env, ['activity'])).stdout).toMatch(/TOOK +WAREHOUSE\n(.*\n)*.* Shared analytics\n/);
});

test('nothing is looked up for those who do not want it', async () => {
  await runCommand(env, ['settings', 'set', 'lookUpStatements', 'off']);
  const { calls } = await startDesktop();
  const client = await startSession(env);
  const { statement: id } = await queryToEnd(client, 1, 'SELECT 1');
  expect(await calls()).toMatchObject([{ statement: { id, lookUp: 'off', record: null } }]);
  const shown = await runCommand(env, ['activity', 'statement', id]);
  expect(shown).toMatchObject({ code: 0, stderr: '' });
  expect(shown.stdout).toMatch(/^Status +Succeeded\nWarehouse +Shared analytics \(8baced1ff014912d\)\n/);
  expect(shown.stdout).toContain(`${workspace.host}/sql/history?queryId=${id}`);
  // That one look was the command's.
  expect(histories()).toBe(1);
});

test('a statement that still runs can be canceled once its client has gone, in the window and by the command', async () => {
  const { handlers, calls } = await startDesktop();
  const stopped = workspace.state.warehouses.find(({ state }) => state === 'STOPPED');
  workspace.state.workspaceDefaultWarehouseId = stopped?.id ?? '';
  const client = await startSession(env);
  const [one, two] = [await query(client, 1, 'SELECT 1'), await query(client, 2, 'SELECT 2')];
  await client.finish();
  const [second, first] = await calls();
  expect([first?.statement, second?.statement]).toMatchObject([{ id: one }, { id: two }]);
  expect(first?.statement && statusText(first.statement)).toBe('Waiting to run');
  await handlers.cancelStatement({ id: first?.id ?? 0 });
  const state = async (id: string) =>
    ANSWERS['activity statement'].parse(
      JSON.parse((await runCommand(env, ['activity', 'statement', id, '--json'])).stdout),
    ).state;
  await expect.poll(() => state(one)).toBe('CANCELED');
  const canceled = await runCommand(env, ['activity', 'cancel', two]);
  expect(canceled).toMatchObject({ code: 0, stdout: `Statement ${two} of ana at ${workspace.host}: canceled.\n` });
  const again = await runCommand(env, ['activity', 'cancel', two, '--json']);
  expect(ANSWERS['activity cancel'].parse(JSON.parse(again.stdout))).toMatchObject({ id: two, state: 'CANCELED' });
  expect(await runCommand(env, ['activity', 'cancel', two])).toMatchObject({
    code: 0,
    stdout: `Statement ${two} had ended before: canceled. Nothing was canceled.\n`,
  });
});

test('a call settles where queries run that follow the last selection, until the override changes', {
  timeout: 60_000,
}, async () => {
  await runCommand(env, ['warehouse', 'last-selected']);
  const { handlers } = await startDesktop();
  const effective = async () => {
    const { warehouse } = await handlers.getState(undefined);
    return warehouse.status === 'known' ? warehouse.effective : undefined;
  };
  expect(await effective()).toMatchObject({ certainty: 'unknown', warehouse: null });
  const client = await startSession(env);
  await queryToEnd(client, 1, 'SELECT 2');
  await expect.poll(async () => (await effective())?.certainty, { timeout: 40_000 }).toBe('seen');
  const ran = workspace.statements.at(-1)?.choice;
  expect((await effective())?.warehouse?.id).toBe(ran && 'warehouseId' in ran ? ran.warehouseId : '');
  expect((await effective())?.problems).toEqual([]);
});

test('an id that is none, and one that nobody knows, are refused with what to do', async () => {
  const refused = async (...args: string[]) => (await runCommand(env, ['activity', ...args])).stderr;
  expect(await refused('statement', 'x')).toBe(
    'causeway: "x" is not the id of a statement. `causeway activity --json` shows the ids of statements.\n',
  );
  const unknown = '01f0c8a2-0000-0000-0000-000000000000';
  for (const verb of ['statement', 'cancel']) {
    expect(await refused(verb, unknown)).toMatch(
      new RegExp(`^causeway: Profile "ana" has no statement ${unknown} that the workspace knows\\. Give --profile`),
    );
  }
});
