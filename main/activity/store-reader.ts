import type { DatabaseSync, SQLOutputValue } from 'node:sqlite';
import { z } from 'zod';
import type {
  Activity,
  ActivityCall,
  CallFilter,
  DayOfCalls,
  Latency,
  StatementRecord,
} from '../../preload/contract/activity.ts';
import { callStatement } from '../../preload/contract/activity.ts';
import { readRefusal } from '../../preload/contract/refusals.ts';
import { isFailed } from '../hub/session-record.ts';
import { jsonIn } from '../platform/json.ts';
import {
  ANY_TIME,
  dayOfMoment,
  type FACETS,
  type FilteredCall,
  matcherOf,
  matchesAll,
  type Span,
  spanIn,
} from './call-filter.ts';
import { dayOf, latencyOf, type TimedCall } from './call-statistics.ts';
import { numberIn } from './open-store.ts';
import { ALL_KINDS, HOUR_MS, hourOf, IDS_PER_HOUR, IDS_PER_MS, idAt } from './schema.ts';
import { storeFault } from './store-fault.ts';
import { attemptsIn, type CallDetail, startOf } from './stored-call.ts';

/** Which calls, in which order. */
export interface Choice {
  filter: CallFilter;
  /** Leaves out the calls after this one; null for all. */
  upTo: number | null;
  /** Calls that ended in this span; all by default. */
  span?: Span;
}

/** A call, and what its key has of it: its number in the process that saw it, and its session among those of all processes. */
export interface ReadCall extends Omit<ActivityCall, 'contents'> {
  number: number;
  /** Null if it was deleted. */
  sessionKey: string | null;
  /** Whether it only asked about a statement. */
  isPoll: boolean;
}

/** What is stored, in short. */
export type StoredSummary = Pick<Activity, 'kept' | 'newest' | 'clients' | 'paths' | 'tools' | 'days'>;

type Row = Record<string, SQLOutputValue>;

/** What calls of one kind have in common, with the client's display name. */
interface Kind
  extends Pick<FilteredCall, 'statement'>,
    Pick<ActivityCall, 'clientName' | 'profile' | 'path' | 'server' | 'user' | 'method' | 'tool' | 'refusal'> {
  id: number;
  outcome: ActivityCall['outcome'];
  errorCode: number | null;
  problem: { code: string; message: null } | null;
  /** As it names itself. */
  wireName: string | null;
}

/** Calls of one hour. */
interface Hour {
  hour: number;
  calls: number;
}

/** Kinds that come one after the other in a list; null for all kinds. */
type Kinds = readonly number[] | null;

/** Reads the store. Each function takes milliseconds, however many calls there are. @throws {StoreFault} from each */
export class StoreReader {
  readonly #path: string;
  readonly #database: DatabaseSync;
  readonly #nameOf: (wireName: string) => string;

  /** @param nameOf the display name of a client that names itself so */
  constructor(path: string, database: DatabaseSync, nameOf: (wireName: string) => string) {
    this.#path = path;
    this.#database = database;
    this.#nameOf = nameOf;
  }

