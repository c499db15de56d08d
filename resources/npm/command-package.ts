import { copyFile, cp, mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { PACKAGE_NAME } from '../../main/platform/npm-package.ts';
import manifest from '../../package.json' with { type: 'json' };
import { notices as Notices } from '../../preload/contract/settings.ts';
import { LISTS_FOLDER } from '../notices/bundled-packages.ts';
import { noticesText } from '../notices/notices-text.ts';
import { ROOT } from '../notices/package-notice.ts';

/** What `npm run build:cli` leaves. */
const BUILT = join(ROOT, 'out', 'cli');
const NOTICES = "Causeway's command contains the following software, under the licenses below.";

/**
 * The manifest of the packaged command: the command alone, never published. The keychain's native module is the only thing that it depends on.
 * @param repository `owner/name` on GitHub, where it is known
 */
export function commandManifest(repository: string | undefined) {
  return {
    name: PACKAGE_NAME,
    private: true,
    version: manifest.version,
    description: manifest.description,
    license: manifest.license,
    author: manifest.author,
    keywords: ['databricks', 'mcp', 'model-context-protocol', 'sql-warehouse', 'genie'],
    ...(repository && {
      repository: { type: 'git', url: `git+https://github.com/${repository}.git` },
    }),
    type: 'commonjs',
    bin: { [manifest.name]: 'cli/causeway.js' },
    engines: manifest.engines,
    // Without it sign-ins last as long as the process, and everything else works.
    optionalDependencies: manifest.dependencies,
  };
}

/** Puts the built command with its licenses into `folder`, which is made again. */
export async function writeCommand(folder: string): Promise<void> {
  await rm(folder, { recursive: true, force: true });
  await mkdir(folder, { recursive: true });
  await cp(BUILT, join(folder, 'cli'), { recursive: true });
  const list = await readFile(join(LISTS_FOLDER, 'main-cli-causeway.json'), 'utf8');
  await writeFile(join(folder, 'THIRD-PARTY-NOTICES.txt'), noticesText(NOTICES, Notices.parse(JSON.parse(list))));
  await copyFile(join(ROOT, 'LICENSE'), join(folder, 'LICENSE'));
}

/** Writes what is packed into `folder`, which is made again. */
export async function writeCommandPackage(folder: string, repository: string | undefined): Promise<void> {
  await writeCommand(folder);
  const readme = await readFile(new URL('package-readme.md', import.meta.url), 'utf8');
  await writeFile(join(folder, 'README.md'), readme.replaceAll('VERSION', manifest.version));
  await writeFile(join(folder, 'package.json'), `${JSON.stringify(commandManifest(repository), null, 2)}\n`);
}
