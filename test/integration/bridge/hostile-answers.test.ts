import type { ServerResponse } from 'node:http';
import { describe, expect, it } from 'vitest';
import { MAX_FRAME_BYTES } from '../../../main/bridge/limits.ts';
import { asked, connect, framesFor, opened } from './connected.ts';
import { events, json, orderly, result, session } from './scripted-server.ts';

const NOTE = '{"jsonrpc":"2.0","method":"notifications/message","params":{"level":"info","data":"x"}}';

const isUnanswered = (frame: string | undefined) =>
  expect(JSON.parse(frame ?? '{}')).toMatchObject({
    id: 1,
    error: { message: expect.stringMatching(/It may have run/), data: { reason: 'outcome_unknown' } },
  });

describe('a request is answered once, with its own answer', () => {
  it.each<[name: string, body: string]>([
    ['an array without a single frame', '[null]'],
    ['an empty array', '[]'],
    ['an array in an array', '[[{"jsonrpc":"2.0","id":1,"result":{}}]]'],
    ['a number', '5'],
    ['a response with an id that is an object', '{"id":{},"result":{}}'],
    ['two responses, neither with its id', '[{"id":7,"result":1},{"result":2}]'],
  ])('if the server sends %s', async (_name, body) => {
    const frames = await framesFor((response) => json(response, body));
    expect(frames).toHaveLength(1);
    isUnanswered(frames[0]);
    const streamed = await framesFor((response) => events(response, body));
    expect(streamed).toHaveLength(1);
    isUnanswered(streamed[0]);
  });

  it('if the stream ends after an array of notifications', async () => {
    const [note, answer, ...more] = await framesFor((response) => events(response, `[${NOTE},5,null]`));
    expect([note, more]).toEqual([NOTE, []]);
    isUnanswered(answer);
  });

  it('if the answer is in an array, which clients do not read', async () => {
    const answer = '{"jsonrpc":"2.0","id":1,"result":{"x":1.0}}';
    expect(await framesFor((response) => json(response, `[ ${answer} ]`))).toEqual([answer]);
    expect(await framesFor((response) => events(response, `[${NOTE},${answer},${answer}]`))).toEqual([NOTE, answer]);
  });

  it.each<[name: string, frames: string[]]>([
    ['twice', ['{"jsonrpc":"2.0","id":1,"result":1}', '{"jsonrpc":"2.0","id":1,"result":2}']],
    ['after another response', ['{"jsonrpc":"2.0","id":2,"result":2}', '{"jsonrpc":"2.0","id":1,"result":1}']],
    ['after one without an id', ['{"jsonrpc":"2.0","result":2}', '{"jsonrpc":"2.0","id":1,"result":1}']],
    [
      'before an error without an id',
      ['{"jsonrpc":"2.0","id":1,"result":1}', '{"jsonrpc":"2.0","id":null,"error":{"code":1,"message":""}}'],
    ],
  ])('if the stream has it %s', async (_name, frames) => {
    expect(await framesFor((response) => events(response, ...frames))).toEqual(['{"jsonrpc":"2.0","id":1,"result":1}']);
  });

  it('if each answer has the id of the other request', async () => {
    const waiting: (() => void)[] = [];
    const client = await connect(({ frame }, response) => {
      waiting.push(() => json(response, result(frame?.id === 1 ? 2 : 1, `for ${frame?.id}`)));
      if (waiting.length === 2) for (const answer of waiting) answer();
    });
    const [one, two] = await Promise.all([client.request(1, 'tools/call'), client.request(2, 'tools/call')]);
    expect([one.error.message, two.error.message]).toEqual([
      expect.stringMatching(/answered tools\/call with the id of another request\. It may have run/),
      expect.stringMatching(/with the id of another request/),
    ]);
    expect(client.sink.frames).toHaveLength(2);
  });

  it.each<[name: string, posted: boolean]>([
    ["on the server's own stream only", false],
    ["on the server's own stream too", true],
  ])('if the answer arrives %s', async (_name, posted) => {
    let own: ServerResponse | undefined;
    const client = await opened(
      session(
        ({ frame }, response) => {
          own?.write(`data: ${JSON.stringify(result(frame?.id, 'mine'))}\n\n`);
          if (posted) json(response, result(frame?.id, 'mine'));
          else response.writeHead(202).end();
        },
        (_arrival, response) => {
          own = response;
          response.writeHead(200, { 'content-type': 'text/event-stream' });
          response.write(`data: ${NOTE}\n\n`);
        },
      ),
    );
    await client.sink.until(2);
    expect(await client.request(1, 'tools/call')).toMatchObject({ result: 'mine' });
    await client.request(2, 'tools/call');
    expect([asked(client, 1), asked(client, 2)].map(({ length }) => length)).toEqual([1, 1]);
  });

  it('if a batch is answered in part, twice and with invalid frames', async () => {
    const client = await connect((_arrival, response) =>
      json(
        response,
        `[{"jsonrpc":"2.0","id":1,"result":1},null,{"jsonrpc":"2.0","id":1,"result":2},{"jsonrpc":"2.0","id":9,"result":9},${NOTE}]`,
      ),
    );
    client.send('[{"jsonrpc":"2.0","id":1,"method":"a"},{"jsonrpc":"2.0","id":1.0,"method":"b"}]');
    const [first, second] = (await client.sink.until(2)).map(String);
    expect(first).toBe(`[{"jsonrpc":"2.0","id":1,"result":1},${NOTE}]`);
    expect(second).toMatch(/^\{"jsonrpc":"2\.0","id":1\.0,"error"/);
    await client.bridge.finish(1_000);
    expect(client.sink.frames).toHaveLength(2);
  });
});

describe('a frame that is too long', () => {
  const words = /larger than 72 MiB\. It was not read to the end\. It has probably run\. Request less at a time\./;

  /** Sends `piece` until the bridge has let go. */
  async function endlessly(response: ServerResponse, piece: string): Promise<void> {
    const chunk = Buffer.from(piece.repeat(Math.ceil((1024 * 1024) / piece.length)));
    while (!response.destroyed) {
      if (!response.write(chunk))
        await new Promise((resolve) => response.once('drain', resolve).once('close', resolve));
    }
  }

  it.each<[name: string, type: string, head: string, piece: string]>([
    ['a JSON answer', 'application/json', '{"jsonrpc":"2.0","id":1,"result":"', 'x'],
    ['a JSON answer of brackets', 'application/json', '{"jsonrpc":"2.0","id":1,"result":', '['],
    ['an answer without a content type', '', '{"jsonrpc":"2.0","id":1,"result":"', 'x'],
    ['a line of an event stream', 'text/event-stream', 'data: {"jsonrpc":"2.0","id":1,"result":"', 'x'],
    ['an event', 'text/event-stream', 'data: {\n', 'data: "x",\n'],
    ['an event stream with one field', 'text/event-stream', 'x', 'x'],
  ])('is not buffered any further, and the client gets an error: %s', async (_name, type, head, piece) => {
    const client = await connect(async ({ frame }, response) => {
      if (frame?.method === 'ping/pong') return json(response, result(frame.id));
      response.writeHead(200, type === '' ? {} : { 'content-type': type });
      response.write(head);
      await endlessly(response, piece);
    });
    expect((await client.request(1, 'tools/call')).error.message).toMatch(words);
    expect(client.server.count('tools/call')).toBe(1);
    expect(await client.request(2, 'ping/pong')).toHaveProperty('result');
  });

  it('is refused before it is read if the server declares its length', async () => {
    const client = await connect((_arrival, response) => {
      response.writeHead(200, { 'content-type': 'application/json', 'content-length': MAX_FRAME_BYTES + 1 });
      response.write('{');
    });
    expect((await client.request(1, 'tools/call')).error.message).toMatch(words);
  });

  it.each<[name: string, head: string, tail: string, id: unknown]>([
    ['first', '{"jsonrpc":"2.0","id":"a\\"b","method":"tools/call","params":"', '"}', 'a"b'],
    ['last', '{"method":"tools/call","params":"', '","jsonrpc":"2.0","id":17}', 17],
    ['nowhere', '{"method":"notifications/x","params":"', '"}', null],
    ['in an answer', '{"jsonrpc":"2.0","id":5,"result":"', '"}', null],
  ])("is reported under its id if the client's line is too long and has it %s", async (_name, head, tail, id) => {
    const client = await connect(orderly().script);
    client.push(Buffer.from(head));
    for (let sent = 0; sent <= MAX_FRAME_BYTES; sent += 1024 * 1024) client.push(Buffer.alloc(1024 * 1024, 'x'));
    client.push(Buffer.from(`${tail}\n{"jsonrpc":"2.0","id":"next","method":"ping"}\n`));
    const [fault, next] = (await client.sink.until(2)).map((frame) => JSON.parse(String(frame)));
    expect(fault).toMatchObject({
      id,
      error: { code: -32600, message: expect.stringMatching(/longer than 72 MiB\. It was not sent/) },
    });
    expect(next).toMatchObject({ id: 'next', result: {} });
    expect(client.server.arrivals).toEqual([]);
  });
});

describe('a large frame with very many values', () => {
  const crowd = `[${Array(400_000).fill('{}').join(', ')}]`;

  it('reaches the client as the server sent it', async () => {
    const answer = `{"jsonrpc":"2.0","result":{"content":[],"structuredContent":{"rows":${crowd}}},"id":1}`;
    expect(await framesFor((response) => json(response, answer))).toEqual([answer]);
    expect(await framesFor((response) => events(response, NOTE, answer))).toEqual([NOTE, answer]);
  });

  it('settles its request if it is cut off', async () => {
    const [answer] = await framesFor((response) => json(response, `{"jsonrpc":"2.0","id":1,"result":${crowd}`));
    isUnanswered(answer);
  });

  it('reaches the server as the client sent it', async () => {
    const client = await connect(({ frame }, response) => json(response, result(frame?.id)));
    const call = `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"f","arguments":{"rows":${crowd}}}}`;
    client.send(call);
    await client.sink.until(1);
    expect(client.server.arrivals.some(({ body }) => String(body) === call)).toBe(true);
  });
});

describe('a deeply nested frame', () => {
  const deep = (depth: number) => '['.repeat(depth) + ']'.repeat(depth);

  it.each([2_400, 500_000])('causes an error for the client and nothing else: %i brackets', async (depth) => {
    const client = await connect(orderly().script);
    await client.open();
    client.send(deep(depth));
    client.send(`{"jsonrpc":"2.0","id":${deep(depth)},"method":"tools/call"}`);
    client.send(`[{"jsonrpc":"2.0","id":${deep(depth)},"method":"tools/call"}]`);
    expect(await client.request(1, 'tools/call')).toHaveProperty('result');
  });

  it.each(['tools/list', 'tools/call', 'initialize'])('reaches the client if it is an answer to %s', async (method) => {
    const client = await connect(({ frame }, response) =>
      json(response, `{"jsonrpc":"2.0","id":${frame?.id},"result":{"tools":${deep(100_000)}}}`),
    );
    client.send({ jsonrpc: '2.0', id: 1, method });
    expect(String((await client.sink.until(1))[0])).toContain(deep(100_000));
  });
});

it('a token that an error of the server repeats does not reach the client', async () => {
  const client = await connect(({ frame, headers }, response) => {
    const message = `Unknown header ${headers.authorization}`;
    const error = { code: -32000, message, data: { headers } };
    if (frame?.id === 1) json(response, { jsonrpc: '2.0', id: 1, error });
    else if (frame?.id === 2)
      response.writeHead(400, { 'content-type': 'application/json' }).end(JSON.stringify({ error }));
    else response.writeHead(500).end(message);
  });
  for (const id of [1, 2, 3]) {
    const { error } = await client.request(id, 'tools/call');
    expect(error.message).toMatch(/Unknown header Bearer \[redacted\]/);
    expect(JSON.stringify(error)).not.toContain('dapi-test');
  }
});

describe('a session that is gone', () => {
  it.each<[spelling: string, status: number, body: string]>([
    ['401', 401, 'Session not found'],
    ['401 as JSON-RPC', 401, '{"jsonrpc":"2.0","id":null,"error":{"code":-32000,"message":"Session not found"}}'],
    ['422', 422, '{"detail":"Session not found"}'],
    ['-32603', 200, '{"jsonrpc":"2.0","id":1,"error":{"code":-32603,"message":"Session not found"}}'],
    ['-32603 with 500', 500, '{"jsonrpc":"2.0","id":1,"error":{"code":-32603,"message":"Session not found"}}'],
    [
      '-32602',
      200,
      '{"jsonrpc":"2.0","id":1,"error":{"code":-32602,"message":"Received request before initialization was complete"}}',
    ],
  ])('is replaced if the server says %s', async (_spelling, status, body) => {
    const { script, sessions, expireAll } = orderly();
    const client = await opened((arrival, response) => {
      const isKnown =
        arrival.method !== 'POST' ||
        arrival.frame?.method === 'initialize' ||
        sessions.has(String(arrival.headers['mcp-session-id']));
      if (isKnown) return script(arrival, response);
      // The SDK that says so answers pings anyway.
      if (body.includes('before') && arrival.frame?.method === 'ping') return json(response, result(arrival.frame.id));
      response.writeHead(status, { 'content-type': 'application/json' }).end(body);
    });
    expireAll();
    expect(await client.request(1, 'tools/call')).toHaveProperty('result');
    expect(client.server.count('initialize')).toBe(2);
  });

  it.each([-32603, -32602])(
    "is not concluded from a tool's own error %i, and its call is not run again",
    async (code) => {
      const error = { code, message: 'Session not found' };
      const client = await opened(
        session(({ frame }, response) => {
          if (frame?.method === 'tools/call') json(response, { jsonrpc: '2.0', id: frame.id, error });
          else json(response, result(frame?.id));
        }),
      );
      expect((await client.request(1, 'tools/call')).error).toEqual(error);
      expect(client.server.count('tools/call')).toBe(1);
      expect(client.server.count('initialize')).toBe(1);
    },
  );
});

it('a server of the old HTTP+SSE transport is reported as one', async () => {
  const client = await connect(({ method }, response) => {
    if (method !== 'GET') return void response.writeHead(405).end('Method Not Allowed');
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    response.write('event: endpoint\ndata: /messages?sessionId=1\n\n');
  });
  const { error } = await client.request(1, 'initialize', { protocolVersion: '2025-06-18' });
  expect(error.message).toMatch(
    /uses the old HTTP\+SSE transport of MCP at \/api\/2\.0\/mcp\/sql\. Causeway does not support it/,
  );
});

describe('a server that never answers notifications/initialized', () => {
  it('answers the calls behind it, in its first session and in the next one', async () => {
    const { script, expireAll } = orderly();
    const client = await connect((arrival, response) => {
      if (arrival.frame?.method !== 'notifications/initialized') return script(arrival, response);
    });
    await client.open();
    expect(await client.request(1, 'tools/call')).toMatchObject({ result: { content: [{ text: 'ok' }] } });
    expireAll();
    expect(await client.request(2, 'tools/call')).toMatchObject({ result: { content: [{ text: 'ok' }] } });
    expect(client.server.count('notifications/initialized')).toBe(2);
  });
});
