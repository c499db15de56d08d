import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { COMPILED } from '../compiled.ts';

/** A program of this folder, running beside the benchmark. */
export interface Program {
  pid: number;
  /** What it printed when it was ready. */
  firstLine: string;
  end(): Promise<void>;
}

/** Starts one of this folder's programs and waits for its first line. */
export function startProgram(file: string, args: string[]): Promise<Program> {
  const path = fileURLToPath(new URL(file, import.meta.url));
  const child = spawn(process.execPath, [...COMPILED, path, ...args], { stdio: ['ignore', 'pipe', 'inherit'] });
  const exited = once(child, 'exit');
  return new Promise((resolve, reject) => {
    child.once('exit', (code) => reject(new Error(`${file} ended with ${code}`)));
    createInterface({ input: child.stdout }).once('line', (firstLine) => {
      const end = async () => {
        child.kill('SIGKILL');
        await exited;
      };
      resolve({ pid: child.pid ?? 0, firstLine, end });
    });
  });
}
