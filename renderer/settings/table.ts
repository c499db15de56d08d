import type { Settings, SettingsState } from '../../preload/contract.ts';
import { formatTokenStore } from './format.ts';
import { strings } from './strings.ts';

type NamesOf<Kind> = { [Name in keyof Settings]: Settings[Name] extends Kind ? Name : never }[keyof Settings];

interface Text {
  label: string;
  /** What it does, beneath its name. */
  sentence(state: SettingsState): string;
}

/** Something that is on or off. */
interface ToggleText extends Text {
  kind: 'toggle';
  name: NamesOf<boolean>;
}

/** One of a few. */
interface ChoiceText extends Text {
  kind: 'choice';
  name: NamesOf<string>;
  choices: readonly { value: string; label: string }[];
  /** What it is where something else decides it. */
  decidedBy?(state: SettingsState): string | null;
}

export type SettingText = ToggleText | ChoiceText;

export type SectionName = 'starting' | 'look' | 'notifications' | 'connections' | 'activity' | 'updates' | 'log';

const { sections } = strings;

/** The settings that are kept in the file, by section. */
export const SETTINGS: Record<SectionName, { title: string; settings: readonly SettingText[] }> = {
  starting: { title: sections.starting, settings: [toggle('openWindow')] },
  look: { title: sections.look, settings: [choice('appearance', () => strings.appearance.hint)] },
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
      toggle('lookUpStatements'),
      {
        ...choice('tokenStore', ({ tokenStoreOfEnvironment }) => formatTokenStore(tokenStoreOfEnvironment)),
        decidedBy: ({ tokenStoreOfEnvironment }) => tokenStoreOfEnvironment,
      },
    ],
  },
  activity: { title: sections.activity, settings: [choice('activityDays', () => strings.activityDays.hint)] },
  updates: {
    title: sections.updates,
    settings: [toggle('automaticUpdates'), choice('updateChannel', () => strings.updateChannel.hint)],
  },
  log: { title: sections.log, settings: [choice('logLevel', ({ logFolder }) => strings.logLevel.hint(logFolder))] },
};

function toggle(name: ToggleText['name']): ToggleText {
  const { label, hint } = strings[name];
  return { kind: 'toggle', name, label, sentence: () => hint };
}

function choice(name: ChoiceText['name'], sentence: ChoiceText['sentence']): ChoiceText {
  const { label, choices } = strings[name];
  return {
    kind: 'choice',
    name,
    label,
    sentence,
    choices: Object.entries(choices).map(([value, label]) => ({ value, label })),
  };
}
