import type { OutgoingHttpHeader, OutgoingHttpHeaders, ServerResponse } from 'node:http';
import { setImmediate, setTimeout as sleep } from 'node:timers/promises';
import type { Effect } from './faults.ts';

/** Faults that spoil the true answer on its way out: whoever handles the request writes to `response` as always. */

/** Puts a queue between the handler and the socket, and lets the effect act on what passes through it. */
export function shapeAnswer(response: ServerResponse, effect: Effect): void {
  const sink = new Sink(response, effect);
  response.write = (chunk: unknown, encoding?: unknown, callback?: unknown) => {
    sink.push(bytesOf(chunk, encoding));
    settle(encoding, callback);
    return true;
  };
  response.end = (chunk?: unknown, encoding?: unknown, callback?: unknown) => {
    if (chunk !== undefined && chunk !== null && typeof chunk !== 'function') sink.push(bytesOf(chunk, encoding));
    sink.finish();
    settle(chunk, encoding, callback);
    return response;
  };
  response.flushHeaders = () => sink.flush();
  hideDrains(response);
  if (effect.kind === 'pad') response.writeHead = headWithoutLength(response);
}

class Sink {
  readonly #response: ServerResponse;
  readonly #effect: Effect;
  readonly #write: (bytes: Buffer) => Promise<void>;
  readonly #end: () => void;
  readonly #flushHeaders: () => void;
  readonly #gone = new AbortController();
  #tail: Promise<void>;
  #sent = 0;
  #acted = false;

  constructor(response: ServerResponse, effect: Effect) {
    this.#response = response;
    this.#effect = effect;
    const write = response.write.bind(response);
    const end = response.end.bind(response);
    this.#write = (bytes) => new Promise((resolve) => write(bytes, () => resolve()));
    this.#end = () => void end();
    this.#flushHeaders = response.flushHeaders.bind(response);
    response.once('close', () => this.#gone.abort());
    this.#tail = effect.kind === 'delay' ? this.#sleep(effect.milliseconds) : Promise.resolve();
  }

  push(bytes: Buffer): void {
    this.#then(() => this.#send(bytes));
  }

  flush(): void {
    this.#then(() => this.#open());
  }

  finish(): void {
    this.#then(async () => {
      await this.#open();
      if (this.#effect.kind === 'cut') this.#cut();
      else this.#end();
    });
  }

  /** What comes after the connection has gone is dropped, as the network would drop it. */
  #then(job: () => Promise<void>): void {
    this.#tail = this.#tail.then(() => (this.#gone.signal.aborted ? undefined : job()));
  }

  /** Before the first byte of the body. */
  async #open(): Promise<void> {
    if (this.#acted) return;
    if (this.#effect.kind === 'drop') {
      this.#acted = true;
      if (this.#effect.when === 'after-headers') this.#flushHeaders();
      this.#cut();
    } else if (this.#effect.kind === 'stall' && !this.#effect.afterBytes) {
      await this.#stall(this.#effect.milliseconds);
    }
  }

  async #send(bytes: Buffer): Promise<void> {
    await this.#open();
    switch (this.#effect.kind) {
      case 'drop':
        return;
      case 'cut':
        return this.#sendUntilCut(bytes, this.#effect.afterBytes);
      case 'trickle':
        for (const byte of bytes) {
          await this.#write(Buffer.of(byte));
          await setImmediate();
        }
        return;
      case 'stall':
        return this.#sendAroundStall(bytes, this.#effect);
      case 'pad':
        return this.#sendPadded(bytes, this.#effect.bytes);
      default:
        return this.#write(bytes);
    }
  }

  async #sendUntilCut(bytes: Buffer, afterBytes: number): Promise<void> {
    const allowed = bytes.subarray(0, Math.max(afterBytes - this.#sent, 0));
    this.#sent += bytes.length;
    if (allowed.length > 0) await this.#write(allowed);
    else this.#flushHeaders();
    if (this.#sent >= afterBytes) this.#cut();
  }

  async #sendAroundStall(
    bytes: Buffer,
    effect: { milliseconds: number; afterBytes?: number | undefined },
  ): Promise<void> {
    const before = bytes.subarray(0, Math.max((effect.afterBytes ?? 0) - this.#sent, 0));
    this.#sent += bytes.length;
    if (before.length > 0) await this.#write(before);
    if (this.#sent >= (effect.afterBytes ?? 0) && !this.#acted) await this.#stall(effect.milliseconds);
    if (before.length < bytes.length) await this.#write(bytes.subarray(before.length));
  }

  async #sendPadded(bytes: Buffer, padding: number): Promise<void> {
    const brace = this.#acted ? -1 : bytes.indexOf('{');
    if (brace < 0) return this.#write(bytes);
    this.#acted = true;
    await this.#write(bytes.subarray(0, brace + 1));
    const spaces = Buffer.alloc(64 * 1024, ' ');
    for (let left = padding; left > 0 && !this.#gone.signal.aborted; left -= spaces.length) {
      await this.#write(spaces.subarray(0, Math.min(left, spaces.length)));
    }
    await this.#write(bytes.subarray(brace + 1));
  }

  async #stall(milliseconds: number): Promise<void> {
    this.#acted = true;
    this.#flushHeaders();
    await this.#sleep(milliseconds);
  }

  #cut(): void {
    this.#gone.abort();
    this.#response.socket?.destroySoon();
  }

  /** Ends early when the connection goes: nothing is left running behind it. */
  async #sleep(milliseconds: number): Promise<void> {
    await sleep(milliseconds, undefined, { signal: this.#gone.signal, ref: false }).catch(() => undefined);
  }
}

function bytesOf(chunk: unknown, encoding: unknown): Buffer {
  if (chunk instanceof Uint8Array) return Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength);
  return Buffer.from(String(chunk), Buffer.isEncoding(String(encoding)) ? (encoding as BufferEncoding) : 'utf8');
}

/** The callback of a write may be in any of its last places; what is queued counts as taken. */
function settle(...candidates: unknown[]): void {
  const callback = candidates.find((candidate) => typeof candidate === 'function');
  if (callback) process.nextTick(() => callback());
}

/** The handler writes into the queue, which takes everything: how full the socket is behind it must not reach the handler. */
function hideDrains(response: ServerResponse): void {
  Object.defineProperty(response, 'writableNeedDrain', { value: false });
  const emit = response.emit.bind(response);
  response.emit = (event: string | symbol, ...values: unknown[]) => event !== 'drain' && emit(event, ...values);
}

/** A padded body has another length than its handler announces. */
function headWithoutLength(response: ServerResponse): ServerResponse['writeHead'] {
  const writeHead = response.writeHead.bind(response);
  return (status: number, ...rest: unknown[]) => {
    const headers = rest.find((part) => typeof part === 'object' && part !== null);
    for (const [name, value] of headerEntries(headers)) response.setHeader(name, value);
    response.removeHeader('content-length');
    return writeHead(status);
  };
}

function headerEntries(headers: unknown): [string, OutgoingHttpHeader][] {
  if (Array.isArray(headers)) {
    const pairs = Array.isArray(headers[0]) ? headers : pairUp(headers);
    return pairs.map(([name, value]) => [String(name), String(value)]);
  }
  const entries = Object.entries((headers ?? {}) as OutgoingHttpHeaders);
  return entries.flatMap(([name, value]) => (value === undefined ? [] : [[name, value]]));
}

function pairUp(flat: unknown[]): unknown[][] {
  return Array.from({ length: flat.length / 2 }, (_, index) => flat.slice(index * 2, index * 2 + 2));
}
