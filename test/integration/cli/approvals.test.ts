import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { PassThrough } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, onTestFinished, test } from 'vitest';
import { runProgram } from '../../../main/cli/program.ts';
import { ApprovalQueue } from '../../../main/permissions/approvals.ts';
import { CAUSEWAY, ProxyProcess } from '../proxy/proxy-process.ts';
import { runCommand } from '../warehouses/harness.ts';
import { homeOfAna, requestsOf, startApplication, startSession } from './sql-session.ts';

/** A person whose SQL server is asked about, the application, and a client that calls it. */
async function person() {
  const { env, workspace } = await homeOfAna();
  const run = (...args: string[]) => runCommand(env, args);
  await run('servers', 'add', '--path', '/api/2.0/mcp/sql', '--name', 'data', '--profile', 'ana');
  await run('permissions', 'set', 'data', '--ask', 'execute_sql', 'execute_sql_read_only');
  const approvals = new ApprovalQueue({ waits: () => ({ firstMs: 60_000, mostMs: 200_000 }) });
  await startApplication(env, approvals);
  const client = await startSession(env, [], 'claude-code');
  let id = 0;
  const call = async (query: string, name = 'execute_sql') => {
    id += 1;
    const answered = client.request(id, 'tools/call', { name, arguments: { query } });
    answered.catch(() => undefined);
    const waiting = approvals.pending.length;
    await expect.poll(() => approvals.pending.length).toBe(waiting + 1);
    return { answered, id: String(approvals.pending.at(-1)?.id) };
  };
  const queries = () => workspace.statements.map(({ query }) => query);
  return { env, run, approvals, call, queries, client };
}

/** A terminal in which something is typed each time that a question ends in a colon. */
function atTerminal(env: NodeJS.ProcessEnv, typed: string[], before = '') {
  const terminal = () => Object.assign(new PassThrough(), { isTTY: true });
  const [stdin, stdout, stderr] = [terminal(), terminal(), terminal()];
  const shown = { text: '' };
  stdin.write(before);
  stdout.on('data', (chunk) => {
    shown.text += chunk;
  });
  stderr.on('data', (chunk) => {
    shown.text += chunk;
    if (String(chunk).endsWith(': ')) stdin.write(`${typed.shift() ?? ''}\n`);
  });
  const run = (...args: string[]) => runProgram(args, { stdin, stdout, stderr, env: { ...env, NO_COLOR: '1' } });
  return { run, shown };
}

/** The same with a true terminal, in which `causeway approvals --watch` runs. */
function realTerminal(env: NodeJS.ProcessEnv, typed: string[]) {
  const command = [process.execPath, CAUSEWAY, 'approvals', '--watch'].map((word) => `'${word}'`).join(' ');
  // Without `exec`, the shell would get Ctrl+C too.
  const child = spawn('script', ['-qefc', `exec ${command}`, '/dev/null'], {
    env: { ...env, PATH: process.env.PATH, NO_COLOR: '1' },
  });
  onTestFinished(() => void child.kill('SIGKILL'));
  const shown = { text: '' };
  child.stdout.on('data', (chunk) => {
    shown.text += chunk;
    if (String(chunk).includes(': ') && String(chunk).includes('Type ') && typed.length > 0)
      child.stdin.write(`${typed.shift()}\r`);
  });
  return {
    shown,
    interrupt: () => child.stdin.write('\u0003'),
    ended: once(child, 'exit').then(([code]) => code),
  };
}

const textOf = async (answered: Promise<{ result?: unknown }>) => JSON.stringify((await answered).result);

