import { ACTIVITY_DAYS, USUAL_ACTIVITY_DAYS } from './activity-days.ts';
import type { ManagedKey } from './managed.ts';
import { type Settings, settings } from './settings.ts';

interface SettingFact<Value> {
  /** What it is where the user has chosen nothing. */
  default: Value;
  /** What it can be. */
  allowed: readonly Value[];
  /** The key of the organization's policy that may decide it. */
  managedBy?: ManagedKey;
}

const ON_OR_OFF = [true, false] as const;

/** Facts about each of the settings, for window and command. */
export const SETTING_FACTS: { readonly [Name in keyof Settings]: SettingFact<Settings[Name]> } = {
  openWindow: { default: true, allowed: ON_OR_OFF },
  appearance: { default: 'system', allowed: settings.shape.appearance.options },
  notifications: { default: true, allowed: ON_OR_OFF },
  notifyApprovals: { default: true, allowed: ON_OR_OFF },
  notifySignedOut: { default: true, allowed: ON_OR_OFF },
  notifyOverride: { default: true, allowed: ON_OR_OFF },
  notifyUpdates: { default: true, allowed: ON_OR_OFF },
  keepServersWarm: { default: true, allowed: ON_OR_OFF },
  lookUpStatements: { default: true, allowed: ON_OR_OFF, managedBy: 'lookUpStatements' },
  tokenStore: { default: 'keychain', allowed: settings.shape.tokenStore.options, managedBy: 'tokenStore' },
  automaticUpdates: { default: true, allowed: ON_OR_OFF, managedBy: 'updates' },
  updateChannel: { default: 'latest', allowed: settings.shape.updateChannel.options, managedBy: 'updates' },
  activityDays: { default: USUAL_ACTIVITY_DAYS, allowed: ACTIVITY_DAYS, managedBy: 'activityDays' },
  logLevel: { default: 'info', allowed: settings.shape.logLevel.options },
};

/** The settings where the user has chosen nothing. */
export const DEFAULT_SETTINGS: Settings = settings.parse(
  Object.fromEntries(Object.entries(SETTING_FACTS).map(([name, fact]) => [name, fact.default])),
);

/** The names of the settings. */
export const SETTING_NAMES = settings.keyof().options;
