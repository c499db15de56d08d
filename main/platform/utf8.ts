import { isUtf8 } from 'node:buffer';
import { CausewayError } from './errors.ts';
import { placeInFile } from './line-and-column.ts';

/** A place in a file that is not UTF-8. Lines and columns (in characters) count from 1. */
export interface NotUtf8 {
  line: number;
  column: number;
  /** A clause for a message. */
  what: string;
}

/** Whether bytes begin with the byte order mark of UTF-16, of either byte order, or with an ASCII character in two bytes. */
export function isUtf16(bytes: Buffer): boolean {
  const [first, second] = bytes;
  if (['fffe', 'feff'].includes(bytes.toString('hex', 0, 2))) return true;
  return first !== undefined && second !== undefined && (first === 0) !== (second === 0);
}

/** The lines of a file that are not UTF-8, each with its first byte that is not; one for the whole of a file in UTF-16. */
export function* findNotUtf8(bytes: Buffer): Generator<NotUtf8 & { bytes: Buffer }> {
  if (isUtf16(bytes)) {
    yield { line: 1, column: 1, what: 'the file is UTF-16, not UTF-8', bytes };
    return;
  }
  for (let from = 0, line = 1; from < bytes.length; line += 1) {
    const to = bytes.indexOf(0x0a, from) + 1 || bytes.length;
    const raw = bytes.subarray(from, to);
    from = to;
    if (isUtf8(raw)) continue;
    const before = validPrefix(raw);
    const byte = (raw[before] ?? 0).toString(16).toUpperCase();
    const column = [...raw.toString('utf8', 0, before)].length + 1;
    yield { line, column, what: `the byte 0x${byte} is not UTF-8`, bytes: raw };
  }
}

/**
 * A file's bytes as text. With a replacement character for each byte that is not understood, a name in it would become
 * another one.
 * @throws {CausewayError} `invalid_file` with line and column where the file is not UTF-8
 */
export function utf8Text(path: string, bytes: Buffer): string {
  for (const { what, ...place } of findNotUtf8(bytes)) {
    throw new CausewayError('invalid_file', `${placeInFile(path, place)}: ${what}.`, {
      remedy: 'Nothing was changed. Save the file as UTF-8, then try again.',
    });
  }
  return bytes.toString('utf8');
}

/** What decoding puts instead of bytes that are not UTF-8, and its own bytes, which may also be in a file. */
const REPLACEMENT = '\uFFFD';
const REPLACEMENT_BYTES = Buffer.from(REPLACEMENT);

/** The length of valid UTF-8 before the first invalid character. */
function validPrefix(bytes: Buffer): number {
  let length = 0;
  for (const text of bytes.toString('utf8').split(REPLACEMENT)) {
    length += Buffer.byteLength(text);
    if (!bytes.subarray(length, length + REPLACEMENT_BYTES.length).equals(REPLACEMENT_BYTES)) break;
    length += REPLACEMENT_BYTES.length;
  }
  return length;
}
