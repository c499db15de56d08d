import type { DatabaseSync, StatementSync } from 'node:sqlite';
import { clearedText } from '../platform/outside-text.ts';
import { ANY_TIME, type Span } from './call-filter.ts';
import { activityFile, inTransaction, numberIn, type OpenOptions, openForWriting } from './open-store.ts';
import { ALL_KINDS, HOUR_MS, hourOf, IDS_PER_HOUR, IDS_PER_MS, idAt } from './schema.ts';
import { storeFault } from './store-fault.ts';
import type { CallKey, CallKind, KnownLater, StoredCall } from './stored-call.ts';

export { activityFile };

/** The most kinds of calls. Then, a further tool is none by name: a client that makes up names must not fill the table. */
const MAX_KINDS = 20_000;
const OTHER_TOOL = '(other)';

/** How many calls go in one transaction when calls are deleted: other writers wait for it. */
const DELETED_AT_ONCE = 1_000;
/** How many pages are given back to the disk at once. */
const PAGES_AT_ONCE = 256;

/** The longest text of an event, in characters. */
const MAX_TEXT = 300;

const DAY_MS = 24 * HOUR_MS;

/** Which calls are deleted: of a span of time, of AI clients as they name themselves (null: those that have not), or both. */
export interface Deletion {
  span: Span;
  clients: readonly (string | null)[] | null;
}

/** Something else that happened: a call that waited for the user, or a change. */
export interface StoredEvent {
  at: number;
  /** `approval`, or the name of a noted event. */
  kind: string;
  /** The AI client that it is about. */
  client: string | null;
  /** What was allowed or changed, such as a tool, a client's id or a host. */
  subject: string;
  /** What came of it, such as `allowed`; further facts of a noted event as JSON. */
  outcome: string;
}

/**
 * The file with the activity of the last days, for one writer. Everything is synchronous: the application uses it in a thread of its
 * own, a proxy with few calls at once. @throws {StoreFault} from each function
 */
export class ActivityStore {
  readonly path: string;
  readonly #database: DatabaseSync;
  readonly #statements = new Map<string, StatementSync>();
  /** Before which hour nothing is left, as far as this process knows. */
  #expiredHour = 0;

  private constructor(path: string, database: DatabaseSync) {
    this.path = path;
    this.#database = database;
  }

  /** @throws {StoreFault} @throws {CausewayError} `unavailable` if Causeway was removed */
  static async open(path: string, options: OpenOptions): Promise<ActivityStore> {
    return new ActivityStore(path, await openForWriting(path, options));
  }

  /** The connection, for `StoreReader`. */
  get database(): DatabaseSync {
    return this.#database;
  }

