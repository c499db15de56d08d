import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { itemsOf, memberAt } from '../../bridge/frame/members.ts';
import type { ClientStart } from '../../clients/start.ts';
import { CausewayError } from '../../platform/errors.ts';
import { codeOf } from '../../platform/file-errors.ts';
import { jsonIn } from '../../platform/json.ts';
import { within } from '../../platform/within.ts';

/** What a client sees of a server first. */
interface FirstAnswers {
  /** The names of the tools. */
  tools: string[];
  /** How long it took until they were there, in milliseconds. */
  tookMs: number;
  /** What the server says is wrong, if one tool stands for that; null otherwise. */
  reason: string | null;
}

/** How long a client is taken to wait if its limit is not known, in milliseconds: what the MCP SDK waits. */
export const USUAL_ANSWER_MS = 60_000;
/** How long the server may take for the reason, and to end, in milliseconds. */
const REASON_MS = 15_000;
const END_MS = 2_000;
/** How much of what a program prints about its failure is kept, in characters. */
const MAX_PRINTED = 4_000;
const PROTOCOL = '2025-11-25';
/** The tool that stands for a server that cannot be used yet, and whose call only looks (`main/bridge/connection-tool.ts`). */
const STATUS = /(^|_)connection_status$/;
const LATE = Symbol('late');

/**
 * Starts a server as a client does, and asks for its tools as a client does that calls itself so.
 * @throws {CausewayError} `not_found` if there is no such program, `unavailable` if it ends, `timeout` if it answers too late,
 * `cancelled`
 */
export async function firstAnswers(
  { command, args, env, folder, answerMs = USUAL_ANSWER_MS }: ClientStart,
  wireName: string,
  signal: AbortSignal,
): Promise<FirstAnswers> {
  const began = performance.now();
  const child = spawn(command, args, { env, cwd: folder, stdio: 'pipe', windowsHide: true });
  const server = new Conversation(child);
  const cancelled = new Promise<never>((_, reject) => {
    const stop = () => reject(new CausewayError('cancelled', 'The test was interrupted.'));
    if (signal.aborted) stop();
    signal.addEventListener('abort', stop, { once: true });
  });
  cancelled.catch(() => undefined);
  const inTime = async <T>(work: Promise<T>, untilMs: number): Promise<T> => {
    const leftMs = Math.max(0, untilMs - (performance.now() - began));
    const done = await Promise.race([within(leftMs, work, LATE), server.failed(command), cancelled]);
    if (done === LATE) throw tooLate(answerMs);
    return done;
  };
  try {
    const clientInfo = { name: wireName, version: '1.0.0' };
    await inTime(server.ask('initialize', { protocolVersion: PROTOCOL, capabilities: {}, clientInfo }), answerMs);
    server.notify('notifications/initialized');
    const listed = await inTime(server.ask('tools/list', {}), answerMs);
    const tookMs = performance.now() - began;
    const tools = itemsOf(memberAt(listed, 'tools'));
    const names = tools.map((tool) => String(memberAt(tool, 'name')));
    const status = names.every((name) => STATUS.test(name)) ? names[0] : undefined;
    if (status === undefined) return { tools: names, tookMs, reason: null };
    const said = inTime(server.ask('tools/call', { name: status, arguments: {} }), tookMs + REASON_MS);
    const answer = await said.catch(() => undefined);
    const text = memberAt(itemsOf(memberAt(answer, 'content'))[0], 'text') ?? memberAt(tools[0], 'description');
    return { tools: names, tookMs, reason: String(text) };
  } finally {
    await server.end();
  }
}

function tooLate(answerMs: number): CausewayError {
  return new CausewayError('timeout', `It did not answer within ${answerMs / 1000} s. The client waits no longer.`);
}

/** JSON-RPC with a process, one message a line. */
class Conversation {
  readonly #child: ReturnType<typeof spawn>;
  readonly #open = new Map<number, (result: unknown, error: unknown) => void>();
  readonly #ended: Promise<string>;
  #startError: unknown;
  #printed = '';
  #lastId = 0;

  constructor(child: ReturnType<typeof spawn>) {
    this.#child = child;
    const { stdin, stdout, stderr } = child;
    stdin?.on('error', () => undefined);
    if (stdout) createInterface({ input: stdout }).on('line', (line) => this.#hear(jsonIn(line)));
    stderr?.setEncoding('utf8').on('data', (text: string) => {
      this.#printed = (this.#printed + text).slice(-MAX_PRINTED);
    });
    child.once('error', (error) => {
      this.#startError = error;
    });
    this.#ended = Promise.race([
      once(child, 'close').then(([code, signal]) =>
        code === null ? `was ended by ${signal}` : `ended with exit code ${code}`,
      ),
      once(child, 'error').then(() => 'did not start'),
    ]).catch(() => 'did not start');
  }

  /** Resolves to the result of a request. @throws {CausewayError} `unavailable` for an error as the answer */
  ask(method: string, params: object): Promise<unknown> {
    this.#lastId += 1;
    const id = this.#lastId;
    this.#write({ jsonrpc: '2.0', id, method, params });
    return new Promise((resolve, reject) => {
      this.#open.set(id, (result, error) => {
        if (error === undefined) resolve(result);
        else
          reject(
            new CausewayError('unavailable', `It answered ${method} with an error: ${memberAt(error, 'message')}`),
          );
      });
    });
  }

  notify(method: string): void {
    this.#write({ jsonrpc: '2.0', method });
  }

  /** Rejects once the process has ended or could not be started. */
  async failed(command: string): Promise<never> {
    const how = await this.#ended;
    if (codeOf(this.#startError) === 'ENOENT') {
      throw new CausewayError('not_found', `The program ${command} does not exist.`, {
        action: { do: 'repair-entries' },
      });
    }
    const cause = this.#startError;
    const why = cause instanceof Error ? cause.message : reasonIn(this.#printed);
    throw new CausewayError(
      'unavailable',
      `${command} ${how} before it answered${why === undefined ? '' : `: ${why}`}`,
      {
        cause,
        action: { do: 'repair-entries' },
      },
    );
  }

  /** Ends the process as clients do: closes its stdin, and kills it if that is not enough. */
  async end(): Promise<void> {
    this.#child.stdin?.end();
    if ((await within(END_MS, this.#ended, LATE)) !== LATE) return;
    this.#child.kill('SIGKILL');
    await this.#ended;
  }

  #hear(message: unknown): void {
    const id = memberAt(message, 'id');
    if (typeof id !== 'number') return;
    this.#open.get(id)?.(memberAt(message, 'result'), memberAt(message, 'error'));
    this.#open.delete(id);
  }

  #write(message: object): void {
    this.#child.stdin?.write(`${JSON.stringify(message)}\n`);
  }
}

/** The line that says why a program failed: of Node the error, of another the last. */
function reasonIn(printed: string): string | undefined {
  const lines = printed
    .split('\n')
    .map((line) => line.trim())
    .filter(Boolean);
  return lines.find((line) => /^[A-Za-z]*Error\b.*:/.test(line)) ?? lines.at(-1);
}
