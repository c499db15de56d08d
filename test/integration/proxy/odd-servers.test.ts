import type { ServerResponse } from 'node:http';
import { afterEach, describe, expect, it } from 'vitest';
import { Secret } from '../../../main/platform/secret.ts';
import { type BridgeUnderTest, bridgeTo } from '../bridge/harness.ts';
import {
  json,
  orderly,
  result,
  type Script,
  type ScriptedServer,
  startScriptedServer,
} from '../bridge/scripted-server.ts';

const open: { close(): Promise<void> }[] = [];
afterEach(async () => {
  for (const thing of open.splice(0).reverse()) await thing.close();
});

type Connected = BridgeUnderTest & { server: ScriptedServer };

async function connect(script: Script, options: Parameters<typeof bridgeTo>[1] = {}): Promise<Connected> {
  const server = await startScriptedServer(script);
  open.push(server);
  const client = await bridgeTo(server.origin, options);
  open.push(client);
  return Object.assign(client, { server });
}

const body = (type: string, text: string | Buffer) => (response: ServerResponse) =>
  void response.writeHead(200, { 'content-type': type }).end(text);
const asJson = (text: string | Buffer) => body('application/json; charset=utf-8', text);
const asEvents = (...frames: string[]) =>
  body('text/event-stream', frames.map((frame) => `data: ${frame}\n\n`).join(''));

/** What the client gets for one call that the server answers so. */
async function answered(answer: (response: ServerResponse) => void, count = 1): Promise<string[]> {
  const client = await connect((_arrival, response) => answer(response));
  client.send('{"jsonrpc":"2.0","id":9007199254740993,"method":"tools/call"}');
  return (await client.sink.until(count)).map(String);
}

describe('a slightly incorrect answer', () => {
  it.each<[name: string, answer: (response: ServerResponse) => void, frame: string]>([
    ['without an id', asJson('{"jsonrpc":"2.0","result":1.0}'), '{"id":9007199254740993,"jsonrpc":"2.0","result":1.0}'],
    [
      'without a version',
      asJson('{"id":9007199254740993,"result":1.0}'),
      '{"jsonrpc":"2.0","id":9007199254740993,"result":1.0}',
    ],
    [
      'an error with id null',
      asJson('{"jsonrpc":"2.0","id":null,"error":{"code":1,"message":"m"}}'),
      '{"jsonrpc":"2.0","id":9007199254740993,"error":{"code":1,"message":"m"}}',
    ],
    [
      'with the id rounded',
      asJson('{"jsonrpc":"2.0","id":9007199254740992,"result":{}}'),
      '{"jsonrpc":"2.0","id":9007199254740993,"result":{}}',
    ],
    [
      'with a byte order mark',
      asJson('\u{feff}{"jsonrpc":"2.0","id":9007199254740993,"result":{}}'),
      '{"jsonrpc":"2.0","id":9007199254740993,"result":{}}',
    ],
    [
      'on several lines',
      asJson('{\r\n "jsonrpc": "2.0",\n "id": 9007199254740993,\n "result": {}\n}'),
      '{   "jsonrpc": "2.0",  "id": 9007199254740993,  "result": {} }',
    ],
    [
      'in another encoding',
      asJson(Buffer.from('{"jsonrpc":"2.0","id":9007199254740993,"result":"\xe9"}', 'latin1')),
      '{"jsonrpc":"2.0","id":9007199254740993,"result":"\ufffd"}',
    ],
    [
      'as an event without an id',
      asEvents('{"jsonrpc":"2.0","result":{}}'),
      '{"id":9007199254740993,"jsonrpc":"2.0","result":{}}',
    ],
  ])('%s reaches the client correctly', async (_name, answer, frame) => {
    expect(await answered(answer)).toEqual([frame]);
  });

  it("the server's own notifications and requests pass in order, before the answer", async () => {
    const frames = [
      '{"jsonrpc":"2.0","method":"notifications/progress","params":{"progress":1.0}}',
      '{"jsonrpc":"2.0","id":1,"method":"elicitation/create","params":{}}',
      '{"jsonrpc":"2.0","id":9007199254740993,"result":{}}',
    ];
    expect(await answered(asEvents(...frames), 3)).toEqual(frames);
  });

  it.each<[name: string, answer: (response: ServerResponse) => void, words: RegExp]>([
    [
      'JSON that is cut off',
      asJson('{"id":1,'),
      /ended the response to tools\/call before it was complete\. It may have run/,
    ],
    ['an empty stream', asEvents(), /ended the response to tools\/call before it was complete/],
    [
      '202 with nothing',
      (response) => void response.writeHead(202).end(),
      /ended the response to tools\/call before it was complete/,
    ],
    ['JSON that is not a frame', asJson('{"ok":true}'), /ended the response to tools\/call before it was complete/],
    [
      'a sign-in page',
      body('text/html', '<!doctype html><title>Hotel</title>'),
      /A sign-in page answered instead of .+\. A captive portal/,
    ],
    [
      'a sign-in page that is labeled as JSON',
      asJson('\n<!-- hotel --><html><title>Hotel</title></html>'),
      /A sign-in page answered instead of .+\. A captive portal/,
    ],
    [
      'a network that requires a login',
      (response) => void response.writeHead(511).end('Sign in to the network'),
      /A sign-in page answered instead of .+\. A captive portal/,
    ],
    [
      '502 with a page',
      (response) => void response.writeHead(502).end('<html><title>502 Bad Gateway</title></html>'),
      /could not answer \(502: 502 Bad Gateway\)\. It may have run/,
    ],
    [
      'an endless refusal',
      (response) => void response.writeHead(500).end('x'.repeat(1_000_000)),
      /could not answer \(500: x{599}…\)/,
    ],
  ])('%s is an error with a message', async (_name, answer, words) => {
    const [frame] = await answered(answer);
    expect(JSON.parse(frame ?? '').error.message).toMatch(words);
  });

  it('a redirect is not followed, and the token goes nowhere else', async () => {
    const elsewhere = await startScriptedServer((_arrival, response) => json(response, {}));
    open.push(elsewhere);
    const [frame] = await answered((response) => void response.writeHead(307, { location: elsewhere.origin }).end());
    expect(JSON.parse(frame ?? '').error.data.reason).toBe('login_page');
    expect(elsewhere.arrivals).toEqual([]);
  });
});

