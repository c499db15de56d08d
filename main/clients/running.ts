import { execFile } from 'node:child_process';
import { readdir, readFile } from 'node:fs/promises';
import { promisify } from 'node:util';

const run = promisify(execFile);

/** The names of the processes that run now; none where the system will not say. */
export async function runningProcesses(): Promise<Set<string>> {
  try {
    return new Set(
      await LISTERS[process.platform === 'win32' ? 'win32' : process.platform === 'linux' ? 'linux' : 'rest'](),
    );
  } catch {
    return new Set();
  }
}

const LISTERS = {
  linux: async () => {
    const ids = (await readdir('/proc')).filter((name) => /^\d+$/.test(name));
    const names = await Promise.all(ids.map((id) => readFile(`/proc/${id}/comm`, 'utf8').catch(() => '')));
    return names.map((name) => name.trim());
  },
  win32: async () => {
    const { stdout } = await run('tasklist', ['/FO', 'CSV', '/NH']);
    return stdout.split(/\r?\n/).map((line) => /^"([^"]*)"/.exec(line)?.[1] ?? '');
  },
  rest: async () => {
    const { stdout } = await run('ps', ['-axco', 'comm']);
    return stdout.split('\n').map((line) => line.trim());
  },
};
