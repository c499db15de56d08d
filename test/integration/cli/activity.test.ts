import { appendFile, mkdir, readFile, stat } from 'node:fs/promises';
import { describe, expect, onTestFinished, test } from 'vitest';
import { createCauseway } from '../../../main/app/causeway.ts';
import { appendToJournal, journalFiles } from '../../../main/audit/journal.ts';
import { ANSWERS } from '../../../main/cli/answers/answers.ts';
import { ActivityLog } from '../../../main/desktop/activity/activity.ts';
import type { WireCall } from '../../../main/hub/wire.ts';
import { runCommand } from '../warehouses/harness.ts';
import { HAS_TERMINALS, linesOf, openTerminal, textOf } from './real-terminal.ts';
import { homeOfAna, startSession } from './sql-session.ts';

const CALL: WireCall = {
  at: '2026-11-03T16:41:00.000Z',
  client: 'codex-mcp-client',
  profile: 'ana',
  path: '/api/2.0/mcp/sql',
  method: 'tools/call',
  tool: 'execute_sql',
  outcome: 'answered',
  errorCode: null,
  refusal: null,
  durationMs: 1234.5,
  statement: null,
  isPoll: false,
};
const SECRET = 'a_column_that_nobody_may_see';

async function person() {
  const { env, workspace } = await homeOfAna();
  const run = (...args: string[]) => runCommand(env, args);
  await run('servers', 'add', '--path', '/api/2.0/mcp/sql', '--name', 'data', '--profile', 'ana');
  const [older, newest] = journalFiles(env);
  const shown = async (...args: string[]) => JSON.parse((await run('activity', '--json', ...args)).stdout);
  return { env, workspace, run, shown, older, newest };
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
    const { env, run, shown, newest } = await person();
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
    const text = await readFile(newest, 'utf8');
    expect(text).not.toContain(SECRET);
    expect(text).not.toContain('dapi');
    if (process.platform !== 'win32') expect((await stat(newest)).mode & 0o777).toBe(0o600);
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

  test('a damaged file is said and skipped', async () => {
    const { env, run, shown, newest, older } = await person();
    await appendToJournal(env, [CALL]);
    await appendFile(newest, '{"at":"2026-\n\u0000\u0000\nnot json\n{"at":1}\n');
    await appendToJournal(env, [{ ...CALL, tool: 'poll_sql_result' }]);
    const said = `4 lines of ${newest} cannot be read and were left out.`;
    expect(await shown()).toMatchObject({
      calls: [{ tool: 'execute_sql' }, { tool: 'poll_sql_result' }],
      problems: [said],
    });
    expect((await run('activity')).stderr).toBe(`${said}\n`);
    await mkdir(older);
    const { calls, problems } = await shown();
    expect([calls.length, problems.length]).toEqual([2, 2]);
    expect(problems[0]).toContain('Calls were left out.');
  });

  test('the file stays small, however many processes write, and no line is torn', async () => {
    const { env, shown, newest, older } = await person();
    const rotation = { maxBytes: 20_000, kept: 1 };
    const many = Array.from({ length: 40 }, (_, number) => number);
    await Promise.all(
      many.map(async (number) => {
        for (let each = 0; each < 10; each += 1)
          await appendToJournal(env, [{ ...CALL, durationMs: number * 100 + each }], rotation);
      }),
    );
    for (const file of [newest, older]) expect((await stat(file)).size).toBeLessThan(2 * rotation.maxBytes);
    expect(await shown('--last', '5')).toMatchObject({ problems: [], calls: Array(5).fill({ tool: 'execute_sql' }) });
  });

  test('a journal that cannot be written to costs no call, and is said once', async () => {
    const { env, newest } = await person();
    await mkdir(newest, { recursive: true });
    const client = await startSession(env, [], 'codex-mcp-client');
    for (const id of [1, 2]) {
      const params = { name: 'execute_sql', arguments: { query: 'SELECT 1' } };
      expect(await client.request(id, 'tools/call', params)).toHaveProperty('result');
    }
    expect(await client.finish()).toBe(0);
    expect(client.stderr.match(/Calls are not kept for `causeway activity`/g)).toHaveLength(1);
  });
});

test('with the application, the calls that its window shows come first, and those of proxies that work alone beside them', async () => {
  const { env, run, shown } = await person();
  await useOnce(env, 'cursor-vscode');
  const log = new ActivityLog(
    () => {},
    () => {},
  );
  const causeway = createCauseway({ env });
  const hub = await causeway.serveProxies({
    onCall: (call) => log.add(call, null),
    recentCalls: (choice) => log.recent(choice),
  });
  onTestFinished(async () => {
    log.close();
    await hub.close();
    await causeway.close();
  });
  await useOnce(env, 'codex-mcp-client', ['execute_sql', 'no_such_tool']);
  const { application, calls } = await shown();
  expect(application).toBe(true);
  const tools = calls.flatMap(({ client, tool }: WireCall) => (tool === null ? [] : [`${client} ${tool}`]));
  expect(tools).toEqual(['Cursor execute_sql', 'OpenAI Codex execute_sql', 'OpenAI Codex no_such_tool']);
  expect((await shown('--failed')).calls).toMatchObject([{ tool: 'no_such_tool' }]);
  expect(JSON.stringify(calls)).not.toContain(SECRET);
  // Cleared in the window is cleared here.
  log.clear();
  expect((await run('activity')).stdout).not.toContain('Codex');
});

test.runIf(HAS_TERMINALS)('--follow --json prints a line for each call', async () => {
  const { env } = await person();
  await appendToJournal(env, [CALL, { ...CALL, outcome: 'error', errorCode: -32602 }]);
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
  await appendToJournal(env, [CALL]);
  const terminal = openTerminal(env, 80, ['activity', '--follow']);
  onTestFinished(terminal.kill);
  await expect.poll(() => textOf(terminal.shown()), { timeout: 10_000 }).toContain('OpenAI Codex');
  await appendToJournal(env, [{ ...CALL, client: 'claude-code', outcome: 'lost', at: new Date().toISOString() }]);
  await expect
    .poll(() => textOf(terminal.shown()), { timeout: 10_000 })
    .toMatch(/Claude Code +data +execute_sql +no answer/);
  await appendToJournal(env, [{ ...CALL, client: 'gemini-cli-mcp-client', at: new Date().toISOString() }]);
  await expect.poll(() => textOf(terminal.shown()), { timeout: 10_000 }).toContain('Gemini');
  terminal.type('\u0003');
  expect(await terminal.ended).toBe(0);
  expect(textOf(terminal.shown()).match(/execute_sql/g)).toHaveLength(3);
});
