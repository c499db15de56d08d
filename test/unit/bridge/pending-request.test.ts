import { describe, expect, it } from 'vitest';
import { readEnvelope } from '../../../main/bridge/frame/frame.ts';
import { PendingRequest } from '../../../main/bridge/pending-request.ts';

function pending(text: string): PendingRequest {
  const frame = Buffer.from(text);
  const envelope = readEnvelope(frame);
  if (envelope.kind === 'invalid') throw new Error(`${text} is no frame`);
  return new PendingRequest(frame, envelope);
}

const request = '{"jsonrpc":"2.0","id":1.0,"method":"tools/call"}';
const notification = '{"jsonrpc":"2.0","method":"notifications/initialized"}';
const response = '{"jsonrpc":"2.0","id":9,"result":{}}';
const batch = `[ ${request}, ${notification}, ${response}, {"jsonrpc":"2.0","id":"1","method":"ping"} ]`;

const HEAD = { status: 200, headers: {} };
const stray = (text: string) => ({ frame: Buffer.from(text), head: HEAD });

describe('a pending request', () => {
  it.each([
    ['a request', request, ['1.0'], 'tools/call'],
    ['a notification', notification, [], 'notifications/initialized'],
    ['a response', response, [], 'response'],
    ['a batch of two requests', batch, ['1.0', '"1"'], 'batch'],
  ])('made of %s waits for as many answers as it contains requests', (_name, text, ids, method) => {
    const isOpen = ids.length > 0;
    expect(pending(text)).toMatchObject({ ids, method, isOpen, isAwaited: isOpen, isForAnswer: isOpen });
  });

  it('is in flight from when it is sent until it is answered', () => {
    const waiting = pending(request);
    expect(waiting.isInFlight).toBe(false);
    waiting.sent();
    expect(waiting.isInFlight).toBe(true);
    waiting.settle('server', '1.0');
    expect(waiting.isInFlight).toBe(false);
  });

  it.each(['server', 'causeway', 'nobody'] as const)('answered by %s is answered for good', (by) => {
    const waiting = pending(request);
    expect(waiting.settle(by)).toEqual(['1.0']);
    expect(waiting).toMatchObject({ isOpen: false, isAwaited: false, isAnsweredFromCache: false });
    expect(waiting.requestFor('1.0')).toBeUndefined();
    expect([waiting.settle('server', '1.0'), waiting.settle('cache'), waiting.settle('causeway')]).toEqual([
      [],
      [],
      [],
    ]);
  });

  it('stays open for the server after an answer from the cache, but not after a second answer', () => {
    const waiting = pending(request);
    expect(waiting.settle('cache')).toEqual(['1.0']);
    expect(waiting).toMatchObject({ isOpen: true, isAwaited: false, isAnsweredFromCache: true });
    expect(waiting.settle('causeway')).toEqual([]);
    const other = pending(request);
    other.settle('cache');
    expect(other.settle('server', '1.0')).toEqual([]);
    expect(other).toMatchObject({ isOpen: false, isAwaited: false, isAnsweredFromCache: false });
  });

  it.each([
    ['the very id', '1.0', { id: '1.0', match: 'exactly' }],
    ['the same number, written differently', '1', { id: '1.0', match: 'roughly' }],
    ['its text, as lenient servers write numbers', '"1.0"', { id: '1.0', match: 'roughly' }],
    ['another number', '2', undefined],
    ['the text of another number', '"2"', undefined],
  ])('is found by a response with %s', (_name, responseId, found) => {
    expect(pending(request).requestFor(responseId)).toEqual(found);
  });

  it('can use the only response that matches no request, and none of several', () => {
    const waiting = pending(request);
    waiting.misaddressed();
    expect(waiting.takeStray()).toBeUndefined();
    waiting.misaddressed(stray('{"id":null}'));
    expect(waiting.takeStray()).toEqual(stray('{"id":null}'));
    expect(waiting.takeStray()).toBeUndefined();
    for (const text of ['{"id":null}', '{"id":7}', '{"id":8}']) waiting.misaddressed(stray(text));
    expect(waiting.takeStray()).toBeUndefined();
  });
});

describe('a pending batch', () => {
  it('prefers the request with exactly this id to one whose id is written differently', () => {
    const waiting = pending(`[${request}, {"jsonrpc":"2.0","id":1,"method":"ping"}]`);
    expect(waiting.requestFor('1')).toEqual({ id: '1', match: 'exactly' });
    expect(waiting.requestFor('1.00')).toEqual({ id: '1.0', match: 'roughly' });
    expect(waiting.requestFor('9')).toBeUndefined();
  });

  it('waits for the others after one of its requests is answered', () => {
    const waiting = pending(batch);
    expect(waiting.settle('server', '1.0')).toEqual(['1.0']);
    expect(waiting).toMatchObject({ ids: ['"1"'], isAwaited: true });
    expect(waiting.requestFor('1.0')).toBeUndefined();
    expect(waiting.settle('server', '"none of them"')).toEqual([]);
    expect(waiting.settle('causeway')).toEqual(['"1"']);
    expect(waiting.isOpen).toBe(false);
  });

  it('with an id twice gets two answers', () => {
    const waiting = pending(`[${request}, ${request}]`);
    expect(waiting.settle('server', '1.0')).toEqual(['1.0']);
    expect(waiting.settle('server', '1.0')).toEqual(['1.0']);
    expect(waiting.settle('server', '1.0')).toEqual([]);
  });
});
