import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { mkdir, rm } from 'node:fs/promises';
import { delimiter, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { type EmbeddedWorkspace, startWorkspace } from '../../workspace/workspace.ts';
import { ProxyProcess } from '../proxy/proxy-process.ts';
import { installBrowser, installWaitingBrowser, runCauseway } from './causeway-process.ts';
import { type OwnHome, ownHome } from './own-home.ts';

const HUB = fileURLToPath(new URL('../hub/hub-program.ts', import.meta.url));
const folders = (process.env.PATH ?? '').split(delimiter);
const missing = ['dbus-daemon', 'gnome-keyring-daemon'].filter(
  (program) => !folders.some((folder) => existsSync(join(folder, program))),
);
const name = missing.length > 0 ? `a desktop logout (skipped: no ${missing.join(', ')})` : 'a desktop logout';

let workspace: EmbeddedWorkspace;
let home: OwnHome;
let bus: ChildProcess;
let running: ChildProcess[];

/** Begins a session of a desktop: its bus, and the unlocked keychain. */
async function logIn(): Promise<void> {
  await mkdir(home.env.XDG_RUNTIME_DIR ?? '', { mode: 0o700 });
  const address = `--address=${home.env.DBUS_SESSION_BUS_ADDRESS}`;
  bus = await start('dbus-daemon', ['--session', '--nofork', '--print-address=1', address]);
  const keyring = spawn('gnome-keyring-daemon', ['--unlock', '--components=secrets'], { env: home.env });
  keyring.stdin.end('password');
  await once(keyring, 'exit');
}

async function logOut(): Promise<void> {
  await end(bus);
  await rm(home.env.XDG_RUNTIME_DIR ?? '', { recursive: true });
}

/** Starts a program, and waits until it has said something. */
async function start(program: string, args: string[]): Promise<ChildProcess> {
  const child = spawn(program, args, { env: home.env, stdio: ['ignore', 'pipe', 'ignore'] });
  running.push(child);
  await once(child.stdout, 'data');
  return child;
}

async function end(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const ended = once(child, 'exit');
  child.kill();
  await ended;
}

beforeEach(async () => {
  running = [];
  workspace = await startWorkspace({ autoApprove: 'ana@example.com' });
  home = await ownHome(`[user]\nhost = ${workspace.host}\n`, { CAUSEWAY_TOKEN_STORE: 'keychain' });
  const runtime = join(home.folder, 'run');
  Object.assign(home.env, {
    XDG_RUNTIME_DIR: runtime,
    XDG_DATA_HOME: join(home.folder, 'data'),
    DBUS_SESSION_BUS_ADDRESS: `unix:path=${join(runtime, 'bus')}`,
  });
  await logIn();
});
afterEach(async () => {
  await Promise.all(running.map(end));
  await workspace.close();
  await home.remove();
});

describe.skipIf(missing.length > 0)(name, { timeout: 60_000 }, () => {
  test.each(['through the application', 'alone'])(
    'a proxy that outlives it asks nobody to sign in, and works again after the login, %s',
    async (how) => {
      await installBrowser(home);
      expect(await runCauseway(home, ['login', '--profile', 'user'])).toMatchObject({ code: 0 });
      await rm(join(home.folder, 'bin'), { recursive: true });
      const browser = await installWaitingBrowser(home);
      const startApplication = () => start(process.execPath, [HUB]);
      const application = await startApplication();
      const proxy = new ProxyProcess(['--profile', 'user', '--path', '/api/2.0/mcp/sql'], home.env);
      running.push(proxy.child);
      await proxy.open();
      let queries = 0;
      const query = () => {
        queries += 1;
        return proxy.request(queries, 'tools/call', { name: 'execute_sql', arguments: { query: 'SELECT 1' } });
      };
      expect(await query()).toMatchObject({ result: { isError: false } });

      await end(application);
      await logOut();
      expect(JSON.stringify(await query())).toMatch(/cannot tell whether .+ is signed in .+No keychain .+ responds/);

      await logIn();
      if (how !== 'alone') await startApplication();
      await expect.poll(query).toMatchObject({ result: { isError: false } });
      // The page of the first sign-in.
      expect(await browser.opened()).toHaveLength(1);
      expect(workspace.statements).toHaveLength(2);
    },
  );
});