  /** Adds calls, all or none, and removes some of those that are older than so many days. */
  add(calls: readonly StoredCall[], days: number, now = Date.now()): void {
    this.#run(() => {
      for (const call of calls) this.#add(call);
      this.#expire(now - days * DAY_MS, calls.length + 1);
    });
  }

  /** Puts what is known now in the place of what was, also for filters. False if the call is not stored. */
  learn({ key, outcome, detail, warehouse, errorClass }: KnownLater): boolean {
    return this.#run(() => {
      const id = this.#idOf(key);
      const before = id === undefined ? undefined : this.#statement('SELECT kind FROM call WHERE id = ?').get(id)?.kind;
      const stored = this.#statement('SELECT key FROM kind WHERE id = ?').get(Number(before ?? -1))?.key;
      if (id === undefined || typeof stored !== 'string') return false;
      const kind = this.#kindOf({ ...kindIn(stored), outcome, warehouse, errorClass });
      this.#statement('UPDATE call SET kind = ?, detail = ? WHERE id = ?').run(kind, detail, id);
      this.#count(Number(before), hourOf(id), -1);
      this.#count(kind, hourOf(id), 1);
      return true;
    });
  }

  addEvents(events: readonly StoredEvent[]): void {
    this.#run(() => {
      for (const { at, kind, client, subject, outcome } of events) {
        const sql = 'INSERT INTO event (id, kind, client, subject, outcome) VALUES (?, ?, ?, ?, ?)';
        const text = (of: string) => clearedText(of).slice(0, MAX_TEXT);
        const values = [client === null ? null : text(client), text(subject), text(outcome)];
        this.#statement(sql).run(this.#freeId('event', at), kind, ...values);
      }
    });
  }

  /** Removes some of what is older than so many days. False if there is nothing more of it. */
  expire(days: number, now = Date.now()): boolean {
    return this.#run(() => this.#expire(now - days * DAY_MS, DELETED_AT_ONCE));
  }

  /**
   * Deletes some of the calls, the oldest first; at the end also what else is of that time and client. Returns the hour where to go on,
   * in hours since 1970; null if none is left.
   */
  deleteSome({ span, clients }: Deletion, fromHour: number): { deleted: number; next: number | null } {
    return this.#run(() => {
      const [first, last] = [idAt(span.from), idAt(span.until) - 1];
      const kinds = JSON.stringify(this.#kindsOf(clients));
      const hour = this.#statement(NEXT_HOUR).get(kinds, Math.max(fromHour, hourOf(first)), hourOf(last))?.hour;
      if (typeof hour !== 'number') {
        this.#deleteRest({ span, clients });
        return { deleted: 0, next: null };
      }
      const [begin, end] = [Math.max(first, hour * IDS_PER_HOUR), Math.min(last, (hour + 1) * IDS_PER_HOUR - 1)];
      const deleted = this.#statement(DELETE_SOME).all(begin, end, kinds, DELETED_AT_ONCE);
      for (const { kind } of deleted) this.#count(Number(kind), hour, -1);
      this.#count(ALL_KINDS, hour, -deleted.length);
      return { deleted: deleted.length, next: deleted.length === DELETED_AT_ONCE ? hour : hour + 1 };
    });
  }

  /** Deletes everything. */
  deleteAll(): void {
    this.#run(() => {
      this.#expiredHour = 0;
      for (const table of ['call', 'hourly', 'kind', 'session', 'event']) {
        this.#database.exec(`DELETE FROM ${table}`);
      }
    });
  }

  /** Gives some of the room back to the disk that deleted calls took. False if there is none left. */
  shrink(): boolean {
    return this.#guarded(() => {
      this.#database.exec(`PRAGMA incremental_vacuum(${PAGES_AT_ONCE})`);
      const isLeft = numberIn(this.#database, 'PRAGMA freelist_count') > 0;
      if (!isLeft) this.#database.exec('PRAGMA wal_checkpoint(TRUNCATE)');
      return isLeft;
    });
  }

  close(): void {
    this.#statements.clear();
    this.#database.close();
  }

  #add(call: StoredCall): void {
    const id = this.#freeId('call', call.endedAt);
    const kind = this.#kindOf(call.kind);
    const { number, durationUs, sent, received, attempts, detail } = call;
    const sql = `INSERT INTO call (id, kind, session, number, duration_us, sent, received, attempts, detail)
      VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)`;
    this.#statement(sql).run(id, kind, this.#sessionOf(call), number, durationUs, sent, received, attempts, detail);
    const hour = hourOf(id);
    this.#count(kind, hour, 1);
    this.#count(ALL_KINDS, hour, 1);
  }

  /** The first id of a moment that is free; in a transaction, no other process takes it. */
  #freeId(table: 'call' | 'event', ms: number): number {
    const first = idAt(ms);
    const last = this.#statement(`SELECT max(id) AS last FROM ${table} WHERE id BETWEEN ? AND ?`).get(
      first,
      first + IDS_PER_MS - 1,
    )?.last;
    if (last === null || last === undefined) return first;
    return Number(last) < first + IDS_PER_MS - 1 ? Number(last) + 1 : this.#freeId(table, ms + 1);
  }

  #kindOf(of: CallKind): number {
    const key = JSON.stringify(of);
    const found = this.#statement('SELECT id FROM kind WHERE key = ?').get(key)?.id;
    if (found !== undefined) return Number(found);
    const isFull = numberIn(this.#database, 'SELECT count(*) FROM kind') >= MAX_KINDS;
    if (isFull && of.tool !== null && of.tool !== OTHER_TOOL) return this.#kindOf({ ...of, tool: OTHER_TOOL });
    const values = KIND_COLUMNS.map(([member]) => of[member]);
    return Number(this.#statement(PUT_KIND).run(key, ...values).lastInsertRowid);
  }

  #kindsOf(clients: Deletion['clients']): number[] {
    const sql = 'SELECT id FROM kind WHERE ? OR client IN (SELECT value FROM json_each(?)) OR (client IS NULL AND ?)';
    const named = JSON.stringify(clients?.filter((client) => client !== null) ?? []);
    const values = [Number(clients === null), named, Number(clients?.includes(null) ?? false)];
    return this.#statement(sql)
      .all(...values)
      .map(({ id }) => Number(id));
  }

  #sessionOf({ session, pid, clientVersion, kind, endedAt, durationUs }: StoredCall): number {
    const { client, profile, path, user } = kind;
    const since = Math.floor(endedAt - durationUs / 1000);
    const values = [session, pid, client, clientVersion, profile, path, user, since, endedAt];
    return Number(this.#statement(PUT_SESSION).get(...values)?.id);
  }

  #count(kind: number, hour: number, by: number): void {
    const sql = `INSERT INTO hourly (kind, hour, calls) VALUES (?, ?, ?)
      ON CONFLICT (kind, hour) DO UPDATE SET calls = calls + excluded.calls`;
    this.#statement(sql).run(kind, hour, by);
    if (by < 0) this.#statement('DELETE FROM hourly WHERE kind = ? AND hour = ? AND calls <= 0').run(kind, hour);
  }

  #idOf({ session, number, endedAt }: CallKey): number | undefined {
    const sql = `SELECT id FROM call WHERE id BETWEEN ? AND ? AND number = ?
      AND session = (SELECT id FROM session WHERE key = ?)`;
    const first = idAt(endedAt);
    const found = this.#statement(sql).get(first, first + IDS_PER_MS - 1, number, session)?.id;
    return found === undefined ? undefined : Number(found);
  }

  /** The hours that are over at once, so that no total counts them; then some of their calls, the oldest first. */
  #expire(before: number, most: number): boolean {
    const hour = Math.floor(before / HOUR_MS);
    if (hour <= this.#expiredHour) return false;
    const oldest = this.#statement('SELECT min(id) AS id FROM call').get()?.id;
    const isCallLeft = typeof oldest === 'number' && oldest < hour * IDS_PER_HOUR;
    if (isCallLeft) {
      const isCounted =
        this.#statement('SELECT 1 FROM hourly WHERE kind = 0 AND hour < ? LIMIT 1').get(hour) !== undefined;
      if (isCounted) this.#statement(FORGET_HOURS).run(hour);
      this.#statement('DELETE FROM call WHERE id IN (SELECT id FROM call WHERE id < ? ORDER BY id LIMIT ?)').run(
        hour * IDS_PER_HOUR,
        most,
      );
      return true;
    }
    this.#deleteRest({ span: { ...ANY_TIME, until: hour * HOUR_MS }, clients: null });
    this.#expiredHour = hour;
    return false;
  }

  /** What is not a call: where there are no calls of it anymore, neither sessions nor kinds are left. */
  #deleteRest({ span, clients }: Deletion): void {
    const { from, until } = span;
    if (clients === null) {
      this.#statement('DELETE FROM event WHERE id >= ? AND id < ?').run(idAt(from), idAt(until));
      this.#statement('DELETE FROM session WHERE until >= ? AND until < ?').run(from, until);
    } else {
      const named = JSON.stringify(clients.filter((client) => client !== null));
      const which = 'client IN (SELECT value FROM json_each(?))';
      this.#statement(`DELETE FROM event WHERE id >= ? AND id < ? AND ${which}`).run(idAt(from), idAt(until), named);
      this.#statement(`DELETE FROM session WHERE until >= ? AND until < ? AND ${which}`).run(from, until, named);
    }
    this.#statement('DELETE FROM kind WHERE NOT EXISTS (SELECT 1 FROM hourly WHERE hourly.kind = kind.id)').run();
  }

  #statement(sql: string): StatementSync {
    let statement = this.#statements.get(sql);
    if (!statement) {
      statement = this.#database.prepare(sql);
      this.#statements.set(sql, statement);
    }
    return statement;
  }

  #run<T>(work: () => T): T {
    return this.#guarded(() => inTransaction(this.#database, work));
  }

  #guarded<T>(work: () => T): T {
    try {
      return work();
    } catch (error) {
      throw storeFault(this.path, error);
    }
  }
}

