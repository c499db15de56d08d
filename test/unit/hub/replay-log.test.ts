import { expect, it } from 'vitest';
import { ReplayLog } from '../../../main/hub/replay-log.ts';

const frame = (value: unknown) => Buffer.from(typeof value === 'string' ? value : JSON.stringify(value));

it('the replay log holds the requests that are neither answered nor canceled', () => {
  const log = new ReplayLog();
  for (const id of [1, '1', 2, 3]) log.sent(frame({ jsonrpc: '2.0', id, method: 'tools/call', params: {} }));
  log.answered(frame({ jsonrpc: '2.0', id: 2, result: {} }));
  log.sent(frame({ jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 1, reason: 'x' } }));
  log.sent(frame({ jsonrpc: '2.0', method: 'notifications/cancelled' }));
  log.sent(frame('{"method":"notifications/cancelled","params":'));
  expect(log.open.map(({ id }) => id)).toEqual(['"1"', '3']);
});

it('the replay log does not count a request that lasts as long as its client listens as unanswered', () => {
  const log = new ReplayLog();
  log.sent(frame({ jsonrpc: '2.0', id: 1, method: 'subscriptions/listen', params: {} }));
  expect([log.isAnswered, log.isSettled]).toEqual([true, false]);
  log.sent(frame({ jsonrpc: '2.0', id: 2, method: 'tools/call', params: {} }));
  expect(log.isAnswered).toBe(false);
  log.answered(frame({ jsonrpc: '2.0', id: 2, result: {} }));
  expect(log.isAnswered).toBe(true);
});

it('the replay log keeps only idempotent requests for a retry', () => {
  const log = new ReplayLog();
  const harmless = frame({ jsonrpc: '2.0', id: 1, method: 'tools/list' });
  log.sent(harmless);
  log.sent(frame({ jsonrpc: '2.0', id: 2, method: 'tools/call', params: { secret: 'of a person' } }));
  expect(log.open.map((open) => open.frame)).toEqual([harmless, undefined]);
});

it('the replay log holds each request of a batch, and keeps none of them for a retry', () => {
  const log = new ReplayLog();
  const methods = ['tools/list', 'tools/call', 'tools/call', 'ping'];
  log.sent(frame(methods.map((method, id) => ({ jsonrpc: '2.0', id, method }))));
  log.sent(frame([{ jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 3 } }]));
  log.answered(frame([{ jsonrpc: '2.0', id: 1, result: {} }]));
  expect(log.open).toEqual([
    { id: '0', method: 'tools/list', frame: undefined },
    { id: '2', method: 'tools/call', frame: undefined },
  ]);
});

it('the replay log keeps subscriptions and log level until the client withdraws them or opens a new session', () => {
  const log = new ReplayLog();
  const asked = (id: number, method: string, params: object, answer: object = { result: {} }) => {
    log.sent(frame({ jsonrpc: '2.0', id, method, params }));
    log.answered(frame({ jsonrpc: '2.0', id, ...answer }));
  };
  const granted = () =>
    log
      .replay([], [])
      .slice(1)
      .map((each) => JSON.parse(String(each)).params);
  log.sent(frame({ jsonrpc: '2.0', id: 0, method: 'initialize', params: {} }));
  asked(1, 'resources/subscribe', { uri: 'file:a' });
  asked(2, 'resources/subscribe', { uri: 'file:b' });
  asked(3, 'resources/subscribe', { uri: 'file:c' }, { error: { code: -32002, message: 'no such resource' } });
  asked(4, 'resources/unsubscribe', { uri: 'file:a' });
  asked(5, 'logging/setLevel', { level: 'debug' });
  asked(6, 'logging/setLevel', { level: 'warning' });
  expect(granted()).toEqual([{ uri: 'file:b' }, { level: 'warning' }]);
  log.sent(frame({ jsonrpc: '2.0', id: 7, method: 'initialize', params: {} }));
  expect(granted()).toEqual([]);
});

it('the replay log remembers the last 1,000 requests of a server that the client has not answered, and no more', () => {
  const log = new ReplayLog();
  const ask = (id: number) => log.answered(frame({ jsonrpc: '2.0', id, method: 'ping' }));
  const answer = (id: number) => log.sent(frame({ jsonrpc: '2.0', id, result: {} }));
  for (let id = 1; id <= 1_001; id += 1) ask(id);
  for (let id = 2; id <= 1_000; id += 1) answer(id);
  expect(log.isIdle).toBe(false);
  answer(1_001);
  expect(log.isIdle).toBe(true);
});
