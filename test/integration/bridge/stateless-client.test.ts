import { describe, expect, it } from 'vitest';
import { type Connected, connect } from './connected.ts';
import type { BridgeUnderTest } from './harness.ts';
import { INITIALIZE_RESULT, json, orderly, result } from './scripted-server.ts';
import { modern, refuse } from './stateless-script.ts';

const META =
  '"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{},"io.modelcontextprotocol/clientInfo":{"name":"new","version":"2"}}';
const request = (id: number, method: string, params = '') =>
  `{"jsonrpc":"2.0","id":${id},"method":"${method}","params":{${params}${params && ','}${META}}}`;

function ask(client: BridgeUnderTest, id: number, method: string, params?: string) {
  client.send(request(id, method, params));
  return client.sink.answerTo(id);
}

const posted = ({ server }: Connected) => server.arrivals.filter(({ method }) => method === 'POST');

describe('a client of the stateless revision in front of a server with sessions', () => {
  it('learns about the server from the session that the bridge opens', async () => {
    const client = await connect(orderly().script);
    expect((await ask(client, 1, 'server/discover')).result).toEqual({
      supportedVersions: ['2026-07-28'],
      capabilities: { tools: {} },
      _meta: { 'io.modelcontextprotocol/serverInfo': INITIALIZE_RESULT.serverInfo },
      resultType: 'complete',
      ttlMs: 0,
      cacheScope: 'private',
    });
    await expect.poll(() => client.server.count('notifications/initialized')).toBe(1);
    const initialize = posted(client).find(({ frame }) => frame?.method === 'initialize');
    expect(initialize?.frame?.params).toMatchObject({ clientInfo: { name: 'new', version: '2' }, capabilities: {} });
    expect(client.sink.frames).toHaveLength(1);
  });

  it('calls within that session, byte for byte, and gets results in the form of its revision', async () => {
    const client = await connect(
      orderly({
        onCall: ({ frame }, response) =>
          json(response, `{"jsonrpc":"2.0","id":${frame?.id},"result":{"tools":[],"n":1.0}}`),
      }).script,
    );
    // Nothing was asked before: the bridge finds out by itself what the server is.
    client.send(request(1, 'tools/call', '"name":"f","arguments":{"x":1.0}'));
    client.send(request(2, 'tools/list'));
    await client.sink.answerTo(1);
    await client.sink.answerTo(2);
    expect(client.sink.frames.map(String).sort()).toEqual([
      '{"jsonrpc":"2.0","id":1,"result":{"tools":[],"n":1.0,"resultType":"complete"}}',
      '{"jsonrpc":"2.0","id":2,"result":{"tools":[],"n":1.0,"resultType":"complete","ttlMs":0,"cacheScope":"private"}}',
    ]);
    const call = posted(client).find(({ frame }) => frame?.method === 'tools/call');
    expect(String(call?.body)).toBe(request(1, 'tools/call', '"name":"f","arguments":{"x":1.0}'));
    expect(call?.headers['mcp-session-id']).toBe('session-1');
  });

  it('does not notice when that session ends', async () => {
    const session = orderly();
    const client = await connect(session.script);
    await ask(client, 1, 'server/discover');
    session.expireAll();
    expect(await ask(client, 2, 'tools/call')).toMatchObject({ result: { resultType: 'complete' } });
    expect(client.server.count('initialize')).toBe(2);
  });

  it("receives what it has subscribed to, under the subscription's id, until it cancels the subscription", async () => {
    let tell: (frame: unknown) => void = () => {};
    const base = orderly().script;
    const client = await connect((arrival, response) => {
      if (arrival.method === 'GET') {
        response.writeHead(200, { 'content-type': 'text/event-stream' });
        tell = (frame) => response.write(`data: ${JSON.stringify(frame)}\n\n`);
        return response.flushHeaders();
      }
      if (arrival.frame?.method !== 'initialize') return base(arrival, response);
      const capabilities = { tools: { listChanged: true }, resources: { subscribe: true } };
      return base(
        arrival,
        Object.assign(response, { end: ended(response, { ...INITIALIZE_RESULT, capabilities }, arrival.frame.id) }),
      );
    });
    await ask(client, 1, 'server/discover');
    await expect.poll(() => client.server.arrivals.map(({ method }) => method)).toContain('GET');
    const changed = { jsonrpc: '2.0', method: 'notifications/tools/list_changed' };
    client.send(
      request(
        9,
        'subscriptions/listen',
        '"notifications":{"toolsListChanged":true,"promptsListChanged":true,"resourceSubscriptions":["a"]}',
      ),
    );
    await expect.poll(() => client.server.count('resources/subscribe')).toBe(1);
    tell(changed);
    const subscription = { 'io.modelcontextprotocol/subscriptionId': 9 };
    const [, acknowledged, heard] = (await client.sink.until(3)).map((frame) => JSON.parse(String(frame)));
    expect(acknowledged).toMatchObject({
      method: 'notifications/subscriptions/acknowledged',
      params: { notifications: { toolsListChanged: true, resourceSubscriptions: ['a'] }, _meta: subscription },
    });
    expect(heard).toEqual({ ...changed, params: { _meta: subscription } });
    client.send(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":9,${META}}}`);
    tell(changed);
    tell({ jsonrpc: '2.0', method: 'notifications/other', params: {} });
    expect(String((await client.sink.until(4))[3])).toContain('notifications/other');
    await expect.poll(() => client.server.count('resources/unsubscribe')).toBe(1);
  });
});

/** Ends an answer with this result instead of what was to be sent. */
function ended(response: { end: (text: string) => unknown }, value: unknown, id: unknown) {
  const end = response.end.bind(response);
  return () => end(JSON.stringify(result(id, value)));
}

describe('a client of the stateless revision in front of a server of the same revision', () => {
  it('speaks to it through the bridge, which adds headers and nothing else', async () => {
    const client = await connect(
      modern(({ frame }, response) =>
        json(response, result(frame?.id, { resultType: 'input_required', requestState: 's' })),
      ),
    );
    expect(await ask(client, 1, 'server/discover')).toHaveProperty('result.instructions', 'Ask in SQL.');
    expect((await ask(client, 2, 'tools/call', '"name":"f"')).result).toEqual({
      resultType: 'input_required',
      requestState: 's',
    });
    const call = posted(client).find(({ frame }) => frame?.method === 'tools/call');
    expect(String(call?.body)).toBe(request(2, 'tools/call', '"name":"f"'));
    expect(call?.headers).toMatchObject({
      'mcp-protocol-version': '2026-07-28',
      'mcp-method': 'tools/call',
      'mcp-name': 'f',
    });
    expect(client.server.count('initialize')).toBe(0);
  });
});

describe('the protocol revision of a server', () => {
  it('is not awaited for long: a server that does not answer the probe gets a session', async () => {
    const session = orderly();
    let answer = (): void => {};
    const client = await connect((arrival, response) => {
      if (arrival.frame?.method !== 'server/discover') return session.script(arrival, response);
      answer = () =>
        json(response, { jsonrpc: '2.0', id: arrival.frame?.id, error: { code: -32601, message: 'late' } });
    });
    expect(await ask(client, 1, 'tools/call', '"name":"f"')).toMatchObject({ result: { resultType: 'complete' } });
    expect(client.server.count('server/discover')).toBe(1);
    answer();
    expect(await ask(client, 2, 'tools/call', '"name":"f"')).toMatchObject({ result: { resultType: 'complete' } });
    expect(client.sink.frames).toHaveLength(2);
  });

  it('does not reach a client that has meanwhile sent initialize', async () => {
    const session = orderly();
    let answer = (): void => {};
    const client = await connect((arrival, response) => {
      if (arrival.frame?.method !== 'server/discover') return session.script(arrival, response);
      answer = () =>
        json(response, { jsonrpc: '2.0', id: arrival.frame?.id, error: { code: -31999, message: 'late' } });
    });
    client.send(request(1, 'server/discover'));
    const params = '"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"old","version":"1"}';
    client.send(`{"jsonrpc":"2.0","id":2,"method":"initialize","params":{${params}}}`);
    await client.sink.answerTo(2);
    client.send('{"jsonrpc":"2.0","method":"notifications/initialized"}');
    await expect.poll(() => client.server.count('server/discover')).toBe(1);
    const call = (id: number) => {
      client.send(`{"jsonrpc":"2.0","id":${id},"method":"tools/call","params":{"name":"f"}}`);
      return client.sink.answerTo(id);
    };
    expect(await call(3)).not.toHaveProperty('result.resultType');
    answer();
    expect(await call(4)).not.toHaveProperty('result.resultType');
    expect(client.sink.frames.map(String).filter((frame) => frame.includes('causeway-'))).toEqual([]);
  });

  it('is the stateless one if it refuses the revision of the probe', async () => {
    let questions = 0;
    const client = await connect(({ frame }, response) => {
      questions += 1;
      if (questions > 1) return json(response, result(frame?.id, { supportedVersions: ['2026-07-28'] }));
      refuse(response, 400, frame?.id, -32022, { supported: ['2026-07-28'] });
    });
    expect(await ask(client, 1, 'server/discover')).toMatchObject({ result: { supportedVersions: ['2026-07-28'] } });
    expect(client.server.count('initialize')).toBe(0);
  });

  it('is the stateless one where the server is slow to say so: its client has no session, and nothing is translated', async () => {
    const asks = { resultType: 'input_required', requestState: 's' };
    const server = modern(({ frame }, response) => json(response, result(frame?.id, asks)));
    let answer: (() => unknown) | undefined;
    const client = await connect((arrival, response) => {
      // The first answer comes once the bridge has tried a session.
      if (arrival.frame?.method === 'server/discover' && !answer) answer = () => server(arrival, response);
      else if (arrival.frame?.method === 'initialize') {
        server(arrival, response);
        answer?.();
      } else server(arrival, response);
    });
    expect((await ask(client, 1, 'tools/call', '"name":"f"')).result).toEqual(asks);
    expect(client.server.count('initialize')).toBe(1);
    const call = posted(client).find(({ frame }) => frame?.method === 'tools/call');
    expect(String(call?.body)).toBe(request(1, 'tools/call', '"name":"f"'));
    expect(client.sink.frames).toHaveLength(1);
  });

  it('is that of the session where a server of both begins one before it answers the probe', async () => {
    const session = orderly();
    let answer = (): void => {};
    const client = await connect((arrival, response) => {
      if (arrival.frame?.method === 'server/discover') {
        const discovered = result(arrival.frame.id, { supportedVersions: ['2026-07-28'], capabilities: {} });
        answer = () => json(response, discovered);
        return;
      }
      if (arrival.frame?.method !== 'initialize') return session.script(arrival, response);
      answer();
      setImmediate(() => session.script(arrival, response));
    });
    expect(await ask(client, 1, 'tools/call', '"name":"f"')).toMatchObject({ result: { resultType: 'complete' } });
    const call = posted(client).find(({ frame }) => frame?.method === 'tools/call');
    expect(call?.headers['mcp-session-id']).toBe('session-1');
  });
});
