import { checkWorkspace, type Policy } from '../../permissions/policy/policy.ts';
import { CausewayError } from '../../platform/errors.ts';
import { bareValue, type ConfigDocument, type ConfigSection, parseConfig, sectionValues } from './config-document.ts';
import { parseHost } from './host.ts';
import { judgeSettings } from './profile-settings.ts';
import { SETTINGS_SECTION } from './profiles.ts';

/** A new profile's keys, and the edit that adds it. @throws {CausewayError} `usage`, `profile_unusable`, `managed` */
export function newProfile(name: string, host: string, policy: Policy) {
  const { settings, values } = addressValues(host, policy);
  return { settings, edit: (text: string) => withProfile(text, name, values) };
}

/** A profile's keys for an address. @throws {CausewayError} `usage`, `profile_unusable`, `managed` */
export function addressValues(host: string, policy: Policy) {
  const address = parseHost(host);
  checkWorkspace(policy, address.host);
  const judged = judgeSettings(new Map([['host', host]]));
  if (!judged.usable) throw new CausewayError('profile_unusable', `${address.host}: ${judged.message}`);
  const values = { host: address.host, account_id: address.accountId, workspace_id: address.workspaceId };
  return { settings: judged.settings, values };
}

/**
 * A configuration file's text with a profile added at its end. The first profile becomes the default, as with the Databricks CLI
 * (`libs/databrickscfg/ops.go`): otherwise scripts would have to name it.
 * @throws {CausewayError} `already_exists`, `usage`
 */
export function withProfile(text: string, name: string, values: Record<string, string | undefined>): string {
  checkName(name);
  const document = parseConfig(text);
  if (sectionValues(document, name)) throw alreadyThere(name);
  const { lines, eol } = document;
  const last = lines.at(-1);
  const ended = last === undefined || last.endsWith('\n') ? '' : eol;
  const apart = last === undefined || last.trim() === '' ? '' : eol;
  const pairs = Object.entries(values).flatMap(([key, value]) =>
    value === undefined ? [] : [`${key} = ${written(key, value)}`],
  );
  const added = text + ended + apart + [`[${name}]`, ...pairs].map((line) => line + eol).join('');
  return isFirst(document) ? withDefault(added, name, eol) : added;
}

/** Whether a file has no profile yet that names a workspace, and no default. */
function isFirst(document: ConfigDocument): boolean {
  const hasDefault = sectionValues(document, SETTINGS_SECTION)?.has('default_profile') ?? false;
  return !hasDefault && document.sections.every(({ name, values }) => name === SETTINGS_SECTION || !values.has('host'));
}

/** The settings may have a section already: Databricks tools read both, and every byte of the file stays where it was. */
function withDefault(text: string, name: string, eol: string): string {
  return `${text}${eol}[${SETTINGS_SECTION}]${eol}default_profile = ${written('default_profile', name)}${eol}`;
}

/** The text with a profile renamed, also where it is the default. @throws {CausewayError} `profile_not_found`, `already_exists`, `usage` */
export function withRenamedProfile(text: string, from: string, to: string): string {
  checkName(to);
  const document = parseConfig(text);
  if (sectionValues(document, to)) throw alreadyThere(to);
  const lines = [...document.lines];
  for (const { header, start } of sectionsOf(document, from)) {
    const line = lines[start] ?? '';
    lines[start] = header < 0 ? `[${to}]${document.eol}${line}` : line.replace(/\[.*\]/s, () => `[${to}]`);
  }
  return replaceDefault(join(document, lines), from, to);
}

/**
 * The text with other address keys in a profile. A key without a value is removed. Everything else stays as it is.
 * @throws {CausewayError} `profile_not_found`, `usage`
 */
export function withAddress(text: string, name: string, values: Record<string, string | undefined>): string {
  const document = parseConfig(text);
  const { eol } = document;
  const lines = [...document.lines];
  const found = sectionsOf(document, name);
  const left = new Map(Object.entries(values));
  for (const { header, end } of found) {
    const changed = lines.slice(header + 1, end).map((line) => withValue(line, values, left));
    lines.splice(header + 1, changed.length, ...changed);
  }
  const more = Array.from(left, ([key, value]) =>
    value === undefined ? '' : `${key} = ${written(key, value)}${eol}`,
  ).filter((line) => line !== '');
  // A section without a header is the first one, and begins with its first key.
  const at = (found[0]?.header ?? -1) + 1;
  const header = lines[at - 1];
  if (more.length > 0 && header !== undefined && !header.endsWith('\n')) lines[at - 1] = header + eol;
  lines.splice(at, 0, ...more);
  const edited = join(document, lines);
  if (isTheSameBesides(document, parseConfig(edited), name, Object.keys(values))) return edited;
  throw new CausewayError('usage', `The address of "${name}" cannot be changed here.`, {
    remedy: 'Change its host in the configuration file.',
  });
}

