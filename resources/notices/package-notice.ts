import { readdir, readFile } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { z } from 'zod';

/** What is said about a package that the application contains. */
export interface PackageNotice {
  name: string;
  version: string;
  /** The license as the package names it, an SPDX expression. */
  license: string;
  /** The package's license files, whole. */
  text: string;
}

/** The project's folder. electron-vite, which bundles its configuration with this file, keeps `url` right, but not `dirname`. */
export const ROOT = resolve(fileURLToPath(new URL('../..', import.meta.url)));

const Manifest = z.object({ name: z.string(), version: z.string(), license: z.string() });
const Identity = Manifest.omit({ license: true });

/** `LICENSE`, `LICENSE-MIT.txt`, `license.md`, `LICENSE.third-party.md`, `NOTICE`, but no source file of such a name. */
const LICENSE_FILE = /^(licen[cs]e|copying|copyright|notice)(?!.*\.(c?js|mjs|tsx?|json|html|map)$)([-_.].*)?$/i;

/**
 * Packages that say MIT in their manifest and whose authors publish no file with its text, or not in the package. The
 * copyright is that of the author in the manifest, or of the file in the package's repository.
 */
const MIT_COPYRIGHTS = new Map([
  ['@cfworker/json-schema', 'Copyright (c) Jeremy Danyow <jdanyow@gmail.com>'],
  ['lazy-val', 'Copyright (c) Vladimir Krivosheev'],
  ['react-remove-scroll-bar', 'Copyright (c) 2025 Anton Korzunov <thekashey@gmail.com>'],
]);

/**
 * The notice of the package in `folder`.
 * @throws Error that names the package when it has no license, or one without a text: such a package cannot be shipped
 */
export async function noticeOf(folder: string): Promise<PackageNotice> {
  const manifest = Manifest.safeParse(await manifestIn(folder));
  if (!manifest.success)
    throw new Error(`${join(folder, 'package.json')} does not say which package and license it is.`);
  const { name, version, license } = manifest.data;
  const text = (await licenseFilesIn(folder)) || (await textWithoutFile(name, license));
  if (!text) {
    throw new Error(
      `${name} ${version} (${license}) would be part of the application, but its package has no license text. ` +
        'Name its copyright holder in resources/notices/package-notice.ts, or do without the package.',
    );
  }
  return { name, version, license, text };
}

async function licenseFilesIn(folder: string): Promise<string> {
  const entries = await readdir(folder, { withFileTypes: true });
  const names = entries.filter((entry) => entry.isFile() && LICENSE_FILE.test(entry.name)).map(({ name }) => name);
  const texts = await Promise.all(names.sort().map((name) => readFile(join(folder, name), 'utf8')));
  return texts.map(normalized).filter(Boolean).join('\n\n');
}

/** Causeway's own license is MIT too: the text is the same but for the copyright. */
async function textWithoutFile(name: string, license: string): Promise<string | undefined> {
  const copyright = license === 'MIT' ? MIT_COPYRIGHTS.get(name) : undefined;
  if (copyright === undefined) return undefined;
  const own = normalized(await readFile(join(ROOT, 'LICENSE'), 'utf8'));
  return own.replace(/^Copyright .*$/m, copyright);
}

/** The folder of the package that a file belongs to. */
export async function packageFolderOf(file: string): Promise<string> {
  for (let folder = dirname(file); ; folder = dirname(folder)) {
    // A folder inside a package may have a package.json that only says how the files beside it are read.
    if (Identity.safeParse(await manifestIn(folder)).success) return folder;
    if (folder === dirname(folder)) throw new Error(`${file} belongs to no package, so its license is not known.`);
  }
}

async function manifestIn(folder: string): Promise<unknown> {
  const text = await readFile(join(folder, 'package.json'), 'utf8').catch(() => 'null');
  return JSON.parse(text);
}

function normalized(text: string): string {
  return text
    .replaceAll('\r\n', '\n')
    .replace(/^\uFEFF/, '')
    .trim();
}
