import { execFile } from 'node:child_process';
import { open, readdir } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);
const READELF = { maxBuffer: 16 * 2 ** 20 };
const ELF = Buffer.from([0x7f, 0x45, 0x4c, 0x46]);

/**
 * The Debian package of each shared library that Electron or the command asks for. Packages that were renamed for 64-bit times
 * are provided under the old name, too.
 */
const DEBIAN_PACKAGES: Readonly<Record<string, string>> = {
  'ld-linux-x86-64.so.2': 'libc6',
  'ld-linux-aarch64.so.1': 'libc6',
  'libX11.so.6': 'libx11-6',
  'libXcomposite.so.1': 'libxcomposite1',
  'libXcursor.so.1': 'libxcursor1',
  'libXdamage.so.1': 'libxdamage1',
  'libXext.so.6': 'libxext6',
  'libXfixes.so.3': 'libxfixes3',
  'libXi.so.6': 'libxi6',
  'libXrandr.so.2': 'libxrandr2',
  'libXrender.so.1': 'libxrender1',
  'libXtst.so.6': 'libxtst6',
  'libasound.so.2': 'libasound2',
  'libatk-1.0.so.0': 'libatk1.0-0',
  'libatk-bridge-2.0.so.0': 'libatk-bridge2.0-0',
  'libatomic.so.1': 'libatomic1',
  'libatspi.so.0': 'libatspi2.0-0',
  'libc.so.6': 'libc6',
  'libcairo.so.2': 'libcairo2',
  'libcups.so.2': 'libcups2',
  'libdbus-1.so.3': 'libdbus-1-3',
  'libdl.so.2': 'libc6',
  'libdrm.so.2': 'libdrm2',
  'libexpat.so.1': 'libexpat1',
  'libgbm.so.1': 'libgbm1',
  'libgcc_s.so.1': 'libgcc-s1',
  'libgdk-3.so.0': 'libgtk-3-0',
  'libgdk_pixbuf-2.0.so.0': 'libgdk-pixbuf-2.0-0',
  'libgio-2.0.so.0': 'libglib2.0-0',
  'libglib-2.0.so.0': 'libglib2.0-0',
  'libgobject-2.0.so.0': 'libglib2.0-0',
  'libgtk-3.so.0': 'libgtk-3-0',
  'libm.so.6': 'libc6',
  'libnspr4.so': 'libnspr4',
  'libnss3.so': 'libnss3',
  'libnssutil3.so': 'libnss3',
  'libpango-1.0.so.0': 'libpango-1.0-0',
  'libpangocairo-1.0.so.0': 'libpangocairo-1.0-0',
  'libpthread.so.0': 'libc6',
  'librt.so.1': 'libc6',
  'libsmime3.so': 'libnss3',
  'libstdc++.so.6': 'libstdc++6',
  'libudev.so.1': 'libudev1',
  'libxcb.so.1': 'libxcb1',
  'libxkbcommon.so.0': 'libxkbcommon0',
};

/** The shared libraries that the programs and libraries in `folder` ask for and do not bring themselves. */
export async function neededLibraries(folder: string): Promise<string[]> {
  const files = await elfFiles(folder);
  const brought = new Set(files.map((file) => basename(file)));
  const { stdout } = await run('readelf', ['--dynamic', '--wide', ...files], READELF);
  const needed = [...stdout.matchAll(/\(NEEDED\).*\[(.+)\]/g)].flatMap(([, name]) => (name ? [name] : []));
  return [...new Set(needed)].filter((name) => !brought.has(name)).sort();
}

/** The oldest glibc that has all functions that they ask for, such as 2.28. */
export async function neededGlibc(folder: string): Promise<string> {
  const { stdout } = await run('readelf', ['--version-info', '--wide', ...(await elfFiles(folder))], READELF);
  const versions = [...stdout.matchAll(/Name: GLIBC_(\d+)\.(\d+)/g)].map(([, major, minor]) => [
    Number(major),
    Number(minor),
  ]);
  const newest = Math.max(...versions.map(([major = 0, minor = 0]) => major * 1000 + minor));
  return `${Math.floor(newest / 1000)}.${newest % 1000}`;
}

async function elfFiles(folder: string): Promise<string[]> {
  const files: string[] = [];
  for (const entry of await readdir(folder, { recursive: true, withFileTypes: true })) {
    const path = join(entry.parentPath, entry.name);
    if (entry.isFile() && (await isElf(path))) files.push(path);
  }
  return files;
}

async function isElf(path: string): Promise<boolean> {
  await using file = await open(path);
  const { buffer, bytesRead } = await file.read(Buffer.alloc(ELF.length), 0, ELF.length, 0);
  return bytesRead === ELF.length && buffer.equals(ELF);
}

/** @throws Error that names a library whose package is not known: an Electron that is newer than the table */
export function debianPackages(libraries: readonly string[]): string[] {
  const unknown = libraries.filter((name) => !(name in DEBIAN_PACKAGES));
  if (unknown.length > 0) {
    throw new Error(
      `${unknown.join(', ')}: which Debian package is that in? Add it to resources/packaging/linux/needed-libraries.ts.`,
    );
  }
  return [...new Set(libraries.map((name) => DEBIAN_PACKAGES[name] ?? ''))].sort();
}
