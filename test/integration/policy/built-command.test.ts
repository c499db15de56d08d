import { execFile } from 'node:child_process';
import { chmod, copyFile, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, onTestFinished, test } from 'vitest';
import { canCompile, compileLibrary, STILL_LOADED } from '../../preloaded-library.ts';
import { SQL, startApplication } from '../cli/sql-session.ts';
import { CAUSEWAY } from '../proxy/proxy-process.ts';
import { locked, MANAGED, managedHome } from './managed-home.ts';

const ELSEWHERE = 'https://elsewhere.cloud.databricks.com';
const run = promisify(execFile);
const canMount = process.platform === 'linux' && process.getuid?.() === 0;

describe.skipIf(!canMount)('the built command, run by a user without rights', () => {
  const UNPRIVILEGED = '65534';

  /** Copies Node and the built command to where that user may read them: the folder of the tests may be closed to others. */
  async function copyCommand(): Promise<{ node: string; causeway: string }> {
    const copy = await mkdtemp(join(tmpdir(), 'causeway-copy-'));
    onTestFinished(() => rm(copy, { recursive: true }));
    await chmod(copy, 0o755);
    await run('cp', ['-r', dirname(CAUSEWAY), join(copy, 'cli')]);
    await copyFile(process.execPath, join(copy, 'node'));
    return { node: join(copy, 'node'), causeway: join(copy, 'cli', basename(CAUSEWAY)) };
  }

  /** Runs a program under a policy in `/etc/causeway`, which is there for this run alone. */
  async function asUser(policy: string, program: string[], env: NodeJS.ProcessEnv = {}, change = 'true') {
    const layer = await mkdtemp(join(tmpdir(), 'causeway-etc-'));
    onTestFinished(() => rm(layer, { recursive: true, force: true }));
    await chmod(layer, 0o755);
    const script = [
      `mount -t tmpfs -o mode=755 tmpfs ${layer}`,
      `mkdir -p ${layer}/upper/causeway ${layer}/work`,
      `printf %s '${policy}' >${layer}/upper/causeway/policy.json`,
      change.replaceAll('$1', `${layer}/upper/causeway`),
      `mount -t overlay overlay -o lowerdir=/etc,upperdir=${layer}/upper,workdir=${layer}/work /etc`,
      `exec setpriv --reuid=${UNPRIVILEGED} --clear-groups "$@"`,
    ].join(' && ');
    const all = ['-m', 'sh', '-c', script, 'sh', ...program];
    // The folder of the tests may be closed to that user, and Node looks around where it starts.
    const running = run('unshare', all, { cwd: '/', env: { PATH: process.env.PATH, HOME: layer, ...env } });
    running.child.stdin?.end();
    return running.then(
      ({ stdout, stderr }) => ({ code: 0, stdout, stderr }),
      ({ code, stdout, stderr }) => ({ code, stdout, stderr }),
    );
  }

  const policy = JSON.stringify({ version: 1, workspaces: locked(['https://only.cloud.databricks.com']) });
  const own = { DATABRICKS_HOST: ELSEWHERE, DATABRICKS_TOKEN: 'dapi-own' };

  test('follows /etc/causeway/policy.json', async () => {
    const { node, causeway } = await copyCommand();
    const shown = await asUser(policy, [node, causeway, 'policy', 'show', '--json']);
    expect(shown.stdout).toContain('/etc/causeway/policy.json');
    expect((await asUser(policy, [node, causeway, 'whoami'], own)).stderr).toMatch(MANAGED);
  });

  test('follows it even under another name', async () => {
    const { node, causeway } = await copyCommand();
    const other = join(dirname(causeway), 'other.js');
    await copyFile(causeway, other);
    expect((await asUser(policy, [node, other, 'whoami'], own)).stderr).toMatch(MANAGED);
  });

  test('follows it through a link, and whatever Node options or search path it has', async () => {
    const { node, causeway } = await copyCommand();
    const link = join(dirname(dirname(causeway)), 'causeway-link');
    await symlink(causeway, link);
    const env = {
      ...own,
      PATH: `${dirname(causeway)}:/usr/bin:/bin`,
      NODE_OPTIONS: '--no-warnings',
      NODE_PATH: '/tmp',
      TMPDIR: '/tmp',
    };
    expect((await asUser(policy, [node, link, 'whoami'], env)).stderr).toMatch(MANAGED);
  });

  test('is refused with a policy that it cannot read', async () => {
    const { node, causeway } = await copyCommand();
    const { stderr } = await asUser(policy, [node, causeway, 'whoami'], own, 'chmod 600 $1/policy.json');
    expect(stderr).toContain('its policy cannot be used');
    expect(stderr).toContain('EACCES');
  });

  test('is refused with a policy folder that it cannot open', async () => {
    const { node, causeway } = await copyCommand();
    const { stderr } = await asUser(policy, [node, causeway, 'whoami'], own, 'chmod 700 $1');
    expect(stderr).toContain('its policy cannot be used');
  });

  test('cannot use another user’s hub and settings', async () => {
    const { node, causeway } = await copyCommand();
    const { env } = await managedHome(() => ({}));
    await startApplication(env);
    const theirs = { ...own, CAUSEWAY_HOME: env.CAUSEWAY_HOME };
    const args = ['proxy', '--url', `${ELSEWHERE}${SQL}`];
    const { code, stderr } = await asUser(policy, [node, causeway, ...args], theirs);
    expect(code).not.toBe(0);
    expect(stderr).toMatch(MANAGED);
  });

  test('removes Causeway only while an administrator removes the package', async () => {
    const { node, causeway } = await copyCommand();
    const required = JSON.stringify({ version: 1, requiredClients: locked(['cursor']) });
    const uninstall = [node, causeway, 'uninstall', '--yes'];
    expect((await asUser(required, uninstall)).stderr).toContain('Causeway must stay');
    // In this run's own /run. The shell's process id stays that of the program it becomes.
    const mark =
      'mount -t tmpfs -o mode=755 tmpfs /run && mkdir -m 755 /run/causeway && echo $$ >/run/causeway/removal';
    expect(await asUser(required, uninstall, {}, mark)).toMatchObject({ code: 0, stderr: '' });
  });

  test('cannot pretend that an administrator removes the package', async () => {
    const { node } = await copyCommand();
    const write =
      'const { mkdirSync, writeFileSync } = require("node:fs"); mkdirSync("/run/causeway", { recursive: true }); writeFileSync("/run/causeway/removal", String(process.pid))';
    const { code, stderr } = await asUser(policy, [node, '-e', write]);
    expect(code).not.toBe(0);
    expect(stderr).toContain('EACCES');
  });

  test('cannot be prevented: making Node load a program first that hides the policy', async () => {
    const { node, causeway } = await copyCommand();
    const hide = join(dirname(causeway), 'hide.cjs');
    const source = [
      "const fs = require('node:fs');",
      'const { lstatSync } = fs;',
      "fs.lstatSync = (path, ...more) => (String(path).startsWith('/etc/causeway') ? undefined : lstatSync(path, ...more));",
      "require('node:module').syncBuiltinESMExports();",
    ];
    await writeFile(hide, source.join('\n'));
    const env = { NODE_OPTIONS: `--require=${hide}` };
    expect((await asUser(policy, [node, causeway, 'policy', 'show', '--json'], env)).stdout).not.toContain(
      'only.cloud',
    );
  });

  test('starts again without the program that NODE_OPTIONS loads, with the same arguments', async () => {
    const { node, causeway } = await copyCommand();
    const loaded = join(dirname(causeway), 'loaded.cjs');
    await writeFile(loaded, "process.on('exit', () => process.stderr.write('still loaded'));");
    const env = { NODE_OPTIONS: `--use-system-ca --require=${loaded}` };
    const shown = await asUser(policy, [node, causeway, 'policy', 'show', '--json'], env);
    expect(shown).toMatchObject({ code: 0, stderr: '' });
    expect(JSON.parse(shown.stdout)).toMatchObject({ place: '/etc/causeway/policy.json', error: null });
    expect((await asUser(policy, [node, causeway, 'whoami'], { ...own, ...env })).stderr).toMatch(MANAGED);
  });

  test.skipIf(!canCompile)('starts again without the library that LD_PRELOAD loads', async () => {
    const { node, causeway } = await copyCommand();
    const library = compileLibrary(dirname(causeway));
    const shown = await asUser(policy, ['env', `LD_PRELOAD=${library}`, node, causeway, 'policy', 'show', '--json']);
    expect(shown).toMatchObject({ code: 0, stderr: '' });
    const plain = await asUser(policy, ['env', `LD_PRELOAD=${library}`, node, '--version']);
    expect(plain.stderr).toBe(STILL_LOADED);
  });

  test('cannot write it', async () => {
    const { node } = await copyCommand();
    const write = 'require("node:fs").writeFileSync("/etc/causeway/policy.json", "{}")';
    const { code, stderr } = await asUser(policy, [node, '-e', write]);
    expect(code).not.toBe(0);
    expect(stderr).toContain('EACCES');
  });
});
