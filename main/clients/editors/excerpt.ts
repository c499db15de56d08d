import { isUtf8 } from 'node:buffer';
import { randomBytes } from 'node:crypto';
import { faultWords } from '../../platform/json-faults.ts';
import { lineAndColumn } from '../../platform/line-and-column.ts';
import { findNotUtf8 } from '../../platform/utf8.ts';
import type { ClientFacts } from '../client.ts';
import { cannotEdit, type EditTarget, splitMark, tooDeep, unreadable } from './editor.ts';
import { type JsonScan, markLength, ScanError, type Span, scanJson } from './json-scan.ts';

/**
 * The largest part of a file that holds entries, in bytes. What is read of it travels between threads; the entries of a
 * hundred servers have less than 50 KiB.
 */
const MAX_ENTRIES_BYTES = 256 * 1024;

/**
 * The largest text that an editor works on, in bytes: a file that is not JSON, or of a JSON file what is between the entries and the
 * members beside them. Parsing more takes longer than anyone waits.
 */
const MAX_TEXT_BYTES = 1024 * 1024;

/** How many groups of members there may be: one before the entries, and one after them, on each level. */
const MAX_RUNS = 1_000;

/** What a client's own parser may refuse in a JSON text. */
export interface JsonOddities {
  byteOrderMark: boolean;
  comments: boolean;
  trailingCommas: boolean;
}

/** The part of a file that the editors work on. */
export interface Excerpt {
  text: string;
  /** Where a character of the text, not counting a byte order mark, is in the file. Line and column count from 1. */
  placeAt(offset: number): { line: number; column: number };
  /**
   * The whole file with the excerpt as it was edited. Apart from entries of these names, and the white space and commas
   * around them, no byte differs, which is proven by comparing them.
   * @throws {CausewayError} `invalid_file` if another one would
   */
  restore(edited: string, names: ReadonlySet<string>): RestoredFile;
}

/** A whole file again. */
interface RestoredFile {
  bytes: Buffer;
  /** Left out for a file that is not JSON. */
  oddities?: JsonOddities;
}

/**
 * A file's text without what lies beside its entries. A client's JSON file may have many megabytes, of which the entries are a few
 * hundred bytes: in place of the members beside them stands a small object that looks alike, in line ends, indentation and
 * spaces. Other formats are taken whole.
 * @throws {CausewayError} `invalid_file` with line and column
 */
export function excerptOf(
  { format, key, newer }: Pick<ClientFacts, 'format' | 'key' | 'newer'>,
  bytes: Buffer,
  target: EditTarget,
): Excerpt {
  if (!isUtf8(bytes)) for (const { what, ...place } of findNotUtf8(bytes)) throw unreadable(target, what, place);
  if (format !== 'json') return wholeText(bytes, target);
  const keys = [key, ...(newer ? [newer.key] : [])];
  const scan = scanned(bytes, keys, target);
  if (scan.root !== undefined && !scan.rootIsObject) throw unreadable(target, 'an object was expected', FIRST);
  if (scan.keptBytes > MAX_ENTRIES_BYTES) throw tooManyEntries(target);
  const beside = scan.runs.reduce((sum, { start, end }) => sum + end - start, 0);
  if (bytes.length - beside > MAX_TEXT_BYTES || scan.runs.length > MAX_RUNS) {
    throw tooMuchText(target, 'what it has around its entries');
  }
  const standIns = standInsFor(bytes, scan.runs);
  const text = withStandIns(bytes, scan.runs, standIns);
  const noted = oddities(bytes, scan);
  return {
    text,
    placeAt: (offset) => placeIn(bytes, positionIn(text, offset, scan.runs, standIns)),
    restore: (edited, names) => {
      if (edited === text) return { bytes, oddities: noted };
      const after = filledIn(edited, standIns, bytes, scan.runs, target);
      const scanAfter = scanned(after, keys, target);
      holdOthers({ bytes, scan }, { bytes: after, scan: scanAfter }, names, target);
      return { bytes: after, oddities: oddities(after, scanAfter) };
    },
  };
}

const FIRST = { line: 1, column: 1 };

function wholeText(bytes: Buffer, target: EditTarget): Excerpt {
  if (bytes.length > MAX_TEXT_BYTES) throw tooMuchText(target, 'it');
  const text = bytes.toString('utf8');
  return {
    text,
    placeAt: (offset) => lineAndColumn(splitMark(text).body, offset),
    restore: (edited) => ({ bytes: edited === text ? bytes : Buffer.from(edited) }),
  };
}

/** Refuses entries that are larger than that. @throws {CausewayError} `invalid_file` */
export function holdEntriesSize(entries: ReadonlyMap<string, unknown>, target: EditTarget): void {
  if (JSON.stringify([...entries]).length > MAX_ENTRIES_BYTES) throw tooManyEntries(target);
}

function tooMuchText(target: EditTarget, what: string): Error {
  return unreadable(target, `${what} is larger than ${MAX_TEXT_BYTES / 1024 / 1024} MiB`);
}

