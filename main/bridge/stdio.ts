import { fstatSync, statSync } from 'node:fs';
import type { Readable, Writable } from 'node:stream';
import { codeOf } from '../platform/file-errors.ts';
import { isProcessAlive } from '../platform/process-alive.ts';
import { within } from '../platform/within.ts';
import { inOneLine } from '../words/failure.ts';
import type { FrameSink } from './back-pressure.ts';
import { errorFrame } from './frame/error-frame.ts';
import { scanFrame } from './frame/frame.ts';
import { FrameSplitter } from './frame/splitter.ts';
import type { Bridge } from './layers.ts';

/** How long to wait for answers in flight after stdin has ended, in milliseconds. Clients kill after 2 to 10 s. */
const FINISH_MS = 8_000;
/** How long answers in flight are waited for after Causeway was removed, in milliseconds. */
const LAST_ANSWERS_MS = 60_000;
/** How long a client that lives may take to read what was written for it, in milliseconds, before the proxy ends without it. */
const READ_MS = 600_000;
/** How long to wait for more, in milliseconds, once the client has read everything: what had no room comes then. */
const MORE_MS = 50;
/** How often the parent process is checked, in milliseconds: some clients vanish without closing anything. */
const PARENT_CHECK_MS = 2_000;
/** How often it is checked after stdin has ended, in milliseconds: a client that was killed reads no more answers. */
const FINAL_PARENT_CHECK_MS = 250;

/** How long a client that has closed stdout may take to close stdin, in milliseconds: one that ends closes both, in any order. */
const LEAVING_MS = 500;
/** How writing fails if the other end of a pipe was closed, on every system. */
const CLOSED_PIPE = new Set(['EPIPE', 'EOF', 'ECONNRESET', 'ERR_STREAM_DESTROYED']);

const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

/** The process that a bridge runs in. */
export interface StdioProcess {
  stdin: NodeJS.ReadStream;
  stdout: NodeJS.WriteStream & { fd?: number };
  ppid: number;
  on(event: NodeJS.Signals, listener: () => void): unknown;
}

/**
 * Connects a bridge to a process's stdin and stdout, and resolves when the session is over: stdin has ended (answers
 * in flight are delivered first), a signal came, the parent process is gone, nothing can be written, or Causeway was removed.
 * @param removed resolves if Causeway is removed meanwhile: what is under way is finished, the client is told, and nothing else is sent
 * @returns why stdout could not be written; undefined if that was not needed, or the client has just gone
 */
export function serveStdio(
  bridge: Bridge,
  sink: StreamSink,
  host: StdioProcess = process,
  removed: Promise<Error> = new Promise(() => {}),
): Promise<Error | undefined> {
  const { stdin, stdout } = host;
  const input = readFrames(bridge, sink, stdin);

  return new Promise((resolve) => {
    let ending = false;
    let hasLeft = false;
    let isRemoved = false;
    let failure: Error | undefined;
    let finalCheck: NodeJS.Timeout | undefined;
    const end = async (finish: () => Promise<void>) => {
      if (ending) return;
      ending = true;
      clearInterval(parentCheck);
      if (!isRemoved) input.stop();
      await finish();
      resolve(failure && hasLeft && CLOSED_PIPE.has(codeOf(failure) ?? '') ? undefined : failure);
    };
    const close = () => bridge.close();
    const stop = () => void end(close);
    const leave = () => {
      hasLeft = true;
      stop();
    };
    const parent = host.ppid;
    const isOrphan = () => !isProcessAlive(parent) || host.ppid !== parent;
    const cannotWrite = (error: Error) => {
      failure ??= error;
      // Nobody reads answers: what still comes is not sent to the server, and read only for its end.
      input.stop();
      if (ending) return;
      const closed = close();
      if (!CLOSED_PIPE.has(codeOf(error) ?? '')) return stop();
      stdin.resume();
      setTimeout(() => {
        hasLeft ||= isOrphan();
        void end(() => closed);
      }, LEAVING_MS);
    };

    stdin.on('end', () => {
      hasLeft = true;
      input.end();
      void end(async () => {
        if (failure) return close();
        const gone = new Promise<void>((resolveGone) => {
          finalCheck = setInterval(() => {
            if (!isOrphan()) return;
            void bridge.close();
            resolveGone();
          }, FINAL_PARENT_CHECK_MS);
        });
        await isRead(sink, gone);
        await bridge.finish(FINISH_MS);
        if (!(await isRead(sink, gone))) failure ??= NOT_READ;
        clearInterval(finalCheck);
      });
    });
    stdin.on('error', leave);
    stdout.on('error', cannotWrite);
    for (const signal of SIGNALS) host.on(signal, leave);

    const parentCheck = setInterval(() => isOrphan() && leave(), PARENT_CHECK_MS);
    parentCheck.unref();
    void removed.then((reason) => {
      isRemoved = true;
      input.refuse(reason);
      void end(async () => {
        await bridge.finish(LAST_ANSWERS_MS);
        sink.write(messageFrame(reason));
        if (!(await isRead(sink))) failure ??= NOT_READ;
      });
    });
    if (leadsNowhere(stdout)) cannotWrite(new Error('it is closed'));
  });
}

const NOT_READ = new Error(`it was not read for ${READ_MS / 60_000} minutes`);

