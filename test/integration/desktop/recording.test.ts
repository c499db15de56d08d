import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { z } from 'zod';
import type { RequestName } from '../../../preload/contract.ts';
import { COMPILED } from '../../compiled.ts';
import { type EmbeddedWorkspace, startWorkspace } from '../../workspace/workspace.ts';
import { environment, ProxyProcess } from '../proxy/proxy-process.ts';

const PROGRAM = fileURLToPath(new URL('./application-program.ts', import.meta.url));

let home: string;
let workspace: EmbeddedWorkspace;
let application: Awaited<ReturnType<typeof startApplication>>;
let client: ProxyProcess;

beforeEach(async () => {
  home = await mkdtemp(join(tmpdir(), 'causeway-recording-'));
  workspace = await startWorkspace({ home });
  const env = environment(home, { CAUSEWAY_HOME: join(home, 'causeway'), CAUSEWAY_TOKEN_STORE: 'encrypted-file' });
  application = await startApplication(env);
  client = new ProxyProcess(['--profile', 'ana', '--path', '/api/2.0/mcp/sql'], env);
  const clientInfo = { name: 'claude-ai', version: '1' };
  await client.request('open', 'initialize', { protocolVersion: '2025-06-18', capabilities: {}, clientInfo });
  client.send({ jsonrpc: '2.0', method: 'notifications/initialized' });
});
afterEach(async () => {
  await client.close();
  await application.close();
  await workspace.close();
  await rm(home, { recursive: true, force: true, maxRetries: 5, retryDelay: 100 });
});

async function startApplication(env: NodeJS.ProcessEnv) {
  const child = spawn(process.execPath, [...COMPILED, PROGRAM], { env, stdio: ['pipe', 'pipe', 'inherit'] });
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  const closed = once(child, 'close');
  const next = async () => {
    const line = await lines.next();
    if (line.done) throw new Error('The application has ended.');
    return line.value;
  };
  const ask = (line: unknown) => {
    child.stdin.write(`${JSON.stringify(line)}\n`);
    return next();
  };
  await next();
  return {
    /** The reply as it comes, a line of JSON. */
    request: (request: RequestName, input?: unknown) => ask({ request, input }),
    /** All that is alive in the application's heap, as text. */
    heap: async () => {
      const file = join(home, 'heap.heapsnapshot');
      await ask({ heapTo: file });
      const text = await readFile(file, 'latin1');
      await rm(file);
      return text;
    },
    close: async () => {
      child.stdin.end();
      await closed;
    },
  };
}

const Statement = z.object({ structuredContent: z.object({ statement_id: z.string() }) });

/** A query that holds a word, which its answer repeats. Other calls follow, so that nothing is about it anymore. */
async function query(id: string, word: string): Promise<void> {
  const call = async (part: string, name: string, args: object) =>
    (await client.request(`${part} ${id}`, 'tools/call', { name, arguments: args })).result;
  const begun = Statement.parse(await call('begin', 'execute_sql', { query: `SELECT '${word}' AS said` }));
  const polled = async (times: number) =>
    JSON.stringify(await call(`${times}`, 'poll_sql_result', begun.structuredContent));
  let times = 0;
  await expect
    .poll(() => {
      times += 1;
      return polled(times);
    })
    .toContain(word);
  for (const [at, other] of ['ping', 'tools/list', 'ping'].entries()) await client.request(`${at} after ${id}`, other);
}

/** What the window can read of all calls together. */
async function read(): Promise<string> {
  const filter = { client: null, path: null, tool: null, outcome: null, text: '', day: null, failedFirst: false };
  const page = await application.request('activityPage', { filter, upTo: null, from: 0, count: 500 });
  const numbers: unknown[] = JSON.parse(page).value.rows.map(({ contents }: { contents: unknown }) => contents);
  const recorded = numbers.filter((number) => number !== null);
  const contents = await Promise.all(
    recorded.map((number) => application.request('callContents', { contents: number })),
  );
  return [page, ...contents].join('\n');
}

/** All that is in the user's home folder: settings, the log, whatever else. */
async function files(): Promise<string> {
  const found = await readdir(home, { recursive: true, withFileTypes: true });
  const inside = found.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
  return (await Promise.all(inside.map((file) => readFile(file, 'latin1')))).join('\n');
}

// Four heaps are written and read.
it('the contents of calls are in nothing that the application keeps unless the user records them', {
  timeout: 120_000,
}, async () => {
  await query('before', 'zwetschge');
  expect(await read()).toContain('execute_sql');
  expect(await read()).not.toContain('zwetschge');
  expect(await application.heap()).not.toContain('zwetschge');

  await application.request('recordContents', { durationMs: 15 * 60_000 });
  expect(await application.request('getState')).toContain('"recording":{"status":"on"');
  await query('meanwhile', 'mirabelle');
  const recorded = await read();
  expect(recorded).toContain("SELECT 'mirabelle' AS said");
  expect(recorded.match(/mirabelle/g)?.length).toBeGreaterThan(1);
  expect(recorded).not.toContain('zwetschge');
  // That it is found here shows that it would have been found above.
  expect(await application.heap()).toContain('mirabelle');
  expect(await application.request('previewDiagnostics')).not.toContain('mirabelle');

  await application.request('stopRecording');
  await query('afterwards', 'quitte');
  expect(await read()).not.toMatch(/mirabelle|quitte/);
  expect(await application.heap()).not.toMatch(/mirabelle|quitte/);
  expect(await files()).not.toMatch(/zwetschge|mirabelle|quitte/);
});