/** The error for entries that take more than anyone has. */
function tooManyEntries(target: EditTarget): Error {
  const limit = `${MAX_ENTRIES_BYTES / 1024} KiB`;
  return unreadable(target, `what it has under "${target.key.join('.')}" is larger than ${limit}`);
}

function scanned(bytes: Buffer, keys: readonly (readonly string[])[], target: EditTarget): JsonScan {
  try {
    return scanJson(bytes, keys);
  } catch (error) {
    if (!(error instanceof ScanError)) throw error;
    if (error.fault === 'too deep') throw tooDeep(target);
    const { code, offset } = error.fault;
    throw unreadable(target, `this is not valid JSON: ${faultWords(code)}`, placeIn(bytes, offset));
  }
}

/** One object in place of each run, with a name that is in no file. */
function standInsFor(bytes: Buffer, runs: readonly Span[]): string[] {
  const word = randomBytes(16).toString('hex');
  return runs.map((run, index) => standIn(bytes.subarray(run.start, run.end), `${word}-${index}`));
}

/** An object in which the editors find what tells them how a text is written, as it is in what it stands for. */
function standIn(source: Buffer, name: string): string {
  const property = `${JSON.stringify(name)}:${source.includes('": ') ? ' ' : ''}0`;
  const first = source.indexOf('\n');
  if (first < 0) return `{${property}}`;
  const eol = source[first - 1] === 0x0d ? '\r\n' : '\n';
  const lastLine = source.toString('latin1', source.lastIndexOf('\n') + 1).slice(0, MAX_INDENT);
  return `{${eol}${indentIn(source, first)}${property}${eol}${/^[ \t]*/.exec(lastLine)?.[0] ?? ''}}`;
}

/** No line is indented by more characters. */
const MAX_INDENT = 1_000;

/** The white space before the first property that has a line of its own; empty if there is none. */
function indentIn(source: Buffer, firstBreak: number): string {
  for (let at = firstBreak; at >= 0; at = source.indexOf('\n', at + 1)) {
    let end = at + 1;
    while (source[end] === 0x20 || source[end] === 0x09) end += 1;
    if (end > at + 1 && source[end] === 0x22) return source.toString('latin1', at + 1, end);
  }
  return '';
}

function withStandIns(bytes: Buffer, runs: readonly Span[], standIns: readonly string[]): string {
  let from = 0;
  const pieces = runs.map(({ start, end }, index) => {
    const before = bytes.toString('utf8', from, start);
    from = end;
    return before + standIns[index];
  });
  return pieces.join('') + bytes.toString('utf8', from);
}

function filledIn(
  edited: string,
  standIns: readonly string[],
  bytes: Buffer,
  runs: readonly Span[],
  target: EditTarget,
): Buffer {
  let from = 0;
  const pieces = runs.flatMap(({ start, end }, index) => {
    const standing = standIns[index] ?? '';
    const at = edited.indexOf(standing, from);
    if (at < 0) throw cannotEdit(target);
    const before = Buffer.from(edited.slice(from, at));
    from = at + standing.length;
    return [before, bytes.subarray(start, end)];
  });
  return Buffer.concat([...pieces, Buffer.from(edited.slice(from))]);
}

/** The byte of the file at which a character of the excerpt stands. */
function positionIn(text: string, offset: number, runs: readonly Span[], standIns: readonly string[]): number {
  const end = offset + splitMark(text).mark.length;
  let [from, position] = [0, 0];
  for (const [index, run] of runs.entries()) {
    const at = text.indexOf(standIns[index] ?? '', from);
    if (at >= end) break;
    from = at + (standIns[index] ?? '').length;
    position = run.end;
  }
  return position + Buffer.byteLength(text.slice(from, end));
}

/** The line and column of a byte, as `lineAndColumn` counts them. */
function placeIn(bytes: Buffer, position: number): { line: number; column: number } {
  let line = 1;
  let start = markLength(bytes);
  for (let at = start; at < position; at += 1) {
    const byte = bytes[at];
    if (byte !== 0x0a && (byte !== 0x0d || bytes[at + 1] === 0x0a)) continue;
    line += 1;
    start = at + 1;
  }
  return { line, column: bytes.toString('utf8', start, Math.max(start, position)).length + 1 };
}

interface ScannedFile {
  bytes: Buffer;
  scan: JsonScan;
}

/** The proof that an edit touched nothing else: every member but those of these names has the same bytes, in the same order. */
function holdOthers(before: ScannedFile, after: ScannedFile, names: ReadonlySet<string>, target: EditTarget): void {
  const others = ({ scan }: ScannedFile) => scan.members.filter(({ name }) => name === undefined || !names.has(name));
  const [theirs, now] = [others(before), others(after)];
  const isSame = theirs.every(({ start, end }, index) => {
    const other = now[index];
    return other && after.bytes.compare(before.bytes, start, end, other.start, other.end) === 0;
  });
  if (!isSame || theirs.length !== now.length) throw cannotEdit(target);
}

function oddities(bytes: Buffer, { comments, trailingCommas }: JsonScan): JsonOddities {
  return { byteOrderMark: markLength(bytes) > 0, comments, trailingCommas };
}
