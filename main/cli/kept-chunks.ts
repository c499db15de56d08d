import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { basename, dirname, join } from 'node:path';
import { compileFunction } from 'node:vm';
import { CHUNK_SCOPE } from './chunk-scope.ts';

/** How one chunk names another in the built code. */
const REQUIRED = /require\(["'`]\.\/([\w.-]+\.js)["'`]\)/g;

/**
 * Reads all that this process may still load of its own files into memory, without running it: an update or a new build
 * removes those files beneath a process that lives on for days. What is loaded already stays as it is. The single-file
 * executable holds its chunks itself, so nothing is done there.
 * @param file the file of the chunk that runs
 */
export async function preloadChunks(file: string): Promise<void> {
  if (!file.endsWith('.js')) return;
  const folder = dirname(file);
  const load = createRequire(file);
  const sources = new Map<string, Buffer>();
  const waiting = [basename(file)];
  for (let name = waiting.pop(); name !== undefined; name = waiting.pop()) {
    if (sources.has(name)) continue;
    const source = await readFile(join(folder, name));
    sources.set(name, source);
    for (const [, required = ''] of source.toString('utf8').matchAll(REQUIRED)) waiting.push(required);
  }
  for (const [name, source] of sources) {
    // Where it was found is remembered by Node, so that nobody looks for the file again.
    const path = load.resolve(`./${name}`);
    load.cache[path] ??= keptModule(path, source);
  }
}

/** A module as `require` finds it in its cache, whose code runs on first access to its exports. */
function keptModule(path: string, source: Buffer): NodeJS.Module {
  const load = createRequire(path);
  let running: { exports: unknown } | undefined;
  return {
    id: path,
    path: dirname(path),
    filename: path,
    loaded: true,
    isPreloading: false,
    children: [],
    paths: [],
    parent: null,
    require: load,
    get exports() {
      if (running) return running.exports;
      running = { exports: {} };
      const run = compileFunction(source.toString('utf8'), CHUNK_SCOPE, { filename: path });
      run.call(running.exports, running, running.exports, load, path);
      return running.exports;
    },
  };
}
