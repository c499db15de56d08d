import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type EmbeddedWorkspace, startWorkspace } from '../../workspace/workspace.ts';
import { type OwnHome, ownHome } from '../auth/own-home.ts';
import { runCommand, WAREHOUSES } from '../warehouses/harness.ts';

let workspace: EmbeddedWorkspace;
let home: OwnHome;

beforeAll(async () => {
  workspace = await startWorkspace({ state: { startupMs: 20 } });
  const profile = `host = ${workspace.host}\ntoken = ${workspace.users[0]?.token}\n`;
  home = await ownHome(`[ana]\n${profile}\n[__settings__]\ndefault_profile = ana\n`);
  await mkdir(join(home.folder, '.cursor'));
});
afterAll(async () => {
  await workspace.close();
  await home.remove();
});

const SILENT = { code: 0, stdout: '', stderr: '' };
const quiet = (...args: string[]) => runCommand(home.env, [...args, '--quiet']);

describe('--quiet', () => {
  test.each([
    [['clients', 'backups']],
    [['warehouse', 'set', WAREHOUSES.shared]],
    [['warehouse', 'last-selected']],
    [['warehouse', 'clear']],
    [['warehouse', 'for', 'ben', 'set', 'Shared analytics', '--yes']],
    [['warehouse', 'default', 'set', 'Shared analytics', '--yes']],
    [['warehouse', 'start', WAREHOUSES.science]],
    [['warehouse', 'list', 'no such name']],
    [['servers', 'list']],
    [['servers', 'add', 'sql', '--profile', 'ana']],
    [['clients', 'add', 'cursor']],
    [['clients', 'remove', 'cursor']],
    [['permissions', 'set', '--all', '--read-only']],
    [['permissions', 'clear', '--all']],
    [['servers', 'remove', 'databricks-sql']],
    [['warehouses', 'delete-default-warehouse-override', 'default-warehouse-overrides/9007199254740993002']],
  ])('prints nothing where there is no result and no error: %j', async (args) => {
    expect(await quiet(...args)).toEqual(SILENT);
  });

  test('leaves what was asked for', async () => {
    const loud = await runCommand(home.env, ['warehouse', 'list']);
    const { code, stdout, stderr } = await quiet('warehouse', 'list');
    expect([code, stderr]).toEqual([0, '']);
    expect(loud.stdout.startsWith(stdout)).toBe(true);
    expect(stdout).toContain('Shared analytics');
    expect(stdout).not.toContain('→ marks');
    expect((await quiet('whoami')).stdout).toBe('ana@example.com\n');
  });

  test('leaves the JSON as it is, and nothing on stderr', async () => {
    const { stdout, stderr } = await quiet('warehouse', 'set', WAREHOUSES.shared, '--json');
    expect([JSON.parse(stdout).change, stderr]).toEqual(['set', '']);
  });

  test('leaves errors', async () => {
    expect(await quiet('warehouse', 'set', 'no such warehouse')).toEqual({
      code: 4,
      stdout: '',
      stderr: expect.stringMatching(/^causeway: /),
    });
    expect((await quiet('clients', 'add', 'zed', '--server', 'none')).stderr).toMatch(/^causeway: /);
  });

  test('may stand before the command, and is refused by commands that do not have it', async () => {
    expect(await runCommand(home.env, ['-q', 'warehouse', 'clear'])).toEqual(SILENT);
    expect((await runCommand(home.env, ['completion', 'bash', '--quiet'])).code).toBe(2);
  });
});
