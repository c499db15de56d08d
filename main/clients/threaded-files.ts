import { MessageChannel, type MessagePort, Worker } from 'node:worker_threads';
import type { ErrorCode } from '../../preload/contract/error-facts.ts';
import { CausewayError, type CausewayErrorOptions } from '../platform/errors.ts';
import { codeOf } from '../platform/file-errors.ts';
import type { Backup, BackupOptions } from './backups.ts';
import type { ClientFacts, ManagedFile } from './client.ts';
import type { ClientFile, ClientFiles, FileContent, FilePlanOptions, ManagedContent, PutBack } from './files.ts';
import type { Plan, Wanted } from './plan.ts';

/** One call of `ClientFiles` as it crosses to the thread, which finds the client in the table by its id. */
export type FilesCall =
  | { do: 'read'; client: string; file: ClientFile }
  | { do: 'readManaged'; file: ManagedFile }
  | { do: 'plan'; client: string; file: ClientFile; wanted: Wanted; options: FilePlanOptions }
  | { do: 'backUp'; client: string; file: ClientFile; options: BackupOptions }
  | { do: 'write'; file: ClientFile; removes: boolean }
  | { do: 'forget'; file: ClientFile }
  | { do: 'putBack'; id: string; options: BackupOptions & { dryRun: boolean } };

/** A call, and where its answer is waited for. */
export interface FilesRequest {
  call: FilesCall;
  port: MessagePort;
}

/** What comes back. */
export type Answer<T> =
  | { value: T; error?: never }
  | { error: { code: ErrorCode; message: string; options: CausewayErrorOptions } };

/** How long the thread is kept without work, in milliseconds: it takes some 10 MiB. */
const IDLE_MS = 30_000;
/** How long one call may take, in milliseconds. The largest files that are valid take a few seconds. */
const CALL_TIMEOUT_MS = 60_000;
/** How much of the heap the thread may use. The content of files is not on it. */
const MAX_HEAP_MIB = 512;

export interface ThreadOptions {
  /** The program of the thread: `files-thread.ts`, or what is built of it. */
  program: string;
  idleMs?: number;
  callTimeoutMs?: number;
}

/**
 * Reads and changes clients' files in a thread of its own. A large or hostile file then holds up nothing else that the process does,
 * such as the calls of other clients. The thread starts when it is needed, and ends when it is not. For the clients of the table only.
 */
export class ThreadedFiles implements ClientFiles {
  readonly #options: Required<ThreadOptions>;
  #thread: Worker | undefined;
  /** Why the last thread ended. */
  #failure: unknown;
  /** Calls that are not answered yet, and files whose content the thread keeps. */
  #open = 0;
  readonly #kept = new Set<string>();
  #idle: NodeJS.Timeout | undefined;

  constructor(options: ThreadOptions) {
    this.#options = { idleMs: IDLE_MS, callTimeoutMs: CALL_TIMEOUT_MS, ...options };
  }

  /** Whether the thread runs. */
  get isRunning(): boolean {
    return this.#thread !== undefined;
  }

  read({ id }: ClientFacts, file: ClientFile): Promise<FileContent> {
    return this.#ask({ do: 'read', client: id, file }, file.path);
  }

  readManaged(file: ManagedFile): Promise<ManagedContent | undefined> {
    return this.#ask({ do: 'readManaged', file }, file.path);
  }

  plan({ id }: ClientFacts, file: ClientFile, wanted: Wanted, options: FilePlanOptions): Promise<Plan> {
    if (options.keeps) this.#kept.add(file.path);
    return this.#ask({ do: 'plan', client: id, file, wanted, options }, file.path);
  }

  backUp({ id }: ClientFacts, file: ClientFile, options: BackupOptions): Promise<Backup> {
    return this.#ask({ do: 'backUp', client: id, file, options: plain(options) }, file.path);
  }

  write(file: ClientFile, removes: boolean): Promise<boolean> {
    return this.#ask({ do: 'write', file, removes }, file.path);
  }

  async forget(file: ClientFile): Promise<void> {
    this.#kept.delete(file.path);
    if (this.#thread) await this.#ask({ do: 'forget', file }, file.path);
  }

  putBack(id: string, options: BackupOptions & { dryRun: boolean }): Promise<PutBack> {
    return this.#ask({ do: 'putBack', id, options: plain(options) }, `The backup ${id}`);
  }

  #ask<T>(call: FilesCall, about: string): Promise<T> {
    clearTimeout(this.#idle);
    this.#open += 1;
    const thread = this.#started();
    const { port1, port2 } = new MessageChannel();
    const { callTimeoutMs } = this.#options;
    return new Promise<T>((resolve, reject) => {
      const timer = setTimeout(() => {
        // It can be interrupted in no other way.
        this.#end(thread);
        reject(given(about, `took longer than ${callTimeoutMs / 1000} seconds`));
      }, callTimeoutMs);
      timer.unref();
      port1.once('message', (answer: Answer<T>) => {
        if (answer.error) reject(new CausewayError(answer.error.code, answer.error.message, answer.error.options));
        else resolve(answer.value);
      });
      // Also where the thread has ended without an answer.
      port1.once('close', () => {
        clearTimeout(timer);
        this.#closed();
        reject(this.#cutOff(about));
      });
      thread.postMessage({ call, port: port2 } satisfies FilesRequest, [port2]);
    });
  }

  #started(): Worker {
    if (this.#thread) return this.#thread;
    const thread = new Worker(this.#options.program, {
      name: 'clients-files',
      resourceLimits: { maxOldGenerationSizeMb: MAX_HEAP_MIB },
    });
    thread.unref();
    // What was asked of it learns that from its port.
    thread.on('error', (error) => {
      this.#failure = error;
      this.#end(thread);
    });
    this.#thread = thread;
    return thread;
  }

  #cutOff(about: string): CausewayError {
    if (codeOf(this.#failure) === 'ERR_WORKER_OUT_OF_MEMORY')
      return given(about, 'needs more memory than there is for it');
    return new CausewayError('internal', `${about} could not be worked on.`, { cause: this.#failure });
  }

  #end(thread: Worker): void {
    if (this.#thread === thread) {
      this.#thread = undefined;
      this.#kept.clear();
    }
    void thread.terminate();
  }

  #closed(): void {
    this.#open -= 1;
    const thread = this.#thread;
    if (this.#open > 0 || this.#kept.size > 0 || !thread) return;
    this.#idle = setTimeout(() => this.#end(thread), this.#options.idleMs).unref();
  }
}

function given(about: string, what: string): CausewayError {
  return new CausewayError('invalid_file', `${about} could not be worked on: it ${what}.`, {
    remedy: 'Nothing was changed. Move what does not belong in it elsewhere, then try again.',
  });
}

/** The environment of a process is an object of its own kind, which cannot cross. */
function plain<T extends BackupOptions>(options: T): T {
  return { ...options, env: { ...options.env } };
}
