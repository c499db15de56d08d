import { describe, expect, it, vi } from 'vitest';
import { readEnvelope } from '../../../main/bridge/frame/frame.ts';
import { PendingRequest } from '../../../main/bridge/pending-request.ts';

function pending(text: string, cutOff: PendingRequest[] = []): PendingRequest {
  const frame = Buffer.from(text);
  const envelope = readEnvelope(frame);
  if (envelope.kind === 'invalid') throw new Error(`${text} is no frame`);
  return new PendingRequest(frame, envelope, cutOff);
}

const request = '{"jsonrpc":"2.0","id":1.0,"method":"tools/call"}';
const notification = '{"jsonrpc":"2.0","method":"notifications/initialized"}';
const response = '{"jsonrpc":"2.0","id":9,"result":{}}';
const batch = `[ ${request}, ${notification}, ${response}, {"jsonrpc":"2.0","id":"1","method":"ping"} ]`;

describe('a pending request', () => {
  it.each([
    ['a request', request, 1, 'tools/call'],
    ['a notification', notification, 0, 'notifications/initialized'],
    ['a response', response, 0, 'response'],
    ['a batch of two requests', batch, 2, 'batch'],
  ])('made of %s waits for as many answers as it contains requests', (_name, text, outstanding, method) => {
    expect(pending(text)).toMatchObject({ outstanding, method, isOpen: outstanding > 0 });
  });

  it('is garbage-collected when the bridge ends before the answer arrives', () => {
    const cutOff: PendingRequest[] = [];
    const waiting = pending(request, cutOff);
    waiting.end();
    expect(cutOff).toEqual([waiting]);
  });

  it('is not garbage-collected when nothing is outstanding', () => {
    const cutOff: PendingRequest[] = [];
    pending(notification, cutOff).end();
    const done = pending(request, cutOff);
    done.answered('1.0');
    done.end();
    expect(cutOff).toEqual([]);
  });

  it('has its id as the client wrote it until it is answered', () => {
    const waiting = pending(request);
    expect(waiting.ids()).toEqual(['1.0']);
    waiting.answered('1.0');
    expect(waiting.ids()).toEqual([]);
    expect(waiting.requestFor('1.0')).toBeUndefined();
  });

  it('stays open for the server after an answer from the cache, but not after a second answer', () => {
    const waiting = pending(request);
    waiting.silent = true;
    waiting.answered('1.0');
    expect(waiting.isOpen).toBe(true);
    waiting.answered('1.0');
    expect(waiting.isOpen).toBe(false);
  });

  it.each([
    ['the very id', '1.0', { id: '1.0', match: 'exactly' }],
    ['the same number, written differently', '1', { id: '1.0', match: 'roughly' }],
    ['another number', '2', undefined],
  ])('is found by a response with %s', (_name, responseId, found) => {
    expect(pending(request).requestFor(responseId)).toEqual(found);
  });

  it('calls back when its last answer arrives, and not before', () => {
    const waiting = pending(batch);
    waiting.onAnswered = vi.fn();
    waiting.answered('1.0');
    expect(waiting.onAnswered).not.toHaveBeenCalled();
    waiting.answered('"1"');
    expect(waiting.onAnswered).toHaveBeenCalledTimes(1);
  });
});

describe('a pending batch', () => {
  it('has only the ids of its requests', () => {
    expect(pending(batch).ids()).toEqual(['1.0', '"1"']);
  });

  it('prefers the request with exactly this id to one whose id is written differently', () => {
    const waiting = pending(`[${request}, {"jsonrpc":"2.0","id":1,"method":"ping"}]`);
    expect(waiting.requestFor('1')).toEqual({ id: '1', match: 'exactly' });
    expect(waiting.requestFor('1.00')).toEqual({ id: '1.0', match: 'roughly' });
    expect(waiting.requestFor('9')).toBeUndefined();
  });

  it('waits for the others after one of its requests is answered', () => {
    const waiting = pending(batch);
    expect(waiting.ids()).toHaveLength(2);
    waiting.answered('1.0');
    expect(waiting.ids()).toEqual(['"1"']);
    expect(waiting.requestFor('1.0')).toBeUndefined();
    waiting.answered('"none of them"');
    expect(waiting.ids()).toEqual(['"1"']);
  });

  it('counts an answer before its ids were read', () => {
    const waiting = pending(batch);
    waiting.answered('1.0');
    expect(waiting.outstanding).toBe(1);
  });
});
