import { join } from 'node:path';
import { z } from 'zod';
import { DEFAULT_SETTINGS, SETTING_FACTS, SETTING_NAMES } from '../../preload/contract/setting-facts.ts';
import { type Settings, type SettingsChange, settings, someSettings } from '../../preload/contract/settings.ts';
import type { AuthService } from '../auth/open.ts';
import { askHub } from '../hub/attach.ts';
import { hubFolder, lookUpHub } from '../hub/rendezvous.ts';
import { readDone, readSettings } from '../hub/wire-schemas.ts';
import { isLocked, managedError, type Policy, type PolicyValues } from '../permissions/policy/policy.ts';
import { currentPolicy } from '../permissions/policy/system-policy.ts';
import { autostartFile } from '../platform/autostart.ts';
import { CausewayError } from '../platform/errors.ts';
import { configFolder, SETTINGS_NAME, stateFolder } from '../platform/paths.ts';
import { openSettings } from '../platform/settings.ts';
import type { Causeway } from './causeway.ts';

/** The settings in force: the organization's decisions, else the user's, else the organization's suggestions, else the defaults. */
export function effectiveSettings(stored: Partial<Settings>, policy: Policy): Settings {
  return settings.parse({
    ...DEFAULT_SETTINGS,
    ...settingsOf(policy, false),
    ...stored,
    ...settingsOf(policy, true),
  });
}

/** The settings as the organization has them: those that are locked, or those that users may change. */
export function settingsOf({ keys, problem }: Policy, locked: boolean): Partial<Settings> {
  if (problem) return {};
  const { tokenStore, updates, lookUpStatements, activityDays } = keys;
  return {
    ...(tokenStore?.locked === locked ? { tokenStore: tokenStore.value } : {}),
    ...(activityDays?.locked === locked ? { activityDays: activityDays.value } : {}),
    ...(updates?.locked === locked ? updateSettings(updates.value) : {}),
    ...(lookUpStatements?.locked === locked ? { lookUpStatements: lookUpStatements.value } : {}),
  };
}

function updateSettings(value: PolicyValues['updates']): Partial<Settings> {
  return value === 'off' ? { automaticUpdates: false } : { automaticUpdates: true, updateChannel: value };
}

/** @throws {CausewayError} `managed` if a change is of a setting that is locked */
export function checkChange({ set, reset }: SettingsChange, now: Settings, policy: Policy): void {
  for (const name of SETTING_NAMES) {
    const isChanged = reset.includes(name) || (set[name] !== undefined && set[name] !== now[name]);
    const key = SETTING_FACTS[name].managedBy;
    if (isChanged && key && isLocked(policy, key)) {
      throw managedError(policy, key, 'this setting cannot be changed');
    }
  }
}

/**
 * Makes a change; where it is of the place of sign-ins, they move too, so that users stay signed in.
 * @param now where sign-ins are kept now
 * @param store saves the change
 */
export async function changeWithSignIns(
  auth: () => Promise<AuthService>,
  { set, reset }: SettingsChange,
  { now, after, store }: { now: Settings; after: Settings; store: () => Promise<void> },
): Promise<void> {
  const isMoved = (set.tokenStore !== undefined || reset.includes('tokenStore')) && after.tokenStore !== now.tokenStore;
  if (!isMoved) return store();
  try {
    await (await auth()).moveSecrets(after.tokenStore, store);
  } catch (error) {
    // Without a keychain there is nothing in it that could be moved.
    const isWithout = error instanceof CausewayError && error.code === 'keychain_unavailable';
    if (!isWithout || after.tokenStore === 'keychain') throw error;
    await store();
  }
}

/** The settings of this user, for a process without the window. */
export interface UserSettings {
  /** The file. */
  path: string;
  /** What the user has chosen. */
  stored: Partial<Settings>;
  settings: Settings;
  policy: Policy;
  /** Whether the application starts at login; null if that is not known. */
  startAtLogin: boolean | null;
  /** Whether the application runs, and takes changes. */
  isRunning: boolean;
}

/** Reads the settings, and changes nothing. @throws {CausewayError} `invalid_file`, `file_not_writable` */
export async function readUserSettings(env: NodeJS.ProcessEnv): Promise<UserSettings> {
  const [file, policy, running] = await Promise.all([openFile(env), currentPolicy(), runningSettings(env)]);
  const stored = someSettings.parse(known(file.initial));
  return {
    path: file.path,
    stored,
    settings: effectiveSettings(stored, policy),
    policy,
    startAtLogin: running ? running.startAtLogin : await startsAtLogin(env),
    isRunning: running !== undefined,
  };
}

