import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { expect } from 'vitest';
import { COMPILED } from '../../compiled.ts';
import { CAUSEWAY } from '../proxy/proxy-process.ts';

const HUB = fileURLToPath(new URL('hub-start.ts', import.meta.url));
const PROXY = ['proxy', '--profile', 'pat', '--path', '/api/2.0/mcp/sql'];

/** Everything that writes or waits for someone else, as a user or an AI client does it. */
export const OPERATIONS = {
  'a sign-in': [CAUSEWAY, 'login', '--profile', 'user'],
  'a renewal': [CAUSEWAY, 'whoami', '--profile', 'user'],
  'a client file': [CAUSEWAY, 'clients', 'add', 'cursor'],
  'an override': [CAUSEWAY, 'warehouse', 'last-selected', '--profile', 'pat'],
  'an export': [CAUSEWAY, 'warehouse', 'export', 'overrides.csv', '--force', '--profile', 'pat'],
  'a proxy call': [CAUSEWAY, ...PROXY],
  'a hub start': [...COMPILED, HUB],
} as const;
export type Operation = keyof typeof OPERATIONS;

/** What must be there before. */
export const ADD_SERVER = [CAUSEWAY, 'servers', 'add', 'sql', '--profile', 'pat'];

/** How an operation came out: 0 where it worked, and what a user or an AI client was told. */
export interface Outcome {
  code: number | null;
  stderr: string;
}

export interface Running {
  child: ChildProcessWithoutNullStreams;
  ended: Promise<Outcome>;
}

/** Where few files are free, those that are held until then are few as well: a computer may allow a million. */
const LIMITED = ['/bin/sh', '-c', 'ulimit -n 256 && exec "$0" "$@"'];

/** Starts an operation in its own process. */
export function startOperation(operation: Operation, env: NodeJS.ProcessEnv, cwd: string): Running {
  const limited = env.FREE_FILES === undefined ? [] : LIMITED;
  const [program = '', ...args] = [...limited, process.execPath, ...OPERATIONS[operation]];
  const child = spawn(program, args, { env, cwd });
  let stderr = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    stderr += text;
    // No browser could be opened: a user who has none either gives up.
    if (/^Waiting for /m.test(text) && /^Open this address in a browser/m.test(stderr)) child.kill('SIGINT');
  });
  child.stdin.on('error', () => {});
  const closed = once(child, 'close').then(([code]): number | null => (typeof code === 'number' ? code : null));
  if (operation === 'a proxy call') return { child, ended: callThrough(child, closed, () => stderr) };
  if (operation === 'a hub start') child.stdout.once('data', () => child.stdin.end());
  else child.stdout.resume();
  return { child, ended: closed.then((code) => ({ code, stderr })) };
}

/** Opens a session and makes one call, as an AI client does; what the client is told counts as said. */
async function callThrough(
  child: ChildProcessWithoutNullStreams,
  closed: Promise<number | null>,
  log: () => string,
): Promise<Outcome> {
  const send = (frame: object) => child.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', ...frame })}\n`);
  send({
    id: 1,
    method: 'initialize',
    params: { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: 'test', version: '1' } },
  });
  let outcome: Outcome | undefined;
  createInterface({ input: child.stdout }).on('line', (line) => {
    const { id, result, error } = JSON.parse(line);
    if (id === 1 && result) {
      send({ method: 'notifications/initialized' });
      send({ id: 2, method: 'tools/call', params: { name: 'execute_sql', arguments: { query: 'SELECT 1' } } });
      return;
    }
    if (id !== 1 && id !== 2) return;
    outcome =
      result && !result.isError ? { code: 0, stderr: '' } : { code: 1, stderr: `causeway: ${told(error, result)}` };
    child.stdin.end();
  });
  const code = await closed;
  // One that could not even start says so in the client's log.
  return outcome ?? { code: code || 1, stderr: log() };
}

function told(error: { message?: unknown } | undefined, result: unknown): string {
  return typeof error?.message === 'string' ? error.message : JSON.stringify(result);
}

/** It has worked, or says in words why not. */
export function expectHonest({ code, stderr }: Outcome): void {
  if (code !== 0) expect(stderr).toMatch(/^(causeway( proxy)?|Cursor): .+\./m);
  expect(stderr).not.toMatch(/\bE[A-Z]{4,}:|\bat .*\.[jt]s:\d+/);
}
