import { Worker } from 'node:worker_threads';
import type { ErrorCode } from '../../preload/contract/error-facts.ts';
import { CausewayError } from '../platform/errors.ts';
import { within } from '../platform/within.ts';
import type { ServedStore } from './served-store.ts';
import { StoreFault, type StoreFaultKind } from './store-fault.ts';
import type { StoredCall } from './stored-call.ts';

type Methods = Omit<ServedStore, never>;
type Name = keyof Methods;

/** One call of the store as it crosses to the thread. */
export type StoreCall = { [Each in Name]: { do: Each; with: Parameters<Methods[Each]> } }[Name];

/** What comes back. */
export type StoreAnswer =
  | { value: unknown }
  | { fault: StoreFaultKind }
  | { error: { code: ErrorCode; message: string; remedy: string | undefined } };

/** How long calls gather before they are written, in milliseconds. */
const GATHER_MS = 250;
/** When a file that is locked is tried again, in milliseconds. */
const AGAIN_MS = 1_000;
/** How many calls are written at once, and how many may wait: more are in memory only. */
const CALLS_AT_ONCE = 1_000;
const MAX_WAITING = 100_000;
/** How long the thread is kept without work, in milliseconds: it takes some 10 MiB. */
const IDLE_MS = 60_000;
/** How long the last calls may take at the end, in milliseconds. */
const CLOSE_MS = 2_000;

export interface ThreadedStoreOptions {
  /** The program of the thread: `activity-thread.ts`, or what is built of it. */
  program: string;
  /** The file. */
  path: string;
  /** For how many days calls are kept now; 0 for memory only. */
  days(): number;
  /** Called when calls were written, and when that begins or ends to be impossible. */
  onChange(): void;
  /** Called once when calls cannot be kept, and again only after they could. */
  onFault(fault: StoreFault): void;
}

/**
 * The store in a thread of its own, for the application: SQLite waits for the disk and for other processes, and the thread that draws the
 * tray must not. The thread starts with the first call or question, and ends when it is idle.
 */
export class ThreadedStore {
  readonly #options: ThreadedStoreOptions;
  #thread: Thread | undefined;
  #lastId = 0;
  #waiting: StoredCall[] = [];
  #timer: NodeJS.Timeout | undefined;
  #idle: NodeJS.Timeout | undefined;
  #writing: Promise<void> | undefined;
  #fault: StoreFault | undefined;
  #isClosed = false;

  constructor(options: ThreadedStoreOptions) {
    this.#options = options;
  }

  /** Why calls are in memory only; undefined if they are kept, or are not to be. */
  get fault(): StoreFault | undefined {
    return this.#fault;
  }

  /** Whether what is stored is what is to be shown. */
  get isUsed(): boolean {
    return this.#options.days() > 0 && this.#fault === undefined && !this.#isClosed;
  }

  /** How many calls are not written yet. */
  get waiting(): number {
    return this.#waiting.length;
  }

  /** Takes a call that has ended. Never throws, and does not wait. */
  add(call: StoredCall): void {
    if (this.#options.days() === 0 || this.#isClosed || (this.#fault && !this.#fault.passes)) return;
    if (this.#waiting.length < MAX_WAITING) this.#waiting.push(call);
    this.#timer ??= setTimeout(() => void this.#write(), this.#fault ? AGAIN_MS : GATHER_MS).unref();
  }

  /** Asks something, after all calls that came before are written. @throws {StoreFault} @throws {CausewayError} */
  async ask<Each extends Name>(
    name: Each,
    ...args: Parameters<Methods[Each]>
  ): Promise<Awaited<ReturnType<Methods[Each]>>> {
    await this.#write();
    return this.#ask(name, ...args);
  }

  /** Writes what waits, and ends the thread. */
  async close(): Promise<void> {
    await within(CLOSE_MS, this.#write(), undefined);
    this.#isClosed = true;
    await this.#end();
  }

  async #write(): Promise<void> {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#writing ??= this.#writeWaiting().finally(() => {
      this.#writing = undefined;
    });
    return this.#writing;
  }

  async #writeWaiting(): Promise<void> {
    while (this.#waiting.length > 0 && !this.#isClosed) {
      const calls = this.#waiting.slice(0, CALLS_AT_ONCE);
      try {
        await this.#ask('add', calls, this.#options.days());
      } catch {
        // It was said, and the calls are in memory.
        if (this.#fault?.passes) this.#timer ??= setTimeout(() => void this.#write(), AGAIN_MS).unref();
        else this.#waiting = [];
        return;
      }
      this.#waiting.splice(0, calls.length);
      this.#options.onChange();
    }
  }

  async #ask<Each extends Name>(
    name: Each,
    ...args: Parameters<Methods[Each]>
  ): Promise<Awaited<ReturnType<Methods[Each]>>> {
    const answer = await this.#answer(this.#started(), { do: name, with: args } as StoreCall);
    if ('fault' in answer) throw this.#failed(new StoreFault(answer.fault, this.#options.path));
    if ('error' in answer) {
      const { code, message, remedy } = answer.error;
      throw new CausewayError(code, message, { remedy });
    }
    if (name === 'add') this.#works();
    // The thread runs this very method.
    return answer.value as Awaited<ReturnType<Methods[Each]>>;
  }

  #failed(fault: StoreFault): StoreFault {
    const isNews = this.#fault?.kind !== fault.kind;
    this.#fault = fault;
    if (isNews) {
      this.#options.onFault(fault);
      this.#options.onChange();
    }
    return fault;
  }

  #works(): void {
    if (!this.#fault) return;
    this.#fault = undefined;
    this.#options.onChange();
  }

  async #answer(thread: Thread, call: StoreCall): Promise<StoreAnswer> {
    clearTimeout(this.#idle);
    this.#lastId += 1;
    const id = this.#lastId;
    const answer = await new Promise<StoreAnswer>((resolve) => {
      thread.asked.set(id, resolve);
      thread.worker.postMessage({ id, call });
    });
    if (thread === this.#thread && thread.asked.size === 0) {
      this.#idle = setTimeout(() => void this.#end(), IDLE_MS).unref();
    }
    return answer;
  }

  #started(): Thread {
    if (this.#thread) return this.#thread;
    const worker = new Worker(this.#options.program, { name: 'activity', workerData: this.#options.path });
    worker.unref();
    const thread: Thread = { worker, asked: new Map() };
    worker.on('message', ({ id, ...answer }: StoreAnswer & { id: number }) => {
      const resolve = thread.asked.get(id);
      thread.asked.delete(id);
      resolve?.(answer);
    });
    worker.on('error', (error) => console.error('The thread that keeps calls has ended.', error));
    worker.on('exit', () => {
      if (this.#thread === thread) this.#thread = undefined;
      for (const resolve of thread.asked.values()) resolve({ fault: 'unwritable' });
    });
    this.#thread = thread;
    return thread;
  }

  async #end(): Promise<void> {
    clearTimeout(this.#idle);
    const thread = this.#thread;
    if (!thread) return;
    // What is asked from now on starts another one.
    this.#thread = undefined;
    // SQLite puts its files together when the last connection closes.
    await within(CLOSE_MS, this.#answer(thread, { do: 'close', with: [] }), undefined);
    await thread.worker.terminate();
  }
}

/** A thread, and what it was asked and has not answered yet, by number. */
interface Thread {
  worker: Worker;
  asked: Map<number, (answer: StoreAnswer) => void>;
}
