import { messageLine } from '../platform/display.ts';
import { CausewayError, messageOf, sentences } from '../platform/errors.ts';
import { explainUnexpected, isOutOfFiles } from '../platform/file-errors.ts';
import { formatAction, type Reader } from './next-actions.ts';

/** What the user can do about an error, in words for who reads it; undefined if nothing is known. */
export function remedyFor(
  reader: Reader,
  { remedy, action }: Pick<CausewayError, 'remedy' | 'action'>,
): string | undefined {
  return sentences(remedy, action && formatAction(reader, action)) || undefined;
}

/** What happened and what to do about it, in one line, for a terminal or a JSON-RPC error message. */
export function inOneLine(thrown: unknown): string {
  // This can happen anywhere. Other errors of files are a part of a sentence about the file.
  const error = isOutOfFiles(thrown) ? explainUnexpected(thrown) : thrown;
  const message = messageOf(error);
  const text = error instanceof CausewayError ? sentences(message, remedyFor('command', error)) : message;
  // Messages quote arguments and files unchanged. A line end in one must not start a new line, nor an escape move the cursor.
  return messageLine(text);
}
