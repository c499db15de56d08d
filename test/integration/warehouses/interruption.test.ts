import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { type CommandLine, openCommandLine, USERS, WAREHOUSES } from './harness.ts';

/** Ctrl-C in a real process: what is half done is finished, put back, or said. */

const { shared, science } = WAREHOUSES;
const COMMAND = fileURLToPath(new URL('../../../main/cli/causeway.ts', import.meta.url));
const OVERRIDES = '/api/warehouses/v1/default-warehouse-overrides*';

let cli: CommandLine;
beforeEach(async () => {
  cli = await openCommandLine();
});
afterEach(() => cli[Symbol.asyncDispose]());

interface Ended {
  code: number | null;
  stdout: string;
  stderr: string;
}

function start(...args: string[]): { child: ChildProcess; ended: Promise<Ended> } {
  const child = spawn(process.execPath, [COMMAND, ...args, '-p', 'ana'], {
    env: { DATABRICKS_CONFIG_FILE: cli.workspace.profileFile },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const ended = Promise.all([once(child, 'close'), text(child.stdout), text(child.stderr)]).then(
    ([[code], stdout, stderr]) => ({ code, stdout, stderr }),
  );
  return { child, ended };
}

/** Waits until the workspace has been asked for something. */
async function asked(method: string, path: string): Promise<void> {
  while (cli.workspace.requests.count({ method, path }) === 0) await new Promise((resolve) => setImmediate(resolve));
}

describe('an interrupted change', () => {
  test('says that it had been made', async () => {
    cli.workspace.faults.add({ effect: { kind: 'delay', milliseconds: 60_000 }, method: 'PATCH', path: OVERRIDES });
    const { child, ended } = start('warehouse', 'set', shared);
    await asked('PATCH', OVERRIDES);
    child.kill('SIGINT');
    const { code, stderr } = await ended;
    expect(code).toBe(130);
    expect(stderr).toContain('Interrupted, but the change was already made.');
    expect(cli.workspace.state.overrides.get(USERS.ana)?.warehouseId).toBe(shared);
  });

  test('says only that it was interrupted if it had not begun', async () => {
    cli.workspace.faults.add({ effect: { kind: 'delay', milliseconds: 60_000 }, path: '/api/2.0/sql/warehouses' });
    const { child, ended } = start('warehouse', 'set', shared);
    await asked('GET', '/api/2.0/sql/warehouses');
    child.kill('SIGINT');
    expect(await ended).toMatchObject({ code: 130, stderr: expect.stringMatching(/^causeway: Interrupted\.\s*$/) });
    expect(cli.workspace.state.overrides.size).toBe(0);
  });
});

test('an interrupted end-to-end check restarts what it stopped', async () => {
  cli.workspace.state.overrides.set(USERS.ana, { userId: USERS.ana, type: 'CUSTOM', warehouseId: science });
  // The session is open by then, and one warehouse is on its way to a stop.
  const path = `/api/2.0/sql/warehouses/${WAREHOUSES.finance}/stop`;
  cli.workspace.faults.add({ effect: { kind: 'delay', milliseconds: 60_000 }, method: 'POST', path });
  const { child, ended } = start('warehouse', 'verify', '--cold', '--stop-warehouses');
  await asked('POST', path);
  child.kill('SIGINT');
  const { code, stdout } = await ended;
  expect(code).toBe(130);
  expect(stdout).toMatch(/\? unknown {2}end-to-end .*Interrupted\..*Started again: Shared analytics, Finance BI\./);
  const { warehouses, whenRunning } = cli.workspace.state;
  await Promise.all([shared, WAREHOUSES.finance].map((id) => whenRunning(id)));
  expect(warehouses.find(({ id }) => id === science)?.state).toBe('STOPPED');
});

test('an end-to-end check that is interrupted while its session opens has stopped nothing', async () => {
  cli.workspace.state.overrides.set(USERS.ana, { userId: USERS.ana, type: 'CUSTOM', warehouseId: science });
  cli.workspace.faults.add({ effect: { kind: 'delay', milliseconds: 60_000 }, path: '/api/2.0/mcp/sql' });
  const { child, ended } = start('warehouse', 'verify', '--cold', '--stop-warehouses');
  await asked('POST', '/api/2.0/mcp/sql');
  child.kill('SIGINT');
  const { code, stdout } = await ended;
  expect(code).toBe(130);
  expect(stdout).toMatch(/\? unknown {2}end-to-end {2}Nothing was stopped\. Interrupted\./);
  expect(cli.workspace.requests.count({ path: '*/stop' })).toBe(0);
});

test('a reader that closes the pipe early causes no error', async () => {
  const { child, ended } = start('warehouse', 'list');
  const exited = once(child, 'exit');
  child.stdout?.destroy();
  await expect(ended).rejects.toThrow();
  expect(await exited).toEqual([0, null]);
});
