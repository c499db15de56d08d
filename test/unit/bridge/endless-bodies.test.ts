import type { Dispatcher } from 'undici';
import { afterEach, beforeEach, expect, it, test, vi } from 'vitest';
import { FlowControl } from '../../../main/bridge/back-pressure.ts';
import { exchange, type HttpOutcome } from '../../../main/bridge/http-exchange.ts';
import { CollectingSink, NO_CONNECTION } from '../../integration/bridge/harness.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

/** An exchange whose answer has this status, type and beginning, and never ends. */
function endless(status: number, headers: Record<string, string>, pieces: string[], isAnswerless = false) {
  const frames: string[] = [];
  let handler: Dispatcher.DispatchHandler | undefined;
  const abort = vi.fn();
  const connection = { ...NO_CONNECTION, abort };
  const connections = {
    dispatch(_options: Dispatcher.DispatchOptions, given: Dispatcher.DispatchHandler): boolean {
      handler = given;
      given.onRequestStart?.(connection, {});
      given.onResponseStart?.(connection, status, headers, '');
      for (const piece of pieces) given.onResponseData?.(connection, Buffer.from(piece));
      return true;
    },
  };
  const outcome: Promise<HttpOutcome> = exchange(connections, new FlowControl(new CollectingSink()), {
    origin: 'https://acme.example',
    path: '/',
    method: 'POST',
    headers: {},
    onFrame: (frame) => frames.push(String(frame)),
    isAnswerless,
  });
  const more = (piece: string) => handler?.onResponseData?.(connection, Buffer.from(piece));
  return { outcome, abort, frames, more };
}

/** What is known of an outcome once every timer has run. */
async function inTheEnd(outcome: Promise<HttpOutcome>): Promise<HttpOutcome | 'none'> {
  await vi.advanceTimersByTimeAsync(60_000);
  return Promise.race([outcome, Promise.resolve('none' as const)]);
}

it.each([401, 403, 404, 429, 500, 503, 307])(
  'a refusal with status %i whose body never ends is read so far',
  async (status) => {
    const { outcome, abort } = endless(status, {}, ['it is ', 'busy']);
    expect(await inTheEnd(outcome)).toMatchObject({ kind: 'refused', head: { status }, text: 'it is busy' });
    expect(abort).toHaveBeenCalled();
  },
);

test('a page instead of an answer is given up if it never ends', async () => {
  const { outcome } = endless(200, { 'content-type': 'text/html' }, ['<html>']);
  expect(await inTheEnd(outcome)).toMatchObject({ kind: 'refused', text: '<html>' });
});

test('no more of a refusal is read than an error needs', async () => {
  const { outcome, abort } = endless(500, {}, ['x'.repeat(64 * 1024)]);
  expect(await outcome).toMatchObject({ kind: 'refused', head: { status: 500 } });
  expect(abort).toHaveBeenCalled();
});

test('an answer whose end does not come is waited for', async () => {
  const { outcome, abort } = endless(200, { 'content-type': 'application/json' }, ['{']);
  expect(await inTheEnd(outcome)).toBe('none');
  expect(abort).not.toHaveBeenCalled();
});

it.each([
  ['nothing', 202, {}, []],
  ['a text', 202, { 'content-type': 'text/plain' }, ['Acc']],
  ['a part of JSON', 200, { 'content-type': 'application/json' }, ['{']],
  ['an event stream', 200, { 'content-type': 'text/event-stream' }, [': here\n\n']],
])(
  'a notification is accepted even if the body of its 2xx answer is %s and never ends',
  async (_, status, headers, pieces) => {
    const { outcome } = endless(status, headers as Record<string, string>, pieces, true);
    expect(await inTheEnd(outcome)).toMatchObject({ kind: 'accepted', head: { status } });
  },
);

test('frames that come behind an accepted notification are read', async () => {
  const { outcome, frames, more } = endless(200, { 'content-type': 'text/event-stream' }, [], true);
  expect(await inTheEnd(outcome)).toMatchObject({ kind: 'accepted' });
  more('data: {"jsonrpc":"2.0","id":1,"method":"roots/list"}\n\n');
  expect(frames).toEqual(['{"jsonrpc":"2.0","id":1,"method":"roots/list"}']);
});
