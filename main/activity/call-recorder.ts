import { setImmediate as nextTurn, setTimeout as sleep } from 'node:timers/promises';
import type { HubCall } from '../hub/session-record.ts';
import { CausewayError } from '../platform/errors.ts';
import { checkNotRemoved } from '../platform/removal.ts';
import { inOneLine } from '../words/failure.ts';
import { keptDays } from './kept-days.ts';
import { ActivityStore, activityFile } from './store.ts';
import { StoreFault } from './store-fault.ts';
import { type StoredCall, storedCall } from './stored-call.ts';

/** How many calls may wait to be written; more are dropped. */
const MAX_WAITING = 1_000;
/** How many are written at once: the client's frames wait meanwhile. */
const CALLS_AT_ONCE = 100;
/** How long a write of another process is waited for, in milliseconds: the client's frames wait meanwhile. */
const BUSY_MS = 20;
/** When a file that is locked is tried again, in milliseconds, and how often until that is said. */
const AGAIN_MS = 100;
const TRIES_UNTIL_SAID = 50;
/** When the file is closed if no call comes, in milliseconds: Windows removes no file that is open. */
const IDLE_MS = 3_000;

const recorders = new WeakMap<NodeJS.ProcessEnv, CallRecorder>();
let lastLog = 0;

/** One session's way into the store. */
export interface SessionRecorder {
  /** Takes a call that has ended. Never throws, and does not wait. */
  add(call: HubCall): void;
  /** Writes what waits. Never rejects. */
  close(): Promise<void>;
}

/** Keeps the calls of a session in a proxy that works without the application. All sessions of a process share one connection. */
export function recordSession(env: NodeJS.ProcessEnv, complain: (words: string) => void): SessionRecorder {
  let recorder = recorders.get(env);
  if (!recorder) {
    recorder = new CallRecorder(env, complain);
    recorders.set(env, recorder);
  }
  return recorder.session();
}

class CallRecorder {
  readonly #env: NodeJS.ProcessEnv;
  readonly #complain: (words: string) => void;
  #sessions = 0;
  #waiting: StoredCall[] = [];
  #writing: Promise<void> | undefined;
  #store: ActivityStore | undefined;
  #idle: NodeJS.Timeout | undefined;
  /** Whether the file cannot be used, which has been said. */
  #isGivenUp = false;
  #hasSaidBusy = false;

  constructor(env: NodeJS.ProcessEnv, complain: (words: string) => void) {
    this.#env = env;
    this.#complain = complain;
  }

  session(): SessionRecorder {
    this.#sessions += 1;
    lastLog += 1;
    const log = lastLog;
    let isOpen = true;
    return {
      add: (call) => this.#add(storedCall(call, null, undefined, log)),
      close: async () => {
        await this.#writing;
        if (isOpen) this.#sessions -= 1;
        isOpen = false;
        if (this.#sessions === 0) this.#close();
      },
    };
  }

  #add(call: StoredCall): void {
    if (this.#isGivenUp || this.#waiting.length >= MAX_WAITING) return;
    this.#waiting.push(call);
    clearTimeout(this.#idle);
    this.#writing ??= this.#write().finally(() => {
      this.#writing = undefined;
      this.#idle = setTimeout(() => this.#close(), IDLE_MS).unref();
    });
  }

  #close(): void {
    clearTimeout(this.#idle);
    this.#store?.close();
    this.#store = undefined;
  }

  async #write(): Promise<void> {
    let tries = 0;
    while (this.#waiting.length > 0) {
      // The answer goes to the client first.
      await nextTurn();
      const calls = this.#waiting.slice(0, CALLS_AT_ONCE);
      try {
        await this.#keep(calls);
        this.#waiting.splice(0, calls.length);
        tries = 0;
      } catch (error) {
        if (!(error instanceof StoreFault && error.passes)) return this.#giveUp(error);
        tries += 1;
        if (tries === TRIES_UNTIL_SAID) this.#sayBusy(error);
        await sleep(AGAIN_MS, undefined, { ref: false });
      }
    }
  }

  async #keep(calls: readonly StoredCall[]): Promise<void> {
    const days = await keptDays(this.#env);
    if (days === 0) return;
    await checkNotRemoved();
    this.#store ??= await ActivityStore.open(activityFile(this.#env), { busyMs: BUSY_MS, cacheKib: 512 });
    this.#store.add(calls, days);
  }

  #giveUp(error: unknown): void {
    this.#waiting = [];
    this.#isGivenUp = true;
    // The proxy itself says that Causeway was removed.
    if (error instanceof CausewayError && error.code === 'unavailable') return;
    // A file that cannot be written to must not disturb the client with a line for each call.
    this.#complain(`Calls are not kept for Activity. ${inOneLine(error)}`);
  }

  #sayBusy(error: StoreFault): void {
    if (!this.#hasSaidBusy) this.#complain(`Calls wait to be kept for Activity. ${inOneLine(error)}`);
    this.#hasSaidBusy = true;
  }
}
