import { stat } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import { CausewayError } from '../platform/errors.ts';
import { fileError } from '../platform/file-errors.ts';
import { checkWritable } from '../platform/replace-file.ts';
import type { CommandContext } from './command.ts';
import { confirm } from './question.ts';

const UNWRITTEN = 'Nothing was written.';

/**
 * Asks before a file that the user has named is replaced, and before anything else is done. What is no file is written to as it is.
 * @throws {CausewayError} `usage`, `file_not_writable`, `invalid_file`, `cancelled`
 */
export async function askToReplace(context: CommandContext, file: string, force: boolean | undefined): Promise<void> {
  const found = await stat(file).catch(() => undefined);
  if (found && !found.isFile() && !found.isDirectory()) return;
  if (!found) {
    await stat(dirname(resolve(file))).catch((error: unknown) => {
      throw fileError(file, error);
    });
  }
  await checkWritable(file);
  if (!found?.isFile() || force) return;
  if (await confirm(context, `${file} already exists. Replace it?`, '--force', UNWRITTEN)) return;
  throw new CausewayError('cancelled', UNWRITTEN);
}
