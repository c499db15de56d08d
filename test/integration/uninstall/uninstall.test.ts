import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it, onTestFinished } from 'vitest';
import { keychainNames, openKeychain } from '../../../main/auth/secrets/keychain.ts';
import { SCRIPTS } from '../../../main/cli/completion/scripts.ts';
import { autostartEntry, autostartPath } from '../../../main/platform/autostart.ts';
import { Secret } from '../../../main/platform/secret.ts';
import { COMPILED } from '../../compiled.ts';
import { scriptedBrowser } from '../auth/scripted-browser.ts';
import { noKeychain } from '../auth/secret-service.ts';
import { setStage } from '../auth/stage.ts';
import { runCommand } from '../warehouses/harness.ts';

const PROGRAM = fileURLToPath(new URL('running-application.ts', import.meta.url));
const OTHERS = '{\n  "mcpServers": {\n    "weather": { "command": "/opt/weather" }\n  }\n}\n';

const stage = setStage();
const path = (...names: string[]) => join(stage.home.folder, ...names);
const causeway = (...args: string[]) => runCommand(stage.home.env, args);

async function write(file: string, text: string): Promise<void> {
  await mkdir(dirname(file), { recursive: true });
  await writeFile(file, text);
}

/** Someone who uses all of it: a sign-in, a server, an entry beside another program's, completion and start at login. */
async function settle(): Promise<void> {
  const { home } = stage;
  await write(path('.cursor', 'mcp.json'), OTHERS);
  await causeway('servers', 'add', 'sql', '--profile', 'user');
  expect((await causeway('clients', 'add', 'cursor', '--force')).code).toBe(0);
  const auth = stage.open({ openBrowser: scriptedBrowser().open });
  await auth.signIn(await auth.profile('user'));
  await write(path('.local', 'share', 'bash-completion', 'completions', 'causeway'), SCRIPTS.bash);
  await write(path('.zfunc', '_causeway'), SCRIPTS.zsh);
  await write(path('.config', 'powershell', 'profile.ps1'), `Set-Alias ll ls\n${SCRIPTS.powershell}Set-Alias la ls\n`);
  await write(autostartPath(home.env), autostartEntry(['/opt/Causeway/causeway-desktop']));
}

/** Every file of the home folder with what is in it. */
async function snapshot(): Promise<Map<string, string>> {
  const entries = await readdir(stage.home.folder, { recursive: true, withFileTypes: true });
  const files = entries.filter((entry) => entry.isFile() && !/[/\\]locks?([/\\]|$)/.test(entry.parentPath));
  const read = files.map(async ({ parentPath, name }) => {
    const file = join(parentPath, name);
    return [file, await readFile(file, 'latin1')] as const;
  });
  return new Map(await Promise.all(read));
}

