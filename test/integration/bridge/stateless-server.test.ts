import { describe, expect, it } from 'vitest';
import { openAnswerStore } from '../../../main/bridge/answer-store.ts';
import { type Connected, connect, newcomer, serve } from './connected.ts';
import { json, orderly, result, type Script } from './scripted-server.ts';
import { metaOf, modern, refuse } from './stateless-script.ts';

const CLIENT = {
  protocolVersion: '2025-06-18',
  capabilities: { sampling: {}, elicitation: {} },
  clientInfo: { name: 'old', version: '1' },
};

async function opened(onCall?: Script): Promise<Connected> {
  const client = await connect(modern(onCall));
  await client.request('open', 'initialize', CLIENT);
  client.send({ jsonrpc: '2.0', method: 'notifications/initialized' });
  return client;
}

const arrivalsOf = ({ server }: Connected, method: string) =>
  server.arrivals.filter(({ frame }) => frame?.method === method);

const events = (...frames: unknown[]) => frames.map((frame) => `data: ${JSON.stringify(frame)}\n\n`).join('');

describe('initialize', () => {
  it("is answered from the server's own description, in the revision that the client asked for", async () => {
    const client = await connect(modern());
    expect((await client.request(7, 'initialize', CLIENT)).result).toEqual({
      protocolVersion: '2025-06-18',
      capabilities: { tools: { listChanged: true }, resources: { subscribe: true } },
      serverInfo: { name: 'scripted', version: '2' },
      instructions: 'Ask in SQL.',
    });
  });

  it.each([
    ['400, unsupported revision', 400, -32022],
    ['400, headers missing', 400, -32020],
    ['400, parameters missing', 400, -32602],
    ['404, unknown method', 404, -32601],
  ])('determines the protocol revision from a refusal with %s', async (_name, status, code) => {
    const strict = modern();
    const client = await connect((arrival, response) =>
      arrival.frame?.method === 'initialize'
        ? refuse(response, status, arrival.frame.id, code)
        : strict(arrival, response),
    );
    expect(await client.request(1, 'initialize', CLIENT)).toHaveProperty('result.serverInfo.name', 'scripted');
  });

  it("is refused with the server's words if a server with sessions refuses it, however it answers server/discover", async () => {
    const client = await connect(({ frame }, response) => refuse(response, 400, frame?.id, -32602));
    expect((await client.request(1, 'initialize', CLIENT)).error).toEqual({
      code: -32602,
      message: 'refused with -32602',
    });
  });

  it('is not tried again with a server whose revision is stored, and a server that returned to sessions is recognized', async () => {
    const env = await newcomer();
    const of = { host: 'https://example.com', path: '/p', profile: 'p' };
    const server = await serve(modern());
    const methods = async () => {
      server.arrivals.length = 0;
      const client = await connect(server, { memory: openAnswerStore(env, of) });
      expect(await client.request(1, 'initialize', CLIENT)).toHaveProperty('result.serverInfo');
      await client.close();
      return server.arrivals.map(({ frame }) => frame?.method);
    };
    expect((await methods()).slice(0, 2)).toEqual(['initialize', 'server/discover']);
    expect(await methods()).toEqual(['server/discover']);
    server.script = orderly().script;
    expect((await methods()).slice(0, 2)).toEqual(['server/discover', 'initialize']);
    expect((await methods()).slice(0, 1)).toEqual(['initialize']);
  });

  it('holds the frames sent after it, and sends them in the form that the server expects', async () => {
    const client = await connect(modern());
    client.send({ jsonrpc: '2.0', id: 1, method: 'initialize', params: CLIENT });
    client.send({ jsonrpc: '2.0', method: 'notifications/initialized' });
    expect(await client.request(2, 'tools/list')).toHaveProperty('result');
    expect(client.server.count('notifications/initialized')).toBe(0);
  });
});

