import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

const EXECUTABLES: Partial<Record<NodeJS.Platform, string>> = {
  darwin: 'Electron.app/Contents/MacOS/Electron',
  win32: 'electron.exe',
};

const INSTALLED = join(import.meta.dirname, '..', '..', 'node_modules', 'electron');

/**
 * The Electron executable to run the built application with: of the folder that `ELECTRON_OVERRIDE_DIST_PATH` names, else
 * the one that `npx install-electron` has put beside the npm package. Loading that package itself would download one.
 */
export function findElectron(env: NodeJS.ProcessEnv): string | undefined {
  const named = join(INSTALLED, 'path.txt');
  const name = existsSync(named) ? readFileSync(named, 'utf8') : (EXECUTABLES[process.platform] ?? 'electron');
  const file = join(electronFolder(env), name);
  return existsSync(file) ? file : undefined;
}

/** The folder of that executable and all it needs, whether there is one or not. */
export function electronFolder(env: NodeJS.ProcessEnv): string {
  return env.ELECTRON_OVERRIDE_DIST_PATH || join(INSTALLED, 'dist');
}

/** Flags for that executable: Chromium refuses to run as root with its sandbox on, and containers run as root. */
export function electronFlags(): string[] {
  return process.platform === 'linux' && process.getuid?.() === 0 ? ['--no-sandbox'] : [];
}

/** The message if there is no Electron binary. */
export const NO_ELECTRON =
  'There is no Electron binary here. Run `npx install-electron`, or set ELECTRON_OVERRIDE_DIST_PATH to a folder that contains one.';
