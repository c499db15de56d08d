import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { Audit } from '../../../main/audit/audit.ts';
import { appendToAudit, auditFile } from '../../../main/audit/audit-file.ts';
import type { AuditedCall } from '../../../main/audit/audited-call.ts';
import { endedCall } from '../../ended-call.ts';
import { homeOfAna, SQL, startApplication, startSession } from '../cli/sql-session.ts';
import { locked, managedHome } from '../policy/managed-home.ts';
import { ProxyProcess } from '../proxy/proxy-process.ts';
import { runCommand } from '../warehouses/harness.ts';
import { FAULTS, startCollector, startFaultyCollector } from './collector.ts';

const MARKER = 'marker-8c1f0d7e';

async function auditedLines(env: NodeJS.ProcessEnv): Promise<AuditedCall[]> {
  const text = await readFile(auditFile(env), 'utf8').catch(() => '');
  return text
    .split('\n')
    .filter(Boolean)
    .map((line) => JSON.parse(line));
}

/** A session in which one call is answered, one fails, and one names a tool that holds what is no name. */
async function callThrice(env: NodeJS.ProcessEnv): Promise<ProxyProcess> {
  const proxy = new ProxyProcess(['--profile', 'ana', '--path', SQL], { ...env, PATH: process.env.PATH });
  onTestFinished(() => proxy.close());
  await proxy.open({ clientInfo: { name: 'codex-mcp-client', version: '1' } });
  const call = (id: number, name: string) =>
    proxy.request(id, 'tools/call', { name, arguments: { query: `SELECT '${MARKER}'`, note: MARKER } });
  await call(1, 'execute_sql');
  await call(2, 'no_such_tool');
  await call(3, `SELECT "${MARKER}" FROM t`);
  return proxy;
}

const EXPECTED = [
  { client: 'codex-mcp-client', profile: 'ana', server: SQL, method: 'tools/call', tool: 'execute_sql' },
  { client: 'codex-mcp-client', server: SQL, tool: 'no_such_tool' },
  { client: 'codex-mcp-client', server: SQL, tool: '(unusual name)' },
];

/** Every file below a folder. */
async function everythingIn(folder: string): Promise<string> {
  const names = await readdir(folder, { recursive: true, withFileTypes: true });
  const files = names.filter((each) => each.isFile());
  const texts = await Promise.all(files.map((each) => readFile(join(each.parentPath, each.name), 'utf8')));
  return texts.join('\n');
}

describe('an audit in a file', () => {
  test.each([
    ['through the application', true],
    ['of a standalone proxy', false],
  ])('names client, server, tool, outcome and duration of calls %s, and no contents', async (_what, isShared) => {
    const { env } = await homeOfAna();
    expect((await runCommand(env, ['audit', 'on'])).stdout).toContain(auditFile(env));
    if (isShared) await startApplication(env);
    const proxy = await callThrice(env);
    await vi.waitFor(async () => expect(await auditedLines(env)).toMatchObject(EXPECTED), 10_000);
    const [answered, failed] = await auditedLines(env);
    expect(answered).toMatchObject({ outcome: 'answered', errorCode: null });
    expect(failed?.outcome).not.toBe('answered');
    expect(answered?.durationMs).toBeGreaterThan(0);
    expect(Date.parse(answered?.at ?? '')).toBeGreaterThan(0);
    await proxy.close();
    expect(await readFile(auditFile(env), 'utf8')).not.toContain(MARKER);
    expect(await readFile(auditFile(env), 'utf8')).not.toMatch(/dapi|SELECT|Bearer/);
  });

  test.each([
    ['through the application', true],
    ['of a standalone proxy', false],
  ])('reports a failed statement %s, even though MCP calls its answer a success', async (_what, isShared) => {
    const { env } = await homeOfAna();
    await runCommand(env, ['audit', 'on']);
    if (isShared) await startApplication(env);
    const proxy = await startSession(env);
    const call = { name: 'execute_sql', arguments: { query: 'SELECT 1' }, _meta: { warehouse_id: 'nowhere' } };
    const { result } = await proxy.request(1, 'tools/call', call);
    expect(result).toMatchObject({ structuredContent: { status: { state: 'FAILED' } } });
    await vi.waitFor(async () => expect(await auditedLines(env)).toMatchObject([{ outcome: 'tool-error' }]), 10_000);
    if (!isShared) return;
    const { application } = JSON.parse((await runCommand(env, ['status', '--json'])).stdout);
    expect(application.sessions).toMatchObject([{ calls: { done: 2, failed: 1 } }]);
  });

  test('is off unless it is turned on, and off again once it is turned off', async () => {
    const { env } = await homeOfAna();
    await startApplication(env);
    await (await callThrice(env)).close();
    expect(await auditedLines(env)).toEqual([]);
    await runCommand(env, ['audit', 'on']);
    await callThrice(env);
    await vi.waitFor(async () => expect(await auditedLines(env)).toHaveLength(3), 10_000);
    expect((await runCommand(env, ['audit', 'off'])).stdout).toContain('Calls are not audited');
    await (await callThrice(env)).close();
    expect(await auditedLines(env)).toHaveLength(3);
  });

  test('is on if the organization requires it, and cannot be turned off', async () => {
    const { env, proxy, run } = await managedHome(() => ({ audit: locked({ file: true }) }));
    const session = proxy();
    await session.open({ clientInfo: { name: 'cursor', version: '1' } });
    await session.request(7, 'tools/call', { name: 'execute_sql', arguments: { query: 'SELECT 1' } });
    await vi.waitFor(async () => expect(await auditedLines(env)).toMatchObject([{ client: 'cursor' }]), 10_000);
    const { code, stderr } = await run('audit', 'off');
    expect(code).toBe(1);
    expect(stderr).toContain('Managed by your organization');
  });

  test('is rotated, and loses no line from several processes', async () => {
    const { env } = await homeOfAna();
    const call = (number: number): AuditedCall => ({
      at: new Date(0).toISOString(),
      client: 'c',
      profile: 'ana',
      server: SQL,
      method: 'tools/call',
      tool: `tool_${number}`,
      outcome: 'answered',
      errorCode: null,
      durationMs: 1,
    });
    const numbers = Array.from({ length: 60 }, (_, index) => index);
    const rotation = { maxBytes: 2_000, kept: 20 };
    await Promise.all(numbers.map((number) => appendToAudit(env, [call(number)], rotation)));
    for (const number of numbers) await appendToAudit(env, [call(100 + number)], rotation);
    const folder = join(auditFile(env), '..');
    expect((await readdir(folder)).length).toBeGreaterThan(3);
    const tools = [...(await everythingIn(folder)).matchAll(/tool_(\d+)/g)].map(([, number]) => Number(number));
    expect(tools.sort((a, b) => a - b)).toEqual([...numbers, ...numbers.map((number) => 100 + number)]);
  });
});

