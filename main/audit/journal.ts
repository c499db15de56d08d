import { join } from 'node:path';
import { onWire, startedStatement } from '../hub/calls.ts';
import type { HubCall } from '../hub/session-record.ts';
import type { WireCall } from '../hub/wire.ts';
import { CausewayError } from '../platform/errors.ts';
import { stateFolder } from '../platform/paths.ts';
import { inOneLine } from '../words/failure.ts';
import { appendRotated } from './audit-file.ts';

/** How large a file may become; one older file is kept. Together, they hold the last 2,000 calls at least. */
const ROTATION = { maxBytes: 512 * 1024, kept: 1 };

/** How many calls may wait to be written; more are dropped. */
const MAX_WAITING = 1_000;

/** Where the calls of proxies are that work without the application: the older file, and the one that is written to. */
export function journalFiles(env: NodeJS.ProcessEnv): [older: string, newest: string] {
  return [join(stateFolder(env), 'calls.1.jsonl'), journalFile(env)];
}

function journalFile(env: NodeJS.ProcessEnv): string {
  return join(stateFolder(env), 'calls.jsonl');
}

/** Appends calls, which several processes may do at once. @throws what the system says about the file */
export async function appendToJournal(
  env: NodeJS.ProcessEnv,
  calls: readonly WireCall[],
  rotation = ROTATION,
): Promise<void> {
  const text = calls.map((call) => `${JSON.stringify(call)}\n`).join('');
  await appendRotated(env, { path: journalFile(env), lock: 'calls-journal', text }, rotation);
}

/** Gives the calls of a proxy that works without the application to the journal, so that `causeway activity` can show them. */
export class CallJournal {
  readonly #env: NodeJS.ProcessEnv;
  readonly #complain: (words: string) => void;
  #waiting: WireCall[] = [];
  #writing: Promise<void> | undefined;
  #hasComplained = false;

  constructor(env: NodeJS.ProcessEnv, complain: (words: string) => void) {
    this.#env = env;
    this.#complain = complain;
  }

  /** Takes a call that has ended. Never throws, and does not wait. */
  add(call: Omit<HubCall, 'id'>): void {
    if (this.#waiting.length < MAX_WAITING) {
      this.#waiting.push(onWire(call, startedStatement(call, 'off'), call.statement?.isPoll ?? false));
    }
    this.#writing ??= this.#write().finally(() => {
      this.#writing = undefined;
    });
  }

  /** Writes what waits. Never rejects. */
  async close(): Promise<void> {
    await this.#writing;
  }

  async #write(): Promise<void> {
    while (this.#waiting.length > 0) {
      const calls = this.#waiting;
      this.#waiting = [];
      try {
        await appendToJournal(this.#env, calls);
      } catch (error) {
        // The proxy itself says that Causeway was removed.
        if (error instanceof CausewayError && error.code === 'unavailable') return;
        // A folder that cannot be written to must not disturb the client with a line for each call.
        if (!this.#hasComplained) this.#complain(`Calls are not kept for \`causeway activity\`. ${inOneLine(error)}`);
        this.#hasComplained = true;
      }
    }
  }
}
