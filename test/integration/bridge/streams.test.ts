import type { ServerResponse } from 'node:http';
import { describe, expect, it } from 'vitest';
import { type Connected, opened } from './connected.ts';
import { json, orderly, result, type Script, type ScriptedServer } from './scripted-server.ts';

/** An orderly server whose own stream a test writes. */
async function connect(
  onGet: Script,
  options: { onCall?: Script } = {},
): Promise<{ server: ScriptedServer; client: Connected; session: ReturnType<typeof orderly> }> {
  const session = orderly(options);
  const client = await opened((arrival, response) =>
    arrival.method === 'GET' ? onGet(arrival, response) : session.script(arrival, response),
  );
  return { server: client.server, client, session };
}

/** Writes to an event stream; resolves when it has left, so that what cuts the connection next cuts behind it. */
function events(response: ServerResponse, text: string): Promise<void> {
  if (!response.headersSent) response.writeHead(200, { 'content-type': 'text/event-stream' });
  return new Promise((resolve) => response.write(text, () => resolve()));
}

const notification = (text: string) => `{"jsonrpc":"2.0","method":"notifications/message","params":{"data":"${text}"}}`;
const gets = (server: ScriptedServer) => server.arrivals.filter(({ method }) => method === 'GET');

describe("the server's own stream", () => {
  it('is opened with the session once the client is ready, and its frames reach the client unchanged', async () => {
    const { server, client } = await connect((_arrival, response) =>
      events(response, `data: ${notification('a')}\n\n`),
    );
    await client.sink.until(2);
    expect(String(client.sink.frames[1])).toBe(notification('a'));
    const order = server.arrivals.map(({ method, frame }) => frame?.method ?? method);
    expect(order).toEqual(['initialize', 'notifications/initialized', 'GET']);
    expect(gets(server)[0]?.headers).toMatchObject({
      accept: 'text/event-stream',
      'mcp-session-id': 'session-1',
      'mcp-protocol-version': '2025-06-18',
    });
  });

  it('is resumed from its last event after the delay that the server asked for', async () => {
    let connections = 0;
    const { server, client } = await connect((_arrival, response) => {
      connections += 1;
      events(response, `retry: 10\nid: ${connections}\ndata: ${notification(`${connections}`)}\n\n`);
      if (connections < 3) response.end();
    });
    await client.sink.until(4);
    expect(gets(server).map(({ headers }) => headers['last-event-id'])).toEqual([undefined, '1', '2']);
    expect(client.sink.frames.slice(1).map(String)).toEqual(['1', '2', '3'].map(notification));
  });

  it('is resumed after an event whose id is UTF-8 and not ASCII, and skips an id that no header can hold', async () => {
    const ids = ['日本', 'a\u0001b', 'c'];
    let connections = 0;
    const { server, client } = await connect((_arrival, response) => {
      const id = ids[connections];
      connections += 1;
      events(response, `retry: 10\nid: ${id}\ndata: ${notification(`${connections}`)}\n\n`);
      if (connections < 3) response.end();
    });
    await client.sink.until(4);
    const sent = gets(server).map(({ headers }) => headers['last-event-id']);
    expect(sent.map((id) => id && Buffer.from(String(id), 'latin1').toString())).toEqual([undefined, '日本', '日本']);
  });

  it('is reopened after connections are refused and dropped', async () => {
    let connections = 0;
    const { client } = await connect((_arrival, response) => {
      connections += 1;
      if (connections === 1) {
        events(response, 'retry: 5\n: hello\n\n');
        response.end();
      } else if (connections === 2) response.destroy();
      else if (connections === 3) response.writeHead(503, { 'retry-after': '0' }).end();
      else events(response, `data: ${notification('back')}\n\n`);
    });
    await client.sink.until(2);
    expect(String(client.sink.frames[1])).toBe(notification('back'));
  });

  it.each([404, 405])('is recognized if the server answers %i', async (status) => {
    const { server, client } = await connect((_arrival, response) => {
      response.writeHead(status).end('{"error_code":"ENDPOINT_NOT_FOUND"}');
    });
    await expect.poll(() => gets(server).length).toBe(1);
    expect(await client.request(1, 'tools/call')).toHaveProperty('result');
    expect(server.count('initialize')).toBe(1);
    expect(gets(server)).toHaveLength(1);
  });

  it('belongs to the new session after the old one has expired', async () => {
    const { server, client, session } = await connect((_arrival, response) => void events(response, ': open\n\n'));
    await expect.poll(() => gets(server).length).toBe(1);
    session.expireAll();
    await client.request(1, 'tools/call');
    await expect
      .poll(() => gets(server).map(({ headers }) => headers['mcp-session-id']))
      .toEqual(['session-1', 'session-2']);
  });

  it('reopens the session if it is suddenly refused', async () => {
    let refuse = false;
    const { server, session } = await connect((arrival, response) => {
      if (refuse && arrival.headers['mcp-session-id'] === 'session-1') response.writeHead(404).end();
      else {
        events(response, 'retry: 5\n: open\n\n');
        if (arrival.headers['mcp-session-id'] === 'session-1') response.end();
      }
    });
    await expect.poll(() => gets(server).length).toBeGreaterThan(1);
    refuse = true;
    session.expireAll();
    await expect.poll(() => server.count('initialize')).toBe(2);
  });

  it("carries the server's requests, and the client's answers go back", async () => {
    const ask = '{"jsonrpc":"2.0","id":"s-1","method":"sampling/createMessage","params":{"x":1.0}}';
    const { server, client } = await connect((_arrival, response) => void events(response, `data: ${ask}\n\n`));
    await client.sink.until(2);
    expect(String(client.sink.frames[1])).toBe(ask);
    client.send('{"jsonrpc":"2.0","id":"s-1","result":{"role":"assistant"}}');
    await expect
      .poll(() => String(server.arrivals.at(-1)?.body))
      .toBe('{"jsonrpc":"2.0","id":"s-1","result":{"role":"assistant"}}');
  });
});

