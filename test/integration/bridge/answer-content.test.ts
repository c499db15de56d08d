import { brotliCompressSync, gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { answerTo, asked, connect, framesFor, opened } from './connected.ts';
import { events, json, result, session } from './scripted-server.ts';

describe('a successful answer of another content type', () => {
  it.each(['text/plain', 'application/octet-stream', ''])('is read if it is clearly the answer: %s', async (type) => {
    const frames = await framesFor((response) => {
      response.writeHead(200, type === '' ? {} : { 'content-type': type });
      response.write(' ');
      setImmediate(() => response.end('\n{"jsonrpc":"2.0","id":1,"result":{"secret":1}}'));
    });
    expect(frames).toEqual(['  {"jsonrpc":"2.0","id":1,"result":{"secret":1}}'.replace(/^ {2}/, '  ')]);
  });

  it.each(['total: 47114711', '{"total":47114711}', '[47114711]'])(
    'is reported without its contents: %s',
    async (text) => {
      const [frame] = await framesFor(
        (response) => void response.writeHead(200, { 'content-type': 'text/csv' }).end(text),
      );
      expect(frame).toMatch(/with a valid MCP message \(text\/csv\)\. It may have run/);
      expect(frame).not.toContain('47114711');
    },
  );
});

it('a stream whose lines end only in carriage returns is read while it is open', async () => {
  const client = await connect(({ frame }, response) => {
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    response.write(`data: ${JSON.stringify(result(frame?.id, 'whole'))}\r\r`);
  });
  expect(await client.request(1, 'tools/call')).toMatchObject({ result: 'whole' });
});

describe('a compressed answer', () => {
  const RESULT = '{"jsonrpc":"2.0","id":1,"result":{}}';

  it('is not requested', async () => {
    const client = await connect(({ frame }, response) => json(response, result(frame?.id)));
    await client.request(1, 'tools/call');
    expect(client.server.arrivals[0]?.headers['accept-encoding']).toBe('identity');
  });

  it.each<[encoding: string, bytes: Buffer, type: string]>([
    ['gzip', gzipSync(RESULT), 'application/json'],
    ['br', brotliCompressSync(RESULT), 'application/json'],
    ['gzip', gzipSync(`data: ${RESULT}\n\n`), 'text/event-stream'],
    ['gzip', gzipSync(Buffer.alloc(100 * 1024 * 1024)), 'application/json'],
  ])('is reported as unreadable if it arrives with %s all the same', async (encoding, bytes, type) => {
    const { error } = await answerTo((response) =>
      response.writeHead(200, { 'content-type': type, 'content-encoding': encoding }).end(bytes),
    );
    expect(error.message).toContain(`with a valid MCP message (${type}, ${encoding}). It may have run`);
  });

  it('is not quoted if it is an error', async () => {
    const { error } = await answerTo((response) =>
      response.writeHead(500, { 'content-encoding': 'gzip' }).end(gzipSync('{"message":"m"}')),
    );
    expect(error.message).toMatch(/could not answer \(500\)\. It may have run/);
  });

  it('is read if its content type is right, or missing', async () => {
    const whole = { 'content-type': 'application/json', 'content-encoding': 'identity' };
    expect(await answerTo((response) => response.writeHead(200, whole).end(RESULT))).toMatchObject({ result: {} });
    const { error } = await answerTo((response) => response.writeHead(202, { 'content-encoding': 'gzip' }).end());
    expect(error.message).toMatch(/ended the response to tools\/call/);
  });
});

it.each([400, 500])('a result with status %i is not quoted, and its call may have run', async (status) => {
  const { error } = await answerTo((response) =>
    response.writeHead(status, { 'content-type': 'application/json' }).end('{"jsonrpc":"2.0","id":1,"result":"row 1"}'),
  );
  expect(error).toMatchObject({
    message: expect.stringMatching(/answered tools\/call with status \d+ and a result\. It may have run/),
    data: { reason: 'outcome_unknown' },
  });
});

describe('an address that a server asks to open', () => {
  const UNSAFE = [
    'javascript:alert(1)',
    'file:///etc/passwd',
    'http://evil.example/',
    'JaVa\tscript:alert(1)',
    'nowhere',
  ];
  const SAFE = ['https://evil.example/', 'http://localhost:8020/x', 'http://127.0.0.1/', 'http://[::1]:1/'];
  const elicitation = (url: string) => ({ mode: 'url', message: 'Open', url, elicitationId: 'e' });

  it.each([...UNSAFE, ...SAFE])('in a request reaches the client if it is safe: %s', async (url) => {
    const client = await opened(
      session(({ frame }, response) => {
        if (frame?.method === undefined) return void response.writeHead(202).end();
        const request = { jsonrpc: '2.0', id: 's', method: 'elicitation/create', params: elicitation(url) };
        events(response, request, result(frame.id));
      }),
    );
    await client.request(1, 'tools/call');
    expect(asked(client, 's')).toHaveLength(SAFE.includes(url) ? 1 : 0);
    if (SAFE.includes(url)) return;
    await expect
      .poll(() => client.server.arrivals.map(({ body }) => String(body)))
      .toContainEqual(
        expect.stringMatching(
          /"id":"s","error":\{"code":-32602,"message":"Invalid params: The server asks to open an address/,
        ),
      );
  });

  it.each<[name: string, answer: (url: string) => object]>([
    [
      'in an error',
      (url) => ({
        error: {
          code: -32042,
          message: 'm',
          data: { elicitations: [elicitation('https://a.example'), elicitation(url)] },
        },
      }),
    ],
    [
      'in a result that asks for input',
      (url) => ({
        result: {
          resultType: 'input_required',
          inputRequests: { a: { method: 'elicitation/create', params: elicitation(url) } },
        },
      }),
    ],
  ])('%s reaches the client if it is safe', async (_name, answer) => {
    const client = await opened(
      session(({ frame }, response) =>
        json(response, { jsonrpc: '2.0', id: frame?.id, ...answer(String(frame?.params?.url)) }),
      ),
    );
    for (const url of SAFE)
      expect(JSON.stringify(await client.request(url, 'tools/call', { url }))).toContain(JSON.stringify(url));
    for (const url of UNSAFE) {
      const { error } = await client.request(url, 'tools/call', { url });
      expect(error).toMatchObject({
        code: -31999,
        message: expect.stringMatching(/^The server asks to open an address that is/),
      });
    }
  });
});
