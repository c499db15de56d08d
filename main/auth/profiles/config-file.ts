import { join } from 'node:path';
import { FileTooLarge, readBounded, readBytes } from '../../platform/bounded-file.ts';
import { CausewayError } from '../../platform/errors.ts';
import { fileError, isOutOfFiles } from '../../platform/file-errors.ts';
import { configFilePath, stateFolder } from '../../platform/paths.ts';
import { type ConfigDocument, type ConfigProblem, parseConfig, parseConfigBytes } from './config-document.ts';

/**
 * The configuration file as it is now; an empty document if there is none.
 * @throws {CausewayError} `invalid_file` when it exists and cannot be read, with line and column where it is malformed,
 * `file_not_writable` if no more files can be opened
 */
export async function readConfig(path: string): Promise<ConfigDocument> {
  let document: ConfigDocument;
  try {
    document = parseConfigBytes(await readBounded(path, 'profiles'));
  } catch (cause) {
    if (cause instanceof Error && 'code' in cause && cause.code === 'ENOENT') return parseConfig('');
    if (cause instanceof FileTooLarge) throw cause;
    if (isOutOfFiles(cause)) throw fileError(path, cause);
    throw new CausewayError('invalid_file', `The configuration file ${path} cannot be read.`, {
      cause,
      remedy: 'Check that it is a file you can read.',
    });
  }
  const problem = document.problems.find(({ isUnreadable }) => isUnreadable);
  if (problem) throw malformed(path, problem);
  return document;
}

/** How often an edit is tried again because another tool has changed the file meanwhile. */
const ATTEMPTS = 5;
const OWNER_ONLY = 0o600;

/**
 * Changes the configuration file in place: one process at a time, the old text beside it as `.bak`, the new one atomic and
 * readable by its owner only. A symbolic link stays one, and what a full disk cuts short replaces nothing. A file that is
 * not understood to its last byte is not written.
 * @throws {CausewayError} `invalid_file`, `file_not_writable`, `conflict`, and what the edit throws
 */
export async function editConfig(env: NodeJS.ProcessEnv, edit: (text: string) => string): Promise<void> {
  const path = configFilePath(env);
  const [{ removeLeftOver, replaceFile, ChangedMeanwhile }, { withLock }] = await Promise.all([
    import('../../platform/replace-file.ts'),
    import('../../platform/lock.ts'),
  ]);
  const backup = `${path}.bak`;
  const editOnce = async () => {
    const before = await readBytes(path, 'profiles');
    const bytes = editedBytes(path, before, edit);
    if (!bytes) return;
    const as = { kind: 'profiles', mode: OWNER_ONLY } as const;
    if (before?.length) await replaceFile(backup, before, await readBytes(backup, 'profiles'), as);
    await replaceFile(path, bytes, before, as);
  };
  await withLock(join(stateFolder(env), 'locks', 'configuration-file'), async () => {
    await Promise.all([removeLeftOver(path), removeLeftOver(backup)]);
    for (let attempt = 1; ; attempt += 1) {
      try {
        return await editOnce();
      } catch (error) {
        if (!(error instanceof ChangedMeanwhile)) throw error;
        if (attempt === ATTEMPTS) {
          throw new CausewayError('conflict', `Another program keeps changing ${path}.`, {
            cause: error,
            remedy: 'Close it, then try again.',
          });
        }
      }
    }
  });
}

/**
 * Whether an edit could be made now. Writes nothing.
 * @throws {CausewayError} as `editConfig`
 */
export async function checkConfigEdit(env: NodeJS.ProcessEnv, edit: (text: string) => string): Promise<void> {
  const path = configFilePath(env);
  const { checkWritable } = await import('../../platform/replace-file.ts');
  editedBytes(path, await readBytes(path, 'profiles'), edit);
  await checkWritable(path);
}

/** The bytes after an edit; undefined if it changes nothing. @throws {CausewayError} `invalid_file`, `usage`, and what the edit throws */
function editedBytes(path: string, before: Buffer | undefined, edit: (text: string) => string): Buffer | undefined {
  const [problem] = before ? parseConfigBytes(before).problems : [];
  if (problem) throw malformed(path, problem);
  const text = before?.toString('utf8') ?? '';
  const after = edit(text);
  const bytes = Buffer.from(after);
  if (bytes.toString('utf8') !== after) throw new CausewayError('usage', 'A name contains an incomplete character.');
  return after === text ? undefined : bytes;
}

function malformed(path: string, { line, column, what }: ConfigProblem): CausewayError {
  return new CausewayError('invalid_file', `${path} is not valid: line ${line}, column ${column}: ${what}.`, {
    remedy: 'Nothing was changed. Correct the line, and save the file as UTF-8.',
  });
}
