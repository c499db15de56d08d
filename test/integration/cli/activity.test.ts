import { readFile, stat, writeFile } from 'node:fs/promises';
import { DatabaseSync } from 'node:sqlite';
import { describe, expect, onTestFinished, test } from 'vitest';
import { ActivityStore, activityFile } from '../../../main/activity/store.ts';
import { storedCall } from '../../../main/activity/stored-call.ts';
import { createCauseway } from '../../../main/app/causeway.ts';
import { ANSWERS } from '../../../main/cli/answers/answers.ts';
import { ActivityLog } from '../../../main/desktop/activity/activity.ts';
import { ACTIVITY_THREAD } from '../../../main/desktop/places.ts';
import type { HubCall } from '../../../main/hub/session-record.ts';
import type { WireCall } from '../../../main/hub/wire.ts';
import { endedCall } from '../../ended-call.ts';
import { runCommand } from '../warehouses/harness.ts';
import { HAS_TERMINALS, linesOf, openTerminal, textOf } from './real-terminal.ts';
import { homeOfAna, startSession } from './sql-session.ts';

const CALL: Partial<HubCall> = {
  startedAt: Date.parse('2026-11-03T16:41:00.000Z'),
  clientName: 'codex-mcp-client',
  durationMs: 1234.5,
};
const SECRET = 'a_column_that_nobody_may_see';

async function person() {
  const { env, workspace } = await homeOfAna();
  const run = (...args: string[]) => runCommand(env, args);
  await run('servers', 'add', '--path', '/api/2.0/mcp/sql', '--name', 'data', '--profile', 'ana');
  const shown = async (...args: string[]) => JSON.parse((await run('activity', '--json', ...args)).stdout);
  return { env, workspace, run, shown, file: activityFile(env) };
}

let lastNumber = 0;

/** Keeps calls as a proxy does. */
async function keep(env: NodeJS.ProcessEnv, ...calls: Partial<HubCall>[]) {
  const store = await ActivityStore.open(activityFile(env), { busyMs: 1_000 });
  for (const call of calls.length === 0 ? [{}] : calls) {
    lastNumber += 1;
    store.add([storedCall({ ...endedCall({ ...CALL, ...call }), id: lastNumber }, null)], 36_500);
  }
  store.close();
}

/** An AI client that makes a call of each name, and ends. */
async function useOnce(env: NodeJS.ProcessEnv, clientName: string, tools = ['execute_sql'], end?: NodeJS.Signals) {
  const client = await startSession(env, [], clientName);
  let id = 0;
  for (const name of tools) {
    id += 1;
    await client.request(id, 'tools/call', { name, arguments: { query: `SELECT 1 -- ${SECRET}` } });
  }
  if (end === undefined) expect(await client.finish()).toBe(0);
  else {
    client.child.kill(end);
    await client.ended;
  }
}

