import { appendFile } from 'node:fs/promises';
import type { SentSecrets } from './foreign-text.ts';
import { clearedJson, clearedText } from './outside-text.ts';
import { replaceFile, type WriteOptions, writePieces, writeWholeFile } from './replace-file.ts';

/**
 * Writes texts that came from outside the process (a server's answers, calls, errors, names from a workspace): the only way
 * they reach a file, and each is cleared of secrets here (`outside-text.ts`). A test checks that every writer either uses this
 * module or is listed with the reason why what it writes is Causeway's or the user's own.
 */

/** What a text is: JSON strings are read as JSON readers do. */
export type OutsideForm = 'json' | 'text';

const CLEAR = { json: clearedJson, text: clearedText } as const;

interface OutsideOptions extends WriteOptions {
  /** What was sent to where the text comes from. */
  sent?: SentSecrets;
  /** Members, in JSON, whose texts are Causeway's own. */
  own?: readonly string[];
}

/** As `writeWholeFile`. @throws {CausewayError} `file_not_writable`, `invalid_file` */
export async function writeOutside(
  path: string,
  text: string,
  form: OutsideForm,
  { sent, own, ...options }: OutsideOptions = {},
): Promise<void> {
  await writeWholeFile(path, form === 'json' ? clearedJson(text, sent, own) : clearedText(text, sent), options);
}

/** As `replaceFile`. @throws {ChangedMeanwhile} @throws {CausewayError} as `replaceFile` */
export async function replaceOutside(
  path: string,
  text: string,
  expected: Buffer | undefined,
  mode: number,
): Promise<void> {
  await replaceFile(path, Buffer.from(clearedJson(text)), expected, { kind: 'own', mode });
}

/** As `writePieces`; each piece is whole, such as a line. @throws {CausewayError} as `writePieces` */
export async function writeOutsidePieces(
  path: string,
  pieces: AsyncIterable<string>,
  form: OutsideForm,
  signal?: AbortSignal,
): Promise<void> {
  await writePieces(path, cleared(pieces, form), signal);
}

/** Appends lines of JSON in one write. @throws what the system says about the file */
export async function appendOutside(path: string, lines: string, options: { mode: number }): Promise<void> {
  await appendFile(path, clearedJson(lines), options);
}

async function* cleared(pieces: AsyncIterable<string>, form: OutsideForm): AsyncGenerator<string> {
  for await (const piece of pieces) yield CLEAR[form](piece);
}
