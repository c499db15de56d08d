import { basename } from 'node:path';
import { CausewayError } from '../../platform/errors.ts';
import { readBytes } from '../../platform/replace-file.ts';
import type { BulkLine } from '../../warehouses/bulk/csv.ts';
import { readBulkFile } from '../../warehouses/bulk/json.ts';

/** Reads what an import file says. @throws {CausewayError} `invalid_file` */
export async function readImportFile(path: string): Promise<{ name: string; lines: BulkLine[] }> {
  const name = basename(path);
  const bytes = await readBytes(path).catch((cause: unknown) => {
    const remedy = 'Choose another file, or see to it that you may read this one.';
    throw new CausewayError('invalid_file', `${name} cannot be read.`, { cause, remedy });
  });
  if (bytes === undefined) {
    throw new CausewayError('invalid_file', `${name} is not there any more.`, { remedy: 'Choose another file.' });
  }
  const lines = readBulkFile(bytes.toString('utf8'), name);
  if (lines.length > 0) return { name, lines };
  throw new CausewayError('invalid_file', `${name} holds no override.`, {
    remedy: 'Export the overrides to see what such a file looks like.',
  });
}
