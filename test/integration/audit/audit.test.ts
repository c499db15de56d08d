import { randomUUID } from 'node:crypto';
import { mkdir, readdir, readFile } from 'node:fs/promises';
import { hostname, userInfo } from 'node:os';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { createCauseway } from '../../../main/app/causeway.ts';
import { Audit } from '../../../main/audit/audit.ts';
import { appendToAudit, auditFile } from '../../../main/audit/audit-file.ts';
import { type AuditedCall, auditedCall } from '../../../main/audit/audited-call.ts';
import { type Origin, originOf } from '../../../main/audit/origin.ts';
import { openOtlp } from '../../../main/audit/otlp.ts';
import { endedCall } from '../../ended-call.ts';
import { homeOfAna, SQL, startApplication, startSession } from '../cli/sql-session.ts';
import { locked, managedHome } from '../policy/managed-home.ts';
import { createCertificateAuthority, HAS_OPENSSL } from '../proxy/certificate-authority.ts';
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

function callOf(change: Parameters<typeof endedCall>[0], origin: Origin): AuditedCall {
  const call = auditedCall(endedCall(change), origin);
  if (!call) throw new Error('the call is not audited');
  return call;
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
    const { env, workspace } = await homeOfAna();
    expect((await runCommand(env, ['audit', 'on'])).stdout).toContain(auditFile(env));
    if (isShared) await startApplication(env);
    const proxy = await callThrice(env);
    await vi.waitFor(async () => expect(await auditedLines(env)).toMatchObject(EXPECTED), 10_000);
    const [answered, failed] = await auditedLines(env);
    expect(answered).toMatchObject({ outcome: 'answered', errorCode: null });
    expect(failed?.outcome).not.toBe('answered');
    expect(answered?.durationMs).toBeGreaterThan(0);
    expect(Date.parse(answered?.at ?? '')).toBeGreaterThan(0);
    expect(answered).toMatchObject({
      event: 'call',
      user: null,
      osUser: userInfo().username,
      host: hostname(),
      workspace: workspace.host,
      workspaceId: null,
      clientVersion: '1',
      requestId: '1',
      session: expect.stringMatching(/^[\da-f-]{36}\/\d+$/),
      statementId: workspace.statements.at(-1)?.statementId,
    });
    expect(failed).toMatchObject({ session: answered?.session, requestId: '2', statementId: null });
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
    const call = (number: number) => callOf({ tool: `tool_${number}` }, originOf('proxy'));
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
        'server.address': '127.0.0.1',
        'jsonrpc.request.id': '1',
        'host.name': hostname(),
        'process.owner': userInfo().username,
        eventName: 'causeway.call',
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

test('a collector can add up what three computers send at once: the number of calls, and the p95 of their durations', async () => {
  const collector = await startCollector();
  const quick = Array.from({ length: 60 }, (_, index) => 12 + index);
  const slow = Array.from({ length: 36 }, (_, index) => 300 + index * 40);
  const refused = [4, 5, 6_400, 7_300, 31_000, 8];
  const send = async (host: string, durations: number[], change: Parameters<typeof endedCall>[0] = {}) => {
    const origin = { ...originOf('proxy'), host, instance: randomUUID() };
    const onSent = (failure: string | undefined) => expect(failure).toBeUndefined();
    const otlp = await openOtlp({ address: collector.url }, { env: {}, origin, onSent });
    for (const durationMs of durations) otlp.add(callOf({ ...change, durationMs }, origin));
    await otlp.close();
  };
  await Promise.all([
    send('laptop-1', quick),
    send('laptop-2', slow),
    send('laptop-3', refused, { outcome: 'error', errorCode: -32003 }),
  ]);
  const points = collector.metrics();
  const callsOf = (host: string) =>
    points.filter((point) => point['host.name'] === host).reduce((sum, { count }) => sum + count, 0);
  expect(['laptop-1', 'laptop-2', 'laptop-3', hostname()].map(callsOf)).toEqual([60, 36, 6, 0]);
  expect(new Set(points.map((point) => point['service.instance.id'])).size).toBe(3);
  for (const point of points) {
    expect(point).toMatchObject({ 'service.name': 'causeway', aggregationTemporality: DELTA });
  }
  const refusals = points.filter((point) => point['error.type'] === '-32003');
  expect(refusals.map(({ count, 'host.name': host }) => [host, count])).toEqual([['laptop-3', 6]]);
  // Of 102 calls, 95 % are done with the 97th: 3 refused ones and the 60 quick ones come before the slow ones, of which it is the 34th.
  const all = [...quick, ...slow, ...refused].sort((one, other) => one - other);
  const exact = (all[Math.ceil(all.length * 0.95) - 1] ?? 0) / 1000;
  expect(exact).toBe(1.62);
  const [lower, upper] = bucketOfPercentile(points, 0.95);
  expect([lower, upper]).toEqual([1, 2]);
  expect(exact).toBeGreaterThan(lower);
  expect(exact).toBeLessThanOrEqual(upper);
  expect(collector.logs()).toHaveLength(102);
});

describe.skipIf(!HAS_OPENSSL)('with certificates that openssl makes: a collector', () => {
  test('is trusted by the certificate that a policy or the environment names, and not without', async () => {
    const authority = createCertificateAuthority('localhost');
    onTestFinished(() => authority.remove());
    const collector = await startCollector(authority);
    const send = async (certificate?: string, env: NodeJS.ProcessEnv = {}) => {
      const origin = originOf('proxy');
      const failures = new Set<string | undefined>();
      const onSent = (failure: string | undefined) => void failures.add(failure);
      const otlp = await openOtlp({ address: collector.url, certificate }, { env, origin, onSent });
      otlp.add(callOf({}, origin));
      await otlp.close();
      return [...failures];
    };
    expect(await send()).toEqual([expect.stringMatching(/certificate/)]);
    expect(await send(authority.file)).toEqual([undefined]);
    expect(await send(await readFile(authority.file, 'utf8'))).toEqual([undefined]);
    expect(await send(undefined, { OTEL_EXPORTER_OTLP_CERTIFICATE: authority.file })).toEqual([undefined]);
    await expect(send('/nowhere/ca.pem')).rejects.toThrow('The file /nowhere/ca.pem of the collector');
  });
});

test('a call is a span in the trace of its client, and its log record belongs to it', async () => {
  const collector = await startCollector();
  const origin = originOf('proxy');
  const otlp = await openOtlp({ address: collector.url }, { env: {}, origin, onSent: () => {} });
  const [traceId, parent] = ['4bf92f3577b34da6a3ce929d0e0e4736', '00f067aa0ba902b7'];
  otlp.add(
    callOf(
      {
        traceparent: `00-${traceId}-${parent}-00`,
        statement: { id: '01f0', state: null, isPoll: false, isPinned: false },
      },
      origin,
    ),
  );
  otlp.add(callOf({ outcome: 'tool-error', tool: null, method: 'prompts/get' }, origin));
  await otlp.close();
  const [span, other] = collector.spans();
  expect(span).toMatchObject({
    traceId,
    parentSpanId: parent,
    name: 'tools/call execute_sql',
    'causeway.statement_id': '01f0',
  });
  expect(other).toMatchObject({ name: 'prompts/get', 'error.type': 'tool_error' });
  expect(other?.traceId).not.toBe(traceId);
  expect(collector.logs().map(({ spanId }) => spanId)).toEqual([span?.spanId, other?.spanId]);
});

/** `AggregationTemporality` of OTLP. */
const DELTA = 1;

/** The bucket in which a percentile of all points together is, by its boundaries in seconds. */
function bucketOfPercentile(
  points: readonly { explicitBounds: number[]; bucketCounts: number[] }[],
  share: number,
): [lower: number, upper: number] {
  const [bounds = []] = points.map(({ explicitBounds }) => explicitBounds);
  for (const { explicitBounds } of points) expect(explicitBounds).toEqual(bounds);
  const counts = [...bounds, Number.POSITIVE_INFINITY].map((_, at) =>
    points.reduce((sum, { bucketCounts }) => sum + (bucketCounts[at] ?? 0), 0),
  );
  let left = Math.ceil(counts.reduce((sum, count) => sum + count, 0) * share);
  const at = counts.findIndex((count) => {
    left -= count;
    return left <= 0;
  });
  return [bounds[at - 1] ?? 0, bounds[at] ?? Number.POSITIVE_INFINITY];
}

test('a policy says how the collector is reached, and nothing shows the headers that it sends', async () => {
  const collector = await startCollector();
  const { proxy, run } = await managedHome(() => ({
    audit: locked({
      file: false,
      otlp: collector.url.replace('//', '//ana:hunter2@'),
      otlpHeaders: { 'X-Api-Key': 'hunter3', 'x-scope-orgid': 'acme' },
      otlpCompression: 'gzip',
    }),
  }));
  // As an AI client hands on that is observed itself.
  const session = proxy(undefined, {
    OTEL_EXPORTER_OTLP_HEADERS: 'x-api-key=other,x-more=1',
    OTEL_RESOURCE_ATTRIBUTES: 'host.name=laptop-7,service.name=claude-code,service.instance.id=1,team=data',
  });
  await session.open({ clientInfo: { name: 'cursor', version: '1' } });
  await session.request(7, 'tools/call', { name: 'execute_sql', arguments: { query: 'SELECT 1' } });
  session.stdin.end();
  await session.ended;
  expect(collector.logs()).toMatchObject([
    {
      'causeway.client': 'cursor',
      'host.name': 'laptop-7',
      team: 'data',
      'service.name': 'causeway',
      'service.instance.id': expect.stringMatching(/^[\da-f-]{36}$/),
    },
  ]);
  expect(collector.headers().length).toBeGreaterThan(0);
  for (const headers of collector.headers()) {
    expect(headers).toMatchObject({
      'x-api-key': 'hunter3',
      'x-scope-orgid': 'acme',
      'x-more': '1',
      'content-encoding': 'gzip',
    });
  }
  const shown = await Promise.all(
    [
      ['audit'],
      ['audit', '--json'],
      ['policy', 'show'],
      ['policy', 'show', '--json'],
      ['diagnose', '--report', '-'],
    ].map((args) => run(...args)),
  );
  for (const { stdout, stderr } of shown) expect(stdout + stderr).not.toMatch(/hunter/);
  expect(shown[2]?.stdout).toContain('with the headers X-Api-Key and x-scope-orgid, compressed');
});

test('changes are audited where they are decided, by a command and in the application', async () => {
  const { env, folder } = await homeOfAna();
  const shared = '8baced1ff014912d';
  const run = async (...args: string[]) => expect(await runCommand(env, args)).toMatchObject({ code: 0 });
  await run('audit', 'on');
  await run('permissions', 'set', '--all', '--read-only');
  await run('warehouse', 'set', shared);
  await run('warehouse', 'clear');
  await run('warehouse', 'default', 'set', shared, '--yes');
  await run('servers', 'add', '--path', SQL);
  await mkdir(join(folder, '.cursor'));
  await run('clients', 'add', 'cursor');
  await run('clients', 'remove', 'cursor');
  await startApplication(env);
  const causeway = createCauseway({ env });
  onTestFinished(() => causeway.close());
  await (await causeway.open('ana')).warehouses.change('me', { type: 'LAST_SELECTED' });
  const file = join(folder, '.cursor', 'mcp.json');
  const expected = [
    { event: 'permission-change', what: 'Everything: read only', by: 'command', host: hostname(), workspace: null },
    {
      event: 'override-change',
      overrideOf: 'me',
      change: 'update',
      warehouse: shared,
      confirmed: true,
      profile: 'ana',
    },
    { event: 'override-change', overrideOf: 'me', change: 'delete', warehouse: null, by: 'command' },
    { event: 'default-warehouse-change', warehouse: shared, confirmed: true, by: 'command' },
    { event: 'entry-change', client: 'cursor', file, written: ['databricks-sql'], removed: [] },
    { event: 'entry-change', client: 'cursor', file, written: [], removed: ['databricks-sql'] },
    { event: 'override-change', type: 'LAST_SELECTED', by: 'application' },
  ];
  await vi.waitFor(async () => expect(await auditedLines(env)).toMatchObject(expected), 10_000);
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
      const audit = new Audit(env, (line) => words.push(line), 'application');
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
