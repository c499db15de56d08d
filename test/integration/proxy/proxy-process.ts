import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Readable, Writable } from 'node:stream';
import { fileURLToPath } from 'node:url';
import { FrameSplitter } from '../../../main/bridge/frame/splitter.ts';
import { COMPILE_CACHE } from '../../compiled.ts';
import type { Answered } from '../bridge/harness.ts';

/** The command as it is built; `npm test` builds it first. */
export const CAUSEWAY = fileURLToPath(new URL('../../../out/cli/causeway.js', import.meta.url));

/** Its own home folder that holds a configuration file with these profiles. @param byDefault the default one, the first if left out; null for none */
export async function homeWith(
  profiles: Record<string, Record<string, string>>,
  byDefault: string | null = Object.keys(profiles)[0] ?? null,
) {
  const home = await mkdtemp(join(tmpdir(), 'causeway-proxy-'));
  const sections = Object.entries(profiles).map(([name, keys]) =>
    [`[${name}]`, ...Object.entries(keys).map(([key, value]) => `${key} = ${value}`), ''].join('\n'),
  );
  const settings = byDefault === null ? '' : `[__settings__]\ndefault_profile = ${byDefault}\n`;
  await writeFile(join(home, '.databrickscfg'), [...sections, settings].join('\n'), { mode: 0o600 });
  return { home, close: () => rm(home, { recursive: true }) };
}

/** Nothing of this process's environment but the path: proxies of its user would change what is tested. */
export function environment(home: string, more: NodeJS.ProcessEnv = {}): NodeJS.ProcessEnv {
  return { HOME: home, USERPROFILE: home, PATH: process.env.PATH, ...COMPILE_CACHE, ...more };
}

/** `causeway proxy` in its own process, with its stdin and stdout in the test's hands. */
export class ProxyProcess {
  readonly child: ChildProcess;
  readonly stdin: Writable;
  readonly stdout: Readable;
  /** What has come out of stdout, frame by frame. */
  readonly frames: Buffer[] = [];
  stderr = '';
  /** How it ended: its exit code, or the signal that ended it. */
  readonly ended: Promise<number | NodeJS.Signals>;
  readonly #splitter = new FrameSplitter({
    frame: (frame) => this.frames.push(Buffer.from(frame)),
    fault: ({ kind }) => this.frames.push(Buffer.from(`<${kind}>`)),
  });

  constructor(args: string[], env: NodeJS.ProcessEnv, stdio: 'pipe' | number = 'pipe', command = CAUSEWAY) {
    const child = spawn(process.execPath, [command, 'proxy', ...args], { env, stdio: [stdio, 'pipe', 'pipe'] });
    const { stdin, stdout, stderr } = child;
    if (!stdout || !stderr) throw new Error('no pipes');
    this.child = child;
    this.stdin = stdin ?? process.stderr;
    this.stdout = stdout;
    stdout.on('data', (chunk: Buffer) => this.#splitter.push(chunk));
    stderr.on('data', (chunk: Buffer) => {
      this.stderr += chunk.toString();
    });
    stdin?.on('error', () => {});
    this.ended = once(child, 'close').then(([code, signal]) => code ?? signal);
  }

  write(text: string | Buffer): void {
    this.stdin.write(text);
  }

  send(frame: unknown): void {
    this.write(`${typeof frame === 'string' ? frame : JSON.stringify(frame)}\n`);
  }

  request(id: number | string, method: string, params: unknown = {}): Promise<Answered> {
    this.send({ jsonrpc: '2.0', id, method, params });
    return this.answerTo(id);
  }

  /** Begins a session as clients do; `params` is what the client says besides. */
  async open(params: object = {}): Promise<Answered> {
    const common = { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: 'tests', version: '1' } };
    const opened = await this.request('open', 'initialize', { ...common, ...params });
    this.send({ jsonrpc: '2.0', method: 'notifications/initialized' });
    return opened;
  }

  /** Waits until so many frames have come. */
  async until(count: number): Promise<Buffer[]> {
    while (this.frames.length < count) await this.#more();
    return this.frames;
  }

  async answerTo(id: number | string | null): Promise<Answered> {
    for (let at = 0; ; at += 1) {
      const frame = JSON.parse(String((await this.until(at + 1))[at]));
      if (frame.id === id && ('result' in frame || 'error' in frame)) return frame;
    }
  }

  /** Resident memory in MiB (Linux only). */
  async residentMiB(): Promise<number> {
    const status = await readFile(`/proc/${this.child.pid}/status`, 'utf8');
    return Number(/VmRSS:\s+(\d+)/.exec(status)?.[1]) / 1024;
  }

  /** Ends its input and waits for its end. */
  async finish(): Promise<number | NodeJS.Signals> {
    this.stdin.end();
    return this.ended;
  }

  /** Ends it whatever it is doing, for clearing up. */
  async close(): Promise<void> {
    this.child.kill('SIGKILL');
    this.stdout.resume();
    await this.ended;
  }

  async #more(): Promise<void> {
    // As many may wait as there are calls under way.
    this.stdout.setMaxListeners(0);
    const exited = this.ended.then((how) => {
      throw new Error(`the proxy has ended (${how}): ${this.stderr}`);
    });
    await Promise.race([once(this.stdout, 'data'), exited]);
  }
}
