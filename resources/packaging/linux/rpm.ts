import { execFile } from 'node:child_process';
import { mkdir, readFile, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { DESCRIPTION, type LinuxRelease, packageVersion, SUMMARY, wrapped } from './release.ts';
import { APPLICATION_FOLDER, beforeRemoval, layOutSystem, writeFiles } from './tree.ts';

const run = promisify(execFile);
const PROJECT = join(import.meta.dirname, '..', '..', '..');
const ARCHITECTURES = { arm64: 'aarch64', x64: 'x86_64' } as const;
const SHELLS = { zsh: 'zsh/site-functions', fish: 'fish/vendor_completions.d' };

/** An RPM package for Fedora, openSUSE and their kin, made with `rpmbuild`. Their file triggers do what scripts for installing would. */
export async function makeRpm(release: LinuxRelease): Promise<string> {
  const architecture = ARCHITECTURES[release.arch];
  const root = join(release.work, 'root');
  await layOutSystem(root, release, 'rpm', SHELLS);
  await writeFiles(join(root, 'usr', 'share'), await documents());
  const spec = join(release.work, 'causeway.spec');
  await writeFile(spec, specFile(release, root, await beforeRemoval()));
  const folders = join(release.work, 'rpmbuild');
  await mkdir(folders);
  const defined = [
    ['_topdir', folders],
    ['_rpmdir', folders],
    ['_tmppath', release.work],
  ].flatMap(([name, value]) => ['--define', `${name} ${value}`]);
  const env = { ...process.env, SOURCE_DATE_EPOCH: String(release.date.getTime() / 1000) };
  const options = { env, maxBuffer: 16 * 2 ** 20 };
  await run('rpmbuild', ['-bb', '--target', `${architecture}-linux`, ...defined, spec], options);
  const name = `causeway-${packageVersion(release.version)}-1.${architecture}.rpm`;
  await rename(join(folders, architecture, name), join(release.output, name));
  return join(release.output, name);
}

/** Nothing is built: what is laid out goes in as it is. Which libraries it needs, rpmbuild finds out itself. */
function specFile({ version, quick }: LinuxRelease, root: string, script: string): string {
  const own = `^/${APPLICATION_FOLDER}/.*$`;
  return `%global debug_package %{nil}
%global __os_install_post %{nil}
%global _build_id_links none
%global _binary_payload ${quick ? 'w1.gzdio' : 'w9.xzdio'}
%global use_source_date_epoch_as_buildtime 1
%global clamp_mtime_to_source_date_epoch 1
%global __provides_exclude_from ${own}
%global __requires_exclude ^libffmpeg\\\\.so.*$

Name: causeway
Version: ${packageVersion(version)}
Release: 1
Summary: ${SUMMARY}
License: MIT
Requires: desktop-file-utils
Requires: hicolor-icon-theme
Requires: xdg-utils
Requires(preun): coreutils
Requires(preun): util-linux
Recommends: (gnome-keyring or kwalletmanager or keepassxc)

%description
${DESCRIPTION.map((paragraph) => wrapped(paragraph).join('\n')).join('\n\n')}

%install
rm -rf %{buildroot}
cp -al '${root}' %{buildroot}

%preun
${script.replaceAll('%', '%%')}
%files
%defattr(-, root, root, -)
/${APPLICATION_FOLDER}
/usr/bin/causeway
/usr/bin/causeway-desktop
/usr/share/applications/causeway.desktop
/usr/share/bash-completion/completions/causeway
%dir /usr/share/fish
%dir /usr/share/${SHELLS.fish}
/usr/share/${SHELLS.fish}/causeway.fish
%dir /usr/share/zsh
%dir /usr/share/${SHELLS.zsh}
/usr/share/${SHELLS.zsh}/_causeway
/usr/share/icons/hicolor/*/apps/causeway.*
/usr/share/man/man1/causeway*.1.gz
/usr/share/metainfo/io.github.causeway.desktop.metainfo.xml
%dir /usr/share/licenses/causeway
%license /usr/share/licenses/causeway/LICENSE
%dir /usr/share/doc/causeway
%doc /usr/share/doc/causeway/CHANGELOG.md
`;
}

async function documents(): Promise<Map<string, string | Buffer>> {
  return new Map<string, string | Buffer>([
    ['licenses/causeway/LICENSE', await readFile(join(PROJECT, 'LICENSE'))],
    ['doc/causeway/CHANGELOG.md', await readFile(join(PROJECT, 'CHANGELOG.md'))],
  ]);
}