  /** One page of calls, the newest first, and how many there are in all. */
  page(choice: Choice, from: number, count: number): { total: number; rows: ReadCall[] } {
    return this.#guarded(() => {
      const rows: ReadCall[] = [];
      let total = 0;
      const kinds = this.#kinds();
      for (const some of orderedKinds(choice.filter, [...kinds.values()])) {
        const hours = this.#hours(some, choice);
        const calls = hours.reduce((sum, hour) => sum + hour.calls, 0);
        const skipped = Math.max(0, from + rows.length - total);
        if (rows.length < count && skipped < calls) {
          rows.push(...this.#rows(some, choice, hours, skipped, count - rows.length).map((row) => callOf(row, kinds)));
        }
        total += calls;
      }
      return { total, rows };
    });
  }

  /** A call by its id; undefined if there is none. */
  find(id: number): ReadCall | undefined {
    return this.#guarded(() => {
      const row = this.#database.prepare(QUERIES.find).get(id);
      return row && callOf(row, this.#kinds());
    });
  }

  summary(): StoredSummary {
    return this.#guarded(() => {
      const kinds = [...this.#kinds().values()];
      const names = (facet: (typeof FACETS)[number]) =>
        [...new Set(kinds.flatMap((kind) => kind[facet] ?? []))].sort((a, b) => a.localeCompare(b));
      const hours = this.#database
        .prepare('SELECT hour, calls FROM hourly WHERE kind = ? ORDER BY hour DESC')
        .all(ALL_KINDS);
      return {
        kept: hours.reduce((sum, { calls }) => sum + Number(calls), 0),
        newest: numberIn(this.#database, QUERIES.newest),
        clients: names('clientName'),
        paths: names('path'),
        tools: names('tool'),
        // Where the clock is half an hour off, an hour may be of two days.
        days: [
          ...new Set(
            hours.flatMap(({ hour }) => [(Number(hour) + 1) * HOUR_MS - 1, Number(hour) * HOUR_MS].map(dayOfMoment)),
          ),
        ],
      };
    });
  }

  latency(filter: CallFilter, now = Date.now()): Latency {
    return this.#guarded(() => latencyOf(this.#timed(filter, now - LATENCY_MS, now), now));
  }

  day(filter: CallFilter, now = Date.now()): DayOfCalls {
    return this.#guarded(() => dayOf(this.#timed(filter, now - DAY_MS, now), now, false));
  }

  /** The names that clients give themselves behind a display name. */
  wireNames(displayName: string): string[] {
    return this.#guarded(() => {
      const named = [...this.#kinds().values()].filter(({ clientName }) => clientName === displayName);
      return [...new Set(named.flatMap(({ wireName }) => wireName ?? []))];
    });
  }

  /** Calls of some time as far as statistics need them, the latest first. */
  #timed(filter: CallFilter, from: number, until: number): TimedCall[] {
    const kinds = this.#kinds();
    const matches = matcherOf(filter);
    const { from: first, until: last } = overlap({ from, until: until + HOUR_MS }, spanIn(filter.day));
    const rows = this.#database.prepare(QUERIES.timed).all(idAt(first), idAt(last) - 1);
    return rows.flatMap(({ id, kind, duration_us: duration }) => {
      const of = kinds.get(Number(kind));
      if (!of || !matches(of)) return [];
      const durationMs = Number(duration) / 1000;
      return { startedAt: endOf(id) - durationMs, durationMs, method: of.method, outcome: of.outcome };
    });
  }

  #kinds(): Map<number, Kind> {
    const rows = this.#database.prepare('SELECT * FROM kind').all();
    return new Map(rows.map((row) => [Number(row.id), this.#kind(row)]));
  }

  #kind(row: Row): Kind {
    const wireName = textOrNull(row.client);
    const code = textOrNull(row.problem);
    return {
      id: Number(row.id),
      wireName,
      clientName: wireName === null ? null : this.#nameOf(wireName),
      profile: textOrNull(row.profile),
      path: String(row.path),
      server: textOrNull(row.server),
      user: textOrNull(row.user),
      method: String(row.method),
      tool: textOrNull(row.tool),
      outcome: OUTCOMES.find((outcome) => outcome === row.outcome) ?? 'lost',
      errorCode: row.error_code === null ? null : Number(row.error_code),
      problem: code === null ? null : { code, message: null },
      statement: {
        record: { warehouse: warehouseIn(textOrNull(row.warehouse)), errorClass: textOrNull(row.error_class) },
      },
      refusal: readRefusal(row.refusal),
    };
  }

  /** How many calls each hour has, the newest hour first, without those that the choice leaves out. */
  #hours(kinds: Kinds, { filter, upTo, span }: Choice): Hour[] {
    const { from, until } = overlap(span ?? ANY_TIME, spanIn(filter.day));
    const last = Math.min(idAt(until) - 1, upTo ?? Number.MAX_SAFE_INTEGER);
    const first = idAt(from);
    const [firstHour, lastHour] = [hourOf(first), hourOf(last)];
    const listed = JSON.stringify(kinds ?? [ALL_KINDS]);
    const counted = this.#database
      .prepare(QUERIES.hours)
      .all(listed, firstHour, lastHour)
      .map(({ hour, calls }) => ({ hour: Number(hour), calls: Number(calls) }));
    // Of an hour that is not wanted whole, the calls themselves are counted.
    for (const each of counted) {
      const [begin, end] = [each.hour * IDS_PER_HOUR, (each.hour + 1) * IDS_PER_HOUR - 1];
      if (begin >= first && end <= last) continue;
      each.calls = numberIn(
        this.#database,
        kinds === null ? QUERIES.count : QUERIES.countOfKinds,
        ...[Math.max(begin, first), Math.min(end, last)],
        ...(kinds === null ? [] : [JSON.stringify(kinds)]),
      );
    }
    return counted.filter(({ calls }) => calls > 0);
  }

  #rows(kinds: Kinds, { filter, upTo, span }: Choice, hours: readonly Hour[], from: number, count: number): Row[] {
    const { from: start, until } = overlap(span ?? ANY_TIME, spanIn(filter.day));
    const [first, last] = [idAt(start), Math.min(idAt(until) - 1, upTo ?? Number.MAX_SAFE_INTEGER)];
    const read = this.#database.prepare(kinds === null ? QUERIES.rows : QUERIES.rowsOfKinds);
    const which = kinds === null ? [] : [JSON.stringify(kinds)];
    const rows: Row[] = [];
    let skipped = from;
    for (const { hour, calls } of hours) {
      if (rows.length === count) break;
      if (skipped >= calls) skipped -= calls;
      else {
        const range = [Math.max(hour * IDS_PER_HOUR, first), Math.min((hour + 1) * IDS_PER_HOUR - 1, last)];
        rows.push(...read.all(...range, ...which, count - rows.length, skipped));
        skipped = 0;
      }
    }
    return rows;
  }

  #guarded<T>(work: () => T): T {
    try {
      return work();
    } catch (error) {
      throw storeFault(this.#path, error);
    }
  }
}

