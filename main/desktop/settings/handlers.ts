import { readFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import {
  type AuditState,
  type aboutRequests,
  notices,
  type SettingsChange,
  type SettingsState,
  type settingsRequests,
} from '../../../preload/contract/settings.ts';
import { changeWithSignIns } from '../../app/settings.ts';
import { auditFile } from '../../audit/audit-file.ts';
import type { SettingsPort } from '../../hub/settings-answers.ts';
import { auditTargets, chooseAudit } from '../../permissions/policy/audit-choice.ts';
import { shownCollector } from '../../permissions/policy/format.ts';
import { CausewayError } from '../../platform/errors.ts';
import { logFolder } from '../../platform/paths.ts';
import { VERSION } from '../../platform/version.ts';
import type { DesktopContext, HandlersOf } from '../context.ts';
import { NOTICES_FILE } from '../places.ts';

export function settingsHandlers(context: DesktopContext): HandlersOf<typeof settingsRequests> {
  const { env, settings, shell, updates, emit } = context;

  const state = async (): Promise<SettingsState> => ({
    settings: settings.current,
    startAtLogin: (await shell.loginItem?.isOn()) ?? null,
    tokenStoreOfEnvironment: env.CAUSEWAY_TOKEN_STORE || null,
    file: settings.path,
    logFolder: logFolder(env),
    problem: settings.problem,
  });

  const audit = async (): Promise<AuditState> => {
    const { file: inFile = false, otlp = null } = (await auditTargets(env)) ?? {};
    return {
      on: inFile || otlp !== null,
      file: auditFile(env),
      inFile,
      otlp: otlp === null ? null : shownCollector(otlp),
    };
  };

  settings.onChange(async () => emit('settingsChanged', await state()));

  return {
    getSettings: state,
    changeSettings: async (set) => {
      await changeSettings(context, { set, reset: [] });
      return state();
    },
    setStartAtLogin: async ({ on }) => {
      await setStartAtLogin(context, on);
      return state();
    },
    checkForUpdates: async () => void (await updates.check()),
    downloadUpdate: async () => void (await updates.download()),
    restartToUpdate: async () => void (await updates.install(shell.closeForUpdate)),
    getAudit: audit,
    setAudit: async ({ on }) => {
      await chooseAudit(env, { file: on });
      return audit();
    },
    showLogFolder: async () => void (await shell.showFolder(logFolder(env))),
  };
}

async function changeSettings({ causeway, settings }: DesktopContext, change: SettingsChange): Promise<void> {
  const [now, after] = [settings.current, settings.after(change)];
  const store = async () => settings.change(change.set, change.reset);
  await changeWithSignIns(() => causeway.auth(), change, { now, after, store });
}

async function setStartAtLogin({ shell }: DesktopContext, on: boolean): Promise<void> {
  if (!shell.loginItem)
    throw new CausewayError('feature_unavailable', 'This system cannot start applications at login.');
  await shell.loginItem.set(on);
}

/** The settings as the command reads and changes them while the application runs. */
export function settingsPort(context: DesktopContext): SettingsPort {
  return {
    startsAtLogin: async () => (await context.shell.loginItem?.isOn()) ?? null,
    change: (change) => changeSettings(context, change),
    startAtLogin: async (on) => {
      await setStartAtLogin(context, on);
      // The window shows it.
      context.settings.refresh();
    },
  };
}

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
    const remedy = 'Run `npm run build` to create them.';
    throw new CausewayError('not_found', 'This copy was built without the third-party notices.', { cause, remedy });
  }
}

/** The folder of Electron's own licenses, and in the package of the notices too (`resources/packaging/configuration.ts`). */
function noticesFolder(): string {
  const folder = dirname(process.execPath);
  return process.platform === 'darwin' ? join(folder, '..', 'Resources') : folder;
}
