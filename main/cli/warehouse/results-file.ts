import { readBytes } from '../../platform/bounded-file.ts';
import { CausewayError } from '../../platform/errors.ts';
import { continueGrowingFile, type GrowingFile, startGrowingFile } from '../../platform/growing-file.ts';
import { isDevice } from '../../platform/replace-file.ts';
import { REPORT_HEADER } from '../../warehouses/bulk/apply.ts';

/**
 * Whether a file can take the results of an import: there is none, or it holds those of earlier ones.
 * @throws {CausewayError} `already_exists` if it holds anything else
 */
export async function checkResultsFile(path: string): Promise<void> {
  await holdsResults(path);
}

/** Opens a file for the results of an import, after those of earlier ones. @throws {CausewayError} as `checkResultsFile`, and `file_not_writable` */
export async function openResultsFile(path: string): Promise<GrowingFile> {
  return (await holdsResults(path)) ? continueGrowingFile(path) : startGrowingFile(path, REPORT_HEADER);
}

async function holdsResults(path: string): Promise<boolean> {
  if (await isDevice(path)) return false;
  const before = await readBytes(path, 'given');
  if (!before?.length) return false;
  if (before.toString('utf8', 0, REPORT_HEADER.length) === REPORT_HEADER) return true;
  throw new CausewayError('already_exists', `${path} exists and does not hold the results of an import.`, {
    remedy: 'Nothing was changed. Name another file with --results.',
  });
}
