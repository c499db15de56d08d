import type { ServerResponse } from 'node:http';
import { describe, expect, it } from 'vitest';
import { type Connected, connect } from './connected.ts';
import type { BridgeUnderTest } from './harness.ts';
import { json, result, type Script } from './scripted-server.ts';
import { modern } from './stateless-script.ts';

async function opened(onCall: Script): Promise<Connected> {
  const client = await connect(modern(onCall));
  await client.request('open', 'initialize', { protocolVersion: '2025-11-25', capabilities: { elicitation: {} } });
  client.send({ jsonrpc: '2.0', method: 'notifications/initialized' });
  return client;
}

/** The next frame, from `at` on, that the client gets with this method. */
async function heard(client: BridgeUnderTest, method: string, at = 0): Promise<Record<string, unknown>> {
  for (let next = at; ; next += 1) {
    const frame = JSON.parse(String((await client.sink.until(next + 1))[next]));
    if (frame.method === method) return frame;
  }
}

const bodies = (client: Connected, method: string) =>
  client.server.arrivals.filter(({ frame }) => frame?.method === method).map(({ body }) => String(body));

const frames = (client: BridgeUnderTest) => client.sink.frames.map(String);

const STATE = '"a\\u00e4\\/b\\n=="';
const ASKS = `{"jsonrpc":"2.0","id":1,"result":{"resultType":"input_required","inputRequests":{"who":{"method":"elicitation/create","params":{"message":"Who?","n":1.0}},"more":{"method":"elicitation/create","params":{"mode":"url","message":"More","url":"https://example.com"}}},"requestState":${STATE}}}`;

/** Asks first, and answers a call that brings what was asked for. */
const asking: Script = ({ frame }, response) => {
  if (frame?.method !== 'tools/call') return void response.writeHead(404).end();
  if (frame.params?.inputResponses === undefined) return json(response, ASKS);
  json(response, result(frame.id, { given: frame.params.inputResponses }));
};

