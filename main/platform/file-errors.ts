import { CausewayError } from './errors.ts';

const ROOM = 'Free up some space, then try again.';
const NOTHING_CHANGED = 'Nothing was changed.';
const PERMISSIONS = 'Check the owner and the permissions of the file and its folder.';

/** The system's errors for files, with their meaning and remedy. */
const EXPLANATIONS: Record<string, [problem: string, remedy: string]> = {
  ENOSPC: ['cannot be written: the disk is full', ROOM],
  EDQUOT: ['cannot be written: your disk quota is used up', ROOM],
  EFBIG: ['cannot be written: it would be larger than the system allows', ROOM],
  EACCES: ['cannot be read or written: permission denied', PERMISSIONS],
  EPERM: ['cannot be changed: operation not permitted', PERMISSIONS],
  EROFS: ['is on a read-only disk', 'Make the disk writable, or move the file to another one.'],
  EMFILE: [
    'cannot be opened: this program has too many files open',
    'Raise the limit of open files (ulimit -n), or close some programs and try again.',
  ],
  ENFILE: ['cannot be opened: the system has too many files open', 'Close some programs and try again.'],
  EISDIR: ['is a folder', 'Move the folder out of the way.'],
  ENOTDIR: ['cannot exist: part of its path is a file', 'Move that file out of the way.'],
  ENOENT: ['cannot be written: its folder does not exist', 'Create the folder, then try again.'],
  EEXIST: [
    'cannot be written: its folder cannot be created because something else has that name',
    'Move it out of the way.',
  ],
  ELOOP: ['is a symbolic link that points to itself', 'Fix or remove the link.'],
  ENAMETOOLONG: ['cannot be written: its name is too long', 'Choose a shorter name.'],
  EBUSY: ['is in use', 'Close the program that uses it and try again.'],
  EIO: ['cannot be read or written: the disk reported an error', 'Check the disk, then try again.'],
};

/** A system's error as a message with what happened to the file and the remedy. Any other error is returned unchanged. */
export function fileError(path: string, error: unknown, outcome = NOTHING_CHANGED): unknown {
  const [problem, remedy] = EXPLANATIONS[codeOf(error) ?? ''] ?? [];
  if (problem && remedy) return notWritable(path, problem, remedy, error, outcome);
  if (!(error instanceof Error && 'syscall' in error)) return error;
  const [unknown, elsewhere] = [`could not be written: ${error.message}`, 'Choose another location, or try again.'];
  return notWritable(path, unknown, elsewhere, error, outcome);
}

/** Whether an error says that the disk, or the user's share of it, is full. */
export function isDiskFull(error: unknown): boolean {
  return ['ENOSPC', 'EDQUOT'].includes(codeOf(error) ?? '');
}

/** Whether an error says that no more files can be opened, which says nothing about the file. */
export function isOutOfFiles(error: unknown): boolean {
  return ['EMFILE', 'ENFILE'].includes(codeOf(error) ?? '');
}

/** Like `explain`, at the top of a program: for the system's file errors that were not explained before. */
export function explainUnexpected(error: unknown): unknown {
  if (!(error instanceof Error) || error instanceof CausewayError) return error;
  // A module that cannot be loaded has its path in the message only.
  const named = 'path' in error && typeof error.path === 'string' ? error.path : undefined;
  const path = named ?? /, open '([^']+)'$/.exec(error.message)?.[1];
  if (path === undefined) return error;
  return fileError(path, error, 'Earlier changes were kept.');
}

/** What is wrong with a file, also in parts for callers that build their own sentence. */
export class FileError extends CausewayError {
  /** A predicate without a full stop, such as `is a folder`. */
  readonly problem: string;
  /** What the user can do about the file. */
  readonly repair: string;

  constructor(
    code: 'file_not_writable' | 'invalid_file',
    path: string,
    { problem, repair, cause, outcome = NOTHING_CHANGED }: FileErrorOptions,
  ) {
    super(code, `${path} ${problem}.`, { cause, remedy: `${outcome} ${repair}` });
    this.problem = problem;
    this.repair = repair;
  }
}

interface FileErrorOptions {
  problem: string;
  repair: string;
  cause?: unknown;
  outcome?: string;
}

/** The error for a file that cannot be written. */
export function notWritable(
  path: string,
  problem: string,
  remedy: string,
  cause?: unknown,
  outcome?: string,
): FileError {
  return new FileError('file_not_writable', path, { problem, repair: remedy, cause, ...(outcome && { outcome }) });
}

/** The system's code of an error, such as `ENOENT`. */
export function codeOf(error: unknown): string | undefined {
  return error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : undefined;
}
