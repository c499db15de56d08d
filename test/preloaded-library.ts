import { execFileSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** What the library writes to stderr when a process in which it is loaded ends. */
export const STILL_LOADED = 'the preloaded library is still loaded';

/** Whether a library can be compiled here. */
export const canCompile = process.platform === 'linux' && hasCompiler();

/** Compiles a library for LD_PRELOAD into a folder. @returns its path */
export function compileLibrary(folder: string): string {
  const [source, library] = [join(folder, 'loaded.c'), join(folder, 'loaded.so')];
  const lines = [
    '#include <unistd.h>',
    `__attribute__((destructor)) static void end(void) { if (write(2, "${STILL_LOADED}", ${STILL_LOADED.length}) < 0) _exit(9); }`,
  ];
  writeFileSync(source, `${lines.join('\n')}\n`);
  execFileSync('cc', ['-shared', '-fPIC', '-o', library, source]);
  return library;
}

function hasCompiler(): boolean {
  try {
    execFileSync('cc', ['--version'], { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
}
