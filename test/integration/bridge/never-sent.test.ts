import { afterEach, expect, it, vi } from 'vitest';
import { NEVER_SENT } from '../../../main/bridge/limits.ts';
import { asked, connect, opened } from './connected.ts';
import { json, orderly, result } from './scripted-server.ts';

afterEach(() => void vi.useRealTimers());

const fakeTimers = () => vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
const NOT_RUN = expect.stringContaining('Nothing was run');

/** Lets that much of the fake time pass, in steps, so that what the network brings meanwhile is seen. */
async function pass(ms: number): Promise<void> {
  for (let left = ms; left > 0; left -= 250) {
    await vi.advanceTimersByTimeAsync(Math.min(250, left));
    await new Promise((resolve) => setImmediate(resolve));
  }
}

it('a call that no connection takes fails after 20 seconds, and is not sent when one becomes free', async () => {
  const held: (() => void)[] = [];
  const { script } = orderly({
    onCall: ({ frame }, response) => {
      const answer = () => json(response, result(frame?.id));
      if (frame?.method === 'tools/call') held.push(answer);
      else answer();
    },
  });
  const client = await opened(script, { atOnce: 2 });
  await expect.poll(() => client.server.count('notifications/initialized')).toBe(1);
  fakeTimers();
  const first = ['a', 'b'].map((id) => client.request(id, 'tools/call'));
  await expect.poll(() => held.length).toBe(2);
  const queued = ['c', 'd', 'e'].map((id) => client.request(id, 'tools/call'));
  await pass(NEVER_SENT.limitMs - 1_000);
  expect(['c', 'd', 'e'].flatMap((id) => asked(client, id))).toEqual([]);
  await pass(1_500);
  for (const answer of await Promise.all(queued)) expect(answer.error).toMatchObject({ message: NOT_RUN });
  for (const release of held) release();
  await Promise.all(first);
  await client.request('f', 'resources/list');
  expect(client.server.count('tools/call')).toBe(2);
});

it('calls whose sessions die again and again, while no new one opens, wait for 20 seconds in all', async () => {
  let isDead = false;
  const { script, expireAll } = orderly();
  const client = await opened((arrival, response) => {
    // It begins an answer, and goes on without end: it is never silent.
    if (isDead && arrival.frame?.method === 'initialize') {
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      response.write(': wait\n\n');
      return;
    }
    return script(arrival, response);
  });
  await expect.poll(() => client.server.count('notifications/initialized')).toBe(1);
  isDead = true;
  expireAll();
  fakeTimers();
  const calls = Array.from({ length: 20 }, (_, number) => client.request(number, 'tools/call'));
  await expect.poll(() => client.server.count('initialize')).toBe(2);
  await pass(NEVER_SENT.limitMs + 1_000);
  for (const answer of await Promise.all(calls)) expect(JSON.stringify(answer)).toContain('Nothing was run');
});

it('a batch waits no longer than a call', async () => {
  let isSilent = false;
  const { script } = orderly();
  const client = await connect((arrival, response) => {
    if (!isSilent || arrival.frame?.method !== 'initialize') return script(arrival, response);
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    response.write(': wait\n\n');
  });
  isSilent = true;
  client.send({ jsonrpc: '2.0', id: 'open', method: 'initialize', params: {} });
  await expect.poll(() => client.server.count('initialize')).toBe(1);
  fakeTimers();
  client.send([{ jsonrpc: '2.0', id: 'in-batch', method: 'tools/call', params: {} }]);
  await pass(NEVER_SENT.limitMs + 1_000);
  expect((await client.sink.answerTo('in-batch')).error).toMatchObject({ message: NOT_RUN });
});
