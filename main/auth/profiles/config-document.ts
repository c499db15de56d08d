import { findNotUtf8, isUtf16 } from '../../platform/utf8.ts';

/** One `[section]` of a configuration file, with the lines that it takes up so that an edit touches nothing else. */
export interface ConfigSection {
  name: string;
  /** Keys and values as read; a key given twice has its last value. */
  values: Map<string, string>;
  /** Index of the `[name]` line; -1 for the keys that are before any section, which belong to `[DEFAULT]`. */
  header: number;
  /** Index of its first line: the header, or the first key if there is none. */
  start: number;
  /** Index of the line after the last key (or after the header if there is none). */
  end: number;
}

/** A part of a configuration file that is not understood. */
export interface ConfigProblem {
  /** From 1, as editors count. */
  line: number;
  /** In characters, from 1. */
  column: number;
  /** What is wrong there, as the end of a sentence. */
  what: string;
  /** Whether it makes the file's meaning uncertain. Otherwise the file is read anyway, but not written. */
  isUnreadable: boolean;
}

export interface ConfigDocument {
  /** The byte order mark, if there is one. */
  mark: string;
  /** The file's lines, with their line ends. */
  lines: string[];
  /** The line end for new lines: the file's first one. */
  eol: '\n' | '\r\n';
  sections: ConfigSection[];
  /** In the order of the file. */
  problems: ConfigProblem[];
}

const MARK = '\uFEFF';

/**
 * Reads the INI dialect of the Databricks configuration file. It is not that of the `ini` package, which splits section
 * names at dots and values at `#` and `;`: here a section is named literally, a comment after a value needs a space
 * before it, `:` separates as `=` does, and quotes around a value are dropped. What the Go or the Python tools take as the
 * continuation of a value (an indented line, one after a backslash, lines between `"""` or backquotes) belongs to it. Of
 * what neither of them reads, the problems tell.
 */
export function parseConfig(text: string): ConfigDocument {
  const mark = text.startsWith(MARK) ? MARK : '';
  const lines = text.slice(mark.length).split(/(?<=\n)/);
  if (lines.at(-1) === '') lines.pop();
  const document: ConfigDocument = {
    mark,
    lines,
    eol: lines[0]?.endsWith('\r\n') ? '\r\n' : '\n',
    sections: [],
    problems: [],
  };
  for (let index = 0; index < lines.length; ) index = readLine(document, index);
  return document;
}

/**
 * The same of a file's bytes. Those that are not UTF-8 do no harm in a comment, where Go's tools take them; elsewhere
 * nobody knows what they mean.
 */
export function parseConfigBytes(bytes: Buffer): ConfigDocument {
  const problems = [...findNotUtf8(bytes)].map(
    ({ bytes: raw, ...problem }): ConfigProblem => ({
      ...problem,
      isUnreadable: isUtf16(bytes) || meaningOf(raw.toString('utf8')).includes('\uFFFD'),
    }),
  );
  if (problems.length > 0 && isUtf16(bytes)) return { ...parseConfig(''), problems };
  const document = parseConfig(bytes.toString('utf8'));
  document.problems.push(...problems);
  document.problems.sort((a, b) => a.line - b.line || a.column - b.column);
  return document;
}

/** Every value of a section, sections of the same name merged in their order; `undefined` if there is none. */
export function sectionValues(document: ConfigDocument, name: string): Map<string, string> | undefined {
  const found = document.sections.filter((section) => section.name === name);
  return found.length === 0 ? undefined : new Map(found.flatMap((section) => [...section.values]));
}

