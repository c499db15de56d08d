import { chmod, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { type CommandLine, openCommandLine, runCommand, WAREHOUSES } from './harness.ts';

/** The second check of `causeway warehouse verify`, with the Databricks CLI itself and without it. */

const { shared, science, starter } = WAREHOUSES;

let cli: CommandLine;
let home: string;
beforeEach(async () => {
  cli = await openCommandLine();
  cli.give('ben', shared);
  home = await mkdtemp(join(tmpdir(), 'causeway-lookup-'));
});
afterEach(async () => {
  await cli[Symbol.asyncDispose]();
  await rm(home, { recursive: true, force: true });
});

/** Puts a program where the Databricks CLI is usually installed. It notes its arguments and what it sees of the environment. */
async function install(body: string): Promise<void> {
  const folder = join(home, '.local', 'bin');
  await mkdir(folder, { recursive: true });
  const version = 'if [ "$1" = --version ]; then echo "Databricks CLI v1.13.0"; exit 0; fi';
  const note = `echo "$* [$DATABRICKS_WAREHOUSE_ID$DATABRICKS_TOKEN]" >> "${home}/calls"`;
  await writeFile(join(folder, 'databricks'), `#!/bin/sh\n${version}\n${note}\n${body}\n`);
  await chmod(join(folder, 'databricks'), 0o755);
}
const prints = (id: string, name: string) => `echo '{"id":"${id}","name":"${name}","state":"RUNNING"}'`;

async function resolver(env: NodeJS.ProcessEnv = {}) {
  const all = { ...cli.env, HOME: home, USERPROFILE: home, PATH: '/usr/bin:/bin', ...env };
  const { stdout } = await runCommand(all, ['warehouse', 'verify', '--json', '-p', 'ben']);
  const [, check] = JSON.parse(stdout).checks as { status: string; message: string }[];
  return check;
}

describe.skipIf(process.platform === 'win32')('what the Databricks CLI resolves to', () => {
  test('is what it says, as the same profile, without what the environment would add', async () => {
    await install(prints(shared, 'Shared analytics'));
    const check = await resolver({ DATABRICKS_TOKEN: 'must-not-be-passed-on' });
    expect(check?.status).toBe('pass');
    expect(check?.message).toContain(`The Databricks CLI resolves to Shared analytics (${shared}): your override.`);
    const calls = await readFile(join(home, 'calls'), 'utf8');
    expect(calls).toBe('experimental aitools tools get-default-warehouse --output json --profile ben []\n');
  });

  test('is asked without DATABRICKS_WAREHOUSE_ID, which is reported by itself', async () => {
    await install(prints(shared, 'Shared analytics'));
    const check = await resolver({ DATABRICKS_WAREHOUSE_ID: starter });
    expect(check?.status).toBe('fail');
    expect(check?.message).toContain('DATABRICKS_WAREHOUSE_ID is set to Starter Warehouse');
    expect(await readFile(join(home, 'calls'), 'utf8')).toContain(' []\n');
  });

  test('fails the check if it is another warehouse, with what the rules say', async () => {
    await install(prints(science, 'Data science'));
    const check = await resolver();
    expect(check?.status).toBe('fail');
    expect(check?.message).toContain(`The Databricks CLI resolves to Data science (${science}). By its rules`);
    expect(check?.message).toContain(`default is Shared analytics (${shared}): your override.`);
    expect(check?.message).toContain('It may act as another user or in another workspace');
  });

  test.each([
    [
      'is too old for the question',
      'echo \'Error: unknown command "experimental" for "databricks"\' >&2; exit 1',
      'unknown command',
    ],
    ['is signed out', 'echo "Error: cannot configure default credentials" >&2; exit 1', 'cannot configure'],
    ['prints something else', 'echo welcome', 'its output is not JSON'],
  ])('is not claimed if it %s', async (_why, body, complaint) => {
    await install(body);
    const check = await resolver();
    expect(check?.status).toBe('pass');
    expect(check?.message).toMatch(
      /^The Databricks CLI gave no answer \(.*\)\. By the rules of its version 1\.13, the default is Shared/,
    );
    expect(check?.message).toContain(complaint);
  });

  test('is not claimed if it is not installed', async () => {
    const check = await resolver();
    expect(check?.status).toBe('pass');
    expect(check?.message).toMatch(
      /^The Databricks CLI is not installed here\. By the rules of its version 1\.13, the default is Shared/,
    );
  });

  test('is explained if the override was passed over', async () => {
    const target = `/api/2.0/sql/warehouses/${shared}`;
    cli.workspace.faults.add({ effect: { kind: 'html' }, method: 'GET', path: target, times: 'always' });
    const check = await resolver();
    expect(check?.status).toBe('fail');
    expect(check?.message).toMatch(
      /Expected: Shared analytics[^.]*\. It is stored, but the lookup passed over it\. \S/,
    );
  });
});
