import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { z } from 'zod';

const Frame = z.looseObject({
  id: z.union([z.string(), z.number()]).nullish(),
  method: z.string().optional(),
  result: z.looseObject({}).optional(),
  error: z.looseObject({ code: z.number(), message: z.string() }).optional(),
});
export type Frame = z.infer<typeof Frame>;

/** How long an answer of the proxy may take, in milliseconds. */
const ANSWER_TIMEOUT_MS = 30_000;

/** `causeway proxy` as an AI client runs it: frames in lines over stdin and stdout. */
export class Session {
  /** The lines that came out of stdout. */
  readonly lines: string[] = [];
  readonly #child: ChildProcess;
  readonly #ended: Promise<unknown>;
  readonly #waiting = new Map<string | number, (frame: Frame) => void>();
  #stderr = '';

  constructor(command: string[], env: NodeJS.ProcessEnv) {
    const [file = '', ...args] = command;
    const child = spawn(file, args, { env, stdio: ['pipe', 'pipe', 'pipe'] });
    this.#child = child;
    this.#ended = once(child, 'close');
    child.stdin.on('error', () => undefined);
    child.stderr.on('data', (chunk: Buffer) => {
      this.#stderr += chunk.toString();
    });
    createInterface({ input: child.stdout }).on('line', (line) => this.#take(line));
  }

  send(frame: object): void {
    this.#child.stdin?.write(`${JSON.stringify({ jsonrpc: '2.0', ...frame })}\n`);
  }

  /** @returns the frame with that id, an error included */
  async request(id: string | number, method: string, params: object): Promise<Frame> {
    const answered = new Promise<Frame>((resolve) => this.#waiting.set(id, resolve));
    const stopped = new AbortController();
    const noAnswer = once(AbortSignal.timeout(ANSWER_TIMEOUT_MS), 'abort', { signal: stopped.signal }).then(() => {
      throw new Error(`${method} got no answer within ${ANSWER_TIMEOUT_MS / 1000} s.`);
    });
    const gone = this.#ended.then(() => {
      throw new Error(`The proxy ended before it answered ${method}. ${this.#stderr.trim()}`);
    });
    noAnswer.catch(() => undefined);
    gone.catch(() => undefined);
    this.send({ id, method, params });
    try {
      return await Promise.race([answered, noAnswer, gone]);
    } finally {
      stopped.abort();
      this.#waiting.delete(id);
    }
  }

  async close(): Promise<void> {
    this.#child.stdin?.end();
    const kill = setTimeout(() => this.#child.kill('SIGKILL'), 5_000);
    await this.#ended;
    clearTimeout(kill);
  }

  #take(line: string): void {
    this.lines.push(line);
    const frame = frameOf(line);
    if (frame === undefined) return;
    if (frame.method === undefined && frame.id !== undefined && frame.id !== null) this.#waiting.get(frame.id)?.(frame);
  }
}

/** Undefined for a line that is no frame: whoever looks at the lines sees it. */
function frameOf(line: string): Frame | undefined {
  try {
    return Frame.parse(JSON.parse(line));
  } catch {
    return undefined;
  }
}
