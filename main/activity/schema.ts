/**
 * The tables of the store, as `PRAGMA user_version` counts their versions. Each migration leads from one version to the next and is
 * never changed afterwards: files of it are on people's computers.
 *
 * - `kind`: what many calls have in common. A filter chooses kinds, which are few, and then reads only their calls.
 * - `hourly`: how many calls of each kind ended in each hour since 1970 (UTC); kind 0 is all of them. It finds the hours that hold what is
 *   looked for, so that neither a total nor the last page reads all calls.
 * - `call`: by its id, which is the millisecond of its end times 1,024, and a number that tells calls of one millisecond apart.
 * - `event`: what else happened, by an id of the same form.
 */
export const MIGRATIONS: readonly string[] = [
  `
  CREATE TABLE kind (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    key TEXT NOT NULL UNIQUE,
    client TEXT, profile TEXT, path TEXT NOT NULL, server TEXT, user TEXT,
    method TEXT NOT NULL, tool TEXT, outcome TEXT NOT NULL, error_code INTEGER, problem TEXT,
    warehouse TEXT, error_class TEXT, refusal TEXT
  ) STRICT;
  CREATE TABLE hourly (
    kind INTEGER NOT NULL, hour INTEGER NOT NULL, calls INTEGER NOT NULL,
    PRIMARY KEY (kind, hour)
  ) STRICT, WITHOUT ROWID;
  CREATE TABLE session (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    key TEXT NOT NULL UNIQUE,
    pid INTEGER NOT NULL, client TEXT, client_version TEXT, profile TEXT, path TEXT NOT NULL, user TEXT,
    since INTEGER NOT NULL, until INTEGER NOT NULL
  ) STRICT;
  CREATE INDEX session_until ON session (until);
  CREATE TABLE call (
    id INTEGER PRIMARY KEY,
    kind INTEGER NOT NULL, session INTEGER NOT NULL, number INTEGER NOT NULL,
    duration_us INTEGER NOT NULL, sent INTEGER NOT NULL, received INTEGER NOT NULL,
    attempts TEXT, detail TEXT
  ) STRICT;
  CREATE TABLE event (
    id INTEGER PRIMARY KEY, kind TEXT NOT NULL, client TEXT, subject TEXT NOT NULL, outcome TEXT NOT NULL, detail TEXT
  ) STRICT;
  `,
];

/** The version that this Causeway reads and writes. */
export const SCHEMA_VERSION = MIGRATIONS.length;

/** Tells a file of ours from another program's (`PRAGMA application_id`): "Cway". */
export const APPLICATION_ID = 0x43776179;

/** Ids per millisecond, of calls and of events. */
export const IDS_PER_MS = 1024;
export const HOUR_MS = 60 * 60_000;
/** Ids per hour. */
export const IDS_PER_HOUR = HOUR_MS * IDS_PER_MS;
/** The kind in `hourly` that stands for all calls. */
export const ALL_KINDS = 0;

/** The first id of a moment, in milliseconds since the epoch. */
export function idAt(ms: number): number {
  return Math.floor(ms) * IDS_PER_MS;
}

/** The hour since 1970 of an id. */
export function hourOf(id: number): number {
  return Math.floor(id / IDS_PER_HOUR);
}