describe('silence', () => {
  it('is answered with an explanation, once the bridge has waited long enough', async () => {
    const client = await connect(() => {}, { silenceMs: 100 });
    const { error } = await client.request(1, 'tools/call');
    expect(error.message).toMatch(/has not answered tools\/call for minutes\. It may still be running\./);
    expect(client.server.count('tools/call')).toBe(1);
  });

  it('does not count if progress arrives, however long the answer takes', async () => {
    const client = await connect(
      async ({ frame }, response) => {
        response.writeHead(200, { 'content-type': 'text/event-stream' });
        for (let said = 0; said < 8; said += 1) {
          response.write('data: {"jsonrpc":"2.0","method":"notifications/progress"}\n\n');
          await new Promise((resolve) => setTimeout(resolve, 500));
        }
        response.end(`data: ${JSON.stringify(result(frame?.id, 'at last'))}\n\n`);
      },
      { silenceMs: 3_000 },
    );
    expect(await client.request(1, 'tools/call')).toMatchObject({ result: 'at last' });
  });

  it('is answered with an explanation within an answer, too', async () => {
    const client = await connect(
      (_arrival, response) => {
        response.writeHead(200, { 'content-type': 'text/event-stream' });
        response.write('data: {"jsonrpc":"2.0","method":"notifications/progress"}\n\n');
      },
      { silenceMs: 100 },
    );
    expect((await client.request(1, 'tools/call')).error.data).toMatchObject({ reason: 'timeout' });
  });

  it('does not delay the end forever', async () => {
    const client = await connect(orderly({ onCall: () => {} }).script);
    await client.open();
    client.send({ jsonrpc: '2.0', id: 1, method: 'tools/call' });
    await client.bridge.finish(50);
    expect(client.server.arrivals.at(-1)?.method).toBe('DELETE');
    expect(client.sink.frames).toHaveLength(1);
  });
});