/** Waits until the client has read what was written for it, and what had no room meanwhile. False if it does not read. */
export async function isRead(sink: FrameSink, gone: Promise<void> = new Promise(() => {})): Promise<boolean> {
  let isOver = false;
  const left = gone.then(() => {
    isOver = true;
  });
  const reading = async () => {
    while (sink.buffered > 0 && !isOver) {
      await Promise.race([sink.flushed(), left]);
      await new Promise((resolve) => setTimeout(resolve, MORE_MS));
    }
    return true;
  };
  const isWhole = await within(READ_MS, reading(), false);
  isOver = true;
  return isWhole;
}

/** Whether a stream is the null device, which Node opens in the place of a closed one. */
function leadsNowhere({ fd }: StdioProcess['stdout']): boolean {
  if (process.platform === 'win32' || fd === undefined) return false;
  try {
    const { rdev } = fstatSync(fd);
    return rdev !== 0 && rdev === statSync('/dev/null').rdev;
  } catch {
    return false;
  }
}

/** How many bytes of unsettled requests may be in memory before reading from the client pauses. */
const MAX_PENDING_BYTES = 32 * 1024 * 1024;
/** How many bytes the client may leave unread before reading from it pauses. */
const MAX_UNREAD_BYTES = 16 * 1024 * 1024;

/** A client's byte stream into a bridge. */
export interface FrameInput {
  /** Bytes that were read before. */
  push(chunk: Buffer): void;
  /** The stream has ended: a last line without a newline still counts. */
  end(): void;
  /** Answers requests with an error from now on. */
  refuse(reason: Error): void;
  /** Stops reading. */
  stop(): void;
}

/** Reads a client's frames into its bridge, with back-pressure: no faster than they are settled and the answers are read. */
export function readFrames(bridge: Bridge, sink: FrameSink, source: Readable): FrameInput {
  let stopped = false;
  let refusal: Error | undefined;
  const splitter = new FrameSplitter({
    frame: (frame) => (refusal ? refuse(frame, refusal, sink) : bridge.receive(frame)),
    fault: (fault) => bridge.fault(fault),
  });
  const isFull = () => bridge.pendingBytes > MAX_PENDING_BYTES || sink.buffered > MAX_UNREAD_BYTES;
  const resume = () => {
    if (!stopped && source.isPaused() && !isFull()) source.resume();
  };
  const push = (chunk: Buffer) => {
    if (stopped) return;
    splitter.push(chunk);
    if (isFull()) source.pause();
  };
  source.on('data', push);
  bridge.onSettled(resume);
  sink.onDrain(resume);
  return {
    push,
    end: () => {
      if (!stopped) splitter.end();
    },
    refuse: (reason) => {
      refusal = reason;
    },
    stop: () => {
      stopped = true;
      source.pause();
    },
  };
}

function refuse(frame: Buffer, reason: Error, sink: FrameSink): void {
  const { id, method } = scanFrame(frame);
  if (id !== undefined && method !== undefined) sink.write(errorFrame(id, reason));
}

/** MCP › Logging. */
function messageFrame(reason: Error): Buffer {
  const params = { level: 'error', logger: 'causeway', data: inOneLine(reason) };
  return Buffer.from(JSON.stringify({ jsonrpc: '2.0', method: 'notifications/message', params }));
}

const NEWLINE = Buffer.from('\n');
/** Below this size, in bytes, copying a frame together with its newline is cheaper than writing two buffers. */
const SMALL_BYTES = 16 * 1024;

/**
 * Frames as lines on a stream. A single frame is written at once. If several come in one turn of the event loop, they are
 * written in one system call, and in the next turn the first one waits for others as well.
 */
export class StreamSink implements FrameSink {
  readonly #stream: Writable;
  /** The frames of this turn. */
  #frames = 0;
  /** Whether the turn before had several. */
  #crowded = false;
  #corked = false;

  constructor(stream: Writable) {
    this.#stream = stream;
  }

  get buffered(): number {
    // What a closed stream still holds is read by nobody.
    return this.#stream.destroyed ? 0 : this.#stream.writableLength;
  }

  get flowing(): boolean {
    return !this.#stream.writableNeedDrain;
  }

  write(frame: Buffer): void {
    if (this.#stream.destroyed) return;
    this.#frames += 1;
    if (this.#frames === 1) setImmediate(() => this.#endTurn());
    const isSmall = frame.length < SMALL_BYTES;
    if (!this.#corked && (this.#crowded || this.#frames > 1 || !isSmall)) {
      this.#corked = true;
      this.#stream.cork();
    }
    if (isSmall) this.#stream.write(Buffer.concat([frame, NEWLINE], frame.length + 1));
    else {
      this.#stream.write(frame);
      this.#stream.write(NEWLINE);
    }
  }

  onDrain(listener: () => void): void {
    this.#stream.on('drain', listener);
  }

  /** Resolves when everything is written, or nothing more can be written. */
  async flushed(): Promise<void> {
    const stream = this.#stream;
    if (stream.destroyed || stream.writableLength === 0) return;
    // Not `drain`: that comes only after writes above the stream's high-water mark.
    await new Promise<void>((resolve) => {
      stream.once('close', resolve);
      stream.write('', () => resolve());
    });
  }

  #endTurn(): void {
    this.#crowded = this.#frames > 1;
    this.#frames = 0;
    if (!this.#corked) return;
    this.#corked = false;
    this.#stream.uncork();
  }
}