describe('an audit to a collector', () => {
  test.each([
    ['through the application', true],
    ['of a standalone proxy', false],
  ])('sends metrics and logs of calls %s over OTLP, and no contents', async (_what, isShared) => {
    const collector = await startCollector();
    const { env } = await homeOfAna();
    expect((await runCommand(env, ['audit', 'on', '--otlp', collector.url])).stdout).toContain(collector.url);
    const end = isShared ? await startApplication(env) : async () => {};
    const proxy = await callThrice(env);
    proxy.stdin.end();
    expect(await proxy.ended).toBe(0);
    await end();
    expect(collector.logs()).toEqual([
      expect.objectContaining({
        'causeway.client': 'codex-mcp-client',
        'causeway.server': SQL,
        'gen_ai.tool.name': 'execute_sql',
        'causeway.outcome': 'answered',
      }),
      expect.objectContaining({ 'gen_ai.tool.name': 'no_such_tool' }),
      expect.objectContaining({ 'gen_ai.tool.name': '(unusual name)' }),
    ]);
    expect(collector.metrics()).toContainEqual(
      expect.objectContaining({ name: 'mcp.client.operation.duration', 'gen_ai.tool.name': 'execute_sql' }),
    );
    expect(collector.received()).not.toContain(MARKER);
    expect(collector.received()).not.toMatch(/dapi|SELECT|Bearer/);
    expect(await auditedLines(env)).toEqual([]);
  });

  test('that does not answer delays no call and no end of a session for long', async () => {
    const { env } = await homeOfAna();
    await runCommand(env, ['audit', 'on', '--file', '--otlp', 'http://127.0.0.1:9']);
    const proxy = await callThrice(env);
    proxy.stdin.end();
    expect(await proxy.ended).toBe(0);
    expect(await auditedLines(env)).toHaveLength(3);
  });
});

describe('a collector that', () => {
  const HUB_CALL = endedCall({
    pid: 1,
    clientName: 'codex-mcp-client',
    clientVersion: '1',
    path: SQL,
    bytesFromClient: 1,
    bytesToClient: 1,
  });

  test.each([...Object.keys(FAULTS), 'is not there'])(
    '%s is reported once, and delays neither calls nor shutdown',
    async (fault) => {
      const url = fault in FAULTS ? await startFaultyCollector(fault) : 'http://127.0.0.1:9';
      const { env } = await homeOfAna();
      await runCommand(env, ['audit', 'on', '--file', '--otlp', url.replace('//', '//user:hunter2@')]);
      const words: string[] = [];
      const audit = new Audit(env, (line) => words.push(line));
      for (let number = 0; number < 3; number += 1) audit.add({ ...HUB_CALL, startedAt: number });
      await audit.close();
      expect(words).toEqual([expect.stringContaining(`could not be sent to the collector at ${new URL(url).host}: `)]);
      expect(words.join()).not.toContain('hunter2');
      expect(await auditedLines(env)).toHaveLength(3);
    },
  );

  test('that never ends its answer lets a proxy answer and end', async () => {
    const { env } = await homeOfAna();
    await runCommand(env, ['audit', 'on', '--otlp', await startFaultyCollector('drips an answer without end')]);
    const proxy = await callThrice(env);
    proxy.stdin.end();
    expect(await proxy.ended).toBe(0);
    expect(proxy.stderr).not.toContain(MARKER);
  });
});

test('causeway audit says whether it is on, with JSON too, and refuses an invalid address', async () => {
  const { env } = await homeOfAna();
  expect((await runCommand(env, ['audit'])).stdout).toContain('causeway audit on');
  expect((await runCommand(env, ['audit', 'on', '--otlp', 'collector'])).code).toBe(2);
  await runCommand(env, ['audit', 'on', '--otlp', 'http://localhost:4318', '--file']);
  expect(JSON.parse((await runCommand(env, ['audit', '--json'])).stdout)).toEqual({
    on: true,
    file: auditFile(env),
    otlp: 'http://localhost:4318',
    managed: false,
  });
});

test('telemetry is not loaded for a proxy while it is off', async () => {
  const { env } = await homeOfAna();
  const traced = { ...env, NODE_OPTIONS: `--require ${join(import.meta.dirname, 'loaded-files.cjs')}` };
  const proxy = await callThrice(traced);
  proxy.stdin.end();
  await proxy.ended;
  expect(proxy.stderr).toContain('alone-');
  expect(proxy.stderr).not.toMatch(/otlp-|audited-bridge-/);
});
