import { createRequire } from 'node:module';
import type { DatabaseSync } from 'node:sqlite';

/** How a file is opened: `node:sqlite`'s own class. */
export type Sqlite = typeof DatabaseSync;

/** SQLite as the runtime has it; undefined where it is older than Node 22.13 and Electron 35. */
export function loadSqlite(): Sqlite | undefined {
  const warn = process.emitWarning;
  // It would stand in the log of every AI client, once for each proxy.
  process.emitWarning = (warning: string | Error, ...rest: unknown[]) => {
    if (!String(warning).includes('SQLite is an experimental')) Reflect.apply(warn, process, [warning, ...rest]);
  };
  try {
    const loaded: typeof import('node:sqlite') = createRequire(import.meta.filename)('node:sqlite');
    return loaded.DatabaseSync;
  } catch {
    return undefined;
  } finally {
    process.emitWarning = warn;
  }
}

/** SQLite's primary result codes that are told apart (sqlite.org/rescode.html). */
const RESULTS = { busy: [5, 6], damaged: [11, 26], full: [13], readOnly: [8] } as const;

/** Whether an error is SQLite's, of this kind. */
export function isSqliteError(error: unknown, kind: keyof typeof RESULTS): boolean {
  const code = resultOf(error);
  return code !== undefined && RESULTS[kind].some((each) => each === code);
}

/** SQLite's primary result code; undefined for any other error. */
function resultOf(error: unknown): number | undefined {
  if (!(error instanceof Error) || !('errcode' in error) || typeof error.errcode !== 'number') return undefined;
  return error.errcode & 0xff;
}
