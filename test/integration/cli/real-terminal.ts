import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { CAUSEWAY } from '../proxy/proxy-process.ts';

/** A terminal of the system (`script` of util-linux) in which the built command runs. */
export interface RealTerminal {
  /** All that the terminal has shown, with its control characters. */
  shown(): string;
  /** Types keys as they are, such as `\r` and `\u0003` (Ctrl+C). */
  type(keys: string): void;
  /** The command's exit code. */
  ended: Promise<number>;
  kill(): void;
}

/** Elsewhere, `script` takes other arguments. */
export const HAS_TERMINALS = process.platform === 'linux';

/** Opens a terminal of that width, and starts `causeway ARGS` in it. */
export function openTerminal(env: NodeJS.ProcessEnv, columns: number, args: readonly string[]): RealTerminal {
  const command = [process.execPath, CAUSEWAY, ...args].map((word) => `'${word.replaceAll("'", "'\\''")}'`).join(' ');
  // Without `exec`, the shell would get Ctrl+C too.
  const child = spawn('script', ['-qefc', `stty cols ${columns} rows 40; exec ${command}`, '/dev/null'], {
    env: { ...env, PATH: env.PATH ?? process.env.PATH, SHELL: '/bin/sh', TERM: 'xterm', NO_COLOR: '1' },
  });
  let shown = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    shown += text;
  });
  return {
    shown: () => shown,
    type: (keys) => void child.stdin.write(keys),
    ended: once(child, 'close').then(([code]) => Number(code)),
    kill: () => void child.kill('SIGKILL'),
  };
}

// Cursor movements and erasures of readline; none of ours moves up.
// biome-ignore lint/suspicious/noControlCharactersInRegex: they begin with one
const CONTROLS = /\u001b\[[\d;?]*[A-Za-z]|\u001b[78=>]/g;

/** The lines that are left in a terminal, without what moved its cursor. */
export function linesOf(shown: string): string[] {
  // A line of progress is erased before the next one.
  const left = shown.split('\n').map((line) => line.split('\r\u001b[K').at(-1) ?? '');
  return left.map((line) => line.replace(CONTROLS, '').replaceAll('\r', ''));
}

/** The same as running text, whatever the width. */
export function textOf(shown: string): string {
  return linesOf(shown).join(' ').replace(/\s+/g, ' ').trim();
}
