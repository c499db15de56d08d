import assert from 'node:assert/strict';
import { execFileSync, spawnSync } from 'node:child_process';
import { copyFile, readdir, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { openAuth } from '../../main/auth/open.ts';
import { systemProgram } from '../../main/platform/system-program.ts';
import { scriptedBrowser } from '../integration/auth/scripted-browser.ts';
import { type EmbeddedWorkspace, startWorkspace } from '../workspace/workspace.ts';
import { setStage, UNDER_WINE } from './stage.ts';

const BROWSER = fileURLToPath(new URL('../integration/auth/fake-browser.ts', import.meta.url));
/** What Windows opens web addresses with, where the user has chosen nothing else. */
const HANDLER = String.raw`HKCR\http\shell\open\command`;

const REG = systemProgram(process.env, 'reg.exe');

const stage = setStage();

/** A workspace in which Ana allows everything. */
async function openWorkspace(): Promise<EmbeddedWorkspace> {
  const workspace = await startWorkspace({ autoApprove: 'ana@example.com' });
  stage.atEnd(() => workspace.close());
  await stage.file(join(stage.home, '.databrickscfg'), `[user]\r\nhost = ${workspace.host}\r\n`);
  return workspace;
}

/** Signs in with a browser that is one in name only. */
async function signIn(): Promise<void> {
  const auth = openAuth({ env: stage.env, openBrowser: scriptedBrowser().open });
  stage.atEnd(() => auth.close());
  await auth.signIn(await auth.profile('user'));
}

test('a sign-in over the loopback interface is kept in an encrypted file, is used by other processes, and is revoked', async () => {
  const workspace = await openWorkspace();
  await signIn();
  const folder = join(stage.local, 'Causeway', 'State', 'tokens');
  const files = await readdir(folder);
  assert.ok(files.length > 0);
  for (const file of files)
    assert.doesNotMatch(await readFile(join(folder, file), 'utf8'), /access_token|refresh_token/);

  const whoami = await stage.causeway('whoami', '--profile', 'user');
  assert.equal(whoami.code, 0, whoami.stderr);
  assert.match(whoami.stdout, /ana@example\.com/);
  const proxy = stage.proxy(['--profile', 'user', '--path', '/api/2.0/mcp/sql']);
  assert.ok((await proxy.open()).result);
  assert.ok((await proxy.request(1, 'tools/list')).result);
  await proxy.close();

  const logout = await stage.causeway('logout', '--profile', 'user');
  assert.match(logout.stdout, /The workspace revoked its tokens/);
  assert.equal((await stage.causeway('whoami', '--profile', 'user')).code, 3);
  assert.ok(workspace.host);
});

test('the system opens the browser at the full address, and a sign-in through it succeeds', async (context) => {
  if (!UNDER_WINE) return context.skip("the browser of this computer is its user's own");
  const before = /REG_SZ\s+(.*)/.exec(String(execFileSync(REG, ['query', HANDLER, '/ve'])))?.[1]?.trim() ?? '';
  const set = (command: string) => execFileSync(REG, ['add', HANDLER, '/ve', '/d', command, '/f']);
  stage.atEnd(() => set(before));
  set(`"${process.execPath}" "${BROWSER}" "${stage.folder}" "%1"`);
  const workspace = await openWorkspace();
  const login = await stage.causeway('login', '--host', workspace.host, '--profile', 'user');
  assert.equal(login.code, 0, login.stderr);
  assert.match(login.stdout, /as ana@example\.com \(profile user\)/);
  const [opened = ''] = (await readFile(join(stage.folder, 'opened'), 'utf8')).split('\n');
  // What a shell would cut off at the first `&`.
  assert.match(opened, /[?&]code_challenge=.*&state=|[?&]state=.*&code_challenge=/);
});

test('without a credential manager a sign-in begins only if it can be stored, and a message says so', async (context) => {
  if (!UNDER_WINE) return context.skip('this computer has a credential manager');
  delete stage.env.CAUSEWAY_TOKEN_STORE;
  const workspace = await openWorkspace();
  const login = await stage.causeway('login', '--host', workspace.host, '--profile', 'user');
  assert.notEqual(login.code, 0);
  assert.match(login.stderr, /CAUSEWAY_TOKEN_STORE=encrypted-file|encrypted file/);
});

test("Windows programs are not started from the folder of someone else's project", async () => {
  const project = join(stage.folder, 'project');
  for (const name of ['powershell.exe', 'tasklist.exe', 'rundll32.exe']) {
    await stage.file(join(project, name), '');
    await copyFile(process.execPath, join(project, name));
  }
  // Node under another name tells by this that it was started.
  const notes = join(stage.folder, 'started');
  const preload = await stage.file(
    join(stage.folder, 'preload.cjs'),
    `if (!/node\\.exe$/i.test(process.execPath)) require('fs').appendFileSync(${JSON.stringify(notes)}, process.execPath)`,
  );
  const options = `${process.env.NODE_OPTIONS ?? ''} --require ${JSON.stringify(preload.replaceAll('\\', '/'))}`;
  const moduleAt = (path: string) => JSON.stringify(new URL(`../../main/${path}`, import.meta.url).href);
  const run = (script: string) =>
    spawnSync(process.execPath, ['--input-type=module', '-e', script], {
      cwd: project,
      env: { ...stage.env, NODE_OPTIONS: options },
      encoding: 'utf8',
    });
  const planted = run("(await import('node:child_process')).spawnSync('tasklist.exe')");
  assert.equal(planted.status, 0, planted.stderr);
  assert.match(await readFile(notes, 'utf8'), /project\\tasklist\.exe$/);
  await rm(notes);

  const listed = run(`await (await import(${moduleAt('clients/running.ts')})).runningProcesses()`);
  assert.equal(listed.status, 0, listed.stderr);
  // Elsewhere it would open the browser of the one who runs the tests.
  const open = `await (await import(${moduleAt('auth/oauth/open-browser.ts')})).openSystemBrowser('http://127.0.0.1:1/', process.env)`;
  if (UNDER_WINE) run(open);
  await assert.rejects(readFile(notes), { code: 'ENOENT' });
});
