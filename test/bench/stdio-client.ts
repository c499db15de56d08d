import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { createInterface } from 'node:readline';

/** A bare stdio MCP client: as little as possible between the clock and the process that is measured. */
export class StdioClient {
  readonly #child: ChildProcess;
  readonly #waiting = new Map<number, () => void>();
  #nextId = 1;

  constructor(command: string, args: string[], env: NodeJS.ProcessEnv) {
    this.#child = spawn(command, args, { env, stdio: ['pipe', 'pipe', 'inherit'] });
    if (!this.#child.stdout) throw new Error('no stdout');
    createInterface({ input: this.#child.stdout }).on('line', (line) => {
      const { id } = JSON.parse(line);
      this.#waiting.get(id)?.();
      this.#waiting.delete(id);
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
    const id = this.#nextId++;
    return new Promise((resolve) => {
      this.#waiting.set(id, resolve);
      this.#write({ jsonrpc: '2.0', id, method, params });
    });
  }

  /** Resident memory of the process, in MiB (Linux only). */
  async residentMiB(): Promise<number> {
    const status = await readFile(`/proc/${this.#child.pid}/status`, 'utf8');
    return Number(/VmRSS:\s+(\d+)/.exec(status)?.[1] ?? Number.NaN) / 1024;
  }

  async close(): Promise<void> {
    this.#child.stdin?.end();
    if (this.#child.exitCode === null) await once(this.#child, 'exit');
  }

  #write(frame: unknown): void {
    this.#child.stdin?.write(`${JSON.stringify(frame)}\n`);
  }
}
