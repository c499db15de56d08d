import { execFile } from 'node:child_process';
import { access, rm } from 'node:fs/promises';
import { promisify } from 'node:util';
import { autostartPath } from '../platform/autostart.ts';
import { fileError } from '../platform/file-errors.ts';
import { systemProgram } from '../platform/system-program.ts';
import type { Remnant } from './step.ts';

const run = promisify(execFile);

/** Where Windows lists what it starts at login, and Electron's name for an application there (`app.setLoginItemSettings`). */
const RUN_KEY = String.raw`HKCU\Software\Microsoft\Windows\CurrentVersion\Run`;
const RUN_VALUE = 'electron.app.Causeway';

/** What starts the application at login. On macOS only the application itself can tell; there the item goes with it. */
export async function loginItems(env: NodeJS.ProcessEnv): Promise<Remnant[]> {
  if (process.platform === 'linux') {
    const file = autostartPath(env);
    const remove = () => rm(file, { force: true }).catch((error: unknown) => Promise.reject(fileError(file, error)));
    return (await isThere(file)) ? [{ kind: 'login-item', what: file, remove }] : [];
  }
  if (process.platform !== 'win32') return [];
  const reg = systemProgram(env, 'reg.exe');
  const isListed = await run(reg, ['query', RUN_KEY, '/v', RUN_VALUE]).then(
    () => true,
    () => false,
  );
  const remove = async () => void (await run(reg, ['delete', RUN_KEY, '/v', RUN_VALUE, '/f']));
  return isListed ? [{ kind: 'login-item', what: `${RUN_KEY}\\${RUN_VALUE}`, remove }] : [];
}

function isThere(path: string): Promise<boolean> {
  return access(path).then(
    () => true,
    () => false,
  );
}
