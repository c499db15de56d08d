import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { FrameSplitter, toLine } from '../../../main/bridge/frame/splitter.ts';

/** Everything that a splitter says about these chunks, in order; a fault is in angle brackets. */
function split(chunks: (string | Buffer)[], maxBytes?: number): string[] {
  const said: string[] = [];
  const splitter = new FrameSplitter(
    { frame: (frame) => said.push(frame.toString()), fault: ({ kind }) => said.push(`<${kind}>`) },
    maxBytes,
  );
  for (const chunk of chunks) splitter.push(Buffer.from(chunk));
  splitter.end();
  return said;
}

const BOM = '\u{feff}';
const NOT_UTF8 = Buffer.from([0x22, 0xc3, 0x28, 0x22]);

describe('frames of a stream', () => {
  it.each<[name: string, chunks: (string | Buffer)[], frames: string[]]>([
    ['one line', ['{}\n'], ['{}']],
    ['CRLF', ['{"a":1}\r\n{"b":2}\r\n'], ['{"a":1}', '{"b":2}']],
    ['CRLF that is split in two', ['{"a":1}\r', '\n{"b":2}\n'], ['{"a":1}', '{"b":2}']],
    ['a byte order mark', [`${BOM}{}\n{}\n`], ['{}', '{}']],
    ['a byte order mark that is split in three', [...Buffer.from(`${BOM}{}\n`)].map((byte) => Buffer.of(byte)), ['{}']],
    ['a byte order mark alone on its line', [`${BOM}\n{}\n`], ['{}']],
    ['a byte order mark elsewhere is text', [`{}\n${BOM}{}\n`], ['{}', `${BOM}{}`]],
    ['blank lines', ['\n\r\n  \t\r\n{}\n\n'], ['{}']],
    ['white space around a frame is kept', ['  {} \t\n'], ['  {} \t']],
    ['a carriage return within white space is kept', ['{"a":\r1}\n'], ['{"a":\r1}']],
    ['many frames in one chunk', ['1\n2\n3\n4\n'], ['1', '2', '3', '4']],
    ['a last line without a newline', ['{}\n{"a":1}'], ['{}', '{"a":1}']],
    ['a last line that ends in a carriage return', ['{}\r'], ['{}']],
    ['nothing', [], []],
    [
      'multi-byte characters that are split',
      [Buffer.from('"ä€😀"\n').subarray(0, 4), Buffer.from('"ä€😀"\n').subarray(4)],
      ['"ä€😀"'],
    ],
    ['bytes that are not UTF-8, and then valid ones', [NOT_UTF8, '\n{}\n'], ['<not-utf8>', '{}']],
  ])('are split: %s', (_name, chunks, frames) => {
    expect(split(chunks)).toEqual(frames);
  });

  it.each<[name: string, chunks: string[], said: string[]]>([
    ['a frame of exactly the limit', ['12345678\n'], ['12345678']],
    ['a longer one', ['123456789\n1\n'], ['<too-long>', '1']],
    ['a longer one in chunks, once', ['1234567', '89', 'abcdefgh', 'ijk\n1\n'], ['<too-long>', '1']],
    ['a longer one at the end', ['1\n12345678', '9'], ['1', '<too-long>']],
    ['a longer one within a chunk of others', ['1\n123456789\n2\n'], ['1', '<too-long>', '2']],
  ])('are split under a limit of eight bytes: %s', (_name, chunks, said) => {
    expect(split(chunks, 8)).toEqual(said);
  });

  it('are the same wherever the stream is split', () => {
    const line = fc.oneof(
      fc.string({ unit: 'grapheme' }).map((text) => JSON.stringify(text)),
      fc.constantFrom('', ' ', '{}', '[1,\t2]'),
    );
    const lineEnd = fc.constantFrom('\n', '\r\n');
    fc.assert(
      fc.property(
        fc.array(fc.tuple(line, lineEnd), { maxLength: 8 }),
        fc.boolean(),
        fc.array(fc.nat({ max: 400 }), { maxLength: 12 }),
        (lines, marked, cuts) => {
          const input = Buffer.from((marked ? BOM : '') + lines.flat().join(''));
          const chunks: Buffer[] = [];
          let from = 0;
          for (const cut of [...cuts.sort((a, b) => a - b), input.length]) {
            chunks.push(input.subarray(from, cut));
            from = Math.max(from, Math.min(cut, input.length));
          }
          expect(split(chunks)).toEqual(lines.map(([text]) => text).filter((text) => text.trim() !== ''));
        },
      ),
      { numRuns: 1_000 },
    );
  });
});

describe('one line from a text with several', () => {
  it('has spaces in place of line breaks, and the same value', () => {
    fc.assert(
      fc.property(fc.jsonValue(), fc.constantFrom('\n', '\r\n', '\r'), (value, lineEnd) => {
        const text = JSON.stringify(value, undefined, 2).replaceAll('\n', lineEnd);
        const line = toLine(Buffer.from(text)).toString();
        expect(line).not.toMatch(/[\r\n]/);
        expect(line).toHaveLength(text.length);
        expect(JSON.parse(line)).toEqual(JSON.parse(text));
      }),
    );
  });

  it('is the same buffer if it already was one line', () => {
    const frame = Buffer.from('{"text":"a\\nb"}');
    expect(toLine(frame)).toBe(frame);
  });
});