describe('a request', () => {
  it('keeps every byte but gets what the revision requires', async () => {
    const client = await opened();
    const call =
      '{ "id" : 9007199254740993 ,"params":{"x":1.0,"name":"f","arguments":{"q":"\\u00e4 }","n":1e2},"_meta":{"progressToken":1.50}},"jsonrpc":"2.0","method":"tools/call"}';
    client.send(call);
    await client.sink.until(2);
    const [{ body, headers } = {}] = arrivalsOf(client, 'tools/call');
    const added =
      ',"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{"sampling":{},"elicitation":{}},"io.modelcontextprotocol/clientInfo":{"name":"old","version":"1"}';
    expect(String(body)).toBe(call.replace('1.50}', `1.50${added}}`));
    expect(headers).toMatchObject({
      'mcp-protocol-version': '2026-07-28',
      'mcp-method': 'tools/call',
      'mcp-name': 'f',
    });
    expect(String(client.sink.frames[1])).toContain('9007199254740993');
  });

  it.each<[string, string, string]>([
    ['tools/call', '{"name":"Umsätze"}', `=?base64?${Buffer.from('Umsätze').toString('base64')}?=`],
    ['tools/call', '{"name":" f"}', '=?base64?IGY=?='],
    ['tools/call', '{"name":"=?base64?IGY=?="}', `=?base64?${Buffer.from('=?base64?IGY=?=').toString('base64')}?=`],
    ['resources/read', '{"uri":"file:///a"}', 'file:///a'],
    ['prompts/get', '{"name":"p"}', 'p'],
  ])('%s of %s names it in a header', async (method, params, name) => {
    const client = await opened();
    await client.request(1, method, JSON.parse(params));
    expect(arrivalsOf(client, method)[0]?.headers['mcp-name']).toBe(name);
  });

  it("for an unknown method gets the server's 404 as its answer, and no session is lost", async () => {
    const client = await opened(({ frame }, response) => refuse(response, 404, frame?.id, -32601));
    expect((await client.request(1, 'x/y')).error).toEqual({ code: -32601, message: 'refused with -32601' });
    expect(client.server.count('initialize')).toBe(1);
  });

  it('that is canceled ends with its stream, and nothing is posted about it', async () => {
    let closed = (): void => {};
    const ended = new Promise<void>((resolve) => {
      closed = resolve;
    });
    const client = await opened(({ frame }, response) => {
      if (frame?.method !== 'tools/call') return json(response, result(frame?.id));
      response.on('close', closed);
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      response.write(events({ jsonrpc: '2.0', method: 'notifications/progress', params: {} }));
    });
    client.send({ jsonrpc: '2.0', id: 'c', method: 'tools/call', params: { name: 'f' } });
    await client.sink.until(2);
    client.send({ jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 'c' } });
    await ended;
    await client.request(3, 'tools/list');
    expect(client.server.count('notifications/cancelled')).toBe(0);
    expect(client.sink.frames.map(String).filter((frame) => frame.includes('"id":"c"'))).toEqual([]);
  });

  it("is sent again under a new id, and its answer comes back under the client's", async () => {
    const ids: unknown[] = [];
    const client = await opened(({ frame }, response) => {
      if (frame?.method !== 'tools/list') return json(response, result(frame?.id));
      ids.push(frame.id);
      if (ids.length === 1) return void response.writeHead(503, { 'retry-after': '0' }).end();
      json(response, result(frame.id, { tools: [] }));
    });
    expect((await client.request(5, 'tools/list')).result).toEqual({ tools: [] });
    expect(ids).toEqual([5, expect.stringMatching(/^causeway-/)]);
  });

  it.each(['ping', 'logging/setLevel', 'resources/subscribe', 'resources/unsubscribe'])(
    '%s, which the revision does not have, is answered by the bridge',
    async (method) => {
      const client = await opened(({ frame }, response) => {
        if (frame?.method === 'subscriptions/listen') return void response.writeHead(404).end();
        json(response, result(frame?.id));
      });
      expect((await client.request(1, method, { level: 'debug', uri: 'file:///a' })).result).toEqual({});
      expect(client.server.count(method)).toBe(0);
      await client.request(2, 'tools/list');
      const [list] = arrivalsOf(client, 'tools/list');
      expect(list && metaOf(list)['io.modelcontextprotocol/logLevel']).toBe(
        method === 'logging/setLevel' ? 'debug' : undefined,
      );
    },
  );

  it('in a batch is sent separately, and the answers come back as one', async () => {
    const client = await opened(({ frame }, response) => json(response, result(frame?.id, { of: frame?.method })));
    client.send(
      '[{"jsonrpc":"2.0","id":1,"method":"a"},{"jsonrpc":"2.0","method":"n"},{"jsonrpc":"2.0","id":2,"method":"b"}]',
    );
    await client.sink.until(2);
    expect(JSON.parse(String(client.sink.frames[1]))).toEqual([
      { jsonrpc: '2.0', id: 1, result: { of: 'a' } },
      { jsonrpc: '2.0', id: 2, result: { of: 'b' } },
    ]);
  });
});

const TOOL = {
  name: 'query',
  inputSchema: {
    type: 'object',
    properties: {
      region: { type: 'string', 'x-mcp-header': 'Region' },
      deep: { type: 'object', properties: { limit: { type: 'integer', 'x-mcp-header': 'Limit' } } },
    },
  },
};
const BROKEN = { name: 'broken', inputSchema: { properties: { a: { type: 'object', 'x-mcp-header': 'A' } } } };

describe('arguments that are sent in headers', () => {
  const lists: Script = ({ frame, headers }, response) => {
    if (frame?.method === 'tools/list') return json(response, result(frame.id, { tools: [TOOL, BROKEN] }));
    if (frame?.method !== 'tools/call') return void response.writeHead(404).end();
    if (headers['mcp-param-region'] === undefined) return refuse(response, 400, frame.id, -32020);
    json(response, result(frame.id, { region: headers['mcp-param-region'], limit: headers['mcp-param-limit'] }));
  };
  const call = { name: 'query', arguments: { region: 'Süd', deep: { limit: 3 } } };

  it('are found in the list of tools; a tool with an invalid annotation is not offered', async () => {
    const client = await opened(lists);
    expect((await client.request(1, 'tools/list')).result).toEqual({ tools: [TOOL] });
    expect((await client.request(2, 'tools/call', call)).result).toEqual({ region: '=?base64?U8O8ZA==?=', limit: '3' });
    expect(client.server.count('tools/call')).toBe(1);
  });

  it('are learned when the server misses them, and the call is sent again', async () => {
    const client = await opened(lists);
    expect((await client.request(2, 'tools/call', call)).result).toMatchObject({ limit: '3' });
    expect(client.server.count('tools/list')).toBe(1);
    expect(arrivalsOf(client, 'tools/call').map(({ frame }) => frame?.id)).toEqual([
      2,
      expect.stringMatching(/^causeway-/),
    ]);
  });

  it("leave the call refused with the server's words if the server still misses them", async () => {
    const client = await opened(({ frame }, response) =>
      frame?.method === 'tools/list'
        ? json(response, result(frame.id, { tools: [] }))
        : refuse(response, 400, frame?.id, -32020),
    );
    expect((await client.request(2, 'tools/call', call)).error.code).toBe(-32020);
    expect(client.server.count('tools/call')).toBe(2);
  });
});
