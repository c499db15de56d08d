import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { compileFunction } from 'node:vm';
import { CHUNK_SCOPE, KEPT_CHUNKS } from './chunk-scope.ts';

/** A chunk in the first line of the file of kept chunks: its name, and how many compressed bytes of it follow. */
const LISTED = /([\w.-]+\.js) (\d+)/g;

/**
 * Reads all that this process may still load of its own files into memory, compressed and without running it: an update or
 * a new build removes those files beneath a process that lives on for days. What is loaded already stays as it is. The
 * single-file executable holds its chunks itself, so nothing is done there.
 * @param file the file of the chunk that runs
 */
export function preloadChunks(file: string): void {
  if (!file.endsWith('.js')) return;
  const load = createRequire(file);
  const kept = readFileSync(join(dirname(file), KEPT_CHUNKS));
  let at = kept.indexOf('\n') + 1;
  for (const [, name, length] of kept.toString('latin1', 0, at).matchAll(LISTED)) {
    const compressed = kept.subarray(at, at + Number(length));
    at += compressed.length;
    // Where it was found is remembered by Node, so that nobody looks for the file again.
    const path = load.resolve(`./${name}`);
    load.cache[path] ??= keptModule(path, compressed, load);
  }
}

/** A module as `require` finds it in its cache, whose code runs on first access to its exports. */
function keptModule(path: string, compressed: Buffer, load: NodeJS.Require): NodeJS.Module {
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
      const { brotliDecompressSync } = process.getBuiltinModule('node:zlib');
      const run = compileFunction(brotliDecompressSync(compressed).toString('utf8'), CHUNK_SCOPE, { filename: path });
      run.call(running.exports, running, running.exports, load, path);
      return running.exports;
    },
  };
}
