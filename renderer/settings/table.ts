import type { Settings, SettingsState } from '../../preload/contract.ts';
import { formatTokenStore } from './format.ts';
import { strings } from './strings.ts';

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

export type SectionName = 'starting' | 'look' | 'notifications' | 'connections' | 'updates' | 'log';

const { sections } = strings;

/** The settings that are kept in the file, by section. */
export const SETTINGS: Record<SectionName, { title: string; settings: readonly SettingWords[] }> = {
  starting: { title: sections.starting, settings: [toggle('openWindow')] },
  look: {
    title: sections.look,
    settings: [
      {
        kind: 'choice',
        name: 'appearance',
        label: strings.appearance.label,
        sentence: () => strings.appearance.hint,
        choices: choicesOf(strings.appearance.choices),
      },
    ],
  },
  notifications: {
    title: sections.notifications,
    settings: [
      toggle('notifications'),
      toggle('notifyApprovals'),
      toggle('notifySignedOut'),
      toggle('notifyOverride'),
      toggle('notifyUpdates'),
    ],
  },
  connections: {
    title: sections.connections,
    settings: [
      toggle('keepServersWarm'),
      {
        kind: 'choice',
        name: 'tokenStore',
        label: strings.tokenStore.label,
        sentence: ({ tokenStoreOfEnvironment }) => formatTokenStore(tokenStoreOfEnvironment),
        decidedBy: ({ tokenStoreOfEnvironment }) => tokenStoreOfEnvironment,
        choices: choicesOf(strings.tokenStore.choices),
      },
    ],
  },
  updates: {
    title: sections.updates,
    settings: [
      toggle('automaticUpdates'),
      {
        kind: 'choice',
        name: 'updateChannel',
        label: strings.updateChannel.label,
        sentence: () => strings.updateChannel.hint,
        choices: choicesOf(strings.updateChannel.choices),
      },
    ],
  },
  log: {
    title: sections.log,
    settings: [
      {
        kind: 'choice',
        name: 'logLevel',
        label: strings.logLevel.label,
        sentence: ({ logFolder }) => strings.logLevel.hint(logFolder),
        choices: choicesOf(strings.logLevel.choices),
      },
    ],
  },
};

function toggle(name: ToggleWords['name']): ToggleWords {
  const { label, hint } = strings[name];
  return { kind: 'toggle', name, label, sentence: () => hint };
}

function choicesOf(labels: Record<string, string>): ChoiceWords['choices'] {
  return Object.entries(labels).map(([value, label]) => ({ value, label }));
}
