import { createParser } from 'eventsource-parser';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { EventStreamParser } from '../../../main/bridge/sse.ts';

function feed(...chunks: (string | Buffer)[]) {
  const frames: string[] = [];
  const events = new EventStreamParser((frame) => frames.push(frame.toString()));
  for (const chunk of chunks) events.push(Buffer.from(chunk));
  return { frames, events };
}

const byteByByte = (text: string) => [...Buffer.from(text)].map((byte) => Buffer.of(byte));

describe('the frames of an event stream', () => {
  it.each<[name: string, stream: string, frames: string[]]>([
    ['one event', 'data: {"id":1}\n\n', ['{"id":1}']],
    ['no space after the colon', 'data:{"id":1}\n\n', ['{"id":1}']],
    ['only one space is removed', 'data:  {"id":1}\n\n', [' {"id":1}']],
    ['several events', 'data: 1\n\ndata: 2\n\n\n\ndata: 3\n\n', ['1', '2', '3']],
    ['CRLF', 'data: 1\r\n\r\ndata: 2\r\n\r\n', ['1', '2']],
    ['carriage returns alone', 'data: 1\r\rdata: 2\r\r', ['1', '2']],
    ['data on several lines', 'data: {\ndata: "a": 1,\ndata: "b": 2\ndata: }\n\n', ['{ "a": 1, "b": 2 }']],
    ['data on several lines, CRLF', 'data: {\r\ndata: }\r\n\r\n', ['{ }']],
    ['an event name', 'event: message\ndata: 1\n\n', ['1']],
    ['comments', ': hello\n\n:\n\ndata: 1\n: within\n\n', ['1']],
    ['ids and unknown fields', 'id: 7\nx: y\nnonsense\ndata: 1\n\n', ['1']],
    ['a byte order mark', '\u{feff}data: 1\n\n', ['1']],
    ['a byte order mark in a later place is text', 'data: {"id":1}\n\n\u{feff}data: {"id":2}\n\n', ['{"id":1}']],
    ['a frame in each line of data', 'data: {"id":1}\ndata:\ndata: {"id":2}\n\n', ['{"id":1}', '{"id":2}']],
    ['empty data', 'data:\n\ndata: \n\ndata\n\n', []],
    ['an event that the end of the stream cuts off', 'data: 1\n\ndata: 2\n', ['1']],
    ['multi-byte characters', 'data: "ä€😀"\n\n', ['"ä€😀"']],
    ['other line separators are text', 'data: "a\u2028b\u0085c"\n\n', ['"a\u2028b\u0085c"']],
  ])('are the same in one chunk and byte by byte: %s', (_name, stream, frames) => {
    expect(feed(stream).frames).toEqual(frames);
    expect(feed(...byteByByte(stream)).frames).toEqual(frames);
  });

  it('are the same wherever the stream is split', () => {
    const value = fc.jsonValue().map((json) => JSON.stringify(json, undefined, 1));
    fc.assert(
      fc.property(
        fc.array(fc.tuple(value, fc.constantFrom('', ': beat\n\n', 'id: 1\n', 'event: message\n')), { maxLength: 6 }),
        fc.constantFrom('\n', '\r\n', '\r'),
        fc.array(fc.nat({ max: 500 }), { maxLength: 12 }),
        (events, lineEnd, cuts) => {
          const text = events.map(([json, before]) => `${before}${json.replaceAll(/^/gm, 'data: ')}\n\n`).join('');
          const stream = Buffer.from(text.replaceAll('\n', lineEnd));
          const edges = [0, ...cuts.sort((a, b) => a - b), stream.length];
          const chunks = edges.slice(1).map((edge, at) => stream.subarray(edges[at], edge));
          expect(feed(...chunks).frames).toEqual(events.map(([json]) => json.replaceAll('\n', ' ')));
        },
      ),
      { numRuns: 500 },
    );
  });
});

describe('an event stream', () => {
  it('is read like the reference parser reads it, however it is written and wherever it is split', () => {
    const plain = ['event: message', 'data: {"id":1}', 'data: {"text":"ä😀"}', 'id: 7', ''];
    const odd = ['event: x', 'data:{}', 'data: 5', 'data: {', 'data: }', 'data', 'id: ä', 'id: a\0b', 'id:', 'id: '];
    const beside = [': beat', ':', 'retry: 5', 'nonsense', '\u{feff}data: {"id":2}', 'data: {"a":"\u2028"}', ' ', '\n'];
    const line = fc.oneof(
      { weight: 6, arbitrary: fc.constantFrom(...plain).map((text) => Buffer.from(text)) },
      fc.constantFrom(...odd, ...beside).map((text) => Buffer.from(text)),
      fc.constant(Buffer.from([...Buffer.from('data: {"'), 0xc3, 0x28, 0x22, 0x7d])),
    );
    const lineEnd = fc.oneof({ weight: 8, arbitrary: fc.constant('\n') }, fc.constantFrom('\r\n', '\r'));
    fc.assert(
      fc.property(
        fc.boolean(),
        fc.array(fc.tuple(line, lineEnd), { maxLength: 25 }),
        fc.array(fc.nat({ max: 300 }), { maxLength: 5 }),
        (marked, lines, cuts) => {
          const text = lines.map(([bytes, end]) => Buffer.concat([bytes, Buffer.from(end)]));
          const stream = Buffer.concat([Buffer.from(marked ? '\u{feff}' : ''), ...text]);
          const edges = [0, ...cuts.sort((a, b) => a - b), stream.length];
          const chunks = edges.slice(1).map((edge, at) => stream.subarray(edges[at], edge));
          const { frames, events } = feed(...chunks);
          const parsed = parse(chunks);
          expect(frames).toEqual(parsed.frames);
          expect(events.lastEventId).toBe(parsed.lastEventId);
        },
      ),
      { numRuns: 3_000 },
    );
  });
});

