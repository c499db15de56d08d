import { openSync, readFileSync, readSync } from 'node:fs';
import { registerHooks } from 'node:module';
import { basename, dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';

/** The file beside the chunks that holds all that a proxy may load, compressed. */
export const KEPT_CHUNKS = 'kept-chunks';
/** A chunk in the first line of the file of kept chunks: its name, and how many compressed bytes of it follow. */
const LISTED = /([\w.-]+\.js) (\d+)/g;
/** The first line is shorter than this, in bytes. */
const MAX_LIST_BYTES = 8 * 1024;

/** Reads `length` bytes of the file of kept chunks. */
type ReadKept = (at: number, length: number) => Buffer;

/**
 * Keeps all that this process may still load of its own files: an update or a new build removes those files beneath a
 * process that lives on for days. What is loaded already stays as it is. The single-file executable holds its chunks itself,
 * so nothing is done there.
 * @param file the file of the chunk that runs
 */
export function keepChunks(file: string): void {
  if (!file.endsWith('.js')) return;
  const folder = dirname(file);
  const read = openKept(join(folder, KEPT_CHUNKS));
  const beginning = read(0, MAX_LIST_BYTES);
  const list = beginning.toString('latin1', 0, beginning.indexOf('\n') + 1);
  const kept = new Map<string, { at: number; length: number }>();
  let at = list.length;
  for (const [, name = '', size] of list.matchAll(LISTED)) {
    kept.set(name, { at, length: Number(size) });
    at += Number(size);
  }
  registerHooks({
    resolve: (specifier, context, next) => {
      const name = specifier.slice('./'.length);
      if (!specifier.startsWith('./') || !kept.has(name)) return next(specifier, context);
      return { url: pathToFileURL(join(folder, name)).href, format: 'commonjs', shortCircuit: true };
    },
    load: (url, context, next) => {
      const place = kept.get(basename(url));
      if (!place) return next(url, context);
      const { brotliDecompressSync } = process.getBuiltinModule('node:zlib');
      const source = brotliDecompressSync(read(place.at, place.length)).toString('utf8');
      return { format: 'commonjs', source, shortCircuit: true };
    },
  });
}

/**
 * A file that was removed can be read as long as it is open, and an open file takes no memory. On Windows, a folder in which a
 * file is open cannot be replaced: an update would fail, so the file is read there.
 */
function openKept(path: string): ReadKept {
  if (process.platform === 'win32') {
    const kept = readFileSync(path);
    return (at, length) => kept.subarray(at, at + length);
  }
  const descriptor = openSync(path, 'r');
  return (at, length) => {
    const part = Buffer.alloc(length);
    return part.subarray(0, readSync(descriptor, part, 0, length, at));
  };
}
