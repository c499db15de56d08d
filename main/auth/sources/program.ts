import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { constants } from 'node:fs';
import { access, stat } from 'node:fs/promises';
import { delimiter, dirname, isAbsolute, join } from 'node:path';
import { foreignText } from '../../platform/foreign-text.ts';
import { homeFolder } from '../../platform/paths.ts';
import { Secret } from '../../platform/secret.ts';
import { systemProgram } from '../../platform/system-program.ts';

/** The outcome of a program that returns tokens. Its output is a secret; its complaint is safe to show. */
export type ProgramOutcome =
  | { ok: true; output: Secret }
  | { ok: false; reason: 'failed' | 'timeout' | 'not-started'; complaint: string };

export interface RunOptions {
  env: NodeJS.ProcessEnv;
  timeoutMs: number;
}

/** No token comes near this size, in bytes. */
const OUTPUT_LIMIT_BYTES = 1024 * 1024;

const IS_WINDOWS = process.platform === 'win32';

/**
 * Runs a program to its end, without a terminal to ask at. Where it takes too long, it is ended with all that it started:
 * such programs are often scripts that start another one.
 */
export function runExternalProgram(
  program: string,
  args: readonly string[],
  options: RunOptions,
): Promise<ProgramOutcome> {
  return new Promise((resolve) => {
    const child = start(program, args, options.env);
    const output: Buffer[] = [];
    const errors: Buffer[] = [];
    let size = 0;
    const collect = (into: Buffer[]) => (chunk: Buffer) => {
      size += chunk.length;
      if (size <= OUTPUT_LIMIT_BYTES) into.push(chunk);
    };
    child.stdout?.on('data', collect(output));
    child.stderr?.on('data', collect(errors));
    const killAll = () => kill(child);
    process.once('exit', killAll);
    const finish = (outcome: ProgramOutcome) => {
      clearTimeout(timer);
      process.removeListener('exit', killAll);
      resolve(outcome);
    };
    const timer = setTimeout(() => {
      killAll();
      const seconds = Math.round(options.timeoutMs / 1000);
      finish({ ok: false, reason: 'timeout', complaint: `no response within ${seconds} s` });
    }, options.timeoutMs);
    child.on('error', (error) => finish({ ok: false, reason: 'not-started', complaint: foreignText(error.message) }));
    child.on('close', (code) => {
      if (code === 0) return finish({ ok: true, output: new Secret(Buffer.concat(output).toString()) });
      const complaint = complaintIn(Buffer.concat(errors).toString()) || 'it failed without a message';
      finish({ ok: false, reason: 'failed', complaint });
    });
  });
}

function start(program: string, args: readonly string[], env: NodeJS.ProcessEnv): ChildProcess {
  const stdio: ['ignore', 'pipe', 'pipe'] = ['ignore', 'pipe', 'pipe'];
  if (!/\.(cmd|bat)$/i.test(program)) {
    // Its own process group, so that all of its processes can be ended.
    return spawn(program, args, { env, stdio, windowsHide: true, detached: !IS_WINDOWS });
  }
  // Node starts no batch file on its own (CVE-2024-27980). The program's path comes from a variable, which the shell does
  // not look into any further; of the arguments only those pass that mean nothing to it.
  const unsafe = args.find((arg) => !/^[\w.:/=-]+$/.test(arg));
  if (unsafe !== undefined) throw new Error(`${program} cannot be started with this argument: ${unsafe}`);
  return spawn(
    env.ComSpec || systemProgram(env, 'cmd.exe'),
    ['/d', '/s', '/c', `""%CAUSEWAY_PROGRAM%" ${args.join(' ')}"`],
    {
      env: { ...env, CAUSEWAY_PROGRAM: program },
      stdio,
      windowsHide: true,
      windowsVerbatimArguments: true,
    },
  );
}

function kill(child: ChildProcess): void {
  child.stdout?.destroy();
  child.stderr?.destroy();
  if (child.pid === undefined || child.exitCode !== null) return;
  if (IS_WINDOWS) {
    execFile(
      systemProgram(process.env, 'taskkill.exe'),
      ['/pid', String(child.pid), '/t', '/f'],
      { windowsHide: true },
      () => undefined,
    );
    return;
  }
  try {
    process.kill(-child.pid, 'SIGKILL');
  } catch {
    // It has already ended.
  }
}

/** The line that says what went wrong: the one marked as an error, or else the first one. */
function complaintIn(stderr: string): string {
  const lines = stderr.split('\n').filter((line) => line.trim() !== '');
  const marked = lines.find((line) => /^\s*error\b/i.test(line));
  return foreignText(marked ?? lines[0] ?? '');
}

/** Where a program may be: its names, and the folders in which it is usually installed. */
export interface ProgramPlaces {
  names: readonly string[];
  folders: readonly string[];
}

/** The files that may be the program: on PATH, then in the usual folders, which graphical applications' PATH leaves out. */
export function programCandidates({ names, folders }: ProgramPlaces, env: NodeJS.ProcessEnv): string[] {
  const named = (env.PATH ?? env.Path ?? '').split(delimiter).filter(isAbsolute);
  return [...new Set([...named, ...folders])].flatMap((folder) => names.map((name) => join(folder, name)));
}

/** This system's usual folders for programs. */
export function usualFolders(env: NodeJS.ProcessEnv): string[] {
  const home = homeFolder(env);
  if (IS_WINDOWS) {
    const local = env.LOCALAPPDATA ?? join(home, 'AppData', 'Local');
    return [join(local, 'Microsoft', 'WinGet', 'Links'), join(home, 'scoop', 'shims')];
  }
  return [
    '/opt/homebrew/bin',
    '/usr/local/bin',
    '/usr/bin',
    '/home/linuxbrew/.linuxbrew/bin',
    join(home, '.local', 'bin'),
    join(home, 'bin'),
  ];
}

/** An environment in which a script finds the programs that it starts. */
export function environmentFor(program: string, env: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  const name = env.PATH === undefined && env.Path !== undefined ? 'Path' : 'PATH';
  const folders = [env[name], dirname(program), ...(IS_WINDOWS ? [] : ['/usr/local/bin', '/usr/bin', '/bin'])];
  return { ...env, [name]: folders.filter(Boolean).join(delimiter) };
}

export async function isExecutable(path: string): Promise<boolean> {
  try {
    await access(path, constants.X_OK);
    return (await stat(path)).isFile();
  } catch {
    return false;
  }
}
