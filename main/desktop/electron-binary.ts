import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

const EXECUTABLES: Partial<Record<NodeJS.Platform, string>> = {
  darwin: 'Electron.app/Contents/MacOS/Electron',
  win32: 'electron.exe',
};

/**
 * The Electron executable to run the built application with: of the folder that `ELECTRON_OVERRIDE_DIST_PATH` names, else
 * the one that `npx install-electron` has put beside the npm package. Loading that package itself would download one.
 */
export function findElectron(env: NodeJS.ProcessEnv): string | undefined {
  const installed = join(import.meta.dirname, '..', '..', 'node_modules', 'electron');
  const folder = env.ELECTRON_OVERRIDE_DIST_PATH || join(installed, 'dist');
  const named = join(installed, 'path.txt');
  const name = existsSync(named) ? readFileSync(named, 'utf8') : (EXECUTABLES[process.platform] ?? 'electron');
  const file = join(folder, name);
  return existsSync(file) ? file : undefined;
}

/** One line for whoever has none. */
export const NO_ELECTRON =
  'There is no Electron binary here: run `npx install-electron`, or let ELECTRON_OVERRIDE_DIST_PATH name the folder of one.';
