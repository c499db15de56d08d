import { spawn } from 'node:child_process';
import { basename, delimiter } from 'node:path';
import type { Readable } from 'node:stream';

export interface LoginShellOptions {
  env: Readonly<Record<string, string | undefined>>;
  /** The system's default shell, if the environment names none. */
  shell: string;
  /** How long the shell may take, in milliseconds: a user's own startup files run in it. */
  timeoutMs?: number;
  /** How long an answer is cached, in milliseconds. */
  holdsMs?: number;
}

/** Marks around the answer, because a shell's startup files may print anything. */
const MARK = '__causeway__path__';
/** The maximum length of a shell's output that is kept, in characters. */
const MAX_OUTPUT_LENGTH = 100_000;

/**
 * The folders in which a user's terminal finds commands. A desktop application is started with a short `PATH` on macOS and
 * Linux, so the login shell is asked, as VS Code does (microsoft/vscode `src/vs/platform/shell/node/shellEnv.ts`): once for
 * all who ask, for no longer than it may take. A shell that fails, hangs or is strange means no folders, and nothing else.
 */
export function loginShellPath(options: LoginShellOptions): () => Promise<string[]> {
  const { holdsMs = 600_000 } = options;
  let asked: Promise<string[]> | undefined;
  let at = 0;
  return () => {
    if (!asked || performance.now() - at > holdsMs) {
      at = performance.now();
      asked = ask(options);
    }
    return asked;
  };
}

function ask({ env, shell, timeoutMs = 3_000 }: LoginShellOptions): Promise<string[]> {
  const program = env.SHELL || shell;
  // C shells accept no other option together with -l, and read .cshrc without it.
  const flags = /^t?csh$/.test(basename(program)) ? ['-ic'] : ['-i', '-l', '-c'];
  const command = `echo ${MARK}; /usr/bin/env printenv PATH; echo ${MARK}`;
  return new Promise((resolve) => {
    let printed = '';
    // In its own session: an interactive shell must not take the terminal, nor may its children outlive the timeout.
    const child = spawn(program, [...flags, command], {
      detached: true,
      stdio: ['ignore', 'pipe', 'ignore'],
      // Start-up files that would update, or open another terminal, are asked not to.
      env: { ...env, DISABLE_AUTO_UPDATE: 'true', ZSH_TMUX_AUTOSTART: 'false' },
    });
    // Where no more files can be opened, nothing was started and there is no output; the error comes as an event.
    const stdout: Readable | undefined = child.stdout;
    const end = () => {
      clearTimeout(timer);
      try {
        if (child.pid !== undefined) process.kill(-child.pid, 'SIGKILL');
      } catch {
        // It has already ended.
      }
      stdout?.destroy();
      resolve(foldersIn(printed));
    };
    const timer = setTimeout(end, timeoutMs);
    child.once('error', end);
    stdout?.setEncoding('utf8').on('data', (text: string) => {
      if (printed.length < MAX_OUTPUT_LENGTH) printed += text;
      // A child that the startup files left in the background keeps the output open.
      if (printed.split(MARK).length > 2) end();
    });
    child.once('close', end);
    child.unref();
  });
}

function foldersIn(printed: string): string[] {
  const [, path = ''] = printed.split(MARK);
  return path
    .trim()
    .split(delimiter)
    .filter((folder) => folder.startsWith('/'));
}
