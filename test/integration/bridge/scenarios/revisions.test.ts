import type { ServerResponse } from 'node:http';
import { afterEach, describe, expect, it } from 'vitest';
import { INITIALIZE_RESULT, json, orderly, result, type Script } from '../scripted-server.ts';
import { metaOf, modern, refuse } from '../stateless-script.ts';
import { event, events, Stage } from './hostile.ts';

const stage = new Stage();
afterEach(() => stage.close());

const META = {
  'io.modelcontextprotocol/protocolVersion': '2026-07-28',
  'io.modelcontextprotocol/clientCapabilities': { elicitation: {} },
};

describe('a client with sessions in front of a stateless server', () => {
  it('is opened from server/discover, which is asked at once for the next client; nothing is deleted at the end', async () => {
    const { server, proxy, again } = await stage.begin(modern());
    expect(await proxy.open()).toMatchObject({
      result: { protocolVersion: '2025-06-18', instructions: 'Ask in SQL.' },
    });
    await proxy.request(1, 'tools/list');
    expect(await proxy.finish()).toBe(0);
    const first = server.arrivals.flatMap(({ frame }) => frame?.method ?? []);
    expect(first.slice(0, 2)).toEqual(['initialize', 'server/discover']);
    server.arrivals.length = 0;
    const next = again();
    await next.open();
    expect(await next.finish()).toBe(0);
    expect(server.arrivals.flatMap(({ frame }) => frame?.method ?? [])).not.toContain('initialize');
    expect(server.arrivals.map(({ method }) => method)).not.toContain('DELETE');
    for (const { headers } of server.arrivals) expect(headers['mcp-protocol-version']).toBe('2026-07-28');
  });

  it('answers what the server asks inside its results, with the state echoed byte for byte under a new id', async () => {
    const state = '"a\\u00e4\\/b=="';
    const { server, proxy } = await stage.begin(
      modern(({ frame }, response) => {
        if (frame?.method !== 'tools/call') return void response.writeHead(404).end();
        if (frame.params?.inputResponses) return json(response, result(frame.id, 'done'));
        const asks = '{"who":{"method":"elicitation/create","params":{"message":"Who?","n":1.0}}}';
        json(
          response,
          `{"jsonrpc":"2.0","id":1,"result":{"resultType":"input_required","inputRequests":${asks},"requestState":${state}}}`,
        );
      }),
    );
    await proxy.open();
    proxy.send({ jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'f' } });
    await proxy.until(2);
    const question = JSON.parse(String(proxy.frames[1]));
    expect(question).toMatchObject({ method: 'elicitation/create', params: { message: 'Who?' } });
    proxy.send(`{"jsonrpc":"2.0","id":"${question.id}","result":{"action":"accept","content":{"n":1.50}}}`);
    expect(await proxy.answerTo(1)).toMatchObject({ result: 'done' });
    const [first, second] = server.arrivals.filter(({ frame }) => frame?.method === 'tools/call');
    expect(second?.frame?.id).not.toBe(first?.frame?.id);
    expect(String(second?.body)).toContain(
      `"inputResponses":{"who":{"action":"accept","content":{"n":1.50}}},"requestState":${state}`,
    );
  });

  it('listens through subscriptions/listen, and again after the stream was cut', async () => {
    const streams: ServerResponse[] = [];
    const { proxy } = await stage.begin(
      modern(async ({ frame }, response) => {
        if (frame?.method !== 'subscriptions/listen') return json(response, result(frame?.id));
        const notifications = frame.params?.notifications;
        const method = 'notifications/subscriptions/acknowledged';
        await events(response, event({ jsonrpc: '2.0', method, params: { notifications } }));
        await events(response, event('{"jsonrpc":"2.0","method":"notifications/tools/list_changed"}'));
        streams.push(response);
        if (streams.length === 1) response.destroy();
      }),
    );
    await proxy.open();
    await proxy.until(3);
    for (const frame of proxy.frames.slice(1)) expect(String(frame)).toContain('notifications/tools/list_changed');
    expect(streams).toHaveLength(2);
  });

  it('cancels by closing, gets 404 for an unknown method, and gets a batch answered as one', async () => {
    let closed = false;
    const { server, proxy } = await stage.begin(
      modern(async ({ frame }, response) => {
        if (frame?.method === 'x/y') return refuse(response, 404, frame.id, -32601);
        if (frame?.method !== 'tools/call') return json(response, result(frame?.id, frame?.method));
        response.on('close', () => {
          closed = true;
        });
        await events(response, event('{"jsonrpc":"2.0","method":"notifications/progress","params":{}}'));
      }),
    );
    await proxy.open();
    proxy.send({ jsonrpc: '2.0', id: 'c', method: 'tools/call', params: { name: 'f' } });
    await expect.poll(() => proxy.frames.length).toBe(2);
    proxy.send({ jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 'c' } });
    await expect.poll(() => closed).toBe(true);
    expect((await proxy.request(1, 'x/y')).error.code).toBe(-32601);
    proxy.send('[{"jsonrpc":"2.0","id":2,"method":"a"},{"jsonrpc":"2.0","id":3,"method":"b"}]');
    await proxy.until(4);
    const batch = JSON.parse(String(proxy.frames[3]));
    expect(batch.map((each: { result: unknown }) => each.result)).toEqual(['a', 'b']);
    expect(server.count('notifications/cancelled')).toBe(0);
    for (const arrival of server.arrivals.slice(1)) {
      expect(metaOf(arrival)['io.modelcontextprotocol/protocolVersion']).toBe('2026-07-28');
    }
  });
});

