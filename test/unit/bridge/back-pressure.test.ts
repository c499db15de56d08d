import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { FlowControl, type FrameSink, type Reader } from '../../../main/bridge/back-pressure.ts';

const LIMIT = 1_000_000;
const SMALL = 32 * 1024;
const CHUNK = 16_000;

/** A client that reads when the test says so, behind a pipe that holds 100 kB before it asks to wait. */
class Client implements FrameSink {
  buffered = 0;
  flowing = true;
  received = 0;
  /** Takes everything the moment it is written, so that there is never anything to drain. */
  eager = false;
  #drained: () => void = () => {};

  write(frame: Buffer): void {
    this.buffered += frame.length;
    if (this.eager) this.read(frame.length);
    if (this.buffered >= 100_000) this.flowing = false;
  }

  onDrain(listener: () => void): void {
    this.#drained = listener;
  }

  async flushed(): Promise<void> {}

  read(bytes: number): void {
    const taken = Math.min(bytes, this.buffered);
    this.buffered -= taken;
    this.received += taken;
    if (this.buffered > 0 || this.flowing) return;
    this.flowing = true;
    this.#drained();
  }
}

/** An answer that arrives in chunks and goes to the client when it is whole. */
class Answer implements Reader {
  held = 0;
  paused = false;
  #left: number;
  readonly #flow: FlowControl;
  readonly #client: Client;

  constructor(flow: FlowControl, client: Client, size: number) {
    this.#flow = flow;
    this.#client = client;
    this.#left = size;
  }

  get done(): boolean {
    return this.#left === 0;
  }

  resume(): void {
    this.paused = false;
  }

  /** The next chunk comes in, unless the answer was told to wait. */
  step(chunk = CHUNK): void {
    if (this.paused || this.done) return;
    const bytes = Math.min(chunk, this.#left);
    this.#left -= bytes;
    this.held += bytes;
    this.paused = this.#flow.arrived(this, bytes);
    if (!this.done) return;
    const whole = this.held;
    this.held = 0;
    this.#client.write(Buffer.alloc(whole));
    this.#flow.ended(this, whole);
  }

  /** A whole event of the answer goes to the client; the answer itself continues. */
  passOn(): void {
    const bytes = this.held;
    this.held = 0;
    this.#client.write(Buffer.alloc(bytes));
    this.#flow.passedOn(this, bytes);
  }
}

function scene() {
  const client = new Client();
  const flow = new FlowControl(client, LIMIT);
  const answer = (size: number) => new Answer(flow, client, size);
  return { client, answer };
}

function arrive(answer: Answer, times = Number.POSITIVE_INFINITY): void {
  for (let at = 0; at < times && !answer.paused && !answer.done; at += 1) answer.step();
}

describe('while the client reads', () => {
  it('one answer that is larger than the limit arrives', () => {
    const { answer } = scene();
    const large = answer(10 * LIMIT);
    arrive(large);
    expect(large.done).toBe(true);
  });

  it('a second large answer waits at the limit, and continues once the first has arrived', () => {
    const { client, answer } = scene();
    const [first, second] = [answer(10 * LIMIT), answer(10 * LIMIT)];
    arrive(first, 320);
    arrive(second);
    expect(second).toMatchObject({ paused: true, done: false });
    expect(second.held).toBeLessThanOrEqual(LIMIT + CHUNK);
    arrive(first);
    expect(first.done).toBe(true);
    client.read(Number.POSITIVE_INFINITY);
    arrive(second);
    expect(second.done).toBe(true);
  });

  it('small answers get through while two large ones are paused', () => {
    const { client, answer } = scene();
    arrive(answer(10 * LIMIT), 320);
    arrive(answer(10 * LIMIT));
    for (let at = 0; at < 100; at += 1) {
      const small = answer(SMALL);
      arrive(small);
      expect(small.done).toBe(true);
      client.read(Number.POSITIVE_INFINITY);
    }
  });

  it('a medium answer gets through while a large one is paused', () => {
    const { answer } = scene();
    arrive(answer(10 * LIMIT), 320);
    const middling = answer(LIMIT / 2);
    arrive(middling);
    expect(middling.done).toBe(true);
  });

  it('a paused answer continues as soon as an event of another answer is complete', () => {
    const { client, answer } = scene();
    client.eager = true;
    arrive(answer(10 * LIMIT), 320);
    const [stream, other] = [answer(10 * LIMIT), answer(LIMIT)];
    arrive(stream);
    arrive(other);
    expect(other).toMatchObject({ paused: true, done: false });
    stream.passOn();
    expect(other.paused).toBe(false);
  });
});

describe('while the client does not read', () => {
  it('not even a small answer is read once the limit is reached, and all continue when the client reads again', () => {
    const { client, answer } = scene();
    const answers = Array.from({ length: 100 }, () => answer(SMALL));
    for (const each of answers) arrive(each);
    const waiting = answers.filter(({ paused }) => paused);
    expect(client.buffered).toBeLessThan(LIMIT + CHUNK);
    expect(waiting.length).toBeGreaterThan(0);
    for (let rounds = 0; rounds < answers.length; rounds += 1) {
      client.read(Number.POSITIVE_INFINITY);
      for (const each of answers) arrive(each);
    }
    expect(answers.filter(({ done }) => !done)).toEqual([]);
    expect(client.received + client.buffered).toBe(100 * SMALL);
  });
});

describe('any traffic', () => {
  const sizes = fc.array(fc.oneof(fc.integer({ min: 1, max: SMALL }), fc.integer({ min: 1, max: 5 * LIMIT })), {
    minLength: 1,
    maxLength: 20,
  });
  const move = fc.oneof(
    {
      weight: 6,
      arbitrary: fc.record({
        kind: fc.constant('chunk' as const),
        of: fc.nat(),
        bytes: fc.integer({ min: 1, max: CHUNK }),
      }),
    },
    { weight: 1, arbitrary: fc.record({ kind: fc.constant('event' as const), of: fc.nat(), bytes: fc.constant(0) }) },
    {
      weight: 1,
      arbitrary: fc.record({
        kind: fc.constant('read' as const),
        of: fc.constant(0),
        bytes: fc.nat({ max: 10 * LIMIT }),
      }),
    },
  );

  it('buffers a bounded number of bytes, loses none, and never stalls while the client reads', () => {
    fc.assert(
      fc.property(sizes, fc.array(move, { maxLength: 400 }), (allSizes, moves) => {
        const { client, answer } = scene();
        const answers = allSizes.map(answer);
        // The limit, one large answer, and the beginnings that each of the others may hold anyway.
        const bound = LIMIT + 5 * LIMIT + answers.length * (SMALL + CHUNK);
        for (const { kind, of, bytes } of moves) {
          const chosen = answers[of % answers.length];
          if (kind === 'read') client.read(bytes);
          else if (kind === 'chunk') chosen?.step(bytes);
          else chosen?.passOn();
          expect(client.buffered + total(answers)).toBeLessThanOrEqual(bound);
        }
        let rounds = 0;
        while (answers.some(({ done }) => !done) || client.buffered > 0) {
          for (const each of answers) each.step();
          client.read(Number.POSITIVE_INFINITY);
          rounds += 1;
          expect(rounds, 'it stands still').toBeLessThan(10_000);
        }
        expect(client.received).toBe(allSizes.reduce((sum, size) => sum + size, 0));
      }),
      { numRuns: 300 },
    );
  });
});

function total(answers: Answer[]): number {
  return answers.reduce((sum, { held }) => sum + held, 0);
}
