import { createRequire } from 'node:module';
import { Worker } from 'node:worker_threads';
import { AsyncEntry, findCredentialsAsync } from 'keytar';
import { z } from 'zod';

/** A call of the operating system's keychain. */
export type KeychainCall =
  | { does: 'get' | 'delete'; service: string; name: string }
  | { does: 'set'; service: string; name: string; text: string }
  /** Lists the names of a service's items. */
  | { does: 'names'; service: string };

/** On Linux never the kernel's key ring, which the library would fall back to: it forgets at the end of the session without a word. */
const OPTIONS = { linux: { store: 'secret-service' } } as const;

/**
 * What the thread runs. The library's calls block there, for as long as the keychain waits for its user or its bus does not
 * answer; some of them would block the whole process otherwise, signals included.
 */
const THREAD = `
const { parentPort, workerData } = require('node:worker_threads');
const loaded = { exports: {} };
process.dlopen(loaded, workerData.library);
const { Entry, findCredentials } = loaded.exports;
const work = {
  get: ({ service, name }) => new Entry(service, name, workerData.options).getPassword(),
  set: ({ service, name, text }) => void new Entry(service, name, workerData.options).setPassword(text),
  delete: ({ service, name }) => void new Entry(service, name, workerData.options).deletePassword(),
  names: ({ service }) => findCredentials(service).map(({ account }) => account),
};
parentPort.on('message', ({ id, call }) => {
  try {
    parentPort.postMessage({ id, value: work[call.does](call) });
  } catch (error) {
    parentPort.postMessage({ id, error: String((error && error.message) || error) });
  }
});
`;

const Answer = z.object({ id: z.number(), value: z.unknown().optional(), error: z.string().optional() });

interface Waiting {
  call: KeychainCall;
  resolve: (value: unknown) => void;
  reject: (error: Error) => void;
}

/** The library's own calls, on a thread that can be given up. */
class KeychainThread {
  readonly #worker: Worker;
  readonly #waiting = new Map<number, Waiting>();
  #calls = 0;
  #hasAnswered = false;

  constructor(library: string, onEnd: () => void) {
    this.#worker = new Worker(THREAD, { eval: true, workerData: { library, options: OPTIONS } });
    this.#worker.unref();
    this.#worker.on('message', (message: unknown) => this.#answered(message));
    this.#worker.on('error', () => this.#end());
    this.#worker.on('exit', () => {
      this.#end();
      onEnd();
    });
  }

  call(call: KeychainCall): Promise<unknown> {
    const id = ++this.#calls;
    return new Promise((resolve, reject) => {
      this.#waiting.set(id, { call, resolve, reject });
      this.#worker.ref();
      this.#worker.postMessage({ id, call });
    });
  }

  /** Waits for nothing of it any more. A call that blocks goes on, and its outcome is not used. */
  giveUp(): void {
    this.#hasAnswered = true;
    for (const { reject } of this.#waiting.values()) reject(new Error('The keychain is locked.'));
    this.#waiting.clear();
    this.#worker.unref();
    void this.#worker.terminate();
  }

  #answered(message: unknown): void {
    const { id, value, error } = Answer.parse(message);
    this.#hasAnswered = true;
    const waiting = this.#waiting.get(id);
    this.#waiting.delete(id);
    if (this.#waiting.size === 0) this.#worker.unref();
    if (error === undefined) waiting?.resolve(value);
    else waiting?.reject(new Error(error));
  }

  /** A thread that cannot begin where this runs is done without. */
  #end(): void {
    if (!this.#hasAnswered) threadsWork = false;
    for (const { call, resolve, reject } of this.#waiting.values()) {
      if (this.#hasAnswered) reject(new Error('The thread of the keychain has ended.'));
      else resolve(callHere(call));
    }
    this.#waiting.clear();
  }
}

let threadsWork = true;

/** Threads that were given up and have not ended: the process cannot end by itself with them. */
const givenUp = new Set<KeychainThread>();
let thread: KeychainThread | undefined;

/** How many calls that were given up have not come back. */
export function callsGivenUp(): number {
  return givenUp.size;
}

/** Gives up all calls that have not been answered. @returns whether they can be: the next ones begin anew then */
export function giveUpCalls(): boolean {
  if (!thread) return false;
  givenUp.add(thread);
  thread.giveUp();
  thread = undefined;
  return true;
}

/** Calls the keychain, on a thread of its own where that can be had. @throws {Error} the library's */
export async function callKeychain(call: KeychainCall): Promise<unknown> {
  const library = nativeLibrary();
  if (library === undefined) return callHere(call);
  if (!thread) {
    const started: KeychainThread = new KeychainThread(library, () => {
      givenUp.delete(started);
      if (thread === started) thread = undefined;
    });
    thread = started;
  }
  return thread.call(call);
}

/** The file of the library that is loaded here; undefined where no thread is used, as on Windows, which never asks. */
function nativeLibrary(): string | undefined {
  if (!threadsWork || process.platform === 'win32') return undefined;
  const loaded = Object.keys(createRequire(process.execPath).cache).find((file) => /keyring[^/\\]*\.node$/.test(file));
  // The system cannot load from the packaged application's archive, beside which the library lies.
  return loaded?.replace(/app\.asar(?=[/\\])/, 'app.asar.unpacked');
}

function callHere(call: KeychainCall): Promise<unknown> {
  if (call.does === 'names') {
    return findCredentialsAsync(call.service).then((found) => found.map(({ account }) => account));
  }
  const entry = new AsyncEntry(call.service, call.name, OPTIONS);
  switch (call.does) {
    case 'get':
      return entry.getPassword();
    case 'set':
      return entry.setPassword(call.text);
    case 'delete':
      return entry.deletePassword();
  }
}