/** A server with sessions that asks during its calls, and lets resources be followed. */
function asking(): Script {
  const waiting = new Map<unknown, (given: unknown) => void>();
  const base = orderly({
    onCall: async ({ frame }, response) => {
      if (frame?.method !== 'tools/call') return json(response, result(frame?.id));
      await events(
        response,
        event({ jsonrpc: '2.0', id: 'q', method: 'elicitation/create', params: { message: 'Who?' } }),
      );
      const given = await new Promise((resolve) => waiting.set('q', resolve));
      await events(response, event(result(frame.id, { given })));
      response.end();
    },
  });
  return (arrival, response) => {
    const { frame } = arrival;
    if (frame?.method === 'initialize') {
      base.sessions.add('s');
      const capabilities = { tools: {}, resources: { subscribe: true } };
      return json(response, result(frame.id, { ...INITIALIZE_RESULT, capabilities }), { 'mcp-session-id': 's' });
    }
    if (frame?.id !== undefined && frame.method === undefined) waiting.get(frame.id)?.(Object(frame).result);
    return base.script(arrival, response);
  };
}

describe('a stateless client in front of a server with sessions', () => {
  it('is asked in results, round by round, within the session that the bridge has opened', async () => {
    const { server, proxy } = await stage.begin(asking());
    proxy.send({ jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'f', _meta: META } });
    const { inputRequests, requestState } = Object((await proxy.answerTo(1)).result);
    const [name = ''] = Object.keys(inputRequests);
    expect(inputRequests[name]).toEqual({ method: 'elicitation/create', params: { message: 'Who?' } });
    const inputResponses = { [name]: { action: 'accept', content: { who: 'Ada' } } };
    const params = { name: 'f', inputResponses, requestState, _meta: META };
    proxy.send({ jsonrpc: '2.0', id: 2, method: 'tools/call', params });
    expect((await proxy.answerTo(2)).result).toEqual({
      given: { action: 'accept', content: { who: 'Ada' } },
      resultType: 'complete',
    });
    expect(server.count('tools/call')).toBe(1);
    expect(server.count('initialize')).toBe(1);
  });

  it('is asked in a result to open what the server names in an error that the revision no longer has', async () => {
    let isOpened = false;
    const elicitation = { mode: 'url', elicitationId: 'e', url: 'https://example.com/connect', message: 'Connect' };
    const { script } = orderly({
      onCall: ({ frame }, response) => {
        const error = { code: -32042, message: 'Sign in first.', data: { elicitations: [elicitation] } };
        json(response, isOpened ? result(frame?.id, {}) : { jsonrpc: '2.0', id: frame?.id, error });
      },
    });
    const { proxy } = await stage.begin(script);
    const _meta = { ...META, 'io.modelcontextprotocol/clientCapabilities': { elicitation: { url: {} } } };
    proxy.send({ jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'f', _meta } });
    const { inputRequests, requestState } = Object((await proxy.answerTo(1)).result);
    const [name = ''] = Object.keys(inputRequests);
    const { elicitationId: _, ...params } = elicitation;
    expect(inputRequests[name]).toEqual({ method: 'elicitation/create', params });
    isOpened = true;
    const given = { inputResponses: { [name]: { action: 'accept' } }, requestState };
    proxy.send({ jsonrpc: '2.0', id: 2, method: 'tools/call', params: { name: 'f', ...given, _meta } });
    expect(await proxy.answerTo(2)).toMatchObject({ result: { resultType: 'complete' } });
  });

  it('no longer follows a resource after it stops listening to it', async () => {
    const { server, proxy } = await stage.begin(asking());
    const params = { notifications: { resourceSubscriptions: ['file:///a'] }, _meta: META };
    proxy.send({ jsonrpc: '2.0', id: 9, method: 'subscriptions/listen', params });
    await expect.poll(() => server.count('resources/subscribe')).toBe(1);
    proxy.send({ jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 9, _meta: META } });
    await expect.poll(() => server.count('resources/unsubscribe')).toBe(1);
  });
});

it('batches are sent as one request if the revision has them, and come back as one frame', async () => {
  const batch = '[{"jsonrpc":"2.0","id":1.0,"method":"a"}, {"jsonrpc":"2.0","id":"2","method":"b"}]';
  const answers = '[{"jsonrpc":"2.0","id":"2","result":{}}, {"jsonrpc":"2.0","id":1.0,"result":{"n":1.0}}]';
  const { script } = orderly();
  const { server, proxy } = await stage.begin((arrival, response) =>
    Array.isArray(arrival.frame) ? json(response, answers) : script(arrival, response),
  );
  await proxy.open();
  proxy.send(batch);
  await proxy.until(2);
  expect(String(proxy.frames[1])).toBe(answers);
  expect(server.arrivals.filter(({ body }) => String(body) === batch)).toHaveLength(1);
});