describe('an answer stream that is cut', () => {
  it('is resumed if the server numbers its events, and the call is answered once', async () => {
    const { server, client } = await connect(
      async ({ headers }, response) => {
        if (headers['last-event-id'] === undefined) response.writeHead(405).end();
        else if (headers['last-event-id'] === 'e1') {
          await events(response, `id: e2\ndata: ${notification('more')}\n\n`);
          response.destroy();
        } else {
          events(response, `id: e3\ndata: ${JSON.stringify(result(7, 'whole'))}\n\n`);
          response.end();
        }
      },
      {
        onCall: (_arrival, response) => {
          events(response, `retry: 5\nid: e1\ndata: ${notification('first')}\n\n`);
          response.end();
        },
      },
    );
    expect(await client.request(7, 'tools/call')).toMatchObject({ result: 'whole' });
    expect(client.sink.frames.slice(1).map(String)).toEqual([
      notification('first'),
      notification('more'),
      JSON.stringify(result(7, 'whole')),
    ]);
    expect(server.count('tools/call')).toBe(1);
  });

  it('ends the call with an error if the server will not resume it', async () => {
    const { client } = await connect((_arrival, response) => void response.writeHead(405).end(), {
      onCall: (_arrival, response) => {
        events(response, `retry: 5\nid: e1\ndata: ${notification('first')}\n\n`);
        response.end();
      },
    });
    const { error } = await client.request(7, 'tools/call');
    expect(error.message).toContain('before it was complete');
  });

  it('keeps an answer that arrived before the cut', async () => {
    const { client } = await connect((_arrival, response) => void response.writeHead(405).end(), {
      onCall: async ({ frame }, response) => {
        if (frame?.method === 'tools/list') return json(response, result(frame.id, 'listed'));
        await events(response, `data: ${JSON.stringify(result(frame?.id, 'in time'))}\n\ndata: {"half`);
        response.destroy();
      },
    });
    expect(await client.request(1, 'tools/call')).toMatchObject({ result: 'in time' });
    expect(await client.request(2, 'tools/list')).toMatchObject({ result: 'listed' });
    expect(client.sink.frames).toHaveLength(3);
  });
});
