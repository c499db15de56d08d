import { describe, expect, it } from 'vitest';
import { CausewayError } from '../../../main/platform/errors.ts';
import { Secret } from '../../../main/platform/secret.ts';
import { connect, serve } from './connected.ts';
import { INITIALIZE_RESULT, json, orderly, result } from './scripted-server.ts';

describe('a session that the server forgets', () => {
  it('is replaced once for sixteen concurrent calls, and each call is answered and runs once', async () => {
    const session = orderly();
    const server = await serve(session.script);
    const client = await connect(server);
    await client.open();
    await client.request('before', 'tools/call', { text: 'warm' });
    session.expireAll();
    const answers = await Promise.all(
      Array.from({ length: 16 }, (_, at) => client.request(at, 'tools/call', { text: `call ${at}` })),
    );
    expect(answers.map((answer) => answer.result)).toEqual(
      Array.from({ length: 16 }, (_, at) => ({ content: [{ type: 'text', text: `call ${at}` }] })),
    );
    expect(server.count('initialize')).toBe(2);
    expect(server.count('notifications/initialized')).toBe(2);
    const served = server.arrivals.filter(
      ({ frame, headers }) => frame?.method === 'tools/call' && headers['mcp-session-id'] === 'session-2',
    );
    expect(served).toHaveLength(16);
  });

  it.each([
    ['404', 404, '{"error_code":"RESOURCE_DOES_NOT_EXIST","message":"Session not found"}'],
    ['410', 410, ''],
    [
      '400 that names the session',
      400,
      '{"jsonrpc":"2.0","id":null,"error":{"code":-32000,"message":"Bad Request: No valid session ID provided"}}',
    ],
    [
      'a JSON-RPC error in a 200',
      200,
      '{"jsonrpc":"2.0","id":"a","error":{"code":-32001,"message":"Session not found"}}',
    ],
  ])('is recognized if it is spelled as %s', async (_name, status, body) => {
    const session = orderly({
      onCall: ({ headers, frame }, response) => {
        if (headers['mcp-session-id'] === 'session-2') json(response, result(frame?.id, 'reconnected'));
        else response.writeHead(status, { 'content-type': 'application/json' }).end(body);
      },
    });
    const server = await serve(session.script);
    const client = await connect(server);
    await client.open();
    expect(await client.request('a', 'tools/call')).toMatchObject({ result: 'reconnected' });
    expect(server.count('tools/call')).toBe(2);
  });

  it('is not assumed after a 404 from a server without sessions that does not know a method', async () => {
    const server = await serve(({ frame }, response) => {
      if (frame?.method === 'initialize')
        json(response, result(frame.id, INITIALIZE_RESULT), { 'mcp-session-id': 's' });
      else if (frame?.id === undefined) response.writeHead(202).end();
      else {
        response.writeHead(404, { 'content-type': 'application/json' });
        response.end(
          JSON.stringify({ jsonrpc: '2.0', id: frame.id, error: { code: -32601, message: 'Method not found' } }),
        );
      }
    });
    const client = await connect(server);
    await client.open();
    expect(await client.request(1, 'tools/call')).toEqual({
      jsonrpc: '2.0',
      id: 1,
      error: { code: -32601, message: 'Method not found' },
    });
    expect(server.count('initialize')).toBe(1);
  });

  it('is replaced by one with the same subscriptions and log level', async () => {
    const session = orderly({ onCall: ({ frame }, response) => json(response, result(frame?.id, {})) });
    const server = await serve(session.script);
    const client = await connect(server);
    await client.open();
    await client.request(1, 'logging/setLevel', { level: 'error' });
    await client.request(2, 'logging/setLevel', { level: 'debug' });
    for (const [id, uri] of Object.entries({ 3: 'file:///a', 4: 'file:///b' })) {
      await client.request(id, 'resources/subscribe', { uri });
    }
    await client.request(5, 'resources/unsubscribe', { uri: 'file:///a' });
    session.expireAll();
    await client.request(6, 'tools/call');
    const again = () => server.arrivals.filter(({ frame }) => frame?.id === 'causeway-again');
    await expect.poll(again).toHaveLength(2);
    expect(again().map(({ frame, headers }) => [headers['mcp-session-id'], frame?.method, frame?.params])).toEqual([
      ['session-2', 'logging/setLevel', { level: 'debug' }],
      ['session-2', 'resources/subscribe', { uri: 'file:///b' }],
    ]);
    await client.request(7, 'tools/call');
    expect(client.sink.frames.map(String).filter((frame) => frame.includes('causeway-again'))).toEqual([]);
  });

  it('fails the waiting calls if it cannot be replaced, and the next call tries again', async () => {
    const session = orderly();
    let down = false;
    const server = await serve((arrival, response) => {
      if (down && arrival.frame?.method === 'initialize') response.writeHead(500).end('out of order');
      else return session.script(arrival, response);
    });
    const client = await connect(server);
    await client.open();
    session.expireAll();
    down = true;
    const failed = await Promise.all([client.request(1, 'tools/call'), client.request(2, 'tools/call')]);
    for (const { error } of failed) expect(error.message).toContain('500: out of order');
    expect(server.count('initialize')).toBe(2);
    down = false;
    expect(await client.request(3, 'tools/call')).toHaveProperty('result');
  });
});

