import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { electronFlags } from '../../main/desktop/electron-binary.ts';
import { environmentIn, whyNotHere } from '../desktop/application.ts';
import { findBadge, isDrawn } from '../desktop/screen.ts';
import { TrayOverDbus } from '../desktop/tray-over-dbus.ts';
import { type EmbeddedWorkspace, startWorkspace } from '../workspace/workspace.ts';
import { APPLICATION, COMMAND, noPackage } from './packaged.ts';

const run = promisify(execFile);
const DEBUGGER_PORT = 39_222;
const reason = noPackage ?? whyNotHere(process.env);
if (reason) console.warn(`The packaged application is not started. ${reason}`);

describe.skipIf(reason)('the packaged application', () => {
  let home: string;
  let env: Record<string, string>;
  let workspace: EmbeddedWorkspace;
  let application: ChildProcess;
  let tray: TrayOverDbus;

  beforeAll(async () => {
    home = await mkdtemp(join(tmpdir(), 'causeway-packaged-'));
    env = environmentIn(home);
    workspace = await startWorkspace({ home });
    application = spawn(APPLICATION, [...electronFlags(), `--remote-debugging-port=${DEBUGGER_PORT}`], {
      env,
      stdio: 'ignore',
    });
  });

  afterAll(async () => {
    if (application.exitCode === null) application.kill();
    await workspace.close();
    await rm(home, { recursive: true, force: true });
  });

  it('has its icon in the tray, and its menu', async () => {
    await expect.poll(TrayOverDbus.find, { timeout: 20_000 }).toBeDefined();
    tray = await TrayOverDbus.find();
    await expect.poll(() => tray.labels(), { timeout: 20_000 }).toContain('Starter Warehouse — stopped');
    await expect.poll(findBadge).toBeDefined();
  });

  it('shows its window', async () => {
    await expect.poll(() => isDrawn('Causeway'), { timeout: 20_000 }).toBe(true);
  });

  it('changes the override of the workspace from the tray', async () => {
    await tray.click('Data science — stopped');
    await expect.poll(() => tray.chosen()).toBe('Data science — stopped');
    const ana = workspace.users.find(({ userName }) => userName === 'ana@example.com');
    expect(workspace.state.overrides.get(ana?.id ?? '')).toMatchObject({ type: 'CUSTOM' });
  });

  it('serves the command that is packaged with it', async () => {
    const proxy = spawn(COMMAND, ['proxy', '--path', '/api/2.0/mcp/sql'], {
      env,
      stdio: ['pipe', 'pipe', 'inherit'],
    });
    await expect.poll(() => tray.labels(), { timeout: 20_000 }).toContain('1 client connected');
    const ended = once(proxy, 'exit');
    proxy.stdin.end();
    expect(await ended).toEqual([0, null]);
  });

  it('runs no program but itself, whatever the environment says', async () => {
    const program = [...electronFlags(), '-e', 'console.log("as Node")'];
    const { stdout } = await run(APPLICATION, program, { env: { ...env, ELECTRON_RUN_AS_NODE: '1' } });
    expect(stdout).toBe('');
  });

  it('accepts no debugger, even if it is started for one', async () => {
    await expect(fetch(`http://127.0.0.1:${DEBUGGER_PORT}/json/version`)).rejects.toThrow('fetch failed');
  });

  it('quits from the tray', async () => {
    const ended = once(application, 'exit');
    await tray.click('Quit');
    expect(await ended).toEqual([0, null]);
  });
});
