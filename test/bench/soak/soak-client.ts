import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';
import { z } from 'zod';
import type { Account } from './account.ts';

/** How long an answer may take before it counts as late, in milliseconds: longer than anything the server does. */
const LATE_MS = 90_000;
/** And before it counts as lost: on a machine that is busy with other things, sixty processes may starve for minutes. */
const LOST_MS = 400_000;
const MAX_IN_FLIGHT = 4;
/** What a proxy says while a server has not answered for long, as it does where sixty processes start at once. */
const NOTICE = /^causeway proxy: \S+ has not responded yet\. Still trying\.$/;

const Frame = z.object({
  id: z.union([z.string(), z.number()]).optional(),
  method: z.string().optional(),
  params: z.object({ data: z.string().optional() }).optional(),
  result: z
    .object({ content: z.array(z.object({ text: z.string() })).optional(), isError: z.boolean().optional() })
    .optional(),
  error: z.object({ message: z.string() }).optional(),
});
type Frame = z.infer<typeof Frame>;

/** One client that spawns a proxy, calls in random rhythm, and leaves once everything is answered. */
export class SoakClient {
  readonly #name: string;
  readonly #account: Account;
  readonly #child: ChildProcess;
  readonly #waiting = new Map<string | number, (frame: Frame) => void>();
  #nextId = 0;
  #said = '';
  #tokens = 0;

  constructor(name: string, account: Account, command: string, env: NodeJS.ProcessEnv) {
    this.#name = name;
    this.#account = account;
    this.#child = spawn(process.execPath, [command, 'proxy', '--path', '/api/2.0/mcp/sql'], { env });
    if (!this.#child.stdout) throw new Error('no stdout');
    createInterface({ input: this.#child.stdout }).on('line', (line) => this.#read(line));
    this.#child.stdin?.on('error', () => {});
    this.#child.stderr?.on('data', (chunk) => {
      this.#said += chunk;
    });
  }

  get pid(): number {
    return this.#child.pid ?? 0;
  }

  /** Its whole life: opens, calls until told to stop, and leaves. */
  async live(until: () => boolean): Promise<void> {
    const exited = once(this.#child, 'exit');
    const opened = await this.#request('initialize', {
      protocolVersion: '2025-06-18',
      capabilities: {},
      clientInfo: { name: this.#name, version: '1' },
    });
    if (!opened?.result) this.#account.violate(`lost: ${this.#name} could not open: ${JSON.stringify(opened)}`);
    this.#write({ jsonrpc: '2.0', method: 'notifications/initialized' });
    await Promise.all(Array.from({ length: 1 + Math.floor(Math.random() * MAX_IN_FLIGHT) }, () => this.#calls(until)));
    this.#child.stdin?.end();
    const [code] = await exited;
    if (code !== 0) this.#account.violate(`${this.#name} left with ${code}`);
    const lines = this.#said.split('\n').filter((line) => line !== '');
    const other = lines.filter((line) => !NOTICE.test(line));
    this.#account.notices += lines.length - other.length;
    if (other.length > 0) this.#account.violate(`${this.#name} said on stderr: ${other.join(' ').slice(0, 300)}`);
  }

  async #calls(until: () => boolean): Promise<void> {
    while (!until()) {
      const token = `${this.#name}.${++this.#tokens}`;
      this.#account.sent(token);
      const answer = await this.#request('tools/call', { name: 'echo', arguments: { token } });
      if (!answer) this.#account.violate(`lost: ${token} was never answered`);
      else this.#account.ended(token, told(answer));
      await sleep(Math.random() * 300);
    }
  }

  /** Undefined if no answer came. */
  async #request(method: string, params: unknown): Promise<Frame | undefined> {
    this.#nextId += 1;
    const id = this.#nextId % 2 === 0 ? this.#nextId : `call-${this.#nextId}`;
    const answer = new Promise<Frame>((resolve) => this.#waiting.set(id, resolve));
    this.#write({ jsonrpc: '2.0', id, method, params });
    const inTime = await within(LATE_MS, answer);
    if (inTime) return inTime;
    this.#account.late += 1;
    return within(LOST_MS - LATE_MS, answer);
  }

  #read(line: string): void {
    const frame = Frame.parse(JSON.parse(line));
    if (frame.method !== undefined) {
      this.#account.notifications += 1;
      if (frame.params?.data !== this.#name) {
        this.#account.violate(`crossed: ${this.#name} was sent news of ${frame.params?.data}`);
      }
      return;
    }
    const settle = frame.id === undefined ? undefined : this.#waiting.get(frame.id);
    if (!settle || frame.id === undefined) {
      this.#account.violate(`doubled: ${this.#name} was sent another answer: ${line.slice(0, 200)}`);
      return;
    }
    this.#waiting.delete(frame.id);
    settle(frame);
  }

  #write(frame: unknown): void {
    this.#child.stdin?.write(`${JSON.stringify(frame)}\n`);
  }
}

/** What a client makes of the answer to a call. The bridge tells of a call that it could not make as a tool's result too. */
function told({ error, result }: Frame): { token: string } | { error: string } {
  const text = result?.content?.[0]?.text ?? '';
  if (error) return { error: error.message };
  return result?.isError ? { error: text } : { token: text };
}

async function within(milliseconds: number, answer: Promise<Frame>): Promise<Frame | undefined> {
  const tooLong = new AbortController();
  const given = await Promise.race([answer, sleep(milliseconds, undefined, { signal: tooLong.signal })]);
  tooLong.abort();
  return given;
}
