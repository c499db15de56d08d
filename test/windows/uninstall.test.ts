import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { WINDOWS_LISTS, WINDOWS_NAMES } from '../../main/platform/autostart.ts';
import { systemProgram } from '../../main/platform/system-program.ts';
import { setStage, UNDER_WINE } from './stage.ts';

const REG = systemProgram(process.env, 'reg.exe');

const stage = setStage();
// The user's own lists of what starts at login: there are no others.
const ITEMS = WINDOWS_LISTS.flatMap((list) => WINDOWS_NAMES.map((name) => [list, name] as const));
const isListed = ([list, name]: (typeof ITEMS)[number]) => reg('query', list, '/v', name) === 0;
const reg = (...args: string[]) => spawnSync(REG, args).status;

test('what Causeway leaves behind is listed and removed, including what starts at login', async (context) => {
  if (ITEMS.some(isListed)) return context.skip('Causeway itself starts at login here');
  const { home, roaming, local } = stage;
  const [profiles, entries] = [join(home, '.databrickscfg'), join(home, '.cursor', 'mcp.json')];
  await stage.file(profiles, '[work]\nhost = https://acme.cloud.databricks.com\ntoken = dapi-acme\n');
  await stage.file(entries, '{}\n');
  await stage.causeway('servers', 'add', '--path', '/api/2.0/mcp/sql', '--no-check', '--profile', 'work');
  await stage.causeway('clients', 'add', 'cursor', '--force');
  for (const [list, name] of ITEMS) {
    stage.atEnd(() => reg('delete', list, '/v', name, '/f'));
    reg('add', list, '/v', name, '/d', 'Causeway.exe --hidden', '/f');
  }

  const listed = await stage.causeway('uninstall');
  const items = ITEMS.map(([list, name]) => `${list}\\${name}`);
  for (const found of [entries, ...items, join(roaming, 'Causeway'), join(local, 'Causeway', 'State')]) {
    assert.ok(listed.stdout.includes(found), `${found} is not in: ${listed.stdout}`);
  }
  assert.ok(ITEMS.every(isListed));

  assert.equal((await stage.causeway('uninstall', '--yes', '--force')).code, 0);
  assert.ok(!ITEMS.some(isListed));
  assert.deepEqual(
    [roaming, local].map((folder) => existsSync(join(folder, 'Causeway'))),
    [false, false],
  );
  assert.ok(!(await readFile(entries, 'utf8')).includes('databricks'));
  assert.ok(existsSync(profiles));
  assert.match((await stage.causeway('uninstall')).stdout, /There is nothing to remove/);
});

const SHELL_FOLDERS = String.raw`HKCU\Software\Microsoft\Windows\CurrentVersion\Explorer\User Shell Folders`;

/** A profile of PowerShell into which the user has put the completion, between lines of their own. */
const [BEFORE, AFTER] = ['# für mich\r\nSet-Alias ll ls\r\n', 'Set-Alias la ls\r\n'];
const script = async () => (await stage.causeway('completion', 'powershell')).stdout.replaceAll('\n', '\r\n');
/** As `Add-Content` and as `>>` of Windows PowerShell write it. */
const ENCODINGS: [encoding: string, bytes: (text: string) => Buffer][] = [
  ['UTF-8', (text) => Buffer.from(text)],
  ['a code page', (text) => Buffer.from(text, 'latin1')],
  ['UTF-16', (text) => Buffer.from(`\uFEFF${text}`, 'utf16le')],
];

for (const [encoding, bytes] of ENCODINGS) {
  test(`completion is removed from a profile of PowerShell in ${encoding}, and nothing else in it is changed`, async () => {
    stage.env.OneDrive = join(stage.home, 'OneDrive - Firma');
    const file = join(stage.env.OneDrive, 'Documents', 'WindowsPowerShell', 'Microsoft.PowerShell_profile.ps1');
    await stage.file(file, bytes(BEFORE + (await script()) + AFTER));
    assert.ok((await stage.causeway('uninstall')).stdout.includes(file));
    assert.equal((await stage.causeway('uninstall', '--yes', '--force')).code, 0);
    assert.deepEqual(await readFile(file), bytes(BEFORE + AFTER));
  });
}

test("completion is found if the user's documents have been moved", async (context) => {
  if (!UNDER_WINE) return context.skip("the documents of this computer's user stay where they are");
  const before = /REG_\w+\s+(.*)/.exec(
    spawnSync(REG, ['query', SHELL_FOLDERS, '/v', 'Personal'], { encoding: 'utf8' }).stdout,
  )?.[1];
  const set = (folder: string) =>
    reg('add', SHELL_FOLDERS, '/v', 'Personal', '/t', 'REG_EXPAND_SZ', '/d', folder, '/f');
  stage.atEnd(() => (before ? set(before.trim()) : reg('delete', SHELL_FOLDERS, '/v', 'Personal', '/f')));
  set(String.raw`%LOCALAPPDATA%\Moved documents`);
  const file = join(stage.local, 'Moved documents', 'PowerShell', 'profile.ps1');
  await stage.file(file, BEFORE + (await script()));
  assert.ok((await stage.causeway('uninstall')).stdout.includes(file));
});

test('PowerShell is given the names that fit, with letters beyond ASCII', async () => {
  await stage.file(
    join(stage.home, '.databrickscfg'),
    '[büro]\r\nhost = https://acme.cloud.databricks.com\r\ntoken = x\r\n',
  );
  const { code, stdout } = await stage.causeway('__complete', 'powershell', '=b', 'whoami', '--profile');
  assert.equal(code, 0);
  assert.equal(stdout, 'words\nbüro\thttps://acme.cloud.databricks.com\n');
});
