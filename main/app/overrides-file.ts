import { createHash } from 'node:crypto';
import { FileTooLarge, readBytes } from '../platform/bounded-file.ts';
import { CausewayError } from '../platform/errors.ts';
import { utf8Text } from '../platform/utf8.ts';
import type { WantedChanges } from '../warehouses/bulk/carry-out.ts';
import { readBulkFile } from '../warehouses/bulk/files.ts';

/**
 * What a file of overrides says, for a command and for the window.
 * @param name what messages call the file
 * @throws {CausewayError} `not_found` if there is no such file, `invalid_file` if it cannot be read, and what `readBulkFile` throws
 */
export async function readOverridesFile(path: string, name: string): Promise<WantedChanges> {
  const bytes = await readBytes(path, 'given').catch((cause: unknown) => {
    if (cause instanceof FileTooLarge) throw cause;
    const remedy = 'Check the file’s permissions, or choose another file.';
    throw new CausewayError('invalid_file', `${name} cannot be read.`, { cause, remedy });
  });
  if (bytes === undefined) throw new CausewayError('not_found', `There is no file ${name}.`);
  const sha256 = createHash('sha256').update(bytes).digest('hex');
  return { ...(await readBulkFile(utf8Text(name, bytes), name)), origin: { kind: 'import', source: name, sha256 } };
}
