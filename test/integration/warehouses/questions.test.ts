import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { runProgram } from '../../../main/cli/program.ts';
import { type CommandLine, openCommandLine, USERS, WAREHOUSES } from './harness.ts';

/** The same commands where a person sits at a terminal. */

let cli: CommandLine;
let folder: string;
beforeEach(async () => {
  cli = await openCommandLine();
  folder = await mkdtemp(join(tmpdir(), 'causeway-questions-'));
});
afterEach(async () => {
  await cli[Symbol.asyncDispose]();
  await rm(folder, { recursive: true });
});

/** Runs a command in a terminal in which the answer is typed as soon as something is asked. */
async function atTerminal(answer: string, ...args: string[]) {
  const terminal = () => Object.assign(new PassThrough(), { isTTY: true });
  const [stdin, stdout, stderr] = [terminal(), terminal(), terminal()];
  let shown = '';
  stdout.on('data', (chunk) => {
    shown += chunk;
  });
  stderr.on('data', (chunk) => {
    shown += chunk;
    if (String(chunk).includes('[y/N]')) stdin.write(`${answer}\n`);
  });
  const env = { DATABRICKS_CONFIG_FILE: cli.workspace.profileFile, NO_COLOR: '1' };
  const code = await runProgram([...args, '--profile', 'ana'], { stdin, stdout, stderr, env });
  return { code, shown };
}

describe('import asks before it changes anything', () => {
  const importing = async (answer: string) => {
    const file = join(folder, 'o.csv');
    await writeFile(file, 'user,warehouse\nben@example.com,Shared analytics\nchloe@example.com,Finance BI\n');
    return atTerminal(answer, 'warehouse', 'import', file);
  };

  test('yes: it is done, with a bar that fills', async () => {
    const { code, shown } = await importing('y');
    expect(code).toBe(0);
    expect(shown).toContain('Make these changes? [y/N]');
    expect(shown).toContain('████████████████████████ 2 of 2');
    expect(cli.workspace.state.overrides.get(USERS.ben)?.warehouseId).toBe(WAREHOUSES.shared);
  });

  test.each(['n', '', 'perhaps'])('"%s": nothing is changed', async (answer) => {
    const { code, shown } = await importing(answer);
    expect(code).toBe(130);
    expect(shown).toContain('Nothing was changed.');
    expect(cli.workspace.state.overrides.size).toBe(0);
  });

  test('and warns of whose queries would fail', async () => {
    const { shown } = await importing('n');
    expect(shown).toContain('chloe@example.com  none → Finance BI  (no CAN USE on Finance BI: the queries would fail)');
    expect(shown).not.toMatch(/ben@example\.com .*would fail/);
  });
});

test('verify asks before it stops anything', async () => {
  const { shown } = await atTerminal('n', 'warehouse', 'verify', 'starter', '--end-to-end');
  expect(shown).toContain('Stop them? [y/N]');
  expect(shown).toContain('Nothing was stopped: Shared analytics, Finance BI would have to be stopped first.');
  expect(cli.workspace.requests.count({ path: '*/stop' })).toBe(0);
});

test('start --wait shows what is going on until it runs', async () => {
  const { code, shown } = await atTerminal('', 'warehouse', 'start', 'data science', '--wait');
  expect(code).toBe(0);
  expect(shown).toMatch(/Data science \(running, Small, PRO serverless\)\n$/);
});

test('all --access finds who may not use the warehouse', async () => {
  const { overrides } = cli.workspace.state;
  overrides.set(USERS.ben, { userId: USERS.ben, type: 'CUSTOM', warehouseId: WAREHOUSES.finance });
  overrides.set(USERS.ana, { userId: USERS.ana, type: 'CUSTOM', warehouseId: WAREHOUSES.finance });
  overrides.set(USERS.chloe, { userId: USERS.chloe, type: 'CUSTOM', warehouseId: WAREHOUSES.deleting });
  const { stdout } = await cli.run('ana', 'warehouse', 'all', '--access', '--dangling');
  expect(stdout.trimEnd().split('\n')).toEqual([
    expect.stringMatching(/^ben@example\.com .*Finance BI {2}! the user may not use it$/),
    expect.stringMatching(/^chloe@example\.com .*Retired reports {2}! the warehouse is being deleted$/),
  ]);
});
