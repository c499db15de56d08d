import { describe, expect, it } from 'vitest';
import { type Connected, opened } from './connected.ts';
import { json, orderly, type Script } from './scripted-server.ts';

const BATCH =
  '[{"jsonrpc":"2.0","id":1.0,"method":"a"}, {"jsonrpc":"2.0","method":"n"},{"jsonrpc":"2.0","id":"2","method":"b"}]';
const ANSWERS = '[{"jsonrpc":"2.0","id":"2","result":{"n":1.0}}, {"jsonrpc":"2.0","id":1.0,"result":{}}]';

/** A session in which batches, and nothing else, are answered so. */
async function answering(answer: Script): Promise<Connected & { expireAll(): void }> {
  const session = orderly();
  const client = await opened((arrival, response) => {
    const isAlive = session.sessions.has(String(arrival.headers['mcp-session-id']));
    return Array.isArray(arrival.frame) && isAlive ? answer(arrival, response) : session.script(arrival, response);
  });
  return Object.assign(client, { expireAll: session.expireAll });
}

describe('a batch, as in revision 2025-03-26', () => {
  it('is sent unchanged in one request, and its answers come back unchanged in one frame', async () => {
    const client = await answering((_arrival, response) => json(response, ANSWERS));
    client.send(BATCH);
    expect(String((await client.sink.until(2))[1])).toBe(ANSWERS);
    expect(client.server.arrivals.filter(({ body }) => String(body) === BATCH)).toHaveLength(1);
  });

  it('can be answered one by one in a stream', async () => {
    const frames = ['{"jsonrpc":"2.0","id":"2","result":{}}', '{"jsonrpc":"2.0","id":1.0,"result":{}}'];
    const client = await answering((_arrival, response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      response.end(frames.map((frame) => `data: ${frame}\n\n`).join(''));
    });
    client.send(BATCH);
    expect((await client.sink.until(3)).slice(1).map(String)).toEqual(frames);
  });

  it('survives the end of its session', async () => {
    const client = await answering((_arrival, response) => json(response, ANSWERS));
    client.expireAll();
    client.send(BATCH);
    expect(String((await client.sink.until(2))[1])).toBe(ANSWERS);
  });

  it('leaves none of its requests without an answer if the server refuses it', async () => {
    const client = await answering((_arrival, response) => void response.writeHead(500).end());
    client.send(BATCH);
    const ids = (await client.sink.until(3)).slice(1).map((frame) => JSON.parse(String(frame)).id);
    expect(ids).toEqual([1, '2']);
  });
});
