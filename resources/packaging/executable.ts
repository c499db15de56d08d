import { execFile } from 'node:child_process';
import { chmod, copyFile, mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { makeBlob } from './blob.ts';
import { inject, prepare } from './injection.ts';
import { partsFor } from './parts.ts';
import type { Target } from './target.ts';

const run = promisify(execFile);

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
  await inject(target, executable, await makeBlob(work));
  // Apple's processors run nothing unsigned; the real signature comes with the package's.
  if (target.platform === 'darwin' && process.platform === 'darwin') await run('codesign', ['--sign', '-', executable]);
  await rm(work, { recursive: true, force: true });
}