describe('without the application', () => {
  test('the calls of all clients are shown, without their contents, and in a private file', async () => {
    const { env, run, shown, file } = await person();
    expect(await run('activity')).toMatchObject({
      code: 0,
      stdout: '',
      stderr: expect.stringMatching(/^No calls yet\./),
    });
    await Promise.all(['claude-code', 'codex-mcp-client', 'cursor-vscode'].map((name) => useOnce(env, name)));
    const { stdout } = await run('activity');
    expect(stdout).toMatch(/^TIME +CLIENT +SERVER +CALL +OUTCOME +TOOK\n/);
    expect(stdout).toMatch(/^\d\d:\d\d {2}Claude Code +data +execute_sql +done +[\d.]+ m?s$/m);
    expect(stdout).toMatch(/^\d\d:\d\d {2}OpenAI Codex +data +initialize +done +/m);
    const { application, calls, problems } = await shown();
    expect([application, problems]).toEqual([false, []]);
    expect(calls.filter(({ tool }: WireCall) => tool === 'execute_sql')).toHaveLength(3);
    const text = await readFile(file, 'latin1');
    expect(text).toContain('execute_sql');
    expect(text).not.toContain(SECRET);
    expect(text).not.toContain('dapi');
    if (process.platform !== 'win32') expect((await stat(file)).mode & 0o777).toBe(0o600);
  });

  test('only failed calls, and only so many, are shown if that is asked for', async () => {
    const { env, run, shown } = await person();
    await useOnce(env, 'codex-mcp-client', ['execute_sql', 'no_such_tool', 'execute_sql_read_only']);
    expect((await shown('--failed')).calls).toMatchObject([
      { tool: 'no_such_tool', client: 'OpenAI Codex', server: 'data' },
    ]);
    expect((await shown('--last', '1')).calls).toMatchObject([{ tool: 'execute_sql_read_only' }]);
    for (const count of ['0', 'many', '-1', '10001'])
      expect(await run('activity', `--last=${count}`)).toMatchObject({
        code: 2,
        stderr: `causeway: --last "${count}" is not a number of calls. Give 1 to 10000.\n`,
      });
  });

  test('a call is kept also where the client ends its proxy with a signal', async () => {
    const { env, shown } = await person();
    await useOnce(env, 'codex-mcp-client', ['execute_sql'], 'SIGTERM');
    expect((await shown()).calls.at(-1)).toMatchObject({ tool: 'execute_sql', outcome: 'answered' });
  });

  test('calls of a time, a client or a server are shown if that is asked for', async () => {
    const { env, run, shown } = await person();
    const day = new Date(2026, 10, 3, 12).getTime();
    await keep(
      env,
      { startedAt: day },
      { clientName: 'cursor-vscode' },
      { startedAt: Date.now(), path: '/api/2.0/mcp/genie/1' },
    );
    const clients = async (...args: string[]) => (await shown(...args)).calls.map(({ client }: WireCall) => client);
    expect(await clients()).toEqual(['OpenAI Codex', 'Cursor', 'OpenAI Codex']);
    expect(await clients('--since', '2h')).toEqual(['OpenAI Codex']);
    expect(await clients('--since', '2026-11-02', '--client', 'cursor-vscode')).toEqual(['Cursor']);
    expect(await clients('--client', 'Cursor', '--server', 'data')).toEqual(['Cursor']);
    expect(await clients('--server', '/api/2.0/mcp/genie/1')).toEqual(['OpenAI Codex']);
    expect((await run('activity', '--client', 'nobody')).stderr).toBe('No such calls.\n');
    for (const [flag, words] of [
      ['--since=yesterday', '--since "yesterday" is not a time.'],
      ['--server=dta', 'There is no server "dta". Did you mean "data"?'],
    ] as const)
      expect(await run('activity', flag)).toMatchObject({ code: 2, stderr: expect.stringContaining(words) });
  });

  test('a file that cannot be used is said, by commands and by a proxy once, costs no call, and stays as it was', async () => {
    const { env, run, shown, file } = await person();
    await keep(env);
    const bytes = Buffer.from(await readFile(file)).fill(0xa5, 0, 4_096);
    await writeFile(file, bytes);
    const client = await startSession(env, [], 'codex-mcp-client');
    for (const id of [1, 2]) {
      const params = { name: 'execute_sql', arguments: { query: 'SELECT 1' } };
      expect(await client.request(id, 'tools/call', params)).toHaveProperty('result');
    }
    expect(await client.finish()).toBe(0);
    expect(client.stderr.match(/Calls are not kept for Activity/g)).toHaveLength(1);
    expect(await shown()).toMatchObject({ calls: [], problems: [expect.stringContaining('activity.db is damaged.')] });
    expect((await run('activity', 'delete', '--all', '--yes')).stderr).toContain('is damaged');
    expect((await readFile(file)).equals(bytes)).toBe(true);
  });

  test('nothing is kept where the setting says so', async () => {
    const { env, run, shown, file } = await person();
    expect((await run('settings', 'set', 'activityDays', '0')).stdout).toContain('activityDays is 0.');
    await useOnce(env, 'codex-mcp-client');
    expect((await shown()).calls).toEqual([]);
    await expect(stat(file)).rejects.toThrow('ENOENT');
  });

  test('a proxy waits for a file that another program holds', async () => {
    const { env, shown, file } = await person();
    await keep(env);
    const other = new DatabaseSync(file);
    other.exec('BEGIN IMMEDIATE');
    const client = await startSession(env, [], 'cursor-vscode');
    const params = { name: 'execute_sql', arguments: { query: 'SELECT 1' } };
    expect(await client.request(1, 'tools/call', params)).toHaveProperty('result');
    other.exec('COMMIT');
    other.close();
    expect(await client.finish()).toBe(0);
    expect((await shown()).calls.at(-1)).toMatchObject({ client: 'Cursor', tool: 'execute_sql' });
  });
});

describe('causeway activity delete', () => {
  test('deletes the calls of a day or of a client, or all', async () => {
    const { env, run, shown } = await person();
    const at = (day: number) => ({ startedAt: new Date(2026, 10, day, 12).getTime() });
    await keep(env, at(3), at(4), { ...at(4), clientName: 'cursor-vscode' }, { ...at(5), clientName: 'cursor-vscode' });
    const removed = async (...args: string[]) =>
      JSON.parse((await run('activity', 'delete', '--json', '--yes', ...args)).stdout);
    expect(await run('activity', 'delete', '--day', '2026-11-04')).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('The kept calls of 2026-11-04 will be deleted (2 calls). Delete them?'),
    });
    expect(await removed('--day', '2026-11-04', '--client', 'cursor')).toEqual({ deleted: 1 });
    expect(await removed('--day', '2026-11-04')).toEqual({ deleted: 1 });
    expect((await shown()).calls).toHaveLength(2);
    expect(await removed('--client', 'OpenAI Codex')).toEqual({ deleted: 1 });
    expect((await run('activity', 'delete', '--all', '--yes')).stdout).toBe('1 call deleted.\n');
    expect((await shown()).calls).toEqual([]);
    expect(await removed('--all')).toEqual({ deleted: 0 });
  });

  test.each([
    [[], 'It is not said what to delete.'],
    [['--all', '--day', '2026-11-04'], '--all stands alone.'],
    [['--day', 'yesterday'], '--day "yesterday" is not a day.'],
    [['--day', '2026-02-30'], '--day "2026-02-30" is not a day.'],
    [['--client', 'nobody'], 'No kept call is of the AI client "nobody".'],
  ])('refuses %j', async (args, words) => {
    const { env, run } = await person();
    await keep(env);
    expect(await run('activity', 'delete', '--yes', ...args)).toMatchObject({
      code: 2,
      stderr: expect.stringContaining(words),
    });
  });
});

