import { PassThrough } from 'node:stream';
import { afterEach, beforeEach, expect, it, test, vi } from 'vitest';
import { endingWithin } from '../../../main/platform/body-limit.ts';
import { transportFailure } from '../../../main/workspace/transport-error.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

const HOST = 'https://acme.example';

async function read(body: PassThrough): Promise<string> {
  let text = '';
  for await (const piece of endingWithin(body, 60_000)) text += piece;
  return text;
}

it.each(['GET', 'POST'])('the body of a %s that trickles without end counts as a time-out', async (method) => {
  const body = new PassThrough();
  const trickle = setInterval(() => body.write(' '), 1_000);
  const failure = read(body).catch((cause: unknown) => transportFailure(cause, { method, host: HOST }).error);
  await vi.advanceTimersByTimeAsync(120_000);
  clearInterval(trickle);
  expect(await failure).toMatchObject({ code: method === 'GET' ? 'timeout' : 'outcome_unknown' });
  expect(body.destroyed).toBe(true);
});

test('a body that ends in time is read whole, and nothing waits for it afterwards', async () => {
  const body = new PassThrough();
  const text = read(body);
  body.write('a');
  await vi.advanceTimersByTimeAsync(59_000);
  body.end('b');
  expect(await text).toBe('ab');
  expect(vi.getTimerCount()).toBe(0);
});