const DAY_MS = 24 * HOUR_MS;
const LATENCY_MS = 20 * 60_000;
const OUTCOMES = ['answered', 'tool-error', 'error', 'cancelled', 'lost'] as const;

const SELECT_CALLS = `
  SELECT call.id, call.kind, call.session, call.number, call.duration_us, call.sent, call.received, call.attempts, call.detail,
    session.key, session.pid, session.client_version
  FROM call LEFT JOIN session ON session.id = call.session`;
const OF_KINDS = 'AND call.kind IN (SELECT value FROM json_each(?))';

/** What is asked of the tables, none of which is read whole. */
export const QUERIES = {
  find: `${SELECT_CALLS} WHERE call.id = ?`,
  rows: `${SELECT_CALLS} WHERE call.id BETWEEN ? AND ? ORDER BY call.id DESC LIMIT ? OFFSET ?`,
  rowsOfKinds: `${SELECT_CALLS} WHERE call.id BETWEEN ? AND ? ${OF_KINDS} ORDER BY call.id DESC LIMIT ? OFFSET ?`,
  count: 'SELECT count(*) FROM call WHERE call.id BETWEEN ? AND ?',
  countOfKinds: `SELECT count(*) FROM call WHERE call.id BETWEEN ? AND ? ${OF_KINDS}`,
  hours: `
    SELECT hour, sum(calls) AS calls FROM hourly
    WHERE kind IN (SELECT value FROM json_each(?)) AND hour BETWEEN ? AND ? GROUP BY hour ORDER BY hour DESC`,
  timed: 'SELECT id, kind, duration_us FROM call WHERE id BETWEEN ? AND ? ORDER BY id DESC',
  newest: 'SELECT max(id) FROM call',
} as const;

/** The kinds that match, in the order in which their calls are listed. */
function orderedKinds(filter: CallFilter, kinds: readonly Kind[]): Kinds[] {
  if (matchesAll(filter) && !filter.failedFirst) return [null];
  const matching = kinds.filter(matcherOf(filter));
  const ids = (some: readonly Kind[]) => some.map(({ id }) => id);
  if (!filter.failedFirst) return [ids(matching)];
  return [ids(matching.filter(isFailed)), ids(matching.filter((kind) => !isFailed(kind)))];
}

function callOf(row: Row, kinds: ReadonlyMap<number, Kind>): ReadCall {
  const { statement, isPoll } = detailIn(textOrNull(row.detail));
  const { id: _, wireName: __, ...kind } = kinds.get(Number(row.kind)) ?? UNKNOWN_KIND;
  const durationUs = Number(row.duration_us);
  return {
    ...kind,
    id: Number(row.id),
    number: Number(row.number),
    sessionKey: textOrNull(row.key),
    session: Number(row.session),
    pid: Number(row.pid ?? 0),
    clientVersion: textOrNull(row.client_version),
    startedAt: startOf(endOf(row.id), durationUs),
    durationMs: durationUs / 1000,
    bytesFromClient: Number(row.sent),
    bytesToClient: Number(row.received),
    attempts: attemptsIn(textOrNull(row.attempts)),
    statement,
    isPoll,
  };
}

const detailSchema = z.object({ statement: callStatement.nullable(), isPoll: z.boolean() });

/** What is stored of a call's statement; none where a later version has stored it otherwise. */
function detailIn(text: string | null): CallDetail {
  const stored = text === null ? undefined : detailSchema.safeParse(jsonIn(text)).data;
  return stored ?? { statement: null, isPoll: false };
}

function warehouseIn(text: string | null): StatementRecord['warehouse'] {
  const stored = text === null ? undefined : jsonIn(text);
  if (!Array.isArray(stored) || typeof stored[0] !== 'string') return null;
  return { id: stored[0], name: typeof stored[1] === 'string' ? stored[1] : null };
}

const UNKNOWN_KIND: Kind = {
  id: -1,
  wireName: null,
  clientName: null,
  profile: null,
  path: '',
  server: null,
  user: null,
  method: '',
  tool: null,
  outcome: 'lost',
  errorCode: null,
  problem: null,
  statement: null,
  refusal: null,
};

function overlap(a: Span, b: Span): Span {
  return { from: Math.max(a.from, b.from), until: Math.min(a.until, b.until) };
}

/** The millisecond in which a call ended. */
function endOf(id: unknown): number {
  return Math.floor(Number(id) / IDS_PER_MS);
}

function textOrNull(value: SQLOutputValue | undefined): string | null {
  return typeof value === 'string' ? value : null;
}
