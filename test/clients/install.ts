import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

/** The installations under way and done, by folder: some clients are in the table twice. */
const installed = new Map<string, Promise<string | undefined>>();

/** Installs a package unless it is there; gives its version. Each has its own folder: they disagree about others. */
export function install(folder: string, spec: string): Promise<string | undefined> {
  const known = installed.get(folder) ?? installOnce(folder, spec);
  installed.set(folder, known);
  return known;
}

async function installOnce(folder: string, spec: string): Promise<string | undefined> {
  // Written at the end: npm leaves a package half installed when it fails.
  const mark = join(folder, 'installed');
  if ((await readFile(mark, 'utf8').catch(() => undefined)) !== spec) {
    await rm(folder, { recursive: true, force: true });
    await mkdir(folder, { recursive: true });
    await writeFile(join(folder, 'package.json'), '{ "private": true }\n');
    const npm = spawn('npm', ['install', '--no-audit', '--no-fund', '--loglevel=error', spec], {
      cwd: folder,
      stdio: ['ignore', 'ignore', 'inherit'],
      shell: process.platform === 'win32',
    });
    if ((await once(npm, 'close'))[0] !== 0) return undefined;
    await writeFile(mark, spec);
  }
  const manifest = join(folder, 'node_modules', spec.replace(/(.)@[^/]*$/, '$1'), 'package.json');
  const { version }: { version?: string } = JSON.parse(await readFile(manifest, 'utf8'));
  return version;
}
