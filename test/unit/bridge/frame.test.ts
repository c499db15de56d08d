import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type Envelope, parseFrame, readEnvelope, singleEnvelopeOf } from '../../../main/bridge/frame/frame.ts';
import { MAX_BATCH_FRAMES } from '../../../main/bridge/limits.ts';

const INVALID = { kind: 'invalid', code: -32600 } as const;
const batchOf = (length: number) => JSON.stringify(Array.from({ length }, () => ({ method: 'a' })));

describe('the envelope of a frame', () => {
  it.each<[frame: string, envelope: Envelope]>([
    ['{"jsonrpc":"2.0","id":1,"method":"tools/list"}', { kind: 'request', method: 'tools/list' }],
    ['{"jsonrpc":"2.0","id":"a","method":"ping","params":{}}', { kind: 'request', method: 'ping' }],
    ['{"jsonrpc":"2.0","id":null,"method":"ping"}', { kind: 'request', method: 'ping' }],
    [
      '{"jsonrpc":"2.0","method":"notifications/initialized"}',
      { kind: 'notification', method: 'notifications/initialized' },
    ],
    ['{"jsonrpc":"2.0","id":1,"result":{}}', { kind: 'response' }],
    ['{"jsonrpc":"2.0","id":1,"result":null}', { kind: 'response' }],
    ['{"jsonrpc":"2.0","id":1,"error":{"code":1,"message":""}}', { kind: 'response' }],
    [
      '[{"id":1,"method":"a"},{"method":"b"},{"id":2,"method":"c"},{"id":3,"result":{}}]',
      { kind: 'batch', requests: 2 },
    ],
    ['[{"method":"b"}]', { kind: 'batch', requests: 0 }],
    ['[5,null,[]]', { kind: 'batch', requests: 0 }],
    ['{"id":1.5,"method":"a"}', { kind: 'request', method: 'a' }],
    ['{"id":true,"method":"a"}', { ...INVALID, message: 'Invalid request: an id is a string or a number.' }],
    ['{"id":{},"method":"a"}', { ...INVALID, message: 'Invalid request: an id is a string or a number.' }],
    ['{"id":[1],"method":"a","result":{}}', { ...INVALID, message: 'Invalid request: an id is a string or a number.' }],
    ['[]', { ...INVALID, message: 'Invalid request: an empty batch.' }],
    ['5', { ...INVALID, message: 'Invalid request: a frame is a JSON object.' }],
    ['"text"', { ...INVALID, message: 'Invalid request: a frame is a JSON object.' }],
    ['null', { ...INVALID, message: 'Invalid request: a frame is a JSON object.' }],
    ['{}', { ...INVALID, message: 'Invalid request: it has neither a method nor a result.' }],
    ['{"id":1,"method":5}', { ...INVALID, message: 'Invalid request: it has neither a method nor a result.' }],
  ])('is classified for %s', (frame, envelope) => {
    expect(readEnvelope(Buffer.from(frame))).toEqual(envelope);
  });

  it.each(['', '{', '{"id":1', 'hello', "{'id':1}", '{"id":1,}', '\u{feff}{}', '{}{}', '{"a":"\t"}', '[1,\r\n2'])(
    'of %j says that it is not JSON, in no words of the parser',
    (text) => {
      const message = 'Parse error: this line is not JSON.';
      expect(readEnvelope(Buffer.from(text))).toEqual({ kind: 'invalid', code: -32700, message });
    },
  );

  it('of a batch is refused if it has too many frames, but not at the limit', () => {
    expect(readEnvelope(Buffer.from(batchOf(MAX_BATCH_FRAMES)))).toEqual({ kind: 'batch', requests: 0 });
    expect(readEnvelope(Buffer.from(batchOf(MAX_BATCH_FRAMES + 1)))).toEqual({
      ...INVALID,
      message: 'Invalid request: a batch of more than 1000 frames.',
    });
  });

  it('of an array within a batch is invalid: a batch cannot contain a batch', () => {
    expect(singleEnvelopeOf([{ id: 1, method: 'a' }])).toEqual({
      ...INVALID,
      message: 'Invalid request: a frame is a JSON object.',
    });
  });

  it('of brackets nested deeper than the stack is that of a batch', () => {
    const brackets = `${'['.repeat(200_000)}${']'.repeat(200_000)}`;
    expect(readEnvelope(Buffer.from(brackets))).toEqual({ kind: 'batch', requests: 0 });
  });

  it('can be read from any bytes without an exception', () => {
    const bytes = fc.oneof(
      fc.uint8Array(),
      fc.json().map((text) => Buffer.from(text)),
    );
    fc.assert(fc.property(bytes, (frame) => void readEnvelope(Buffer.from(frame))));
  });

  it('is never a parse error for valid JSON', () => {
    fc.assert(
      fc.property(fc.json(), (text) => {
        expect(readEnvelope(Buffer.from(text))).not.toMatchObject({ code: -32700 });
      }),
    );
  });
});

describe('a frame as JSON', () => {
  it.each<[text: string, json: unknown]>([
    ['{"id":1,"result":"größe"}', { id: 1, result: 'größe' }],
    ['null', null],
    ['{"id":1', undefined],
    ['', undefined],
  ])('%j is %j', (text, json) => {
    expect(parseFrame(Buffer.from(text))).toEqual(json);
  });
});
