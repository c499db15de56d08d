import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { access, mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

/** Installs a package unless it is there; gives its version. Each has its own folder: they disagree about others. */
export async function install(folder: string, spec: string): Promise<string | undefined> {
  const manifest = join(folder, 'node_modules', spec.replace(/(.)@[^/]*$/, '$1'), 'package.json');
  const isThere = await access(manifest).then(
    () => true,
    () => false,
  );
  if (!isThere) {
    await mkdir(folder, { recursive: true });
    await writeFile(join(folder, 'package.json'), '{ "private": true }\n');
    const npm = spawn('npm', ['install', '--no-audit', '--no-fund', '--loglevel=error', spec], {
      cwd: folder,
      stdio: ['ignore', 'ignore', 'inherit'],
      shell: process.platform === 'win32',
    });
    if ((await once(npm, 'close'))[0] !== 0) return undefined;
  }
  const { version }: { version?: string } = JSON.parse(await readFile(manifest, 'utf8'));
  return version;
}
