import { SETTING_FACTS, SETTING_NAMES } from '../../../preload/contract/setting-facts.ts';
import type { Settings } from '../../../preload/contract/settings.ts';
import { someSettings } from '../../../preload/contract/settings.ts';
import { settingWords } from '../../../preload/contract/words/settings.ts';
import {
  changeStartAtLogin,
  changeUserSettings,
  readUserSettings,
  settingsOf,
  type UserSettings,
} from '../../app/settings.ts';
import { auditTargets, chooseAudit } from '../../permissions/policy/audit-choice.ts';
import { isLocked, managedError, type Policy, type PolicyKey } from '../../permissions/policy/policy.ts';
import { CausewayError, sentences } from '../../platform/errors.ts';
import { didYouMean, similarNames } from '../../platform/similar-names.ts';
import { inOneLine } from '../../words/failure.ts';
import type { Answer } from '../answers/answers.ts';
import type { CommandContext } from '../command.ts';
import { printable, writeAnswer, writeDone, writeLine, writeNotice, writeTable } from '../terminal.ts';

interface JsonOption {
  json?: boolean;
}

type Setting = Answer<'settings'>['settings'][number];

/** What the window's Settings show beside the settings of the file. */
type Name = keyof Settings | 'startAtLogin' | 'audit';

const NAMES: readonly Name[] = ['startAtLogin', ...SETTING_NAMES, 'audit'];

/** `causeway settings`: all settings with who has decided each. */
export async function listSettings(context: CommandContext, { json }: JsonOption): Promise<void> {
  const found = await readAll(context);
  if (json) return writeAnswer(context, 'settings', found);
  const rows = found.settings.map((setting) => [setting.name, textOf(setting.value), setting.title, decider(setting)]);
  await writeTable(context, rows, ['SETTING', 'VALUE', 'IN THE WINDOW', 'SET BY']);
  const problems = new Set(found.settings.flatMap(({ problem }) => problem ?? []));
  for (const problem of problems) await writeNotice(context, printable(problem));
  await writeNotice(context, printable(`Stored in ${found.file}`));
}

/** `causeway settings get NAME`: its value alone, for scripts. */
export async function getSetting(context: CommandContext, text: string, { json }: JsonOption): Promise<void> {
  const setting = await read(context, nameIn(text));
  if (json) return writeAnswer(context, 'settings get', { setting });
  await writeLine(context.stdout, textOf(setting.value));
}

/** `causeway settings set NAME VALUE`. */
export async function setSetting(
  context: CommandContext,
  { name: text, value }: { name: string; value: string },
  { json }: JsonOption,
): Promise<void> {
  const name = nameIn(text);
  await change(context, name, valueIn(name, value));
  await tell(context, [name], json);
}

/** `causeway settings reset NAME…`. What nobody has chosen stays as it is. */
export async function resetSettings(
  context: CommandContext,
  texts: readonly string[],
  { all, json }: JsonOption & { all?: boolean },
): Promise<void> {
  if (all ? texts.length > 0 : texts.length === 0) {
    throw new CausewayError('usage', all ? '--all stands alone.' : 'It is not said which settings to reset.', {
      remedy: `Name them, or give --all alone. The settings are ${NAMES.join(', ')}.`,
    });
  }
  const names = all ? await changed(context) : [...new Set(texts.map(nameIn))];
  const inFile = SETTING_NAMES.filter((name) => names.includes(name));
  if (inFile.length > 0) await changeUserSettings(context.causeway(), { set: {}, reset: inFile });
  if (names.includes('startAtLogin')) await change(context, 'startAtLogin', false);
  if (names.includes('audit')) await change(context, 'audit', false);
  await tell(context, names, json);
}

/** The settings that the user has chosen. */
async function changed(context: CommandContext): Promise<Name[]> {
  const { settings } = await readAll(context);
  return NAMES.filter((name) => settings.some((each) => each.name === name && each.by === 'user' && !each.locked));
}

async function change(context: CommandContext, name: Name, value: boolean | string): Promise<void> {
  if (name === 'startAtLogin') return changeStartAtLogin(context.env, value === true);
  if (name === 'audit') return chooseAudit(context.env, { file: value === true });
  await changeUserSettings(context.causeway(), { set: someSettings.parse({ [name]: value }), reset: [] });
}

async function tell(context: CommandContext, names: readonly Name[], json: boolean | undefined): Promise<void> {
  const found = await readAll(context);
  const settings = found.settings.filter(({ name }) => names.some((each) => each === name));
  if (json) return writeAnswer(context, 'settings set', { ...found, settings });
  if (settings.length === 0) await writeDone(context, 'Every setting has its default.');
  for (const { name, value } of settings) await writeDone(context, `${name} is ${textOf(value)}.`);
}

