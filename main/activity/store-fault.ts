import type { ErrorCode } from '../../preload/contract/error-facts.ts';
import { CausewayError } from '../platform/errors.ts';
import { isSqliteError } from './sqlite.ts';

/** Why calls are not kept: the runtime has no SQLite, or the file cannot be used. */
export type StoreFaultKind = keyof typeof FAULTS;

interface FaultFacts {
  code: ErrorCode;
  /** What is wrong, after the file's path. */
  what: string;
  remedy: string;
}

const KEPT = 'Nothing in it was changed.';
const START_ANEW = `${KEPT} Move it elsewhere, and Causeway starts a new one.`;

const FAULTS = {
  'no-sqlite': {
    code: 'feature_unavailable',
    what: 'is not used: this version of Node.js or Electron has no SQLite',
    remedy: 'It needs Node.js 22.13 or Electron 35.',
  },
  busy: {
    code: 'file_not_writable',
    what: 'is locked by another program',
    remedy: `${KEPT} Close that program. Causeway tries again.`,
  },
  damaged: { code: 'invalid_file', what: 'is damaged', remedy: START_ANEW },
  newer: {
    code: 'invalid_file',
    what: 'was written by a newer version of Causeway',
    remedy: `${KEPT} Update this version, or move the file elsewhere.`,
  },
  foreign: { code: 'invalid_file', what: 'is not a file of Causeway', remedy: START_ANEW },
  full: {
    code: 'file_not_writable',
    what: 'cannot be written: the disk is full',
    remedy: 'Free up some space, then restart Causeway.',
  },
  unwritable: {
    code: 'file_not_writable',
    what: 'cannot be read or written',
    remedy: 'Check the owner and the permissions of the file and its folder.',
  },
} as const satisfies Record<string, FaultFacts>;

/** The store cannot be used. What was in its file is still there. */
export class StoreFault extends CausewayError {
  readonly kind: StoreFaultKind;
  readonly path: string;

  constructor(kind: StoreFaultKind, path: string, cause?: unknown) {
    const { code, what, remedy } = FAULTS[kind];
    super(code, `${path} ${what}.`, { remedy, ...(cause !== undefined && { cause }) });
    this.kind = kind;
    this.path = path;
  }

  /** Whether the same may work a moment later. */
  get passes(): boolean {
    return this.kind === 'busy';
  }
}

/** What an error of SQLite means for the file. */
export function storeFault(path: string, error: unknown): StoreFault {
  if (error instanceof StoreFault) return error;
  const kinds = ['busy', 'damaged', 'full'] as const;
  return new StoreFault(kinds.find((kind) => isSqliteError(error, kind)) ?? 'unwritable', path, error);
}
