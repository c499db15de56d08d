import type { UpdateSource } from './updates.ts';

/**
 * Newer versions by `electron-updater`, from where the packaged application's `app-update.yml` says. It verifies what it
 * fetches against the checksum of the published list, and on macOS and Windows the signature too.
 */
export async function openElectronUpdates(): Promise<UpdateSource> {
  const { autoUpdater } = await import('electron-updater');
  autoUpdater.logger = { info: console.info, warn: console.warn, error: console.error, debug: console.debug };
  autoUpdater.autoDownload = false;
  autoUpdater.autoInstallOnAppQuit = true;
  // Without a listener its failures, which the calls below throw too, count as uncaught.
  autoUpdater.on('error', () => {});
  return {
    async look(channel) {
      autoUpdater.channel = channel;
      autoUpdater.allowPrerelease = channel === 'beta';
      // Naming a channel permits older versions, which would undo fixes.
      autoUpdater.allowDowngrade = false;
      const found = await autoUpdater.checkForUpdates();
      return found?.isUpdateAvailable ? found.updateInfo.version : null;
    },
    async download(onPercent) {
      const report = ({ percent }: { percent: number }) => onPercent(percent);
      autoUpdater.on('download-progress', report);
      try {
        await autoUpdater.downloadUpdate();
      } finally {
        autoUpdater.off('download-progress', report);
      }
    },
    install: () => autoUpdater.quitAndInstall(false, true),
  };
}
