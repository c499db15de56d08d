import { randomUUID } from 'node:crypto';
import { RestFault, type User, type Warehouse, type WorkspaceState } from '../model.ts';
import type { Engine, Rows } from './engine.ts';
import { QueryFailure, runQuery } from './query.ts';
import { isThere, type WarehouseChoice } from './warehouse-choice.ts';

interface StatementError {
  message: string;
  error_code: string;
}

/** Where a statement stands; `PENDING` while its warehouse starts, `CLOSED` once its rows have been let go. */
type StatementState =
  | { state: 'PENDING' | 'RUNNING' | 'CANCELED' | 'CLOSED' }
  | { state: 'SUCCEEDED'; rows: Rows }
  | { state: 'FAILED'; error: StatementError };

/** One statement that a server ran: what tests read to see where queries went. */
export interface StatementRecord {
  statementId: string;
  user: User;
  query: string;
  readOnly: boolean;
  choice: WarehouseChoice;
  /** Whether this statement found its warehouse stopped and started it. */
  startedWarehouse: boolean;
  /** When it came, and when it had ended: milliseconds since 1970. */
  submittedMs: number;
  endedMs: number | undefined;
  /** When its warehouse ran and it could begin. */
  startedMs: number | undefined;
  /** The earlier statement whose result it was given. */
  cachedFrom: string | undefined;
  status: StatementState;
  /** Cancels it. */
  ending: AbortController;
}

export interface Submission {
  user: User;
  query: string;
  readOnly: boolean;
  choice: WarehouseChoice;
}

/** Rows of older statements are let go, so that a workspace may answer any number of queries. */
const KEPT_RESULTS = 500;

/** Statements on their way: each brings up its warehouse, runs, and keeps its rows for whoever polls. */
export class Statements {
  readonly log: StatementRecord[] = [];
  readonly #state: WorkspaceState;
  readonly #engine: Engine;
  readonly #closing = new AbortController();
  readonly #byId = new Map<string, StatementRecord>();
  readonly #settled = new WeakMap<StatementRecord, Promise<void>>();

  constructor(state: WorkspaceState, engine: Engine) {
    this.#state = state;
    this.#engine = engine;
  }

  submit(submission: Submission): StatementRecord {
    const record: StatementRecord = {
      statementId: randomUUID(),
      ...submission,
      startedWarehouse: false,
      submittedMs: Date.now(),
      endedMs: undefined,
      startedMs: undefined,
      cachedFrom: undefined,
      status: { state: 'PENDING' },
      ending: new AbortController(),
    };
    this.log.push(record);
    this.#byId.set(record.statementId, record);
    const outgrown = this.log.at(-1 - KEPT_RESULTS);
    if (outgrown?.status.state === 'SUCCEEDED') outgrown.status = { state: 'CLOSED' };
    this.#settled.set(record, this.#run(record));
    return record;
  }

  /** A statement of this user's own; others' are as good as unknown. */
  find(user: User, statementId: string): StatementRecord | undefined {
    const record = this.#byId.get(statementId);
    return record?.user.id === user.id ? record : undefined;
  }

  /** Resolves when the statement is done or `millis` have passed, whichever comes first. */
  async wait(record: StatementRecord, millis: number): Promise<void> {
    let timer: NodeJS.Timeout | undefined;
    const patience = new Promise<void>((resolve) => {
      timer = setTimeout(resolve, millis);
    });
    await Promise.race([this.#settled.get(record), patience]);
    clearTimeout(timer);
  }

  /** Ends what is under way; resolves when nothing is anymore. */
  async close(): Promise<void> {
    this.#closing.abort();
    await Promise.all(this.log.map((record) => this.#settled.get(record)));
  }

  async #run(record: StatementRecord): Promise<void> {
    const signal = AbortSignal.any([this.#closing.signal, record.ending.signal]);
    try {
      const warehouse = this.#usableWarehouse(record);
      if (warehouse.state !== 'RUNNING') await this.#bringUp(record, warehouse, signal);
      record.status = { state: 'RUNNING' };
      record.startedMs = Date.now();
      record.cachedFrom = this.#sameBefore(record)?.statementId;
      const rows = await runQuery(this.#engine, this.#state, { ...record, signal });
      record.status = { state: 'SUCCEEDED', rows };
    } catch (error) {
      record.status = signal.aborted ? { state: 'CANCELED' } : { state: 'FAILED', error: errorOf(error) };
    } finally {
      record.endedMs = Date.now();
    }
  }

  /** Starts the warehouse if it is stopped and waits until it runs. */
  async #bringUp(record: StatementRecord, warehouse: Warehouse, signal: AbortSignal): Promise<void> {
    if (warehouse.state !== 'STARTING') {
      record.startedWarehouse = true;
      this.#state.startWarehouse(warehouse.id);
    }
    await this.#state.whenRunning(warehouse.id, signal);
  }

  /** A statement that has given the same result: real warehouses keep the results of reading statements for a day. */
  #sameBefore({ statementId, readOnly, query, user }: StatementRecord): StatementRecord | undefined {
    if (!readOnly) return undefined;
    return this.log.find(
      (each) =>
        each.statementId !== statementId &&
        each.status.state === 'SUCCEEDED' &&
        each.query === query &&
        each.user.id === user.id,
    );
  }

  #usableWarehouse({ choice, user }: StatementRecord): Warehouse {
    if (choice.source === 'none') {
      throw new QueryFailure('BAD_REQUEST', `There is no SQL warehouse that ${user.userName} can use.`);
    }
    const warehouse = this.#state.warehouses.find(({ id }) => id === choice.warehouseId);
    if (!warehouse || !isThere(warehouse)) {
      throw new QueryFailure('RESOURCE_DOES_NOT_EXIST', `SQL warehouse ${choice.warehouseId} does not exist.`);
    }
    // Whoever may ask a Genie space queries with the right to the warehouse that its author put into it.
    if (choice.source !== 'genie-space' && !this.#state.mayUse(user, warehouse)) {
      throw new QueryFailure(
        'PERMISSION_DENIED',
        `${user.userName} does not have CAN_USE permission on SQL warehouse '${warehouse.name}' (${warehouse.id}).`,
      );
    }
    return warehouse;
  }
}

function errorOf(error: unknown): StatementError {
  if (error instanceof QueryFailure || error instanceof RestFault) {
    return { message: error.message, error_code: error.errorCode };
  }
  return { message: error instanceof Error ? error.message : String(error), error_code: 'INTERNAL_ERROR' };
}

/** A statement as the SQL server shows it: to the one who sent it and to each who polls. */
export function statementBody({ statementId, status }: StatementRecord): Record<string, unknown> {
  if (status.state === 'FAILED') return { statement_id: statementId, status };
  if (status.state !== 'SUCCEEDED') return { statement_id: statementId, status: { state: status.state } };
  const { columns, rows, truncated } = status.rows;
  return {
    statement_id: statementId,
    status: { state: status.state },
    manifest: { schema: { columns: columns.map((name) => ({ name })) }, truncated },
    result: {
      data_array: rows.map((row) => ({
        values: row.map((value) => (value === null ? { null_value: 'NULL_VALUE' } : { string_value: value })),
      })),
    },
  };
}
