import { execFile } from 'node:child_process';
import { readdir, readFile } from 'node:fs/promises';
import { promisify } from 'node:util';
import { CausewayError } from '../platform/errors.ts';
import { systemProgram } from '../platform/system-program.ts';
import type { ClientFacts, ProcessFacts } from './client.ts';

const run = promisify(execFile);

/** How long PowerShell may take, in milliseconds, before process names alone are used. */
const POWERSHELL_TIMEOUT_MS = 10_000;

/** Whether one of those processes is the client's. Only Windows names ignore case. */
export function isRunning({ names, notIn }: ProcessFacts, processes: ReadonlySet<string>): boolean {
  const isOne = (process: string, name: string) =>
    name.endsWith('.exe') ? process.toLowerCase() === name.toLowerCase() : process === name;
  return [...processes].some((process) => {
    const own = process.slice(Math.max(process.lastIndexOf('/'), process.lastIndexOf('\\')) + 1);
    return names.some((name) => isOne(own, name)) && !notIn?.test(process);
  });
}

/** The running clients that would overwrite changes, by id. */
export async function runningClients(
  clients: readonly ClientFacts[],
  running: () => Promise<Set<string>>,
): Promise<string[]> {
  const careless = clients.filter(({ overwritesWhileRunning }) => overwritesWhileRunning);
  const processes = careless.length === 0 ? new Set<string>() : await running();
  return careless.flatMap(({ id, overwritesWhileRunning }) =>
    overwritesWhileRunning && isRunning(overwritesWhileRunning, processes) ? [id] : [],
  );
}

/** @throws {CausewayError} `client_running` if the client would overwrite a change now */
export async function refuseRunning(client: ClientFacts, running: () => Promise<Set<string>>): Promise<void> {
  const { id, name } = client;
  if (!(await runningClients([client], running)).includes(id)) return;
  throw new CausewayError('client_running', `${name} is running and would overwrite the change.`, {
    remedy: 'Nothing was written.',
    action: { do: 'quit-client', client: name },
  });
}

/** The running processes, each by its path or else its name; none if the system does not say. */
export async function runningProcesses(): Promise<Set<string>> {
  try {
    const system = process.platform === 'win32' || process.platform === 'linux' ? process.platform : 'rest';
    return new Set((await LISTERS[system]()).filter(Boolean));
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
    // Two programs may have one name; the path is known for the user's own processes.
    const ask = 'Get-Process | ForEach-Object { if ($_.Path) { $_.Path } else { $_.ProcessName + ".exe" } }';
    const listed = await run(
      systemProgram(process.env, 'WindowsPowerShell', 'v1.0', 'powershell.exe'),
      ['-NoProfile', '-NonInteractive', '-Command', ask],
      {
        timeout: POWERSHELL_TIMEOUT_MS,
        windowsHide: true,
      },
    ).catch(() => undefined);
    if (listed && listed.stdout.trim() !== '') return listed.stdout.split(/\r?\n/).map((line) => line.trim());
    const { stdout } = await run(systemProgram(process.env, 'tasklist.exe'), ['/FO', 'CSV', '/NH']);
    return stdout.split(/\r?\n/).map((line) => /^"([^"]*)"/.exec(line)?.[1] ?? '');
  },
  rest: async () => {
    const { stdout } = await run('ps', ['-axco', 'comm']);
    return stdout.split('\n').map((line) => line.trim());
  },
};