const isJson = (text: string) => {
  try {
    return JSON.parse(text) !== undefined;
  } catch {
    return false;
  }
};

/** What the parser makes of a stream. */
function parse(chunks: Buffer[]) {
  const frames: string[] = [];
  let lastEventId: string | undefined;
  const parser = createParser({
    onEvent: ({ id, data }) => {
      lastEventId = id ?? lastEventId;
      if (data.trim() === '') return;
      const lines = data.split('\n').filter((line) => line.trim() !== '');
      const each = lines.length > 1 && lines.every((line) => /^\s*[[{]/.test(line) && isJson(line));
      frames.push(...(each ? lines : [data.replaceAll(/[\r\n]/g, ' ')]));
    },
  });
  const decoder = new TextDecoder();
  for (const chunk of chunks) parser.feed(decoder.decode(chunk, { stream: true }));
  // It waits behind a carriage return for what may follow.
  if (Buffer.concat(chunks).at(-1) === 0x0d) parser.feed('\n');
  return { frames, lastEventId };
}

describe('a stream that ends as it should', () => {
  const ended = (...chunks: string[]) => {
    const { frames, events } = feed(...chunks);
    events.end();
    return { frames, lastEventId: events.lastEventId };
  };

  it.each([
    ['without the blank line that ends an event', 'id: a\ndata: {"id":1}\n'],
    ['without a line end', 'id: a\ndata: {"id":1}'],
    ['with a carriage return', 'id: a\rdata: {"id":1}\r'],
    ['with the blank line', 'id: a\ndata: {"id":1}\n\n'],
  ])('gives what it ends with once if that is complete: %s', (_, stream) => {
    expect(ended(stream)).toEqual({ frames: ['{"id":1}'], lastEventId: 'a' });
    expect(ended(...stream)).toEqual({ frames: ['{"id":1}'], lastEventId: 'a' });
  });

  it.each(['data: {"id":1', 'data: {"id":1}\ndata: {"id":', 'data', 'event: message', ''])(
    'drops what it cuts off, with its id: %j',
    (end) => {
      expect(ended(`id: a\ndata: 1\n\nid: b\n${end}`)).toEqual({ frames: ['1'], lastEventId: 'a' });
    },
  );
});

describe('what the stream says besides its frames', () => {
  it('is the id to resume after and the retry delay', () => {
    const { events } = feed('retry: 1500\nid: a\ndata: 1\n\nid: b\ndata: 2\n\nretry: soon\ndata: 3\n\n');
    expect(events.lastEventId).toBe('b');
    expect(events.retryMs).toBe(1500);
  });

  it('is empty if there is nothing to say', () => {
    const { events } = feed('data: 1\n\n');
    expect(events).toMatchObject({ lastEventId: undefined, retryMs: undefined });
  });
});

describe('the bytes that are buffered until their event is complete', () => {
  it('are counted until it is complete', () => {
    const { events } = feed('data: 12345');
    expect(events.pendingBytes).toBe(11);
    events.push(Buffer.from('6\n'));
    expect(events.pendingBytes).toBe(13);
    events.push(Buffer.from('\n'));
    expect(events.pendingBytes).toBe(0);
  });

  it.each([
    ['comments', ': x\n\n'],
    ['comments without a blank line', ':x\n'],
    ['comments that are not ASCII', ': ♥♥♥♥\n\n'],
    ['ids', 'id: 7\r\n\r\n'],
    ['events without data', 'event: ping\n\n'],
    ['waits', 'retry: 1000\r\r'],
    ['blank lines', '\n'],
  ])(
    'are not too many for sixteen hours of heartbeats each second that are %s, but for endless ones',
    (_what, heartbeat) => {
      const hours = Array.from({ length: 20 }, () => heartbeat.repeat(3_000));
      const { events, frames } = feed('data: 1\n\n', ...hours);
      expect(events.isTooLong).toBe(false);
      expect(events.pendingBytes).toBeLessThan(2 * heartbeat.length * 3_000);
      events.push(Buffer.from('data: 2\n\n'));
      expect([frames.map(String), events.pendingBytes]).toEqual([['1', '2'], 0]);
      for (const hour of hours) events.push(Buffer.from(hour));
      expect(events.isTooLong).toBe(false);
      for (let bytes = 0; bytes < 1024 * 1024; bytes += heartbeat.length * 3_000)
        events.push(Buffer.from(heartbeat.repeat(3_000)));
      expect(events.isTooLong).toBe(true);
    },
  );

  it('are those after the last event of a chunk', () => {
    const { events } = feed('data: 1\n\ndata: ä');
    expect(events.pendingBytes).toBe(8);
    events.push(Buffer.from('\n'));
    events.push(Buffer.from('\n'));
    expect(events.pendingBytes).toBe(0);
  });

  it('do not grow with heartbeats', () => {
    const { events } = feed('data: 1\n\n', ...Array.from({ length: 1_000 }, () => `: ${'.'.repeat(100)}\n\n`));
    expect(events.pendingBytes).toBeLessThanOrEqual(3_000);
  });
});
