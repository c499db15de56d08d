import { readFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { type aboutRequests, notices } from '../../preload/contract/about.ts';
import { CausewayError } from '../platform/errors.ts';
import { VERSION } from '../platform/version.ts';
import type { DesktopContext, HandlersOf } from './context.ts';
import { NOTICES_FILE } from './places.ts';

export function aboutHandlers({ shell }: DesktopContext): HandlersOf<typeof aboutRequests> {
  const { electron, chrome, node } = shell.versions;
  const runtimes = [
    { name: 'Electron', version: electron },
    { name: 'Chromium', version: chrome },
    { name: 'Node.js', version: node },
  ] as const;
  return {
    getAbout: async () => ({
      version: VERSION,
      runtimes: runtimes.flatMap(({ name, version }) => (version === undefined ? [] : [{ name, version }])),
    }),
    getNotices: async () => notices.parse(JSON.parse(await noticesFile())),
    showNoticesFolder: async () => void (await shell.showFolder(noticesFolder())),
  };
}

async function noticesFile(): Promise<string> {
  try {
    return await readFile(NOTICES_FILE, 'utf8');
  } catch (cause) {
    const remedy = 'Run `npm run build`, which makes them.';
    throw new CausewayError('not_found', 'This copy was built without the third-party notices.', { cause, remedy });
  }
}

/** The folder of Electron's own licenses, and in the package of the notices too (`resources/packaging/configuration.ts`). */
function noticesFolder(): string {
  const folder = dirname(process.execPath);
  return process.platform === 'darwin' ? join(folder, '..', 'Resources') : folder;
}
