import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { LinuxRelease } from './release.ts';
import { shareFiles } from './share.ts';
import { linkApplication, writeFiles } from './tree.ts';

const run = promisify(execFile);
/** As they lie below ~/.local/share. */
const SHELLS = { zsh: 'zsh/site-functions', fish: 'fish/vendor_completions.d' };

/**
 * The application folder for systems without either package format, or to run without installing it. In `share/` is what a
 * user may copy to ~/.local/share.
 */
export async function makeTarball(release: LinuxRelease): Promise<string> {
  const name = `causeway-${release.version}-linux-${release.arch}`;
  const folder = join(release.work, name);
  await linkApplication(release, folder, 'tar.gz');
  await writeFiles(join(folder, 'share'), await shareFiles(release, SHELLS));
  const file = join(release.output, `${name}.tar.gz`);
  const same = [
    '--owner=0',
    '--group=0',
    '--numeric-owner',
    '--sort=name',
    `--mtime=@${release.date.getTime() / 1000}`,
  ];
  const compressor = `gzip -n${release.quick ? 1 : 9}`;
  await run('tar', [...same, `--use-compress-program=${compressor}`, '-C', release.work, '-cf', file, name]);
  return file;
}