/** A line with the new value of its key, which is taken out of `left`; empty if the key is removed, or has its value above. */
function withValue(line: string, values: object, left: Map<string, string | undefined>): string {
  const [, before = '', key = '', , comment = '', ended = ''] = PAIR.exec(line) ?? [];
  if (!Object.hasOwn(values, key)) return line;
  const value = left.get(key);
  left.delete(key);
  return value === undefined ? '' : before + written(key, value) + comment + ended;
}

/** A line with a key: what is before its value, the key, the value, the comment and the line end. */
const PAIR = /^(\s*([^=:\s]+)\s*[=:]\s*)(.*?)(\s+[#;].*?)?\s*?(\r*\n)?$/s;

/** Whether an edit changed only these keys of a profile: a value over several lines may contain what looks like a key. */
function isTheSameBesides(before: ConfigDocument, after: ConfigDocument, name: string, keys: string[]): boolean {
  const rest = (document: ConfigDocument) =>
    JSON.stringify([...(sectionValues(document, name) ?? [])].filter(([key]) => !keys.includes(key)));
  return rest(before) === rest(after) && before.sections.length === after.sections.length;
}

/**
 * The text without a profile: its header and everything down to its last key. What stands above it and after it stays,
 * for a comment there may speak of something else.
 * @throws {CausewayError} `profile_not_found`
 */
export function withoutProfile(text: string, name: string): string {
  const document = parseConfig(text);
  const gone = sectionsOf(document, name);
  const isBlank = (index: number) => (document.lines[index] ?? '').trim() === '';
  const isGone = (index: number) =>
    gone.some(
      ({ start, end }) =>
        // One of the blank lines around it stays.
        index >= start && (index < end || (index === end && isBlank(end) && isBlank(start - 1))),
    );
  const lines = document.lines.filter((_, index) => !isGone(index));
  return replaceDefault(join(document, lines), name, undefined);
}

function sectionsOf(document: ConfigDocument, name: string): ConfigSection[] {
  const found = document.sections.filter((section) => section.name === name && name !== SETTINGS_SECTION);
  if (found.length > 0) return found;
  throw new CausewayError('profile_not_found', `There is no profile "${name}" in the configuration file.`);
}

/** Points `default_profile` to the profile's new name, or removes it together with the profile. */
function replaceDefault(text: string, from: string, to: string | undefined): string {
  const document = parseConfig(text);
  const lines = document.lines.map((line): string => line);
  for (const { name, header, end } of document.sections) {
    if (name !== SETTINGS_SECTION) continue;
    for (let index = header + 1; index < end; index += 1) {
      const [, before = '', value = '', comment = '', eol = ''] =
        /^(\s*default_profile\s*[=:]\s*)(.*?)(\s+[#;].*?)?\s*?(\r*\n)?$/s.exec(lines[index] ?? '') ?? [];
      if (before === '' || bareValue(value) !== from) continue;
      lines[index] = to === undefined ? '' : before + written('name', to) + comment + eol;
    }
  }
  return join(document, lines);
}

/** A value as it must be written: in quotes if it would be read differently without them. @throws {CausewayError} `usage` */
function written(key: string, value: string): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: a line break in a value would write another key
  if (/[\u0000-\u001f]/.test(value)) throw new CausewayError('usage', `The value of ${key} contains a line break.`);
  // These quotes would continue over the next lines.
  const isOpen = (form: string) => /^(?:"""|`)/.test(form);
  const isTheSame = (form: string) =>
    bareValue(form) === value && form.trim() === form && !form.endsWith('\\') && !isOpen(form);
  const form = [value, `"${value}"`, `'${value}'`].find(isTheSame);
  if (form !== undefined) return form;
  throw new CausewayError('usage', `The value of ${key} cannot be written to a configuration file: ${value}`);
}

function join({ mark }: ConfigDocument, lines: string[]): string {
  return mark + lines.join('');
}

function checkName(name: string): void {
  const problem =
    name.trim() !== name || name === ''
      ? 'is empty or begins or ends with a space'
      : // biome-ignore lint/suspicious/noControlCharactersInRegex: that they are not in the name is what is checked
        /[[\]\u0000-\u001f]/.test(name)
        ? 'has a bracket or a line break'
        : name === SETTINGS_SECTION
          ? 'is reserved for the settings of the Databricks tools'
          : undefined;
  if (problem) throw new CausewayError('usage', `"${name}" cannot name a profile: it ${problem}.`);
}

function alreadyThere(name: string): CausewayError {
  return new CausewayError('already_exists', `There is already a profile "${name}".`, {
    remedy: 'Choose another name.',
  });
}
