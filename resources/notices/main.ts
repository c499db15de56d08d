/**
 * The last step of `npm run build`: the notices of everything in the application, as its window shows them
 * (`out/notices.json`) and as a file that is beside it (`out/THIRD-PARTY-NOTICES.txt`).
 */
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { notices as Notices } from '../../preload/contract/settings.ts';
import { keyringPackage, nodeLicense } from '../packaging/parts.ts';
import { targetOf } from '../packaging/target.ts';
import { LISTS_FOLDER } from './bundled-packages.ts';
import { noticesText } from './notices-text.ts';
import { noticeOf, type PackageNotice, ROOT } from './package-notice.ts';

const require = createRequire(import.meta.url);
const HEAD = `Causeway contains the following software, under the licenses below.

Chromium and what it contains, which are part of Electron, have a file of their own: LICENSES.chromium.html.`;

const all = [...(await bundled()), ...(await native())];
const byIdentity = new Map(all.map((notice) => [`${notice.name} ${notice.version}`, notice]));
const notices = [...byIdentity.values()].sort((a, b) => a.name.localeCompare(b.name, 'en'));
await writeFile(join(ROOT, 'out', 'notices.json'), JSON.stringify(notices));
await writeFile(join(ROOT, 'out', 'THIRD-PARTY-NOTICES.txt'), noticesText(HEAD, notices));

/** What the bundler has put into main, preload script, window and command. */
async function bundled(): Promise<PackageNotice[]> {
  const names = await readdir(LISTS_FOLDER);
  const lists = await Promise.all(names.map((name) => readFile(join(LISTS_FOLDER, name), 'utf8')));
  return lists.flatMap((list) => Notices.parse(JSON.parse(list)));
}

/** What is not bundled, but is in the package: Electron, the keychain's native module, and the command's Node. */
async function native(): Promise<PackageNotice[]> {
  const target = targetOf(process.platform, process.arch);
  const packages = ['electron', 'keytar', keyringPackage(target).name];
  const work = await mkdtemp(join(tmpdir(), 'causeway-notices-'));
  const text = await nodeLicense(target, work);
  await rm(work, { recursive: true, force: true });
  return [
    { name: 'Node.js', version: process.versions.node, license: 'MIT', text },
    ...(await Promise.all(packages.map((name) => noticeOf(folderOf(name))))),
  ];
}

function folderOf(name: string): string {
  return dirname(require.resolve(`${name}/package.json`));
}
