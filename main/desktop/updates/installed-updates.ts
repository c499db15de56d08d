import { app } from 'electron';
import { VERSION } from '../../platform/version.ts';
import { argumentsOfNextStart } from '../crash.ts';
import { relaunch } from '../quit.ts';
import { watchInstalledVersion } from './package-type.ts';
import type { UpdatesOptions } from './updates.ts';

/** Newer versions that a package manager has installed already: the running application only has to restart. */
export function installedUpdates(): Pick<UpdatesOptions, 'openSource' | 'watchInstalled'> {
  return {
    watchInstalled: (report) => watchInstalledVersion(process.resourcesPath, VERSION, report),
    openSource: async () => ({
      look: async () => null,
      download: async () => {},
      install() {
        relaunch(argumentsOfNextStart(process.argv.slice(1)));
        app.quit();
      },
    }),
  };
}
