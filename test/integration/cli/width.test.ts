import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { widthOf } from '../../../main/cli/layout.ts';
import { type EmbeddedWorkspace, startWorkspace } from '../../workspace/workspace.ts';
import { type OwnHome, ownHome } from '../auth/own-home.ts';
import { runCommand, USERS, WAREHOUSES } from '../warehouses/harness.ts';
import { HAS_TERMINALS, linesOf, openTerminal } from './real-terminal.ts';
import { profileOf } from './sql-session.ts';

/** What people look at, in terminals of three widths. */

let workspace: EmbeddedWorkspace;
let home: OwnHome;
beforeAll(async () => {
  workspace = await startWorkspace();
  workspace.state.overrides.set(USERS.ben, { userId: USERS.ben, type: 'CUSTOM', warehouseId: WAREHOUSES.deleted });
  const profiles = ['ana', 'ben'].map((name) => profileOf(workspace, name)).join('');
  home = await ownHome(`${profiles}[user]\nhost = ${workspace.host}\n[__settings__]\ndefault_profile = ana\n`);
  for (const folder of ['.cursor', '.codex', '.claude']) await mkdir(join(home.folder, folder));
  await writeFile(join(home.folder, '.claude.json'), '{}');
  const run = (...args: string[]) => runCommand(home.env, args);
  await run('servers', 'add', 'sql', '--profile', 'ana');
  await run('servers', 'add', 'system.ai.github', '--profile', 'ana');
  await run('clients', 'add');
  await run('permissions', 'set', '--all', '--read-only');
});
afterAll(async () => {
  await workspace.close();
  await home.remove();
});

const COMMANDS = [
  ['--help'],
  ['help', 'exit-codes'],
  ['help', 'warehouse', 'import'],
  ['proxy', '--help'],
  ['status'],
  ['profiles'],
  ['diagnose'],
  ['servers'],
  ['servers', 'browse'],
  ['servers', 'test'],
  ['clients'],
  ['clients', 'list', 'cursor'],
  ['clients', 'backups'],
  ['permissions'],
  ['warehouse'],
  ['warehouse', 'list'],
  ['warehouse', 'all', '--dangling'],
  ['warehouse', 'set', 'no-such-warehouse'],
];

async function linesIn(columns: number, args: string[]): Promise<string[]> {
  const terminal = openTerminal(home.env, columns, args);
  await terminal.ended;
  // A line of progress ends where it is erased.
  return linesOf(terminal.shown()).map((line) => line.trimEnd());
}

describe.runIf(HAS_TERMINALS).each([40, 80, 120])('in %i columns', (columns) => {
  test.each(COMMANDS.map((args) => [args.join(' '), args] as const))('causeway %s', async (_name, args) => {
    const lines = await linesIn(columns, args);
    expect(lines.join('').length).toBeGreaterThan(20);
    // One word cannot be broken: a path, an address, an id.
    const wide = lines.filter((line) => widthOf(line) > columns && /\S\s+\S/.test(line));
    expect(wide).toEqual([]);
  });
});

test('lines stay whole where a program reads them', async () => {
  const { stdout } = await runCommand(home.env, ['servers']);
  expect(stdout).toMatch(/^system-ai-github +service +ana +\/ai-gateway\/mcp-services\/system\.ai\.github$/m);
});

test('people see times of their clock, and programs ISO 8601', async () => {
  const ISO = /\d{4}-\d\d-\d\dT\d\d:\d\d/;
  for (const args of [['status'], ['profiles'], ['clients', 'backups'], ['permissions'], ['warehouse', 'verify']])
    expect((await runCommand(home.env, args)).stdout, args.join(' ')).not.toMatch(ISO);
  expect((await runCommand(home.env, ['clients', 'backups', '--json'])).stdout).toMatch(ISO);
});