describe('a client that has the initialize result of an earlier bridge', () => {
  it('gets its session even though its replayed initialize was refused at first', async () => {
    const session = orderly();
    let refusals = 1;
    const server = await serve((arrival, response) => {
      if (arrival.frame?.method === 'initialize' && refusals-- > 0) response.writeHead(500).end('out of order');
      else return session.script(arrival, response);
    });
    const client = await connect(server);
    client.send({ jsonrpc: '2.0', id: 'i', method: 'initialize', params: {} });
    client.send({ jsonrpc: '2.0', method: 'notifications/initialized' });
    expect(await client.request(1, 'tools/call', { text: 'there' })).toMatchObject({
      result: { content: [{ text: 'there' }] },
    });
    expect(server.count('initialize')).toBe(2);
    expect(server.count('notifications/initialized')).toBe(1);
  });
});

describe('the order of the handshake', () => {
  it('holds frames that were pipelined after initialize, and those after initialized until it was accepted', async () => {
    const order: string[] = [];
    const session = orderly();
    const server = await serve(async (arrival, response) => {
      if (arrival.method !== 'POST') return session.script(arrival, response);
      order.push(`${arrival.frame?.method} begins`);
      await new Promise((resolve) => setTimeout(resolve, 30));
      order.push(`${arrival.frame?.method} ends`);
      return session.script(arrival, response);
    });
    const client = await connect(server);
    client.push(
      Buffer.from(
        [
          '{"jsonrpc":"2.0","id":0,"method":"initialize","params":{}}',
          '{"jsonrpc":"2.0","method":"notifications/initialized"}',
          '{"jsonrpc":"2.0","id":1,"method":"tools/list"}',
          '',
        ].join('\r\n'),
      ),
    );
    await client.sink.answerTo(1);
    expect(order).toEqual([
      'initialize begins',
      'initialize ends',
      'notifications/initialized begins',
      'notifications/initialized ends',
      'tools/list begins',
      'tools/list ends',
    ]);
    expect(server.arrivals[1]?.headers).toMatchObject({
      'mcp-session-id': 'session-1',
      'mcp-protocol-version': '2025-06-18',
      accept: 'application/json, text/event-stream',
      'content-type': 'application/json',
      authorization: 'Bearer dapi-test',
    });
  });

  it('lets a fast call overtake a slow one', async () => {
    let release = () => {};
    const session = orderly({
      onCall: async ({ frame }, response) => {
        if (frame?.params?.text === 'slow') await new Promise<void>((resolve) => (release = resolve));
        json(response, result(frame?.id, frame?.params?.text));
      },
    });
    const client = await connect(await serve(session.script));
    await client.open();
    const slow = client.request('slow', 'tools/call', { text: 'slow' });
    expect(await client.request('fast', 'tools/call', { text: 'fast' })).toMatchObject({ result: 'fast' });
    release();
    expect(await slow).toMatchObject({ result: 'slow' });
  });

  it('answers pings itself before there is a session', async () => {
    const server = await serve(orderly().script);
    const client = await connect(server);
    expect(await client.request(1, 'ping')).toMatchObject({ result: {} });
    expect(await client.request(2, 'server/discover')).toMatchObject({ error: { code: -32601 } });
    expect(server.arrivals).toHaveLength(0);
  });
});

