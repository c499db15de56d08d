import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { setStage } from './stage.ts';

// The user's own list of what starts at login: there is no other place for it.
const RUN = String.raw`HKCU\Software\Microsoft\Windows\CurrentVersion\Run`;
const VALUE = 'electron.app.Causeway';

const stage = setStage();
const reg = (...args: string[]) => spawnSync(join(process.env.SystemRoot ?? '', 'System32', 'reg.exe'), args).status;

test('what Causeway leaves is listed and removed, with what starts at login', async (context) => {
  if (reg('query', RUN, '/v', VALUE) === 0) return context.skip('Causeway itself starts at login here');
  const { home, roaming, local } = stage;
  const [profiles, entries] = [join(home, '.databrickscfg'), join(home, '.cursor', 'mcp.json')];
  await stage.file(profiles, '[work]\nhost = https://acme.cloud.databricks.com\ntoken = dapi-acme\n');
  await stage.file(entries, '{}\n');
  await stage.causeway('servers', 'add', 'sql', '--profile', 'work');
  await stage.causeway('clients', 'add', 'cursor', '--force');
  stage.atEnd(() => reg('delete', RUN, '/v', VALUE, '/f'));
  reg('add', RUN, '/v', VALUE, '/d', 'Causeway.exe --hidden', '/f');

  const listed = await stage.causeway('uninstall');
  for (const found of [entries, `${RUN}\\${VALUE}`, join(roaming, 'Causeway'), join(local, 'Causeway', 'State')]) {
    assert.ok(listed.stdout.includes(found), `${found} is not in: ${listed.stdout}`);
  }
  assert.equal(reg('query', RUN, '/v', VALUE), 0);

  assert.equal((await stage.causeway('uninstall', '--yes', '--force')).code, 0);
  assert.notEqual(reg('query', RUN, '/v', VALUE), 0);
  assert.deepEqual(
    [roaming, local].map((folder) => existsSync(join(folder, 'Causeway'))),
    [false, false],
  );
  assert.ok(!(await readFile(entries, 'utf8')).includes('databricks'));
  assert.ok(existsSync(profiles));
  assert.match((await stage.causeway('uninstall')).stdout, /There is nothing to remove/);
});