describe('causeway uninstall', () => {
  it('lists what it would remove, and removes nothing', async () => {
    await settle();
    const before = await snapshot();
    const { code, stdout } = await causeway('uninstall');
    expect(code).toBe(0);
    for (const found of [
      path('.cursor', 'mcp.json'),
      `user at ${stage.workspace.host}`,
      path('.zfunc', '_causeway'),
      autostartPath(stage.home.env),
      path('causeway', 'config'),
      `Your Databricks profiles in ${stage.home.configFile} stay unchanged.`,
    ]) {
      expect(stdout).toContain(found);
    }
    expect(stdout).toContain('Nothing was removed.');
    expect(await snapshot()).toEqual(before);
  });

  it('removes entries, sign-ins, completion, launch at login and files, and nothing of others', async () => {
    await settle();
    const { home, workspace } = stage;
    const profiles = await home.readConfig();
    workspace.requests.clear();
    const { code, stdout, stderr } = await causeway('uninstall', '--yes', '--force');
    expect(stderr).toBe('');
    expect(stdout).toContain(`user at ${workspace.host}: removed. Its tokens are revoked.`);
    expect(code).toBe(0);
    expect(workspace.requests.count({ path: '/oidc/v1/revoke' })).toBeGreaterThan(0);
    expect(JSON.parse(await readFile(path('.cursor', 'mcp.json'), 'utf8'))).toEqual(JSON.parse(OTHERS));
    expect(await readFile(path('.config', 'powershell', 'profile.ps1'), 'utf8')).toBe(
      'Set-Alias ll ls\nSet-Alias la ls\n',
    );
    expect(await home.readConfig()).toBe(profiles);
    const left = [...(await snapshot()).keys()].sort();
    expect(left).toEqual(
      [home.configFile, path('.config', 'powershell', 'profile.ps1'), path('.cursor', 'mcp.json')].sort(),
    );
    expect(existsSync(path('causeway'))).toBe(false);
  });

  it('says the second time that there is nothing to remove', async () => {
    await settle();
    await causeway('uninstall', '--yes', '--force');
    const again = await causeway('uninstall', '--yes');
    expect(again).toMatchObject({ code: 0, stdout: 'There is nothing to remove.\n' });
    const asData = JSON.parse((await causeway('uninstall', '--json')).stdout);
    expect(asData).toMatchObject({ dryRun: true, removals: [] });
  });

  it('keeps its own record while an entry cannot be removed, and finishes once that is fixed', async () => {
    await settle();
    const file = path('.cursor', 'mcp.json');
    const written = await readFile(file, 'utf8');
    await writeFile(file, `${written}}`);
    const first = await causeway('uninstall', '--yes', '--force');
    expect(first.code).toBe(1);
    expect(first.stdout).toContain(`${file}: not removed.`);
    expect(first.stdout).toContain('run `causeway uninstall --yes` again');
    expect(existsSync(path('causeway', 'config'))).toBe(true);
    await writeFile(file, written);
    expect(await causeway('uninstall', '--yes', '--force')).toMatchObject({ code: 0 });
    expect(JSON.parse(await readFile(file, 'utf8'))).toEqual(JSON.parse(OTHERS));
    expect(existsSync(path('causeway'))).toBe(false);
  });

  it('removes no folder that holds the Databricks profiles', async () => {
    const { home } = stage;
    await causeway('servers', 'add', 'sql', '--profile', 'user');
    const inside = path('causeway', 'config', 'databrickscfg');
    await writeFile(inside, await home.readConfig());
    const { code, stdout } = await runCommand({ ...home.env, DATABRICKS_CONFIG_FILE: inside }, ['uninstall', '--yes']);
    expect(code).toBe(1);
    expect(stdout).toContain(`also contains your own file ${inside}`);
    expect(existsSync(inside)).toBe(true);
  });

  it('lets the running application quit first', async () => {
    const { home } = stage;
    const application = spawn(process.execPath, [...COMPILED, PROGRAM], {
      env: home.env,
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    onTestFinished(() => void application.kill('SIGKILL'));
    const ended = once(application, 'exit');
    await once(application.stdout, 'data');
    expect((await causeway('uninstall')).stdout).toContain(`the running application (process ${application.pid})`);
    expect(application.exitCode).toBeNull();
    expect(await causeway('uninstall', '--yes')).toMatchObject({ code: 0 });
    expect(await ended).toEqual([0, null]);
    expect(await readdir(path('causeway'), { recursive: true })).toEqual([]);
  });
});

/** Someone who runs the tests beside their own Causeway keeps what they have. */
const isInUse = noKeychain === undefined && (await keychainNames('Causeway')).length > 0;

describe.skipIf(noKeychain !== undefined || isInUse)(
  'with a keychain that holds nothing of Causeway: causeway uninstall',
  () => {
    it('lists and removes what is left in it, even of profiles that are gone', async () => {
      const { home } = stage;
      const keychain = openKeychain('Causeway');
      await keychain.set('https://gone.example old', new Secret('left over'));
      const { CAUSEWAY_HOME: _home, CAUSEWAY_TOKEN_STORE: _store, ...env } = home.env;
      const listed = await runCommand(env, ['uninstall']);
      expect(listed.stdout).toContain('Causeway: https://gone.example old');
      expect(await keychainNames('Causeway')).toContain('https://gone.example old');
      await runCommand(env, ['uninstall', '--yes']);
      expect(await keychainNames('Causeway')).toEqual([]);
    });
  },
);