/** A value without its quotes and the comment after it. */
export function bareValue(text: string): string {
  const quoted = /^("""|["'`])(.*?)\1(?:\s+[#;].*)?$/s.exec(text);
  if (quoted) return quoted[2] ?? '';
  return /^[#;]/.test(text) ? '' : text.replace(/\s+[#;].*$/s, '');
}

/** Reads a line and its continuation lines. @returns the index of the line after them */
function readLine(document: ConfigDocument, index: number): number {
  const { lines, sections } = document;
  const raw = lines[index] ?? '';
  const line = raw.trim();
  const isOdd = noteOddCharacters(document, index);
  if (line === '' || isComment(line)) return index + 1;
  if (line.startsWith('[')) {
    beginSection(document, index, line);
    return index + 1;
  }
  const pair = /^([^=:]+)[=:](.*)$/s.exec(line);
  if (!pair) {
    if (!isOdd) noteUnlessContinued(document, index);
    return index + 1;
  }
  const [, key = '', text = ''] = pair;
  const section = sections.at(-1) ?? beginDefault(document, index);
  const { value, end, isOpen } = wholeValue(lines, index, text.trim());
  if (isOpen) note(document, index, raw.search(/[=:]/) + 1, 'a value begins with quotes that are never closed', false);
  for (let inside = index + 1; inside < end; inside += 1) noteOddCharacters(document, inside);
  section.values.set(key.trim(), bareValue(value));
  section.end = end;
  return end;
}

/** The section of keys above the first header. */
function beginDefault({ sections }: ConfigDocument, index: number): ConfigSection {
  const section = { name: 'DEFAULT', values: new Map<string, string>(), header: -1, start: index, end: index };
  sections.push(section);
  return section;
}

function beginSection(document: ConfigDocument, index: number, line: string): void {
  const name = /^\[(.*)\]/s.exec(line)?.[1]?.trim();
  const at = (document.lines[index] ?? '').indexOf('[');
  if (name === undefined) note(document, index, at, 'a section begins with [ and does not end with ]');
  else if (name === '') note(document, index, at, 'a section has no name');
  document.sections.push({ name: name ?? '', values: new Map(), header: index, start: index, end: index + 1 });
}

/** A value with the lines that follow it between its quotes. Ones that are never closed are part of it, as Python has it. */
function wholeValue(lines: readonly string[], index: number, value: string) {
  const quote = /^(?:"""|`)/.exec(value)?.[0];
  if (quote === undefined || value.includes(quote, quote.length)) return { value, end: index + 1, isOpen: false };
  const closing = lines.findIndex((line, at) => at > index && line.includes(quote));
  if (closing < 0) return { value, end: index + 1, isOpen: true };
  const rest = lines.slice(index + 1, closing + 1).join('');
  return { value: `${value}\n${rest.trimEnd()}`, end: closing + 1, isOpen: false };
}

function noteUnlessContinued(document: ConfigDocument, index: number): void {
  if (continuesValue(document, index)) return;
  const what = 'a line is not a section, a comment or a key with a value';
  note(document, index, (document.lines[index] ?? '').search(/\S/), what, false);
}

/** Python's tools take an indented line after a key as a continuation of its value, Go's tools a line after a backslash. */
function continuesValue({ lines, sections }: ConfigDocument, index: number): boolean {
  const section = sections.at(-1);
  if (section?.end !== index || section.values.size === 0) return false;
  const isContinued = /^[ \t]/.test(lines[index] ?? '') || /\\\s*$/.test(lines[index - 1] ?? '');
  if (isContinued) section.end = index + 1;
  return isContinued;
}

/** Characters that no tool expects, or that tools interpret differently. */
function noteOddCharacters(document: ConfigDocument, index: number): boolean {
  const line = (document.lines[index] ?? '').replace(/\r*\n?$/, '');
  const at = line.search(/[\0\r]/);
  if (at < 0) return false;
  const isNul = line[at] === '\0';
  const what = isNul
    ? 'there is a NUL character, as in a file that is not UTF-8'
    : 'a line has a carriage return in it';
  note(document, index, at, what);
  return true;
}

function note({ lines, problems }: ConfigDocument, index: number, at: number, what: string, isUnreadable = true): void {
  problems.push({ line: index + 1, column: [...(lines[index] ?? '').slice(0, at)].length + 1, what, isUnreadable });
}

function isComment(line: string): boolean {
  return line.startsWith('#') || line.startsWith(';');
}

/** A line without its comment. */
function meaningOf(raw: string): string {
  const line = raw.trim();
  if (isComment(line)) return '';
  const [, key = '', value] = /^([^=:]+[=:])(.*)$/s.exec(line) ?? [];
  return value === undefined ? line : key + bareValue(value.trim());
}
