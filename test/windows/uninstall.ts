import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

// The user's own list of what starts at login: there is no other place for it.
const RUN = String.raw`HKCU\Software\Microsoft\Windows\CurrentVersion\Run`;
const VALUE = 'electron.app.Causeway';
const CAUSEWAY = fileURLToPath(new URL('../../out/cli/causeway.js', import.meta.url));
const reg = (...args: string[]) => spawnSync(join(process.env.SystemRoot ?? '', 'System32', 'reg.exe'), args).status;

if (reg('query', RUN, '/v', VALUE) === 0) {
  console.log('uninstall: left out, because Causeway starts at login here');
} else {
  const home = mkdtempSync(join(tmpdir(), 'causeway-uninstall-'));
  const [roaming, local] = [join(home, 'AppData', 'Roaming'), join(home, 'AppData', 'Local')];
  const env = {
    ...process.env,
    HOME: home,
    USERPROFILE: home,
    APPDATA: roaming,
    LOCALAPPDATA: local,
    CAUSEWAY_HOME: '',
    CAUSEWAY_TOKEN_STORE: 'memory',
  };
  const causeway = (...args: string[]) => spawnSync(process.execPath, [CAUSEWAY, ...args], { env, encoding: 'utf8' });
  try {
    const [profiles, entries] = [join(home, '.databrickscfg'), join(home, '.cursor', 'mcp.json')];
    writeFileSync(profiles, '[work]\nhost = https://acme.cloud.databricks.com\ntoken = dapi-acme\n');
    mkdirSync(join(home, '.cursor'));
    writeFileSync(entries, '{}\n');
    causeway('servers', 'add', 'sql', '--profile', 'work');
    causeway('clients', 'add', 'cursor', '--force');
    reg('add', RUN, '/v', VALUE, '/d', 'Causeway.exe --hidden', '/f');
    const listed = causeway('uninstall');
    for (const found of [entries, `${RUN}\\${VALUE}`, join(roaming, 'Causeway'), join(local, 'Causeway', 'State')]) {
      assert.ok(listed.stdout.includes(found), found);
    }
    assert.equal(reg('query', RUN, '/v', VALUE), 0);
    assert.equal(causeway('uninstall', '--yes', '--force').status, 0);
    assert.notEqual(reg('query', RUN, '/v', VALUE), 0);
    assert.deepEqual(
      [roaming, local].map((folder) => existsSync(join(folder, 'Causeway'))),
      [false, false],
    );
    assert.ok(!readFileSync(entries, 'utf8').includes('databricks'));
    assert.ok(existsSync(profiles));
    assert.match(causeway('uninstall').stdout, /There is nothing to remove/);
    console.log('uninstall with what starts at login: ok');
  } finally {
    reg('delete', RUN, '/v', VALUE, '/f');
    rmSync(home, { recursive: true, force: true });
  }
}
