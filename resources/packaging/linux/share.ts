import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import { SCRIPTS } from '../../../main/cli/completion/scripts.ts';
import { commandManPage } from './man-page.ts';
import type { LinuxRelease } from './release.ts';

const HERE = import.meta.dirname;
const ICONS = join(HERE, '..', '..', 'icons');
/** The sizes that the hicolor theme has. */
const ICON_SIZES = [16, 32, 48, 64, 128, 256, 512];

/** Where a system's packages put completion, below `usr/share`: bash reads the same folder everywhere. */
export interface ShellFolders {
  zsh: string;
  fish: string;
}

/** What is below `usr/share`: completion, manual pages, the entry of the menu and its icons. */
export async function shareFiles(release: LinuxRelease, shells: ShellFolders): Promise<Map<string, string | Buffer>> {
  const files = new Map<string, string | Buffer>([
    ['bash-completion/completions/causeway', SCRIPTS.bash],
    [`${shells.zsh}/_causeway`, SCRIPTS.zsh],
    [`${shells.fish}/causeway.fish`, SCRIPTS.fish],
    ['man/man1/causeway.1.gz', await compressed(commandManPage(release))],
    ['man/man1/causeway-desktop.1.gz', await compressed(await template('causeway-desktop.1', release))],
    ['applications/causeway.desktop', await template('causeway.desktop', release)],
    ['metainfo/io.github.causeway.desktop.metainfo.xml', await template('causeway.metainfo.xml', release)],
    ['icons/hicolor/scalable/apps/causeway.svg', await readFile(join(HERE, '..', '..', 'icon.svg'))],
  ]);
  for (const size of ICON_SIZES) {
    const icon = await readFile(join(ICONS, `${size}x${size}.png`));
    files.set(`icons/hicolor/${size}x${size}/apps/causeway.png`, icon);
  }
  return files;
}

async function template(name: string, { version, date }: LinuxRelease): Promise<string> {
  const text = await readFile(join(HERE, name), 'utf8');
  return text.replaceAll('@VERSION@', version).replaceAll('@DATE@', date.toISOString().slice(0, 10));
}

/** As Debian's policy wants it: as small as can be, and without a time, so that the same text makes the same file. */
export function compressed(text: string | Buffer): Promise<Buffer> {
  return promisify(gzip)(text, { level: 9 });
}
