import type { DatabaseSync } from 'node:sqlite';
import type { CallFilter, DayOfCalls, Latency } from '../../preload/contract/activity.ts';
import { displayNameOf } from '../clients/table.ts';
import { type DeletedCalls, deleteCalls, expireCalls } from './delete-calls.ts';
import { openForReading } from './open-store.ts';
import { ActivityStore, type StoredEvent } from './store.ts';
import { type Choice, type ReadCall, type StoredSummary, StoreReader } from './store-reader.ts';
import type { KnownLater, StoredCall } from './stored-call.ts';

/** How long a write of another process is waited for, in milliseconds, and how much of the file is kept in memory, in KiB. */
const OPTIONS = { busyMs: 1_000, cacheKib: 8_192 };

const EMPTY: StoredSummary = { kept: 0, newest: 0, clients: [], paths: [], tools: [], days: [] };

/** The store as the application's thread serves it: opened when it is needed, and made when something is written. */
export class ServedStore {
  readonly #path: string;
  #store: ActivityStore | undefined;
  #reading: DatabaseSync | undefined;

  constructor(path: string) {
    this.#path = path;
  }

  async add(calls: readonly StoredCall[], days: number): Promise<void> {
    (await this.#forWriting()).add(calls, days);
  }

  async learn(known: KnownLater): Promise<boolean> {
    return (await this.#forWriting()).learn(known);
  }

  async addEvents(events: readonly StoredEvent[]): Promise<void> {
    (await this.#forWriting()).addEvents(events);
  }

  async page(choice: Choice, from: number, count: number): Promise<{ total: number; rows: ReadCall[] }> {
    return (await this.#reader())?.page(choice, from, count) ?? { total: 0, rows: [] };
  }

  async find(id: number): Promise<ReadCall | undefined> {
    return (await this.#reader())?.find(id);
  }

  async summary(): Promise<StoredSummary> {
    return (await this.#reader())?.summary() ?? EMPTY;
  }

  async latency(filter: CallFilter): Promise<Latency | undefined> {
    return (await this.#reader())?.latency(filter);
  }

  async day(filter: CallFilter): Promise<DayOfCalls | undefined> {
    return (await this.#reader())?.day(filter);
  }

  async delete(which: DeletedCalls): Promise<number> {
    if (!(await this.#reader())) return 0;
    const store = await this.#forWriting();
    return deleteCalls(store, new StoreReader(this.#path, store.database, displayNameOf), which);
  }

  async expire(days: number): Promise<void> {
    if (await this.#reader()) await expireCalls(await this.#forWriting(), days);
  }

  async close(): Promise<void> {
    this.#store?.close();
    this.#reading?.close();
    this.#store = undefined;
    this.#reading = undefined;
  }

  async #forWriting(): Promise<ActivityStore> {
    if (this.#store) return this.#store;
    const store = await ActivityStore.open(this.#path, OPTIONS);
    this.#reading?.close();
    this.#reading = undefined;
    this.#store = store;
    return store;
  }

  /** Undefined if there is no file. */
  async #reader(): Promise<StoreReader | undefined> {
    if (!this.#store) this.#reading ??= await openForReading(this.#path, OPTIONS);
    const database = this.#store?.database ?? this.#reading;
    return database && new StoreReader(this.#path, database, displayNameOf);
  }
}
