import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { envelopeOf, parseFrame } from '../../../main/bridge/frame/frame.ts';
import { isCrowded, OMITTED, outlineOf } from '../../../main/bridge/frame/outline.ts';
import { unsafeAddress } from '../../../main/bridge/stateless/elicitations.ts';

const crowd = (objects: number) => `[${Array(objects).fill('{}').join()}]`;
const CROWD = crowd(400_000);

function parsed(text: string): unknown {
  try {
    return { json: JSON.parse(text) };
  } catch {
    return 'no JSON';
  }
}

function outlined(text: string): unknown {
  try {
    return { json: outlineOf(Buffer.from(text)) };
  } catch {
    return 'no JSON';
  }
}

describe('the outline of a frame', () => {
  it('of a small frame is the whole frame', () => {
    fc.assert(
      fc.property(fc.json({ maxDepth: 4, stringUnit: 'binary' }), (text) => {
        expect(outlined(text)).toEqual(parsed(text));
      }),
    );
  });

  it('is refused exactly when JSON.parse refuses the frame', () => {
    const place = fc.nat();
    const damage = fc.constantFrom(...'{}[],:"\\0123-+.eEtfnu \n\u0001x', '');
    fc.assert(
      fc.property(fc.json({ maxDepth: 3 }), place, damage, fc.boolean(), (text, at, character, replaces) => {
        const index = at % (text.length + 1);
        const damaged = text.slice(0, index) + character + text.slice(index + (replaces ? 1 : 0));
        expect(outlined(damaged)).toEqual(parsed(damaged));
      }),
      { numRuns: 2_000 },
    );
  });

  it.each([
    '01',
    '-',
    '1.',
    '.5',
    '1e',
    '1e+',
    '+1',
    'tru',
    'nul',
    '"\u0007"',
    '"\\x"',
    '"\\u12g4"',
    '{"a"}',
    '[1,]',
    '{,}',
    '1 2',
  ])('is refused for %s', (text) => expect(outlined(text)).toBe('no JSON'));

  it('is refused for a large frame that is nested as deeply as it is long', () => {
    const deep = `${'['.repeat(600_000)}${']'.repeat(600_000)}`;
    expect(isCrowded(Buffer.from(deep))).toBe(true);
    expect(parseFrame(Buffer.from(deep))).toBeUndefined();
  });
});

describe('a large frame with very many values', () => {
  it('is recognized as a response by its small members', () => {
    const frame = Buffer.from(`{"jsonrpc":"2.0","result":{"content":${CROWD},"isError":false},"id":"one"}`);
    expect(isCrowded(frame)).toBe(true);
    const json = parseFrame(frame);
    expect(json).toEqual({ jsonrpc: '2.0', id: 'one', result: { content: OMITTED, isError: false } });
    expect(envelopeOf(json)).toEqual({ kind: 'response' });
  });

  it('has no outline if its id is just as large', () => {
    const json = parseFrame(Buffer.from(`{"jsonrpc":"2.0","id":${CROWD},"method":"ping"}`));
    expect(envelopeOf(json)).toMatchObject({ kind: 'invalid' });
  });

  it('is a batch that is too long if it is an array', () => {
    expect(envelopeOf(parseFrame(Buffer.from(CROWD)))).toMatchObject({ kind: 'invalid' });
  });

  it.each([
    ['beside it', `{"method":"elicitation/create","id":1,"params":{"mode":"url","url":"file:///x","more":${CROWD}}}`],
    ['in place of the result', `{"method":"elicitation/create","id":1,"params":{"url":${CROWD}}}`],
    ['among the elicitations of an error', `{"id":1,"error":{"code":-32042,"data":{"elicitations":${CROWD}}}}`],
    ['in the data of an error', `{"id":1,"error":{"code":-32042,"data":${CROWD}}}`],
    ['in place of the requests for input', `{"id":1,"result":{"inputRequests":${CROWD}}}`],
    [
      'in a request for input',
      `{"id":1,"result":{"inputRequests":{"a":{"method":"elicitation/create","params":${CROWD}}}}}`,
    ],
  ])('does not bring an unsafe address to the client, even one hidden %s', (_where, text) => {
    expect(unsafeAddress(parseFrame(Buffer.from(text)))).toBeDefined();
  });

  it('is parsed as a whole if its length comes from its strings', () => {
    const frame = Buffer.from(JSON.stringify({ id: 1, result: 'x'.repeat(3_000_000) }));
    expect(parseFrame(frame)).toEqual(JSON.parse(String(frame)));
  });
});
