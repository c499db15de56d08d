import type { ErrorCode } from '../platform/errors.ts';
import { CausewayError, inOneLine } from '../platform/errors.ts';
import { parseFrame } from './envelope.ts';
import type { FrameSink } from './flow.ts';
import { type AnswerMemory, isRemembered } from './memory.ts';
import { withId } from './raw-id.ts';
import type { Trip } from './trip.ts';

/** How long a client waits for the truth before it is given the last known answer, in milliseconds. Some give up after 3 s. */
const PATIENCE_MS = 1_000;

/** How long a call waits for a session while there is none, in milliseconds. */
const CALL_PATIENCE_MS = 60_000;

/** Failures that say nothing about the server's tools, only that it cannot be asked now: nobody is signed in, or nothing comes through. */
const AWAY = new Set<ErrorCode>([
  'signed_out',
  'sign_in_failed',
  'sign_in_cancelled',
  'sign_in_timeout',
  'consent_denied',
  'keychain_unavailable',
  'keychain_locked',
  'cli_unavailable',
  'unauthenticated',
  'tls',
  'unreachable',
  'timeout',
  'unavailable',
  'rate_limited',
  'login_page',
  'outcome_unknown',
]);

/** The revisions that have sessions: the bridge may answer their `initialize` itself. */
export const SESSION_REVISIONS = new Set(['2024-11-05', '2025-03-26', '2025-06-18', '2025-11-25']);

/**
 * Answers a client from memory while the workspace is slow, unreachable or signed out, so that the client neither gives up
 * nor loses its tools; and tells it when the truth turns out to differ.
 */
export class InstantAnswers {
  readonly #memory: AnswerMemory;
  readonly #sink: FrameSink;
  /** The tools that the client was given from memory and that have not been checked. */
  #givenTools: unknown;
  #keeping: Promise<void> = Promise.resolve();
  /** Whether the client holds an `initialize` answer behind which there may be no session. */
  provisional = false;

  constructor(memory: AnswerMemory, sink: FrameSink) {
    this.#memory = memory;
    this.#sink = sink;
  }

  get hasUncheckedTools(): boolean {
    return this.#givenTools !== undefined;
  }

  /** Resolves when what was learnt is kept: a session that lasts a moment teaches too. */
  kept(): Promise<void> {
    return this.#keeping;
  }

  /** Lets `work` settle a trip, and steps in when it takes too long. */
  async hasten(trip: Trip, work: Promise<void>): Promise<void> {
    if (!isFirstPage(trip)) return work;
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<'late'>((resolve) => {
      timer = setTimeout(resolve, this.provisional ? 0 : PATIENCE_MS, 'late');
    });
    const first = await Promise.race([work, late]);
    clearTimeout(timer);
    if (first === 'late') await this.answer(trip);
    return work;
  }

  /** Bounds how long a call waits for a session that may never come. @throws {CausewayError} `timeout` */
  async bounded<T>(trip: Trip, waiting: Promise<T>): Promise<T> {
    if (!this.provisional || trip.method !== 'tools/call') return waiting;
    let timer: NodeJS.Timeout | undefined;
    const tooLong = new Promise<never>((_, reject) => {
      timer = setTimeout(() => reject(notYet()), CALL_PATIENCE_MS);
    });
    return Promise.race([waiting, tooLong]).finally(() => clearTimeout(timer));
  }

  /** Answers a trip that has failed. Tells whether that was possible. */
  async stepIn(trip: Trip, error: unknown): Promise<boolean> {
    const away = error instanceof CausewayError && AWAY.has(error.code);
    if (away && isFirstPage(trip) && (await this.answer(trip))) return true;
    if (!this.provisional || trip.method !== 'tools/call' || trip.owed <= 0) return false;
    trip.owed = 0;
    this.#sink.write(toolErrorFrame(trip.id, error));
    return true;
  }

  /** Gives the last known answer, if there is one and none was given yet. */
  async answer(trip: Trip): Promise<boolean> {
    const frame = isRemembered(trip.method) ? await this.#memory.get(trip.method) : undefined;
    const json = frame && parseFrame(frame);
    if (!frame || json === undefined || trip.owed <= 0) return false;
    trip.owed = 0;
    trip.silent = true;
    if (trip.method === 'initialize') {
      this.provisional = true;
      this.#sink.write(withId(adapted(json, trip.frame), trip.id));
    } else {
      this.#givenTools = resultOf(json);
      this.#sink.write(withId(frame, trip.id));
    }
    return true;
  }

  /** The truth has come. It is kept, and a client that was told otherwise is told to ask again. */
  learn(trip: Pick<Trip, 'method' | 'frame'>, frame: Buffer, json: unknown): void {
    const { method } = trip;
    const result = resultOf(json);
    if (!isRemembered(method) || !isFirstPage(trip) || result === undefined) return;
    if (method === 'initialize') this.provisional = false;
    else if (hasMorePages(result)) return;
    this.#keeping = this.#memory.put(method, frame);
    if (method !== 'tools/list') return;
    const given = this.#givenTools;
    this.#givenTools = undefined;
    if (given !== undefined && JSON.stringify(given) !== JSON.stringify(result)) {
      this.#sink.write(Buffer.from('{"jsonrpc":"2.0","method":"notifications/tools/list_changed"}'));
    }
  }
}

function notYet(): CausewayError {
  return new CausewayError('timeout', 'There is still no connection to the workspace.', {
    remedy: 'Open Causeway to see whether it waits for a sign-in or for the network, then try again. Nothing was run.',
  });
}

/** A failed call as a tool's result, so that the model reads it and can tell its user. `id` is raw JSON text. */
function toolErrorFrame(id: string, error: unknown): Buffer {
  const result = JSON.stringify({ content: [{ type: 'text', text: inOneLine(error) }], isError: true });
  return Buffer.from(`{"jsonrpc":"2.0","id":${id},"result":${result}}`);
}

function isFirstPage({ method, frame }: Pick<Trip, 'method' | 'frame'>): boolean {
  return isRemembered(method) && !frame.includes('"cursor"');
}

function resultOf(json: unknown): unknown {
  return typeof json === 'object' && json !== null && 'result' in json ? json.result : undefined;
}

function hasMorePages(result: unknown): boolean {
  return typeof result === 'object' && result !== null && 'nextCursor' in result && Boolean(result.nextCursor);
}

/** A remembered `initialize` answer in the revision that this client asks for, announcing that the tools may change. */
function adapted(json: unknown, request: Buffer): Buffer {
  const result = Object(resultOf(json));
  const asked = Object(Object(parseFrame(request)).params).protocolVersion;
  const capabilities = Object(result.capabilities);
  const tools = { ...Object(capabilities.tools), listChanged: true };
  return Buffer.from(
    JSON.stringify({
      jsonrpc: '2.0',
      id: 0,
      result: {
        ...result,
        protocolVersion: SESSION_REVISIONS.has(asked) ? asked : result.protocolVersion,
        capabilities: { ...capabilities, tools },
      },
    }),
  );
}
