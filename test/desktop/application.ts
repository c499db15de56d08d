import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { _electron, type ElectronApplication, type Page } from 'playwright-core';
import { electronFlags, findElectron, NO_ELECTRON } from '../../main/desktop/electron-binary.ts';
import { configFolder, SETTINGS_NAME } from '../../main/platform/paths.ts';
import { type EmbeddedWorkspace, startWorkspace } from '../workspace/workspace.ts';

const ROOT = join(import.meta.dirname, '..', '..');

/** Why the application cannot run here, in one line; undefined if it can. */
export function whyNotHere(env: NodeJS.ProcessEnv): string | undefined {
  if (!findElectron(env)) return NO_ELECTRON;
  if (process.platform !== 'linux') return undefined;
  if (!env.DISPLAY && !env.WAYLAND_DISPLAY) return 'There is no display: run this inside a desktop session.';
  if (!env.DBUS_SESSION_BUS_ADDRESS) return 'There is no session bus: run this inside a desktop session.';
  return undefined;
}

/** The real application in its own home folder, on an embedded workspace. */
export interface RunningApplication {
  electron: ElectronApplication;
  workspace: EmbeddedWorkspace;
  /** The user's home folder. */
  home: string;
  /** What every process of this user has in its environment. */
  env: Record<string, string>;
  /** The window that is open, once it is. */
  window(): Promise<Page>;
  /** Closes the window as its title bar does. */
  closeWindow(): Promise<void>;
  /** Starts a `causeway proxy` in the same home, as an AI client does; gives the function that ends it. */
  startProxy(): () => Promise<void>;
  /** Starts the application a second time in the same home, with more arguments; gives its exit code. */
  startAgain(...more: string[]): Promise<number | null>;
  close(): Promise<void>;
}

export interface ApplicationOptions {
  /** Begins without any profile, as on a computer on which Causeway is new. */
  fresh?: boolean;
  /** For the application itself, such as `--hidden`. */
  flags?: string[];
  /** Puts into the home folder what the application finds there. */
  prepare?: ((home: string) => Promise<void>) | undefined;
}

export async function startApplication({
  fresh = false,
  flags = [],
  prepare,
}: ApplicationOptions = {}): Promise<RunningApplication> {
  const home = await mkdtemp(join(tmpdir(), 'causeway-desktop-'));
  await prepare?.(home);
  if (!fresh) await endFirstRun(environmentIn(home));
  const workspace = await startWorkspace(fresh ? {} : { home });
  const executablePath = findElectron(process.env) ?? '';
  const args = [...electronFlags(), ROOT, ...flags];
  const env = environmentIn(home);
  // Without this the page would be told that the system is light, whatever it is.
  const electron = await _electron.launch({ executablePath, args, env, colorScheme: null });
  return {
    electron,
    workspace,
    home,
    env,
    window: async () => electron.windows()[0] ?? electron.waitForEvent('window'),
    closeWindow: async () => {
      const [page] = electron.windows();
      const closed = page?.waitForEvent('close');
      await electron.evaluate(({ BrowserWindow }) => BrowserWindow.getAllWindows()[0]?.close());
      await closed;
    },
    startAgain: async (...more) => {
      const [code] = await once(spawn(executablePath, [...args, ...more], { env, stdio: 'ignore' }), 'exit');
      return code;
    },
    startProxy: () => {
      const cli = join(ROOT, 'out', 'cli', 'causeway.js');
      const proxy = spawn(process.execPath, [cli, 'proxy', '--path', '/api/2.0/mcp/sql'], {
        env,
        stdio: ['pipe', 'pipe', 'inherit'],
      });
      return async () => {
        const ended = once(proxy, 'exit');
        proxy.stdin.end();
        await ended;
      };
    },
    close: async () => {
      await electron.close();
      await workspace.close();
      await rm(home, { recursive: true, force: true });
    },
  };
}

/** Notes that the first run is over, unless the home has settings already. */
export async function endFirstRun(env: NodeJS.ProcessEnv): Promise<void> {
  const folder = configFolder(env);
  await mkdir(folder, { recursive: true });
  await writeFile(join(folder, `${SETTINGS_NAME}.json`), '{"firstRun":null}', { flag: 'wx' }).catch(() => undefined);
}

export function environmentIn(home: string): Record<string, string> {
  const kept = Object.entries(process.env).filter(([name]) => !name.startsWith('DATABRICKS_'));
  const env = Object.fromEntries(kept.flatMap(([name, value]) => (value === undefined ? [] : [[name, value]])));
  return { ...env, HOME: home, XDG_CONFIG_HOME: join(home, '.config'), XDG_STATE_HOME: join(home, '.state') };
}