describe('causeway approvals', () => {
  test('lists what waits, as text and as JSON', async () => {
    const { run, call } = await person();
    expect((await run('approvals')).stdout).toBe('No calls are waiting.\n');
    await call('DROP TABLE orders');
    await call('SELECT 1', 'execute_sql_read_only');
    const { stdout } = await run('approvals');
    expect(stdout).toMatch(/^1 {2}Claude Code {2}execute_sql +data {2}may change data {2}expires in \d+ s\n2 {2}/);
    expect(stdout).toMatch(/\n2 {2}Claude Code {2}execute_sql_read_only {2}data {2}only reads +expires in \d+ s\n$/);
    const { approvals, allowances } = JSON.parse((await run('approvals', 'list', '--json')).stdout);
    expect(allowances).toEqual([]);
    expect(approvals[0]).toMatchObject({
      id: 1,
      client: 'Claude Code',
      server: 'data',
      profile: 'ana',
      readsOnly: false,
    });
    expect(new Date(approvals[0].expiresAt).getTime() - new Date(approvals[0].askedAt).getTime()).toBe(60_000);
  });

  test('allows a call that was shown, by a whole word; what was typed before does not count', async () => {
    const { env, call, queries } = await person();
    const { answered, id } = await call("DROP TABLE orders --\u202e'");
    const no = atTerminal(env, ['y'], 'allow\nallow\n');
    expect(await no.run('approvals', 'allow', id)).toBe(0);
    expect(no.shown.text).toContain('Claude Code wants to use execute_sql on data as');
    expect(no.shown.text).toContain("  DROP TABLE orders --⟨U+202E⟩'");
    expect(no.shown.text).toContain('Not allowed. The call still waits.');
    expect(queries()).toEqual([]);
    const yes = atTerminal(env, ['allow']);
    expect(await yes.run('approvals', 'allow', id)).toBe(0);
    expect(yes.shown.text).toContain('Allowed.');
    expect(await textOf(answered)).toContain('statement_id');
  });

  test('allows nothing without a terminal, and blocks anywhere', async () => {
    const { run, call, queries } = await person();
    const { answered, id } = await call('DROP TABLE orders');
    const refused = await run('approvals', 'allow', id);
    expect(refused.code).toBe(2);
    expect(refused.stderr).toContain('Only a person can allow a call, and there is no terminal to answer on.');
    expect((await run('approvals', 'block', id)).stdout).toBe('Blocked.\n');
    expect(await textOf(answered)).toContain('The user refused this call');
    expect(queries()).toEqual([]);
    expect((await run('approvals', 'block', id)).stderr).toContain(`No call ${id} is waiting.`);
    expect((await run('approvals', 'block', 'first')).stderr).toContain('"first" is not the number of a call.');
  });

  test('answers as JSON', async () => {
    const { env, run, call } = await person();
    const { id } = await call('DROP TABLE orders');
    const json = async (...args: string[]) => JSON.parse((await run('approvals', ...args, '--json')).stdout);
    const no = atTerminal(env, ['n']);
    expect(await no.run('approvals', 'allow', id, '--json')).toBe(0);
    expect(no.shown.text).toContain('"state": "waiting"');
    const extended = await json('extend', id);
    expect(extended).toEqual({ id: Number(id), state: 'extended', expiresAt: expect.stringMatching(/^20.*Z$/) });
    expect(await json('block', id)).toEqual({ id: Number(id), state: 'blocked', expiresAt: null });
    expect(await json('revoke')).toEqual({ allowances: [] });
    const next = await call('SELECT 1');
    const yes = atTerminal(env, ['allow']);
    expect(await yes.run('approvals', 'allow', next.id, '--json')).toBe(0);
    expect(yes.shown.text).toContain('"state": "allowed"');
  });

  test('gives more time, and ends what is allowed for some time', async () => {
    const { run, call, approvals } = await person();
    const { answered, id } = await call('SELECT 1');
    expect((await run('approvals', 'extend', id)).stdout).toMatch(/^This call now expires in 1[78]\d s\.\n$/);
    approvals.allowUntil(Number(id), 'tool', Date.now() + 3_600_000);
    await answered;
    expect((await run('approvals')).stdout).toMatch(/Claude Code can use execute_sql on data until \d+:\d+/);
    expect((await run('approvals', 'revoke')).code).toBe(0);
    await call('SELECT 2');
  });

  test.runIf(process.platform === 'linux')(
    'watches, asks about each call as it comes, and says when one was answered elsewhere',
    async () => {
      const { env, call, approvals, queries } = await person();
      const terminal = realTerminal(env, ['what', 'more', 'block', 'y']);
      const { answered } = await call('DROP TABLE orders');
      expect(await textOf(answered)).toContain('The user refused this call');
      expect(terminal.shown.text).toContain(
        'Type "allow" to allow it, "block" to block it, "more" for two more minutes: ',
      );
      expect(terminal.shown.text).toContain('Two more minutes.');
      const read = await call('SELECT 1', 'execute_sql_read_only');
      expect(await textOf(read.answered)).toContain('statement_id');
      const elsewhere = await call('DROP TABLE taxi');
      await expect.poll(() => terminal.shown.text).toContain('DROP TABLE taxi');
      approvals.answer(Number(elsewhere.id), 'refused');
      await expect.poll(() => terminal.shown.text).toContain('no longer waiting');
      expect(queries()).toEqual(['SELECT 1']);
      terminal.interrupt();
      expect(await terminal.ended).toBe(0);
    },
  );

  test('says that only the running application can have calls wait', async () => {
    const { env } = await homeOfAna();
    const { code, stderr } = await runCommand(env, ['approvals']);
    expect(code).not.toBe(0);
    expect(stderr).toContain('Causeway is not running');
  });
});

