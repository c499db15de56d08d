import { mkdir, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { join, relative, resolve } from 'node:path';
import type { Plugin } from 'vite';
import { noticeOf, type PackageNotice, packageFolderOf, ROOT } from './package-notice.ts';

const require = createRequire(import.meta.url);

/** Where each build leaves its list. */
export const LISTS_FOLDER = join(ROOT, 'out', 'notices');

/** Code that the bundler adds by itself has no file. */
const OF_BUNDLER = /^\0(rolldown|vite)\//;

/** What happens to the notices of a build. @param entry the file that the build starts from */
type Deliver = (notices: PackageNotice[], entry: string) => Promise<void>;

/**
 * Finds the notices of all packages that a build puts into its output, and fails the build when one has no license text. Of
 * scripts only those count that the bundler has kept something of; style sheets, fonts and images always count, because
 * they go into files of their own.
 */
export function bundledPackages(deliver: Deliver = writeList): Plugin {
  let root = ROOT;
  return {
    name: 'bundled-packages',
    configResolved(config) {
      root = config.root;
    },
    async generateBundle(_options, bundle) {
      const files = new Set<string>();
      let entry = '';
      for (const output of Object.values(bundle)) {
        if (output.type === 'asset') {
          for (const file of output.originalFileNames) files.add(resolve(root, file));
          continue;
        }
        if (output.isEntry) entry = output.facadeModuleId ?? '';
        for (const [id, { renderedLength }] of Object.entries(output.modules)) {
          if (renderedLength > 0 || !/\.[cm]?[jt]sx?$/.test(id)) files.add(fileOf(id));
        }
      }
      const folders = new Set(await Promise.all([...files].map(packageFolderOf)));
      folders.delete(ROOT);
      await deliver(await Promise.all([...folders].map(noticeOf)), entry);
    },
  };
}

/** Each build has a file in `out/notices/`, named for its entry. */
async function writeList(notices: PackageNotice[], entry: string): Promise<void> {
  const name = relative(ROOT, entry)
    .replace(/\.\w+$/, '')
    .replaceAll(/[\\/]/g, '-');
  await mkdir(LISTS_FOLDER, { recursive: true });
  await writeFile(join(LISTS_FOLDER, `${name}.json`), JSON.stringify(notices));
}

/** @throws Error for what a plugin has made up: which package it comes from has to be said above */
function fileOf(id: string): string {
  const bundler = OF_BUNDLER.exec(id)?.[1];
  if (bundler) return require.resolve(`${bundler}/package.json`);
  const [file = id] = id.split('?');
  if (file.startsWith('\0')) throw new Error(`It is not known which package the module ${JSON.stringify(id)} is from.`);
  return file;
}
