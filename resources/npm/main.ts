/**
 * `npm run package:npm`: the command as a file that npm installs, and what it holds in `dist/npm/`. It is not published: no name on
 * npm is the project's.
 */
import { execFile } from 'node:child_process';
import { mkdir, readdir, rename, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { parseArgs, promisify } from 'node:util';
import { z } from 'zod';
import { PACKAGE_FILE } from '../../main/platform/npm-package.ts';
import { writeCommandPackage } from './command-package.ts';

const Packed = z.tuple([z.object({ filename: z.string(), size: z.number(), unpackedSize: z.number() })]);
const LARGEST = 6;

const { values } = parseArgs({ options: { out: { type: 'string', default: 'dist' } } });
const folder = join(values.out, 'npm');
await mkdir(values.out, { recursive: true });
await writeCommandPackage(folder, process.env.GITHUB_REPOSITORY);
// On Windows npm is a script, which only a shell runs.
const { stdout } = await promisify(execFile)('npm', ['pack', '--json', '--pack-destination', '..'], {
  cwd: folder,
  shell: process.platform === 'win32',
});
const [{ filename, size, unpackedSize }] = Packed.parse(JSON.parse(stdout));
await rename(join(values.out, filename), join(values.out, PACKAGE_FILE));
console.log(
  `${join(values.out, PACKAGE_FILE)}: ${mib(size)} packed, ${mib(unpackedSize)} unpacked. The largest files:`,
);
for (const [name, bytes] of (await filesBySize()).slice(0, LARGEST)) console.log(`  ${mib(bytes)}  ${name}`);

async function filesBySize(): Promise<[string, number][]> {
  const names = await readdir(folder, { recursive: true });
  const sized = await Promise.all(
    names.map(async (name): Promise<[string, number]> => [name, (await stat(join(folder, name))).size]),
  );
  return sized.sort(([, a], [, b]) => b - a);
}

function mib(bytes: number): string {
  return `${(bytes / 2 ** 20).toFixed(2)} MiB`;
}
