import { execFile } from 'node:child_process';
import { access, rm } from 'node:fs/promises';
import { promisify } from 'node:util';
import { autostartPath, WINDOWS_LISTS, WINDOWS_NAMES } from '../../platform/autostart.ts';
import { fileError } from '../../platform/file-errors.ts';
import { systemProgram } from '../../platform/system-program.ts';
import type { Remnant } from './step.ts';

const run = promisify(execFile);

/** What starts the application at login. On macOS only the application itself can tell; there the item goes with it. */
export async function loginItems(env: NodeJS.ProcessEnv): Promise<Remnant[]> {
  if (process.platform === 'linux') {
    const file = autostartPath(env);
    const remove = () => rm(file, { force: true }).catch((error: unknown) => Promise.reject(fileError(file, error)));
    return (await isThere(file)) ? [{ kind: 'login-item', what: file, remove }] : [];
  }
  if (process.platform !== 'win32') return [];
  const reg = systemProgram(env, 'reg.exe');
  const found: Remnant[] = [];
  for (const [key, name] of WINDOWS_LISTS.flatMap((list) => WINDOWS_NAMES.map((each) => [list, each] as const))) {
    const isListed = await run(reg, ['query', key, '/v', name], { windowsHide: true }).then(
      () => true,
      () => false,
    );
    const remove = async () => void (await run(reg, ['delete', key, '/v', name, '/f'], { windowsHide: true }));
    if (isListed) found.push({ kind: 'login-item', what: `${key}\\${name}`, remove });
  }
  return found;
}

function isThere(path: string): Promise<boolean> {
  return access(path).then(
    () => true,
    () => false,
  );
}
