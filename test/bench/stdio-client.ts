import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';

/** How long a process may take to end after its stdin has, in milliseconds; then it is ended. */
const LEAVE_MS = 1_000;

/** A bare stdio MCP client: as little as possible between the clock and the process that is measured. */
export class StdioClient {
  readonly pid: number;
  readonly #child: ChildProcess;
  readonly #waiting = new Map<number, { resolve: () => void; reject: (error: Error) => void }>();
  #nextId = 1;
  /** The beginning of a line whose end has not come. */
  #rest = '';

  constructor(command: string, args: string[], env: NodeJS.ProcessEnv) {
    this.#child = spawn(command, args, { env, stdio: ['pipe', 'pipe', 'pipe'] });
    if (!this.#child.stdout || this.#child.pid === undefined) throw new Error(`${command} cannot be started`);
    this.pid = this.#child.pid;
    this.#child.stdout.on('data', (chunk: Buffer) => this.#take(chunk));
    this.#child.stdin?.on('error', () => {});
    let said = '';
    this.#child.stderr?.on('data', (chunk) => {
      said = `${said}${chunk}`.slice(-1_000);
    });
    this.#child.once('exit', (code) => {
      for (const { reject } of this.#waiting.values())
        reject(new Error(`${args.join(' ')} ended with ${code}: ${said}`));
    });
  }

  async open(): Promise<void> {
    await this.request('initialize', {
      protocolVersion: '2025-06-18',
      capabilities: {},
      clientInfo: { name: 'bench', version: '1' },
    });
    this.#write({ jsonrpc: '2.0', method: 'notifications/initialized' });
  }

  request(method: string, params: unknown): Promise<void> {
    return new Promise((resolve, reject) => {
      this.#waiting.set(this.#nextId, { resolve, reject });
      this.send(method, params);
    });
  }

  /** Sends a request whose answer nobody waits for. */
  send(method: string, params: unknown): void {
    this.#write({ jsonrpc: '2.0', id: this.#nextId++, method, params });
  }

  /** Stops reading what the process writes. */
  pause(): void {
    this.#child.stdout?.pause();
  }

  async close(): Promise<void> {
    const tooLong = setTimeout(() => this.#child.kill('SIGKILL'), LEAVE_MS);
    this.#child.stdin?.end();
    if (this.#child.exitCode === null) await once(this.#child, 'exit');
    clearTimeout(tooLong);
  }

  /** Ends the process and drops what it has written. */
  async kill(): Promise<void> {
    this.#child.stdout?.removeAllListeners('data');
    this.#child.stdout?.destroy();
    this.#child.kill('SIGKILL');
    if (this.#child.signalCode === null) await once(this.#child, 'exit');
  }

  /** As plain as the direct calls' way: `readline` would cost this process as much for a line as those pay for a call's answer. */
  #take(chunk: Buffer): void {
    const lines = (this.#rest + chunk.toString('latin1')).split('\n');
    this.#rest = lines.pop() ?? '';
    for (const line of lines) {
      const { id } = JSON.parse(line);
      this.#waiting.get(id)?.resolve();
      this.#waiting.delete(id);
    }
  }

  #write(frame: unknown): void {
    this.#child.stdin?.write(`${JSON.stringify(frame)}\n`);
  }
}