test('with the application, its calls are kept beside those of proxies that work alone, and stay when it ends', async () => {
  const { env, run, shown, file } = await person();
  await useOnce(env, 'cursor-vscode');
  let days = 90;
  const log = new ActivityLog({
    emit: () => {},
    show: () => {},
    store: { program: ACTIVITY_THREAD, path: file, days: () => days },
  });
  const causeway = createCauseway({ env });
  const hub = await causeway.serveProxies({
    onCall: (call) => log.add(call, null),
    recentCalls: (choice) => log.recent(choice),
  });
  const end = async () => {
    await hub.close();
    await log.end();
    log.close();
    await causeway.close();
  };
  onTestFinished(end);
  await useOnce(env, 'codex-mcp-client', ['execute_sql', 'no_such_tool']);
  const toolsOf = (calls: WireCall[]) =>
    calls.flatMap(({ client, tool }) => (tool === null ? [] : [`${client} ${tool}`]));
  const expected = ['Cursor execute_sql', 'OpenAI Codex execute_sql', 'OpenAI Codex no_such_tool'];
  // Whether they are written yet or not, each is shown once.
  const { application, calls } = await shown();
  expect([application, toolsOf(calls)]).toEqual([true, expected]);
  const state = await log.state();
  expect([state.kept, state.clients]).toEqual([calls.length, ['Cursor', 'OpenAI Codex']]);
  expect(toolsOf((await shown()).calls)).toEqual(expected);
  expect((await shown('--failed')).calls).toMatchObject([{ tool: 'no_such_tool' }]);
  expect(JSON.stringify(calls)).not.toContain(SECRET);
  // Deleted in the window is deleted here.
  await log.delete({ day: null, client: 'OpenAI Codex' });
  expect((await run('activity')).stdout).not.toContain('Codex');
  days = 0;
  await log.expire();
  expect((await run('activity')).stdout).toBe('');
  await useOnce(env, 'gemini-cli-mcp-client');
  expect((await log.state()).keptDays).toBe(0);
  expect((await run('activity')).stdout).toContain('Gemini');
  await end();
  expect((await run('activity')).stdout).toBe('');
});

test.runIf(HAS_TERMINALS)('--follow --json prints a line for each call', async () => {
  const { env } = await person();
  await keep(env, {}, { outcome: 'error', errorCode: -32602 });
  const terminal = openTerminal(env, 40, ['activity', '--follow', '--failed', '--json']);
  onTestFinished(terminal.kill);
  await expect.poll(() => terminal.shown(), { timeout: 10_000 }).toContain('\n');
  terminal.type('\u0003');
  expect(await terminal.ended).toBe(0);
  const lines = linesOf(terminal.shown()).filter((line) => line.startsWith('{'));
  expect(lines.map((line) => ANSWERS['activity --follow'].parse(JSON.parse(line)))).toMatchObject([
    { outcome: 'error', errorCode: -32602, server: 'data' },
  ]);
});

test.runIf(HAS_TERMINALS)('--follow shows each call once as it ends, until Ctrl+C', async () => {
  const { env } = await person();
  await keep(env);
  const terminal = openTerminal(env, 80, ['activity', '--follow']);
  onTestFinished(terminal.kill);
  await expect.poll(() => textOf(terminal.shown()), { timeout: 10_000 }).toContain('OpenAI Codex');
  await keep(env, { clientName: 'claude-code', outcome: 'lost', startedAt: Date.now() });
  await expect
    .poll(() => textOf(terminal.shown()), { timeout: 10_000 })
    .toMatch(/Claude Code +data +execute_sql +no answer/);
  await keep(env, { clientName: 'gemini-cli-mcp-client', startedAt: Date.now() });
  await expect.poll(() => textOf(terminal.shown()), { timeout: 10_000 }).toContain('Gemini');
  terminal.type('\u0003');
  expect(await terminal.ended).toBe(0);
  expect(textOf(terminal.shown()).match(/execute_sql/g)).toHaveLength(3);
});
