import type { Settings, SettingsState } from '../../preload/contract.ts';
import { formatTokenStore } from './format.ts';

type NamesOf<Kind> = { [Name in keyof Settings]: Settings[Name] extends Kind ? Name : never }[keyof Settings];

interface Words {
  label: string;
  /** What it does, beneath its name. */
  sentence(state: SettingsState): string;
}

/** Something that is on or off. */
interface ToggleWords extends Words {
  kind: 'toggle';
  name: NamesOf<boolean>;
}

/** One of a few. */
interface ChoiceWords extends Words {
  kind: 'choice';
  name: NamesOf<string>;
  choices: readonly { value: string; label: string }[];
  /** What it is where something else decides it. */
  decidedBy?(state: SettingsState): string | null;
}

export type SettingWords = ToggleWords | ChoiceWords;

export type SectionName = 'starting' | 'look' | 'connections' | 'updates' | 'log';

/** The settings that are kept in the file, by section. */
export const SETTINGS: Record<SectionName, { title: string; settings: readonly SettingWords[] }> = {
  starting: {
    title: 'Starting',
    settings: [
      {
        kind: 'toggle',
        name: 'openWindow',
        label: 'Open the window at start',
        sentence: () => 'Otherwise Causeway starts in the tray, and the window opens from there.',
      },
    ],
  },
  look: {
    title: 'What you see',
    settings: [
      {
        kind: 'choice',
        name: 'appearance',
        label: 'Appearance',
        sentence: () => 'Light or dark colours, or whatever your system uses.',
        choices: [
          { value: 'system', label: 'Like the system' },
          { value: 'light', label: 'Light' },
          { value: 'dark', label: 'Dark' },
        ],
      },
      {
        kind: 'toggle',
        name: 'notifications',
        label: 'Notifications',
        sentence: () =>
          'Says when something went wrong or a new version is ready. Otherwise only the window and the tray do.',
      },
      {
        kind: 'toggle',
        name: 'notifyApprovals',
        label: 'Calls that wait',
        sentence: () => 'Notifies you when a call needs your answer.',
      },
      {
        kind: 'toggle',
        name: 'notifySignedOut',
        label: 'Sign-ins that ended',
        sentence: () => 'Notifies you when you are signed out of the workspace.',
      },
      {
        kind: 'toggle',
        name: 'notifyOverride',
        label: 'Overrides that fail',
        sentence: () => 'Notifies you when your warehouse is gone or not yours to use.',
      },
      {
        kind: 'toggle',
        name: 'notifyUpdates',
        label: 'Updates that are ready',
        sentence: () => 'Notifies you when a new version can be installed.',
      },
    ],
  },
  connections: {
    title: 'Connections',
    settings: [
      {
        kind: 'toggle',
        name: 'keepServersWarm',
        label: 'Keep servers connected',
        sentence: () => 'Asks your servers now and then, so that you see how they are and AI clients start faster.',
      },
      {
        kind: 'choice',
        name: 'tokenStore',
        label: 'Where sign-ins are kept',
        sentence: ({ tokenStoreOfEnvironment }) => formatTokenStore(tokenStoreOfEnvironment),
        decidedBy: ({ tokenStoreOfEnvironment }) => tokenStoreOfEnvironment,
        choices: [
          { value: 'keychain', label: 'Keychain of this computer' },
          { value: 'encrypted-file', label: 'Encrypted file' },
        ],
      },
    ],
  },
  updates: {
    title: 'New versions',
    settings: [
      {
        kind: 'toggle',
        name: 'automaticUpdates',
        label: 'Update by itself',
        sentence: () => 'Looks for new versions twice a day and fetches them. You decide when to restart.',
      },
      {
        kind: 'choice',
        name: 'updateChannel',
        label: 'Which versions',
        sentence: () => 'Preview versions come earlier and are less tried.',
        choices: [
          { value: 'latest', label: 'Finished versions' },
          { value: 'beta', label: 'Preview versions too' },
        ],
      },
    ],
  },
  log: {
    title: 'Log',
    settings: [
      {
        kind: 'choice',
        name: 'logLevel',
        label: 'How much is logged',
        sentence: ({ logFolder }) =>
          `For finding faults. Tokens and passwords are never logged. The log is in ${logFolder}.`,
        choices: [
          { value: 'error', label: 'Failures only' },
          { value: 'warn', label: 'Warnings too' },
          { value: 'info', label: 'The usual' },
          { value: 'debug', label: 'Everything' },
        ],
      },
    ],
  },
};
