import { closeSync, lstatSync, openSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { DatabaseSync } from 'node:sqlite';
import { setTimeout as sleep } from 'node:timers/promises';
import { codeOf } from '../platform/file-errors.ts';
import { stateFolder } from '../platform/paths.ts';
import { makeFolder } from '../platform/replace-file.ts';
import { APPLICATION_ID, MIGRATIONS, SCHEMA_VERSION } from './schema.ts';
import { loadSqlite, type Sqlite } from './sqlite.ts';
import { StoreFault, storeFault } from './store-fault.ts';

/** How long another process may take to make the file, in milliseconds, and how often it is looked whether it has. */
const OPEN_TIMEOUT_MS = 2_000;
const OPEN_AGAIN_MS = 25;

/** Where activity is kept. SQLite has two more files beside it while it is open. */
export function activityFile(env: NodeJS.ProcessEnv): string {
  return join(stateFolder(env), 'activity.db');
}

export interface OpenOptions {
  /** How long another process's write is waited for, in milliseconds. The thread stands still meanwhile. */
  busyMs: number;
  /** How much of the file is kept in memory, in KiB. */
  cacheKib?: number;
}

/**
 * Opens the file for reading and writing, and makes it if there is none. What is in it is never replaced.
 * @throws {StoreFault} @throws {CausewayError} `unavailable` if Causeway was removed
 */
export async function openForWriting(path: string, options: OpenOptions): Promise<DatabaseSync> {
  const sqlite = sqliteFor(path);
  try {
    await makeFolder(dirname(path), 0o700);
    checkFile(path);
    // SQLite gives the files beside it the same mode.
    closeSync(openSync(path, 'a', 0o600));
  } catch (error) {
    throw codeOf(error) === undefined ? error : storeFault(path, error);
  }
  return untilFree(() =>
    opened(path, () => {
      const database = new sqlite(path);
      try {
        configure(database, options);
        if (!isOurs(path, database)) create(path, database);
        else migrate(database);
        return database;
      } catch (error) {
        database.close();
        throw error;
      }
    }),
  );
}

/** Processes that begin at once make the file one after the other, and SQLite waits for none of that by itself. */
async function untilFree<T>(open: () => T): Promise<T> {
  const until = performance.now() + OPEN_TIMEOUT_MS;
  for (;;) {
    try {
      return open();
    } catch (error) {
      if (!(error instanceof StoreFault && error.passes) || performance.now() > until) throw error;
    }
    await sleep(OPEN_AGAIN_MS);
  }
}

/** Opens the file for reading; undefined if there is none. @throws {StoreFault} */
export async function openForReading(path: string, options: OpenOptions): Promise<DatabaseSync | undefined> {
  if (!isThere(path)) return undefined;
  const sqlite = sqliteFor(path);
  return opened(path, () => {
    checkFile(path);
    const database = new sqlite(path);
    try {
      configure(database, options);
      database.exec('PRAGMA query_only = 1');
      if (isOurs(path, database) && versionOf(database) === SCHEMA_VERSION) return database;
      // Another process is about to make it, or has an older one which the next writer migrates.
      database.close();
      return undefined;
    } catch (error) {
      database.close();
      throw error;
    }
  });
}

function sqliteFor(path: string): Sqlite {
  const sqlite = loadSqlite();
  if (!sqlite) throw new StoreFault('no-sqlite', path);
  return sqlite;
}

function opened<T>(path: string, open: () => T): T {
  try {
    return open();
  } catch (error) {
    throw storeFault(path, error);
  }
}

function isThere(path: string): boolean {
  return lstatSync(path, { throwIfNoEntry: false }) !== undefined;
}

/** A link or a folder in its place is none of ours. */
function checkFile(path: string): void {
  if (lstatSync(path, { throwIfNoEntry: false })?.isFile() === false) throw new StoreFault('foreign', path);
}

function configure(database: DatabaseSync, { busyMs, cacheKib = 2_048 }: OpenOptions): void {
  database.exec(`PRAGMA busy_timeout = ${busyMs}; PRAGMA cache_size = -${cacheKib}; PRAGMA trusted_schema = 0;`);
}

/** Whether the file is ours; false if it is empty. @throws {StoreFault} `foreign`, `newer` */
function isOurs(path: string, database: DatabaseSync): boolean {
  const application = numberIn(database, 'PRAGMA application_id');
  const isEmpty = numberIn(database, 'SELECT count(*) FROM sqlite_schema') === 0;
  if (application === 0 && isEmpty) return false;
  if (application !== APPLICATION_ID) throw new StoreFault('foreign', path);
  if (versionOf(database) > SCHEMA_VERSION) throw new StoreFault('newer', path);
  // Not yet made whole by the process that makes it.
  return !isEmpty;
}

function create(path: string, database: DatabaseSync): void {
  // Both have to come before the first table, and outside of a transaction.
  database.exec('PRAGMA auto_vacuum = INCREMENTAL; PRAGMA journal_mode = WAL;');
  inTransaction(database, () => {
    if (isOurs(path, database)) return;
    database.exec(`PRAGMA application_id = ${APPLICATION_ID}`);
    migrateNow(database);
  });
  prepare(database);
}

function migrate(database: DatabaseSync): void {
  if (versionOf(database) < SCHEMA_VERSION) inTransaction(database, () => migrateNow(database));
  prepare(database);
}

/** A power cut may lose the last calls, but not the file (sqlite.org/pragma.html#pragma_synchronous). What is deleted is overwritten. */
function prepare(database: DatabaseSync): void {
  database.exec('PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL; PRAGMA secure_delete = FAST;');
}

/** Another process may have been quicker: the version is read again in the transaction. */
function migrateNow(database: DatabaseSync): void {
  for (const migration of MIGRATIONS.slice(versionOf(database))) database.exec(migration);
  database.exec(`PRAGMA user_version = ${SCHEMA_VERSION}`);
}

function versionOf(database: DatabaseSync): number {
  return numberIn(database, 'PRAGMA user_version');
}

/** Runs work that is done wholly or not at all; other writers wait. */
export function inTransaction<T>(database: DatabaseSync, work: () => T): T {
  database.exec('BEGIN IMMEDIATE');
  try {
    const result = work();
    database.exec('COMMIT');
    return result;
  } catch (error) {
    rollBack(database);
    throw error;
  }
}

function rollBack(database: DatabaseSync): void {
  try {
    database.exec('ROLLBACK');
  } catch {
    // A full disk has ended it already.
  }
}

/** The first column of the first row, which is a number. */
export function numberIn(database: DatabaseSync, sql: string, ...values: (number | string)[]): number {
  return Number(Object.values(database.prepare(sql).get(...values) ?? {})[0] ?? 0);
}
