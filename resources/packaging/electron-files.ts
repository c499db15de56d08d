import { execFile } from 'node:child_process';
import { readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';

const run = promisify(execFile);

/** Of every system: what Electron runs when it has no application. */
const WITHOUT_APPLICATION = ['resources/app', 'version'];

/**
 * On Linux: the process that collects crashes for Electron's crash reporter, which Causeway does not start, and Chromium's
 * rendering of 3D in software, which its window has none of.
 */
const UNUSED_ON_LINUX = [
  'chrome_crashpad_handler',
  'libvk_swiftshader.so',
  'libvulkan.so.1',
  'vk_swiftshader_icd.json',
];

/** Removes from an unpacked Electron what Causeway never uses. */
export async function removeUnused(folder: string, platform: string): Promise<void> {
  const unused = platform === 'linux' ? [...WITHOUT_APPLICATION, ...UNUSED_ON_LINUX] : WITHOUT_APPLICATION;
  for (const name of unused) await rm(join(folder, name), { recursive: true, force: true });
}

/** Nine megabytes of which most is the same license over and over: browsers and readers open them compressed, too. */
export async function compressChromiumLicenses(folder: string): Promise<void> {
  const file = join(folder, 'LICENSES.chromium.html');
  await writeFile(`${file}.gz`, await promisify(gzip)(await readFile(file), { level: 9 }));
  await rm(file);
}

/** Removes symbols, which are of no use to anybody, from Electron's programs and libraries for Linux on this processor. */
export async function stripElectron(folder: string, executable: string): Promise<void> {
  const libraries = (await readdir(folder)).filter((name) => name.endsWith('.so'));
  await run('strip', [executable, 'chrome-sandbox', ...libraries], { cwd: folder });
}
