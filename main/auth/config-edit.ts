import { CausewayError } from '../platform/errors.ts';
import { type ConfigDocument, type ConfigSection, parseConfig, sectionValues } from './config-document.ts';
import { SETTINGS_SECTION } from './profiles.ts';

/** A configuration file's text with one more profile at its end. @throws {CausewayError} `already_exists`, `usage` */
export function withProfile(text: string, name: string, values: Record<string, string | undefined>): string {
  checkName(name);
  const document = parseConfig(text);
  if (sectionValues(document, name)) throw alreadyThere(name);
  const lines = [...document.lines];
  while (lines.at(-1)?.trim() === '') lines.pop();
  if (lines.length > 0) lines.push('');
  for (const [key, value] of Object.entries(values)) {
    // biome-ignore lint/suspicious/noControlCharactersInRegex: a line break in a value would write another key
    if (value && /[\u0000-\u001f]/.test(value)) throw new CausewayError('usage', `The ${key} has a line break.`);
  }
  const pairs = Object.entries(values).flatMap(([key, value]) => (value === undefined ? [] : [`${key} = ${value}`]));
  return join(document, [...lines, `[${name}]`, ...pairs, '']);
}

/** The text with a profile under another name; the default follows. @throws {CausewayError} `profile_not_found`, `already_exists`, `usage` */
export function withRenamedProfile(text: string, from: string, to: string): string {
  checkName(to);
  const document = parseConfig(text);
  if (sectionValues(document, to)) throw alreadyThere(to);
  const lines = [...document.lines];
  for (const { header } of sectionsOf(document, from)) {
    const line = lines[header];
    if (line === undefined) lines.unshift(`[${to}]`);
    else lines[header] = line.replace(/\[.*\]/, () => `[${to}]`);
  }
  return replaceDefault(join(document, lines), from, to);
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
    gone.some(({ header, end }) => {
      const start = Math.max(header, 0);
      // Of the blank lines around it, one is enough.
      return index >= start && (index < end || (index === end && isBlank(end) && isBlank(start - 1)));
    });
  const lines = document.lines.filter((_, index) => !isGone(index));
  return replaceDefault(join(document, lines), name, undefined);
}

function sectionsOf(document: ConfigDocument, name: string): ConfigSection[] {
  const found = document.sections.filter((section) => section.name === name && name !== SETTINGS_SECTION);
  if (found.length > 0) return found;
  throw new CausewayError('profile_not_found', `There is no profile "${name}" in the configuration file.`);
}

/** Points `default_profile` to the profile's new name, or drops it with the profile. */
function replaceDefault(text: string, from: string, to: string | undefined): string {
  const document = parseConfig(text);
  const lines: (string | undefined)[] = [...document.lines];
  for (const { name, header, end } of document.sections) {
    if (name !== SETTINGS_SECTION) continue;
    for (let index = header + 1; index < end; index += 1) {
      const [, before = '', value] = /^(\s*default_profile\s*[=:]\s*)(.*?)\s*$/.exec(lines[index] ?? '') ?? [];
      if (value === from) lines[index] = to === undefined ? undefined : before + to;
    }
  }
  return join(
    document,
    lines.filter((line) => line !== undefined),
  );
}

function join({ eol }: ConfigDocument, lines: string[]): string {
  return lines.join(eol);
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