/**
 * Changes settings as the window does: through the running application, which has them in memory, or else in their file.
 * @throws {CausewayError} `managed`, `usage`, `conflict`, `invalid_file`, `file_not_writable`, `keychain_unavailable`
 */
export async function changeUserSettings(causeway: Causeway, change: SettingsChange): Promise<void> {
  const { env } = causeway;
  checkEnvironment(env, change);
  if (await askApplication(env, { question: 'change-settings', ...change })) return;
  const [file, policy] = await Promise.all([openFile(env), currentPolicy()]);
  const before = known(file.initial);
  const next = known(changed(file.initial, change));
  const now = effectiveSettings(someSettings.parse(before), policy);
  checkChange(change, now, policy);
  const after = effectiveSettings(someSettings.parse(next), policy);
  const store = async () => void (await file.change((stored) => changed(stored, change)));
  await changeWithSignIns(() => causeway.auth(), change, { now, after, store });
}

/** Starts the application at login or not. @throws {CausewayError} `feature_unavailable`; `conflict` if it does not run, which alone can do that */
export async function changeStartAtLogin(env: NodeJS.ProcessEnv, on: boolean): Promise<void> {
  if (await askApplication(env, { question: 'start-at-login', on })) return;
  throw new CausewayError('conflict', 'Causeway is not running. Only the application can start itself at login.', {
    remedy: 'Open Causeway, then try again.',
  });
}

/** @throws {CausewayError} `usage` if the environment decides where sign-ins are kept */
function checkEnvironment({ CAUSEWAY_TOKEN_STORE: named }: NodeJS.ProcessEnv, { set, reset }: SettingsChange): void {
  const isOther = set.tokenStore === undefined ? reset.includes('tokenStore') : set.tokenStore !== named;
  if (!named || !isOther) return;
  throw new CausewayError('usage', `CAUSEWAY_TOKEN_STORE is ${named}, and decides where sign-ins are kept.`, {
    remedy: 'Unset it, then try again.',
  });
}

/** What a newer version has stored stays in the file. */
const storedSchema = z.looseObject(someSettings.shape);
type Stored = z.output<typeof storedSchema>;

function openFile(env: NodeJS.ProcessEnv) {
  return openSettings<Stored>({
    folder: configFolder(env),
    name: SETTINGS_NAME,
    schema: storedSchema,
    empty: {},
    lockFolder: join(stateFolder(env), 'locks', SETTINGS_NAME),
    damaged: 'refuse',
  });
}

function known(stored: Stored): Partial<Settings> {
  const names: readonly string[] = SETTING_NAMES;
  return Object.fromEntries(Object.entries(stored).filter(([name]) => names.includes(name)));
}

function changed(stored: Stored, { set, reset }: SettingsChange): Stored {
  const names: readonly string[] = reset;
  return { ...Object.fromEntries(Object.entries(stored).filter(([name]) => !names.includes(name))), ...set };
}

async function startsAtLogin(env: NodeJS.ProcessEnv): Promise<boolean | null> {
  return process.platform === 'linux' ? autostartFile(env, []).isOn() : null;
}

/** What the running application says of itself; undefined if none runs. @throws {CausewayError} `conflict` if it is an older one */
async function runningSettings(env: NodeJS.ProcessEnv) {
  const line = await askRunning(env, { question: 'settings' });
  return line === undefined ? undefined : readSettings(line);
}

/** How long the application may take, in milliseconds: a keychain may ask its user for a password. */
const CHANGE_MS = 60_000;

type Asked = Parameters<typeof askHub>[1];

/** Whether the running application has done it; false if none runs. @throws {CausewayError} why it has not */
async function askApplication(env: NodeJS.ProcessEnv, asked: Asked): Promise<boolean> {
  const line = await askRunning(env, asked);
  const answer = line === undefined ? undefined : readDone(line);
  if (!answer) return false;
  if (answer.refused === null) return true;
  const { code, message, remedy } = answer.refused;
  throw new CausewayError(code, message, { remedy: remedy ?? undefined });
}

/** The running application's answer; undefined if none runs. @throws {CausewayError} `conflict` */
async function askRunning(env: NodeJS.ProcessEnv, asked: Asked): Promise<string | undefined> {
  const found = lookUpHub(hubFolder(env));
  if (found.kind !== 'found') return undefined;
  const line = await askHub(found.rendezvous, asked, undefined, CHANGE_MS);
  if (line !== null) return line;
  if ((await askHub(found.rendezvous, { question: 'sessions' })) === null) return undefined;
  throw new CausewayError('conflict', 'The running application is an older version. It cannot do this for a command.', {
    remedy: 'Change it in the window’s Settings, or quit Causeway first.',
  });
}
