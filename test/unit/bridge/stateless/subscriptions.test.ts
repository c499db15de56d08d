import { describe, expect, it } from 'vitest';
import type { HttpOutcome } from '../../../../main/bridge/http-exchange.ts';
import { Subscriptions } from '../../../../main/bridge/stateless/subscriptions.ts';

const HEAD = { status: 200, headers: {} };
const ENDED: HttpOutcome = { kind: 'streamed', head: HEAD, place: { lastEventId: undefined, retryMs: undefined } };
const ACKNOWLEDGED = Buffer.from(
  '{"jsonrpc":"2.0","method":"notifications/subscriptions/acknowledged","params":{"notifications":{}}}',
);

describe('listening', () => {
  it.each<[name: string, capabilities: Record<string, unknown>, times: number]>([
    ['a server that announces nothing', { tools: {}, resources: { subscribe: true } }, 0],
    ['a server that agrees to nothing', { tools: { listChanged: true } }, 1],
  ])('to %s pauses until there is something else to listen to', async (_name, capabilities, times) => {
    const asked: string[] = [];
    const subscriptions = new Subscriptions(async (params, onFrame) => {
      asked.push(params);
      onFrame(ACKNOWLEDGED, HEAD);
      return ENDED;
    });
    subscriptions.offer(capabilities);
    const order: string[] = [];
    const over = subscriptions
      .listen(() => order.push('frame'), new AbortController().signal)
      .then(() => order.push('over'));
    await new Promise((resolve) => setImmediate(resolve));
    order.push('follows');
    subscriptions.setSubscribed('file:///a', true);
    await over;
    expect(order).toEqual(['follows', 'over']);
    expect(asked).toHaveLength(times);
  });

  it('requests what the capabilities promise', async () => {
    let asked = '';
    const subscriptions = new Subscriptions(async (params) => {
      asked = params;
      return ENDED;
    });
    subscriptions.offer({
      tools: { listChanged: true },
      prompts: { listChanged: false },
      resources: { listChanged: true },
    });
    subscriptions.setSubscribed('a', true);
    subscriptions.setSubscribed('b', true);
    subscriptions.setSubscribed('a', false);
    await subscriptions.listen(() => {}, new AbortController().signal);
    expect(asked).toBe(
      '"notifications":{"toolsListChanged":true,"resourcesListChanged":true,"resourceSubscriptions":["b"]}',
    );
  });
});
