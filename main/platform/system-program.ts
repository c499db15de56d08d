import { join } from 'node:path';

/**
 * The path of a program of Windows itself, below its folder of programs. By its name alone, Windows would look for it in the
 * current folder first, which may be someone else's project.
 */
export function systemProgram(env: NodeJS.ProcessEnv, ...path: string[]): string {
  return join(env.SystemRoot || env.SYSTEMROOT || String.raw`C:\Windows`, 'System32', ...path);
}
