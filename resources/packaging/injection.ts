import { execFile } from 'node:child_process';
import { readFile, writeFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import type { Target } from './target.ts';
import { withoutSignature } from './unsigned.ts';

const run = promisify(execFile);

/** The package's command beside its library, in its own process: it has a lot to say that matters to nobody. */
const POSTJECT = fileURLToPath(new URL('cli.js', import.meta.resolve('postject')));

/** Where Node looks for what it is to run (Node's documentation › Single executable applications). */
const FUSE = 'NODE_SEA_FUSE_fce680ab2cc467b6e072b8b5df1996b2';

/** Puts the blob into a Node binary, which then runs it instead of what its arguments say. */
export async function inject({ platform }: Target, executable: string, blob: string): Promise<void> {
  const segment = platform === 'darwin' ? ['--macho-segment-name', 'NODE_SEA'] : [];
  await run(process.execPath, [POSTJECT, executable, 'NODE_SEA_BLOB', blob, '--sentinel-fuse', FUSE, ...segment]);
}

/** Signatures would not fit anymore, and symbols are of no use to anybody. */
export async function prepare({ platform, arch }: Target, executable: string): Promise<void> {
  if (platform === 'win32') await writeFile(executable, withoutSignature(await readFile(executable)));
  if (platform === 'darwin' && process.platform === 'darwin') await run('codesign', ['--remove-signature', executable]);
  if (platform === 'linux' && process.platform === 'linux' && arch === process.arch) await run('strip', [executable]);
}
