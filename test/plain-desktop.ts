import Conf from 'conf';
import type { FileOffer, Shell } from '../main/desktop/context.ts';
import { SettingsStore } from '../main/desktop/settings/settings-store.ts';

/** What the desktop around the services was asked to do, in order. */
export interface Asked {
  opened: string[];
  copied: string[];
  shown: string[];
  /** What the next file dialogs are answered with; one that has no answer here is cancelled. */
  fileAnswers: string[];
  startsAtLogin: boolean;
}

/** The desktop around the services without Electron: it notes what it is asked. */
export function plainShell(): Shell & { asked: Asked } {
  const asked: Asked = { opened: [], copied: [], shown: [], fileAnswers: [], startsAtLogin: false };
  const answerFileDialog = async (_offer: Pick<FileOffer, 'title'>) => asked.fileAnswers.shift() ?? null;
  return {
    asked,
    openInBrowser: async (address) => void asked.opened.push(address),
    openInClient: async (link) => void asked.opened.push(link),
    copy: (text) => void asked.copied.push(text),
    showFolder: async (folder) => void asked.shown.push(folder),
    chooseFileToSave: answerFileDialog,
    chooseFileToOpen: answerFileDialog,
    chooseFolder: answerFileDialog,
    loginItem: {
      isOn: async () => asked.startsAtLogin,
      set: async (on) => {
        asked.startsAtLogin = on;
      },
    },
    updates: { blocker: 'development', openSource: () => Promise.reject(new Error('There are no updates here.')) },
    reviewCalls: () => void asked.shown.push('calls'),
    closeForUpdate: async () => {},
    quit: () => {},
    versions: { node: process.versions.node },
  };
}

/** The settings in the folder that the environment names. */
export function plainSettings(
  env: NodeJS.ProcessEnv,
  more: { oldFile?: string; now?: () => Date } = {},
): SettingsStore {
  const openFile = (configName: string, options: object) =>
    new Conf<Record<string, unknown>>({ configName, projectVersion: '0.1.0', ...options });
  return new SettingsStore({ env, openFile, ...more });
}