describe('a temporary refusal', () => {
  it('with 401 gets another token, and the frame is sent again', async () => {
    const session = orderly();
    const server = await serve((arrival, response) => {
      if (arrival.headers.authorization === 'Bearer old') response.writeHead(401).end();
      else return session.script(arrival, response);
    });
    let current = 'old';
    const client = await connect(server, {
      tokens: {
        async token({ rejected } = {}) {
          if (rejected?.reveal() === current) current = 'new';
          return new Secret(current);
        },
      },
    });
    await client.open();
    expect(await client.request(1, 'tools/call')).toHaveProperty('result');
  });

  it('with 401 says of a token whether the server had accepted it before', async () => {
    const session = orderly();
    let valid = 'first';
    const server = await serve((arrival, response) => {
      if (arrival.headers.authorization === `Bearer ${valid}`) return session.script(arrival, response);
      response.writeHead(401).end();
    });
    const refused: [token: string, hasWorked: unknown][] = [];
    let current = 'first';
    const client = await connect(server, {
      tokens: {
        async token({ rejected, hasWorked } = {}) {
          if (rejected?.reveal() !== current) return new Secret(current);
          refused.push([current, hasWorked]);
          current = `after-${current}`;
          return new Secret(current);
        },
      },
    });
    await client.open();
    await client.request(1, 'tools/call');
    valid = 'after-after-first';
    await client.request(2, 'tools/call');
    expect(await client.request(3, 'tools/call')).toHaveProperty('result');
    expect(refused).toEqual([
      ['first', true],
      ['after-first', false],
    ]);
  });

  it.each([
    ['429 with Retry-After', 429, { 'retry-after': '0' }],
    ['503', 503, {}],
  ])('with %s is waited out, and the frame is sent again', async (_name, status, headers) => {
    let refusals = 2;
    const session = orderly({
      onCall: ({ frame }, response) => {
        refusals -= 1;
        if (refusals >= 0) response.writeHead(status, headers).end();
        else json(response, result(frame?.id, 'at last'));
      },
    });
    const client = await connect(await serve(session.script));
    await client.open();
    expect(await client.request(1, 'tools/call')).toMatchObject({ result: 'at last' });
  });
});

describe('ids', () => {
  it('are restored if the server mangles them', async () => {
    const session = orderly({ onCall: (_arrival, response) => json(response, result(0, 'mine')) });
    const client = await connect(await serve(session.script));
    await client.open();
    client.send('{"jsonrpc":"2.0","id":9007199254740993,"method":"tools/call"}');
    const frames = await client.sink.until(2);
    expect(String(frames[1])).toBe('{"jsonrpc":"2.0","id":9007199254740993,"result":"mine"}');
  });
});

describe('a sign-in that fails', () => {
  it('answers each request with the message of the failure', async () => {
    const server = await serve(orderly().script);
    const client = await connect(server, {
      tokens: {
        async token() {
          throw new CausewayError('signed_out', 'Profile "test" is signed out.', { remedy: 'Run "causeway login".' });
        },
      },
    });
    const { error } = await client.request(1, 'initialize');
    expect(error).toEqual({
      code: -31999,
      message: 'Profile "test" is signed out. Run "causeway login".',
      data: { source: 'causeway', reason: 'signed_out' },
    });
    expect(server.arrivals).toHaveLength(0);
  });
});
