import { readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { listPackage, statFile } from '@electron/asar';

/** A file, and its size in bytes. */
export interface Content {
  name: string;
  size: number;
}

/** The files of the application itself. */
export function applicationFiles(resources: string): Content[] {
  const archive = join(resources, 'app.asar');
  return listPackage(archive, { isPack: false }).flatMap((path) => {
    const name = path.slice(1);
    const entry = statFile(archive, name);
    return 'size' in entry ? [{ name: name.replaceAll('\\', '/'), size: entry.size }] : [];
  });
}

/** What a packaged application weighs: its own code, the command and the keychain's module, and the Electron around them. */
export async function weigh(folder: string, resources: string): Promise<string> {
  const files = applicationFiles(resources);
  const application = { name: `app.asar, ${files.length} files`, size: total(files) };
  const own = [application, ...(await filesIn(join(resources, 'bin')))];
  const whole = total(await filesIn(folder));
  const rows = [...own, { name: 'Electron', size: whole - total(own) }, { name: folder, size: whole }];
  return rows.map(({ name, size }) => `${(size / 1e6).toFixed(1).padStart(7)} MB  ${name}`).join('\n');
}

function total(contents: Content[]): number {
  return contents.reduce((sum, { size }) => sum + size, 0);
}

async function filesIn(folder: string): Promise<Content[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  return Promise.all(
    entries
      .filter((entry) => entry.isFile())
      .map(async ({ parentPath, name }) => ({ name, size: (await stat(join(parentPath, name))).size })),
  );
}