/** A kind by its key, which `#kindOf` has made. */
function kindIn(key: string): CallKind {
  return JSON.parse(key);
}

/** Where each member of a kind is stored. */
const KIND_COLUMNS = [
  ['client', 'client'],
  ['profile', 'profile'],
  ['path', 'path'],
  ['server', 'server'],
  ['user', 'user'],
  ['method', 'method'],
  ['tool', 'tool'],
  ['outcome', 'outcome'],
  ['errorCode', 'error_code'],
  ['problem', 'problem'],
  ['warehouse', 'warehouse'],
  ['errorClass', 'error_class'],
  ['refusal', 'refusal'],
] as const satisfies [member: keyof CallKind, column: string][];
const PUT_KIND = `
  INSERT INTO kind (key, ${KIND_COLUMNS.map(([, column]) => column).join(', ')})
  VALUES (?${', ?'.repeat(KIND_COLUMNS.length)})`;

const PUT_SESSION = `
  INSERT INTO session (key, pid, client, client_version, profile, path, user, since, until)
  VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)
  ON CONFLICT (key) DO UPDATE SET
    client = coalesce(excluded.client, client), client_version = coalesce(excluded.client_version, client_version),
    user = coalesce(excluded.user, user), since = min(since, excluded.since), until = max(until, excluded.until)
  RETURNING id`;

const NEXT_HOUR = `
  SELECT min(hour) AS hour FROM hourly WHERE kind IN (SELECT value FROM json_each(?)) AND hour BETWEEN ? AND ?`;
const DELETE_SOME = `
  DELETE FROM call WHERE id IN (
    SELECT id FROM call WHERE id BETWEEN ? AND ? AND kind IN (SELECT value FROM json_each(?)) ORDER BY id LIMIT ?)
  RETURNING kind`;

/** Of every kind, so that the key finds them. */
const FORGET_HOURS = `
  DELETE FROM hourly WHERE (kind, hour) IN (
    SELECT hourly.kind, hourly.hour FROM (SELECT 0 AS id UNION ALL SELECT id FROM kind) AS each
    JOIN hourly ON hourly.kind = each.id AND hourly.hour < ?)`;
