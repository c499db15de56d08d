import { execFile } from 'node:child_process';
import { chmod, copyFile, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { makeBlob } from './blob.ts';
import { partsFor } from './parts.ts';
import type { Target } from './target.ts';
import { withoutSignature } from './unsigned.ts';

const run = promisify(execFile);
/** The package's command beside its library, in a process of its own: it has a lot to say that matters to nobody. */
const POSTJECT = fileURLToPath(new URL('cli.js', import.meta.resolve('postject')));

/** Where Node looks for what it is to run (Node's documentation › Single executable applications). */
const FUSE = 'NODE_SEA_FUSE_fce680ab2cc467b6e072b8b5df1996b2';

/**
 * Leaves the `causeway` executable and the keychain's native module in `folder`: a Node that starts Causeway's command
 * and nothing else, whatever `NODE_OPTIONS` says.
 */
export async function buildExecutable(target: Target, folder: string): Promise<void> {
  const work = await mkdtemp(join(tmpdir(), 'causeway-package-'));
  await rm(folder, { recursive: true, force: true });
  await mkdir(folder, { recursive: true });
  const { node, keyring } = await partsFor(target, work);
  const executable = join(folder, target.platform === 'win32' ? 'causeway.exe' : 'causeway');
  await copyFile(keyring, join(folder, 'keyring.node'));
  await copyFile(node, executable);
  await chmod(executable, 0o755);
  await prepare(target, executable);
  const segment = target.platform === 'darwin' ? ['--macho-segment-name', 'NODE_SEA'] : [];
  const blob = await makeBlob(work);
  await run(process.execPath, [POSTJECT, executable, 'NODE_SEA_BLOB', blob, '--sentinel-fuse', FUSE, ...segment]);
  // Apple's processors run nothing unsigned; the real signature comes with the package's.
  if (target.platform === 'darwin' && process.platform === 'darwin') await run('codesign', ['--sign', '-', executable]);
  await rm(work, { recursive: true, force: true });
}

/** Signatures would not fit any more, and symbols are of no use to anybody. */
async function prepare({ platform, arch }: Target, executable: string): Promise<void> {
  if (platform === 'win32') await writeFile(executable, withoutSignature(await readFile(executable)));
  if (platform === 'darwin' && process.platform === 'darwin') await run('codesign', ['--remove-signature', executable]);
  if (platform === 'linux' && process.platform === 'linux' && arch === process.arch) await run('strip', [executable]);
}