describe('with no application, the person is asked through their client', () => {
  async function alone(clientName: string, capabilities: object = { elicitation: {} }) {
    const { env, workspace } = await homeOfAna();
    const run = (...args: string[]) => runCommand(env, args);
    await run('servers', 'add', '--path', '/api/2.0/mcp/sql', '--name', 'data', '--profile', 'ana');
    await run('permissions', 'set', 'data', '--ask', 'execute_sql');
    const client = await startSession(env, [], clientName, capabilities);
    const answered = client.request(1, 'tools/call', { name: 'execute_sql', arguments: { query: 'DROP TABLE taxi' } });
    answered.catch(() => undefined);
    const question = async () => {
      const find = () => requestsOf(client).find(({ method }) => method === 'elicitation/create');
      await expect.poll(find).toBeDefined();
      return find();
    };
    return { client, answered, question, workspace };
  }
  const accepted = (decision: string) => ({ action: 'accept', content: { decision } });

  test('and allows the call, in words', async () => {
    const { client, answered, question } = await alone('claude-code');
    const asked = await question();
    expect(asked?.params).toMatchObject({
      message: 'Claude Code wants to use execute_sql on /api/2.0/mcp/sql. Allow this call?\n\nDROP TABLE taxi',
      requestedSchema: {
        properties: { decision: { enum: ['Block this call', 'Allow once'], default: 'Block this call' } },
      },
    });
    await sleep(700);
    client.send({ jsonrpc: '2.0', id: asked?.id, result: accepted('Allow once') });
    expect(await textOf(answered)).toContain('statement_id');
  });

  test('also in the stateless revision, where the call is sent again with the answer', async () => {
    const { env, workspace } = await homeOfAna();
    const run = (...args: string[]) => runCommand(env, args);
    await run('servers', 'add', '--path', '/api/2.0/mcp/sql', '--name', 'data', '--profile', 'ana');
    await run('permissions', 'set', 'data', '--ask', 'execute_sql', 'execute_sql_read_only');
    const client = new ProxyProcess(['--profile', 'ana', '--path', '/api/2.0/mcp/sql'], env);
    onTestFinished(() => client.close());
    const _meta = {
      'io.modelcontextprotocol/protocolVersion': '2026-07-28',
      'io.modelcontextprotocol/clientInfo': { name: 'claude-code', version: '1' },
      'io.modelcontextprotocol/clientCapabilities': { elicitation: { form: {} } },
    };
    const call = (name: string, more: object = {}) => ({ name, arguments: { query: 'SELECT 1' }, _meta, ...more });
    for (const [id, name, answer] of [
      [1, 'execute_sql', accepted('Allow once')],
      [3, 'execute_sql_read_only', { action: 'accept' }],
    ] as const) {
      const { result } = await client.request(id, 'tools/call', call(name));
      const { resultType, inputRequests, requestState } = Object(result);
      expect(resultType).toBe('input_required');
      const [[key, asked] = []] = Object.entries(Object(inputRequests));
      expect(asked).toMatchObject({ method: 'elicitation/create', params: { message: expect.stringContaining(name) } });
      await sleep(700);
      const again = { requestState, inputResponses: { [String(key)]: answer } };
      expect(await textOf(client.request(id + 1, 'tools/call', call(name, again)))).toContain('statement_id');
    }
    expect(workspace.statements).toHaveLength(2);
  });

  test.each([
    ['an answer that nobody can have read', accepted('Allow once'), 0],
    ['another choice', accepted('Block this call'), 700],
    ['no choice', { action: 'accept' }, 700],
    ['a refusal', { action: 'decline' }, 700],
    ['a dialog that was closed', { action: 'cancel' }, 700],
  ])('%s allows nothing', async (_, result, afterMs) => {
    const { client, answered, question, workspace } = await alone('claude-code');
    const asked = await question();
    await sleep(afterMs);
    client.send({ jsonrpc: '2.0', id: asked?.id, result });
    expect(await textOf(answered)).toContain('The user refused this call');
    expect(workspace.statements).toEqual([]);
  });

  test.each([
    ['a client that is not known to show questions', 'something-new', { elicitation: {} }],
    ['a client that does not declare them', 'claude-code', {}],
    ['a client that only opens pages', 'claude-code', { elicitation: { url: {} } }],
  ])('not through %s', async (_, name, capabilities) => {
    const { client, answered } = await alone(name, capabilities);
    expect(await textOf(answered)).toContain('Causeway is not running to ask for it');
    expect(requestsOf(client)).toEqual([]);
  });
});