describe('a frame that expects no answer', () => {
  it.each([
    ['a notification', '{"jsonrpc":"2.0","method":"notifications/cancelled"}'],
    ["an answer to the server's request", '{"jsonrpc":"2.0","id":1,"result":{}}'],
  ])('%s gets none, whatever the server says', async (_name, frame) => {
    const client = await connect(({ frame: sent }, response) => {
      if (sent?.method === 'last') json(response, result(sent.id));
      else response.writeHead(400).end('no');
    });
    client.send(frame);
    await client.request('z', 'last');
    await client.bridge.finish(1_000);
    expect(client.sink.frames.map(String)).toEqual(['{"jsonrpc":"2.0","id":"z","result":{}}']);
  });
});

describe('a batch', () => {
  const batch =
    '[{"jsonrpc":"2.0","id":1,"method":"a"},{"jsonrpc":"2.0","method":"b"},{"jsonrpc":"2.0","id":"2","method":"c"}]';

  it('is answered as one array, or frame by frame', async () => {
    const [first, second] = ['{"jsonrpc":"2.0","id":1,"result":{}}', '{"jsonrpc":"2.0","id":"2","result":{}}'];
    const array = `[${first},${second}]`;
    const whole = await connect((_arrival, response) => asJson(array)(response));
    whole.send(batch);
    expect((await whole.sink.until(1)).map(String)).toEqual([array]);
    const single = await connect((_arrival, response) => asEvents(second, first)(response));
    single.send(batch);
    expect((await single.sink.until(2)).map(String)).toEqual([second, first]);
  });

  it('is answered for each of its requests when it fails', async () => {
    const words = '{"error_code":"PERMISSION_DENIED","message":"No."}';
    const client = await connect((_arrival, response) => void response.writeHead(403).end(words));
    client.send(batch);
    const errors = (await client.sink.until(2)).map((frame) => JSON.parse(String(frame)));
    expect(errors.map(({ id, error }) => [id, error.data.reason])).toEqual([
      [1, 'permission_denied'],
      ['2', 'permission_denied'],
    ]);
  });
});

describe('a session', () => {
  it("ends with the server's own words if the server keeps refusing it", async () => {
    const lost = '{"jsonrpc":"2.0","id":1,"error":{"code":-32001,"message":"Session not found"}}';
    const client = await connect(orderly({ onCall: (_arrival, response) => asEvents(lost)(response) }).script);
    await client.open();
    expect(await client.request(1, 'tools/call')).toEqual(JSON.parse(lost));
    expect(client.server.count('tools/call')).toBe(3);
  });

  it.each([404, 410])('ends with an explanation if the server keeps dropping it (%i)', async (status) => {
    const forgets: Script = (_arrival, response) => void response.writeHead(status).end();
    const client = await connect(orderly({ onCall: forgets }).script);
    await client.open();
    const { error } = await client.request(1, 'tools/call');
    expect(error.message).toMatch(/drops each session as soon as it starts\. It has not run tools\/call\. Try again/);
    expect(client.server.count('tools/call')).toBe(3);
  });

  it('is replaced even if the server is briefly busy', async () => {
    const session = orderly();
    let busy = 0;
    const client = await connect((arrival, response) => {
      if (arrival.frame?.method === 'initialize' && busy-- > 0) response.writeHead(503, { 'retry-after': '0' }).end();
      else return session.script(arrival, response);
    });
    await client.open();
    session.expireAll();
    busy = 2;
    expect(await client.request(1, 'tools/call')).toHaveProperty('result');
  });

  it('continues with a new one that the client starts', async () => {
    const client = await connect(orderly().script);
    await client.open();
    await client.request('again', 'initialize');
    client.send({ jsonrpc: '2.0', method: 'notifications/initialized' });
    await client.request(1, 'tools/call');
    expect(client.server.arrivals.at(-1)?.headers['mcp-session-id']).toBe('session-2');
  });

  it('requests one other token if every token is refused, and then says so', async () => {
    let issued = 0;
    const tokens = { token: async () => new Secret(`t${++issued}`) };
    const client = await connect((_arrival, response) => void response.writeHead(401).end(), { tokens });
    const { error } = await client.request(1, 'tools/call');
    expect(error.message).toMatch(
      /refused the sign-in of profile "test" \(401\)\. Run `causeway whoami --profile test`/,
    );
    expect(client.server.arrivals.map(({ headers }) => headers.authorization)).toEqual(['Bearer t1', 'Bearer t2']);
  });
});