describe('a result that asks for input', () => {
  it('becomes requests to the client; the answers and the state return byte for byte under a new id', async () => {
    const client = await opened(asking);
    const call = '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"f","arguments":{"x":1.0}}}';
    client.send(call);
    await client.sink.until(3);
    expect(frames(client).slice(1)).toEqual([
      '{"method":"elicitation/create","params":{"message":"Who?","n":1.0},"jsonrpc":"2.0","id":"causeway-input-1"}',
      '{"method":"elicitation/create","params":{"mode":"url","message":"More","url":"https://example.com","elicitationId":"causeway-input-2"},"jsonrpc":"2.0","id":"causeway-input-2"}',
    ]);
    client.send('{"jsonrpc":"2.0","id":"causeway-input-2","result":{"action":"decline"}}');
    client.send('{"jsonrpc":"2.0","id":"causeway-input-1","result":{"action":"accept","content":{"n":1.50}}}');
    expect((await client.sink.answerTo(1)).result).toEqual({
      given: { who: { action: 'accept', content: { n: 1.5 } }, more: { action: 'decline' } },
    });
    const [first, second] = bodies(client, 'tools/call');
    expect(first).toContain(call.slice(0, -2));
    expect(second).toMatch(/^\{"jsonrpc":"2\.0","id":"causeway-\d+","method":"tools\/call"/);
    expect(second).toContain(
      `"arguments":{"x":1.0},"inputResponses":{"who":{"action":"accept","content":{"n":1.50}},"more":{"action":"decline"}},"requestState":${STATE},"_meta":`,
    );
    expect(bodies(client, 'response')).toEqual([]);
    expect(client.sink.frames).toHaveLength(4);
  });

  it('is answered with its state if it has only a state', async () => {
    const client = await opened(({ frame }, response) => {
      if (frame?.method !== 'tools/call') return void response.writeHead(404).end();
      const isFirst = frame.params?.requestState === undefined;
      json(
        response,
        result(frame.id, isFirst ? { resultType: 'input_required', requestState: 'later' } : { done: true }),
      );
    });
    expect((await client.request(1, 'tools/call', { name: 'f' })).result).toEqual({ done: true });
    expect(bodies(client, 'tools/call')[1]).toContain('"requestState":"later"');
  });

  it("is refused in the client's words if the client refuses it, and its other questions are canceled", async () => {
    const client = await opened(asking);
    client.send('{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"f"}}');
    await client.sink.until(3);
    client.send('{"jsonrpc":"2.0","id":"causeway-input-1","error":{"code":-1,"message":"not now"}}');
    expect((await client.sink.answerTo(1)).error).toEqual({ code: -1, message: 'not now' });
    expect(frames(client)).toContain(
      '{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":"causeway-input-2"}}',
    );
    expect(client.server.count('tools/call')).toBe(1);
  });

  it('is forgotten when the client cancels its call', async () => {
    const client = await opened(asking);
    client.send('{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"f"}}');
    await client.sink.until(3);
    client.send('{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}}');
    await client.sink.until(5);
    expect(
      frames(client)
        .slice(3)
        .map((frame) => JSON.parse(frame).method),
    ).toEqual(['notifications/cancelled', 'notifications/cancelled']);
    expect(client.server.count('tools/call')).toBe(1);
  });

  it('is given up if it never ends', async () => {
    const client = await opened(({ frame }, response) =>
      frame?.method === 'tools/call'
        ? json(
            response,
            result(frame.id, { resultType: 'input_required', inputRequests: { r: { method: 'roots/list' } } }),
          )
        : void response.writeHead(404).end(),
    );
    client.send('{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"f"}}');
    for (let round = 1; round <= 10; round += 1) {
      await client.sink.until(round + 1);
      client.send(`{"jsonrpc":"2.0","id":"causeway-input-${round}","result":{"roots":[]}}`);
    }
    expect((await client.sink.answerTo(1)).error.message).toContain('10 times');
  });
});

/** Keeps each listener's stream open in `streams`. */
function listened(streams: { id: unknown; wanted: unknown; response: ServerResponse }[]): Script {
  return ({ frame }, response) => {
    if (frame?.method !== 'subscriptions/listen') return json(response, result(frame?.id));
    const wanted = frame.params?.notifications;
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    tell(response, { method: 'notifications/subscriptions/acknowledged', params: { notifications: wanted } });
    streams.push({ id: frame.id, wanted, response });
  };
}

function tell(response: ServerResponse, frame: object): void {
  response.write(`data: ${JSON.stringify({ jsonrpc: '2.0', ...frame })}\n\n`);
}

describe('the listening stream', () => {
  it('subscribes to what the server announces, and to the resources that the client subscribes to', async () => {
    const streams: Parameters<typeof listened>[0] = [];
    const client = await opened(listened(streams));
    await expect.poll(() => streams.length).toBe(1);
    expect(streams[0]?.wanted).toEqual({ toolsListChanged: true });
    if (streams[0]) tell(streams[0].response, { method: 'notifications/tools/list_changed' });
    expect(await heard(client, 'notifications/tools/list_changed')).toBeDefined();

    const closed = new Promise((resolve) => streams[0]?.response.on('close', resolve));
    await client.request(1, 'resources/subscribe', { uri: 'file:///a' });
    await closed;
    await expect.poll(() => streams.length).toBe(2);
    expect(streams[1]?.wanted).toEqual({ toolsListChanged: true, resourceSubscriptions: ['file:///a'] });
    if (streams[1])
      tell(streams[1].response, { method: 'notifications/resources/updated', params: { uri: 'file:///a' } });
    expect(await heard(client, 'notifications/resources/updated')).toMatchObject({ params: { uri: 'file:///a' } });

    await client.request(2, 'resources/unsubscribe', { uri: 'file:///a' });
    await expect.poll(() => streams.length).toBe(3);
    expect(streams[2]?.wanted).toEqual({ toolsListChanged: true });
    expect(frames(client).join()).not.toContain('acknowledged');
    expect(client.server.arrivals.map(({ method }) => method)).not.toContain('GET');
    expect(new Set(streams.map(({ id }) => id)).size).toBe(3);
  });

  it('of a client that listens by itself does not keep the session open when the client leaves', async () => {
    const streams: Parameters<typeof listened>[0] = [];
    const client = await connect(modern(listened(streams)));
    const _meta = { 'io.modelcontextprotocol/protocolVersion': '2026-07-28' };
    const params = { notifications: { toolsListChanged: true }, _meta };
    client.send({ jsonrpc: '2.0', id: 1, method: 'subscriptions/listen', params });
    await expect.poll(() => streams.length).toBe(1);
    const closed = new Promise((resolve) => streams[0]?.response.on('close', resolve));
    await client.bridge.finish(600_000);
    await closed;
  });

  it('is reopened after it was cut', async () => {
    const streams: Parameters<typeof listened>[0] = [];
    const client = await opened(listened(streams));
    await expect.poll(() => streams.length).toBe(1);
    streams[0]?.response.destroy();
    await expect.poll(() => streams.length).toBe(2);
    if (streams[1]) tell(streams[1].response, { method: 'notifications/tools/list_changed' });
    expect(await heard(client, 'notifications/tools/list_changed')).toBeDefined();
  });
});
