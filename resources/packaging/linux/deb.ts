import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { join, relative } from 'node:path';
import { promisify } from 'node:util';
import { debianPackages, neededGlibc, neededLibraries } from './needed-libraries.ts';
import { DESCRIPTION, type LinuxRelease, MAINTAINER, packageVersion, SUMMARY, wrapped } from './release.ts';
import { compressed } from './share.ts';
import { beforeRemoval, layOutSystem, writeFiles } from './tree.ts';

const run = promisify(execFile);
const PROJECT = join(import.meta.dirname, '..', '..', '..');
const ARCHITECTURES = { arm64: 'arm64', x64: 'amd64' } as const;
const SHELLS = { zsh: 'zsh/vendor-completions', fish: 'fish/vendor_completions.d' };

/** Besides the libraries: what registers the scheme of links, the icon theme, and what opens the browser. */
const PROGRAMS = ['desktop-file-utils', 'hicolor-icon-theme', 'xdg-utils'];
/** Without one of these, sign-ins of Causeway's own last until it quits. */
const KEYCHAINS = 'gnome-keyring | kwalletmanager | keepassxc';

/** What lintian finds and is so on purpose, with the reasons. */
const OVERRIDES = `# Chromium's sandbox, where users may make no namespaces of their own.
causeway: elevated-privileges 4755 root/root [usr/lib/causeway/chrome-sandbox]
# Electron is one program with the libraries in it that Chromium is built and tested with.
causeway: embedded-library *
# The command is a Node binary as its project builds it.
causeway: hardening-no-pie [usr/lib/causeway/resources/bin/causeway]
`;

/** A Debian package (Debian Policy Manual), made with `dpkg-deb`. Triggers of other packages do what scripts for installing would. */
export async function makeDeb(release: LinuxRelease): Promise<string> {
  const architecture = ARCHITECTURES[release.arch];
  const root = join(release.work, 'deb');
  await layOutSystem(root, release, 'deb', SHELLS);
  await writeFiles(join(root, 'usr', 'share'), await documents(release));
  const control = join(root, 'DEBIAN');
  const { sums, size } = await contentsOf(root);
  await mkdir(control);
  await writeFile(join(control, 'md5sums'), sums);
  await writeFile(join(control, 'control'), await controlFile(release, architecture, size));
  await writeFile(join(control, 'prerm'), await beforeRemoval(), { mode: 0o755 });
  const file = join(release.output, `causeway_${packageVersion(release.version)}_${architecture}.deb`);
  const compression = release.quick ? ['-Zgzip', '-z1'] : ['-Zxz', '-z9'];
  const env = { ...process.env, SOURCE_DATE_EPOCH: String(release.date.getTime() / 1000) };
  await run('dpkg-deb', ['--root-owner-group', ...compression, '--build', root, file], { env });
  return file;
}

async function controlFile({ application, version }: LinuxRelease, architecture: string, size: number) {
  const glibc = `libc6 (>= ${await neededGlibc(application)})`;
  const libraries = debianPackages(await neededLibraries(application)).map((name) => (name === 'libc6' ? glibc : name));
  const description = DESCRIPTION.map((paragraph) => wrapped(paragraph).map((line) => ` ${line}\n`)).map((lines) =>
    lines.join(''),
  );
  return [
    'Package: causeway',
    `Version: ${packageVersion(version)}`,
    `Architecture: ${architecture}`,
    `Maintainer: ${MAINTAINER}`,
    `Installed-Size: ${Math.ceil(size / 1024)}`,
    `Depends: ${[...libraries, ...PROGRAMS].join(', ')}`,
    `Recommends: ${KEYCHAINS}`,
    'Section: utils',
    'Priority: optional',
    `Description: ${SUMMARY}`,
    `${description.join(' .\n')}`,
  ].join('\n');
}

/** What Debian's policy wants to lie beside every package. */
async function documents({ version, date }: LinuxRelease): Promise<Map<string, string | Buffer>> {
  const license = await readFile(join(PROJECT, 'LICENSE'), 'utf8');
  const changes = await readFile(join(PROJECT, 'CHANGELOG.md'), 'utf8');
  const when = date.toUTCString().replace('GMT', '+0000');
  const changelog = `causeway (${packageVersion(version)}) stable; urgency=medium\n\n  * Version ${version}: see NEWS.gz.\n\n -- ${MAINTAINER}  ${when}\n`;
  return new Map<string, string | Buffer>([
    ['doc/causeway/copyright', copyrightFile(license)],
    ['doc/causeway/changelog.gz', await compressed(changelog)],
    ['doc/causeway/NEWS.gz', await compressed(changes)],
    ['lintian/overrides/causeway', OVERRIDES],
  ]);
}

/** In the form that machines read (https://www.debian.org/doc/packaging-manuals/copyright-format/1.0/). */
function copyrightFile(license: string): string {
  const [, , copyright = '', , ...terms] = license.trim().split('\n');
  const text = terms.map((line) => ` ${line.trim() || '.'}`).join('\n');
  return `Format: https://www.debian.org/doc/packaging-manuals/copyright-format/1.0/
Upstream-Name: Causeway
Comment: The licenses of Electron, Chromium, Node.js and all other software in
 this package are in /usr/lib/causeway/LICENSE.electron.txt,
 LICENSES.chromium.html.gz and THIRD-PARTY-NOTICES.txt beside it.

Files: *
Copyright: ${copyright.replace(/^Copyright \(c\) /, '')}
License: Expat
${text}
`;
}

/** The checksums that dpkg verifies by, and the bytes that installing takes. */
async function contentsOf(root: string): Promise<{ sums: string; size: number }> {
  let sums = '';
  let size = 0;
  const entries = await readdir(root, { recursive: true, withFileTypes: true });
  const paths = entries.filter((entry) => entry.isFile()).map(({ parentPath, name }) => join(parentPath, name));
  for (const path of paths.sort()) {
    const content = await readFile(path);
    sums += `${createHash('md5').update(content).digest('hex')}  ${relative(root, path)}\n`;
    size += content.length;
  }
  return { sums, size };
}
