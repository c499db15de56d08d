import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { electronFolder, findElectron } from '../../main/desktop/electron-binary.ts';

/** An unpacked Electron for this system, and its version. */
export interface Electron {
  folder: string;
  version: string;
}

/**
 * The Electron that `ELECTRON_OVERRIDE_DIST_PATH` names. Where that names none, the installed one, if it will do: an
 * installer may be for another processor too, and is to be of the very release that electron-builder fetches.
 */
export async function electronHere(env: NodeJS.ProcessEnv, installedWillDo: boolean): Promise<Electron | undefined> {
  if (!findElectron(env) || !(env.ELECTRON_OVERRIDE_DIST_PATH || installedWillDo)) return undefined;
  const folder = electronFolder(env);
  return { folder, version: (await readFile(join(folder, 'version'), 'utf8')).trim().replace(/^v/, '') };
}
