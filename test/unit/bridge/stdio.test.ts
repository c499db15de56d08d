import { PassThrough, Writable } from 'node:stream';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { isRead, StreamSink } from '../../../main/bridge/stdio.ts';

/** A stream whose other end takes what was written only when the test says so. */
class Held extends Writable {
  readonly taken: string[] = [];
  #release: (() => void) | undefined;

  constructor(highWaterMark = 1024) {
    super({ highWaterMark });
  }

  override _write(chunk: Buffer, _encoding: string, done: () => void): void {
    this.#hold([chunk], done);
  }

  override _writev(chunks: { chunk: Buffer }[], done: () => void): void {
    this.#hold(
      chunks.map(({ chunk }) => chunk),
      done,
    );
  }

  take(): void {
    const release = this.#release;
    this.#release = undefined;
    release?.();
  }

  #hold(chunks: Buffer[], done: () => void): void {
    this.#release = () => {
      this.taken.push(Buffer.concat(chunks).toString());
      done();
    };
  }
}

const turn = () => new Promise((resolve) => setImmediate(resolve));

describe('frames on a stream', () => {
  it.each([1, 16 * 1024 - 1, 16 * 1024, 300_000])('are lines: a frame of %i bytes', async (size) => {
    const stream = new PassThrough({ highWaterMark: 1_000_000 });
    const sink = new StreamSink(stream);
    sink.write(Buffer.alloc(size, 'a'));
    sink.write(Buffer.from('{}'));
    await sink.flushed();
    expect(String(stream.read())).toBe(`${'a'.repeat(size)}\n{}\n`);
  });

  it('are sent at once if they come alone', async () => {
    const stream = new Held();
    const sink = new StreamSink(stream);
    for (const text of ['1', '2']) {
      sink.write(Buffer.from(text));
      stream.take();
      await turn();
    }
    expect(stream.taken).toEqual(['1\n', '2\n']);
  });

  it('are sent together if they are ready together, from the second one on', async () => {
    const stream = new Held();
    const sink = new StreamSink(stream);
    for (const text of ['1', '2', '3']) sink.write(Buffer.from(text));
    stream.take();
    await turn();
    stream.take();
    expect(stream.taken).toEqual(['1\n', '2\n3\n']);
  });

  it('wait for each other if the previous turn had several, until one comes alone again', async () => {
    const stream = new Held();
    const sink = new StreamSink(stream);
    for (const texts of [['1', '2'], ['3', '4'], ['5'], ['6']]) {
      for (const text of texts) sink.write(Buffer.from(text));
      stream.take();
      await turn();
      stream.take();
    }
    expect(stream.taken).toEqual(['1\n', '2\n', '3\n4\n', '5\n', '6\n']);
  });

  it('are not separated from their line break, however large they are', async () => {
    const stream = new Held(1_000_000);
    const sink = new StreamSink(stream);
    const large = 'a'.repeat(300_000);
    sink.write(Buffer.from(large));
    await turn();
    stream.take();
    expect(stream.taken).toEqual([`${large}\n`]);
  });

  it('count as buffered until the other end has read them, and flow again once it has', async () => {
    const stream = new Held(8);
    const sink = new StreamSink(stream);
    const drained = new Promise<void>((resolve) => sink.onDrain(resolve));
    expect(sink.flowing).toBe(true);
    sink.write(Buffer.from('123456789'));
    await turn();
    expect(sink.buffered).toBe(10);
    expect(sink.flowing).toBe(false);
    stream.take();
    await drained;
    expect(sink.buffered).toBe(0);
    expect(sink.flowing).toBe(true);
  });
});

describe('everything has been sent', () => {
  it('at once if nothing was written', async () => {
    await new StreamSink(new Held()).flushed();
  });

  it('when the other end has read it, even if too little was buffered for a drain event', async () => {
    const stream = new Held(1024);
    const sink = new StreamSink(stream);
    sink.write(Buffer.from('{}'));
    let isFlushed = false;
    const flushed = sink.flushed().then(() => {
      isFlushed = true;
    });
    await turn();
    expect([stream.taken, isFlushed]).toEqual([[], false]);
    stream.take();
    await turn();
    stream.take();
    await flushed;
    expect(stream.taken.join('')).toBe('{}\n');
  });

  it('when the other end is closed', async () => {
    const stream = new Held();
    const sink = new StreamSink(stream);
    sink.write(Buffer.from('{}'));
    const flushed = sink.flushed();
    stream.destroy();
    await flushed;
    sink.write(Buffer.from('{}'));
    await sink.flushed();
  });

  it('when the other end fails', async () => {
    const stream = new Held();
    stream.on('error', () => {});
    const sink = new StreamSink(stream);
    sink.write(Buffer.from('{}'));
    const flushed = sink.flushed();
    stream.destroy(new Error('EPIPE'));
    await flushed;
  });
});

describe('what a client has left unread when it closes stdin', () => {
  afterEach(() => {
    vi.useRealTimers();
  });

  function unread() {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    const stream = new Held();
    const sink = new StreamSink(stream);
    sink.write(Buffer.alloc(100_000, 'a'));
    let outcome: boolean | undefined;
    const read = (gone?: Promise<void>) =>
      void isRead(sink, gone).then((whole) => {
        outcome = whole;
      });
    return { stream, sink, read, outcome: () => outcome };
  }

  it('is written however long it takes, and so is what comes behind it', async () => {
    const { stream, sink, read, outcome } = unread();
    await turn();
    read();
    await vi.advanceTimersByTimeAsync(300_000);
    expect(outcome()).toBeUndefined();
    stream.take();
    sink.write(Buffer.from('behind'));
    await turn();
    for (let taken = 0; taken < 4; taken += 1) {
      stream.take();
      await vi.advanceTimersByTimeAsync(1_000);
    }
    expect(outcome()).toBe(true);
    expect(stream.taken.join('')).toBe(`${'a'.repeat(100_000)}\nbehind\n`);
  });

  it('is given up after ten minutes', async () => {
    const { read, outcome } = unread();
    await turn();
    read();
    await vi.advanceTimersByTimeAsync(601_000);
    expect(outcome()).toBe(false);
  });

  it('is nothing to wait for once the client has gone', async () => {
    const { read, outcome } = unread();
    await turn();
    read(Promise.resolve());
    await vi.advanceTimersByTimeAsync(1_000);
    expect(outcome()).toBe(true);
  });

  it('is nothing to wait for once stdout is closed', async () => {
    const { stream, read, outcome } = unread();
    await turn();
    read();
    stream.destroy();
    await vi.advanceTimersByTimeAsync(1_000);
    expect(outcome()).toBe(true);
  });
});
