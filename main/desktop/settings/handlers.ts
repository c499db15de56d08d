import type { SettingsState, settingsRequests } from '../../../preload/contract/settings.ts';
import { CausewayError } from '../../platform/errors.ts';
import { logFolder } from '../../platform/paths.ts';
import type { DesktopContext, HandlersOf } from '../context.ts';

export function settingsHandlers(context: DesktopContext): HandlersOf<typeof settingsRequests> {
  const { causeway, env, settings, shell, updates, emit } = context;

  const state = async (): Promise<SettingsState> => ({
    settings: settings.current,
    startAtLogin: (await shell.loginItem?.isOn()) ?? null,
    tokenStoreOfEnvironment: env.CAUSEWAY_TOKEN_STORE || null,
    file: settings.path,
    logFolder: logFolder(env),
    trouble: settings.trouble,
  });

  settings.onChange(async () => emit('settingsChanged', await state()));

  return {
    getSettings: state,
    changeSettings: async (change) => {
      const { tokenStore } = change;
      // The sign-ins move too, so users stay signed in.
      if (tokenStore !== undefined && tokenStore !== settings.current.tokenStore) {
        await (await causeway.auth()).moveSecrets(tokenStore, async () => settings.change(change));
      } else {
        settings.change(change);
      }
      return state();
    },
    setStartAtLogin: async ({ on }) => {
      if (!shell.loginItem) throw new CausewayError('feature_unavailable', 'This system starts nothing at login.');
      await shell.loginItem.set(on);
      return state();
    },
    checkForUpdates: async () => void (await updates.check()),
    downloadUpdate: async () => void (await updates.download()),
    restartToUpdate: async () => void (await updates.install(shell.closeForUpdate)),
    showLogFolder: async () => void (await shell.showFolder(logFolder(env))),
  };
}