async function read(context: CommandContext, name: Name): Promise<Setting> {
  const found = (await readAll(context)).settings.find((setting) => setting.name === name);
  if (found) return found;
  throw new Error(`There is no setting ${name}.`);
}

async function readAll({ env }: CommandContext): Promise<Answer<'settings'>> {
  const [user, audit] = await Promise.all([readUserSettings(env), auditTargets(env)]);
  return {
    settings: [
      startAtLogin(user),
      ...SETTING_NAMES.map((name) => inFile(env, user, name)),
      ofAudit(user.policy, audit !== undefined),
    ],
    file: user.path,
  };
}

function inFile({ CAUSEWAY_TOKEN_STORE: named }: NodeJS.ProcessEnv, user: UserSettings, name: keyof Settings): Setting {
  const { default: usual, allowed, managedBy } = SETTING_FACTS[name];
  const { label } = settingWords[name];
  const lock = lockOf(user.policy, managedBy);
  const shown = { name, title: label, default: usual, allowed: [...allowed] };
  if (name === 'tokenStore' && named && !lock.locked) {
    const problem = `${settingWords.tokenStore.byEnvironment(named)} Unset it to choose here.`;
    return { ...shown, value: named, by: 'environment', locked: false, problem };
  }
  return { ...shown, value: user.settings[name], by: lock.locked ? 'organization' : chooserOf(user, name), ...lock };
}

/** Who has decided a setting that is not locked. */
function chooserOf({ policy, stored }: UserSettings, name: keyof Settings): Setting['by'] {
  if (name in stored) return 'user';
  return name in settingsOf(policy, false) ? 'organization' : 'default';
}

function startAtLogin({ startAtLogin: value, isRunning }: UserSettings): Setting {
  const { label, impossible } = settingWords.startAtLogin;
  const shown = { name: 'startAtLogin', title: label, value, default: false, allowed: [true, false], locked: false };
  const problem = !isRunning
    ? 'Only the running application changes startAtLogin.'
    : value === null
      ? `startAtLogin: ${impossible}`
      : null;
  return { ...shown, by: value ? 'user' : 'default', problem };
}

function ofAudit(policy: Policy, isOn: boolean): Setting {
  const lock = lockOf(policy, 'audit');
  const by = policy.keys.audit?.locked ? 'organization' : isOn ? 'user' : 'default';
  const { label } = settingWords.audit;
  return { name: 'audit', title: label, value: isOn, default: false, allowed: [true, false], by, ...lock };
}

function lockOf(policy: Policy, key: PolicyKey | undefined): Pick<Setting, 'locked' | 'problem'> {
  if (key === undefined || !isLocked(policy, key)) return { locked: false, problem: null };
  return { locked: true, problem: inOneLine(managedError(policy, key, 'this setting cannot be changed')) };
}

function decider({ by, locked }: Setting): string {
  if (by === 'organization') return locked ? 'your organization, locked' : 'your organization';
  return { default: 'default', user: 'you', environment: 'CAUSEWAY_TOKEN_STORE' }[by];
}

/** A value as `settings set` takes it. */
function textOf(value: boolean | string | null): string {
  if (value === null) return 'unknown';
  return typeof value === 'string' ? value : value ? 'on' : 'off';
}

/** @throws {CausewayError} `usage` */
function nameIn(text: string): Name {
  const found = NAMES.find((name) => name.toLowerCase() === text.toLowerCase().replaceAll(/[-_]/g, ''));
  if (found) return found;
  throw new CausewayError('usage', `"${text}" is not a setting.`, {
    remedy: sentences(didYouMean(similarNames(text, NAMES)), `The settings are ${NAMES.join(', ')}.`),
    candidates: NAMES.map((name) => ({ name })),
  });
}

const SWITCH = new Map([
  ['on', true],
  ['true', true],
  ['off', false],
  ['false', false],
]);

/** @throws {CausewayError} `usage` if it cannot be that */
function valueIn(name: Name, text: string): boolean | string {
  const allowed: readonly (boolean | string)[] =
    name === 'startAtLogin' || name === 'audit' ? [true, false] : SETTING_FACTS[name].allowed;
  const value = allowed.includes(true) ? SWITCH.get(text.toLowerCase()) : text;
  if (value !== undefined && allowed.includes(value)) return value;
  throw new CausewayError('usage', `${name} cannot be "${text}".`, {
    remedy: `It can be ${allowed.map(textOf).join(', ')}.`,
    candidates: allowed.map((each) => ({ name: textOf(each) })),
  });
}
