import { execFile } from 'node:child_process';
import { readlink } from 'node:fs/promises';
import { basename } from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);

/** Milliseconds for a look at the process table. */
const PATIENCE = 2000;

/**
 * The name of the program that started a process, which for a `causeway proxy` is the AI client; null where the system
 * does not tell. Windows keeps no such table that is quick to read.
 */
export async function clientOf(pid: number): Promise<string | null> {
  if (process.platform === 'win32') return null;
  try {
    const parent = (await ask(String(pid), 'ppid=')).trim();
    // What Linux calls `comm` is the name of a thread, which Node.js and others change.
    const program = process.platform === 'linux' ? await readlink(`/proc/${parent}/exe`) : await ask(parent, 'comm=');
    return nameOfProgram(program);
  } catch {
    // It may be gone by now: then there is no name, and no need for one.
    return null;
  }
}

/** A program's name as people know it, by its path. */
export function nameOfProgram(command: string): string | null {
  return basename(command.trim()) || null;
}

async function ask(pid: string, column: string): Promise<string> {
  return (await run('ps', ['-o', column, '-p', pid], { timeout: PATIENCE })).stdout;
}
