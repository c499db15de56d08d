import { once } from 'node:events';
import { createServer } from 'node:net';
import { expect, it, onTestFinished } from 'vitest';
import { bridgeTo } from './harness.ts';

const ANSWER = '{"jsonrpc":"2.0","id":1,"result":{"rows":["ä",1.0]}}';
const BODY = Buffer.from(ANSWER);
const chunked = (body: Buffer) =>
  Buffer.concat([Buffer.from(`${body.length.toString(16)}\r\n`), body, Buffer.from('\r\n0\r\n\r\n')]);
const answer = (headers: string[], body: Buffer) =>
  Buffer.concat([Buffer.from(`${['HTTP/1.1 200 OK', ...headers].join('\r\n')}\r\n\r\n`), body]);

/** Each with the position behind which nothing that is missing is a part of the answer. */
const FORMS: [name: string, bytes: Buffer, wholeAt: number][] = [
  ['JSON of known length', answer(['content-type: application/json', `content-length: ${BODY.length}`], BODY), 0],
  ['JSON in chunks', answer(['content-type: application/json', 'transfer-encoding: chunked'], chunked(BODY)), 0],
  [
    'an event stream',
    answer(
      ['content-type: text/event-stream', 'transfer-encoding: chunked'],
      chunked(Buffer.concat([Buffer.from(': beat\n\nid: 1\nretry: 300000\ndata: '), BODY, Buffer.from('\n\n')])),
    ),
    '\r\n0\r\n\r\n'.length,
  ],
];

it.each(FORMS)('a call gets one answer if the connection ends at any byte of %s', async (_name, bytes, wholeAt) => {
  for (let cut = 0; cut <= bytes.length; cut += 1) {
    const server = createServer((socket) => {
      socket.on('error', () => {});
      socket.on('data', (request) => {
        // A resumed stream has nothing more, and what else is asked is not there.
        if (String(request).startsWith('POST')) socket.end(bytes.subarray(0, cut));
        else socket.end('HTTP/1.1 405 No\r\ncontent-length: 0\r\n\r\n');
      });
    });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    const address = server.address();
    if (typeof address !== 'object' || address === null) throw new Error('no address');
    const client = await bridgeTo(`http://127.0.0.1:${address.port}`);
    onTestFinished(() => client.close());
    client.send('{"jsonrpc":"2.0","id":1,"method":"tools/call"}');
    await client.sink.until(1);
    await client.bridge.finish(1_000);
    const [frame = '', ...more] = client.sink.frames.map(String);
    expect(more, `cut at ${cut}`).toEqual([]);
    if (cut >= bytes.length - wholeAt) expect(frame, `cut at ${cut}`).toBe(ANSWER);
    else
      expect(JSON.parse(frame), `cut at ${cut}`).toMatchObject({
        id: 1,
        error: { data: { reason: 'outcome_unknown' } },
      });
    await client.close();
    server.close();
  }
});
