import { createRequire } from 'node:module';
import { getRawAsset } from 'node:sea';
import { compileFunction } from 'node:vm';

/**
 * The first script of the single-file executable. Node gives such an executable one script and named assets: the assets
 * are the command's chunks, so that here too only what a command needs is loaded. One bundle with everything in it takes
 * twice as long to start.
 */
interface Chunk {
  exports: unknown;
}

/** The names that a chunk finds in scope, as Node's CommonJS modules do. */
const CHUNK_SCOPE = ['module', 'exports', 'require', '__filename'];

const chunks = new Map<string, Chunk>();

function load(name: string): unknown {
  const known = chunks.get(name);
  if (known) return known.exports;
  const chunk: Chunk = { exports: {} };
  chunks.set(name, chunk);
  const code = Buffer.from(getRawAsset(name)).toString('utf8');
  const run = compileFunction(code, CHUNK_SCOPE, { filename: name });
  run.call(chunk.exports, chunk, chunk.exports, requireFrom, process.execPath);
  return chunk.exports;
}

function requireFrom(id: string): unknown {
  if (id.startsWith('./')) return load(id.slice('./'.length));
  // A native module cannot be inside: the keychain's is beside the executable.
  if (id === 'keytar') return createRequire(process.execPath)('./keyring.node');
  return process.getBuiltinModule(id);
}

load('causeway.js');
