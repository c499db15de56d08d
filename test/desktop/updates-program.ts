import { app } from 'electron';
import { autoUpdater } from 'electron-updater';
import { openElectronUpdates } from '../../main/desktop/updates/electron-updates.ts';

/** Looks for an update at the address in `dev-app-update.yml`, fetches it, and says on each line what happened. */

const say = (what: unknown) => process.stdout.write(`said ${JSON.stringify(what)}\n`);

void app.whenReady().then(async () => {
  try {
    autoUpdater.forceDevUpdateConfig = true;
    const source = await openElectronUpdates();
    autoUpdater.autoInstallOnAppQuit = false;
    const version = await source.look('latest');
    say({ version });
    if (version !== null) {
      let last = 0;
      await source.download((percent) => {
        last = percent;
      });
      say({ downloaded: true, last });
    }
  } catch (error) {
    say({ failed: error instanceof Error ? error.message : String(error) });
  }
  app.exit(0);
});
