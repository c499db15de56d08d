import { describe, expect, it } from 'vitest';
import { opened } from './connected.ts';
import { INITIALIZE_RESULT, json, orderly, result, type ScriptedServer } from './scripted-server.ts';

const cancel = (requestId: unknown) => ({ jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId } });
const call = (id: unknown) => ({ jsonrpc: '2.0', id, method: 'tools/call', params: { text: `call ${id}` } });
const sentIds = ({ arrivals }: ScriptedServer) =>
  arrivals.filter(({ frame }) => frame?.method === 'tools/call').map(({ frame }) => frame?.id);

describe('a call that its client cancels', () => {
  it('during a Retry-After delay is not sent again, and others are', async () => {
    let refusals = 2;
    const client = await opened(
      orderly({
        onCall: ({ frame }, response) => {
          refusals -= 1;
          if (refusals >= 0) response.writeHead(429, { 'retry-after': '1' }).end();
          else json(response, result(frame?.id, 'done'));
        },
      }).script,
    );
    client.send(call(1));
    client.send(call('1'));
    await expect.poll(() => client.server.count('tools/call')).toBe(2);
    client.send(cancel(1));
    expect(await client.sink.answerTo('1')).toMatchObject({ result: 'done' });
    await client.request('after', 'tools/list');
    expect(sentIds(client.server).filter((id) => id === 1)).toHaveLength(1);
    expect(client.sink.frames.map((frame) => JSON.parse(String(frame)).id)).not.toContain(1);
    expect(client.server.count('notifications/cancelled')).toBe(1);
    await client.bridge.finish(5_000);
    expect(client.bridge.pendingBytes).toBe(0);
  });

  it('while its session is reopened is not sent at all', async () => {
    const session = orderly();
    let release = () => {};
    let gate = Promise.resolve();
    const client = await opened(async (arrival, response) => {
      if (arrival.frame?.method === 'initialize') await gate;
      return session.script(arrival, response);
    });
    gate = new Promise((resolve) => {
      release = resolve;
    });
    session.expireAll();
    client.send(call(1));
    await expect.poll(() => client.server.count('initialize')).toBe(2);
    client.send(call(2));
    client.send(call(3));
    client.send(cancel(2));
    release();
    expect(await client.sink.answerTo(3)).toHaveProperty('result');
    expect(await client.sink.answerTo(1)).toHaveProperty('result');
    expect(sentIds(client.server)).not.toContain(2);
  });
});

describe('a client that disconnects while its calls are outstanding', () => {
  it('has the calls that the server works on canceled, by their own ids, and then its session deleted', async () => {
    const session = orderly();
    const client = await opened((arrival, response) => {
      // The calls, alone and in an array, are never answered.
      if (arrival.body.includes('tools/call')) return;
      return session.script(arrival, response);
    });
    for (const id of ['1', '"one"', '9007199254740993']) {
      client.send(`{"jsonrpc":"2.0","id":${id},"method":"tools/call","params":{}}`);
    }
    client.send([call('in'), call('batch')]);
    await client.request('answered', 'tools/list');
    await expect.poll(() => client.server.arrivals.filter(({ body }) => body.includes('tools/call'))).toHaveLength(4);
    await client.bridge.close();
    const sent = client.server.arrivals.map(({ method, body }) => (method === 'POST' ? String(body) : method));
    const takenBack = sent.flatMap((text) => /cancelled","params":\{"requestId":([^,]+),/.exec(text)?.[1] ?? []);
    expect(takenBack.toSorted()).toEqual(['"batch"', '"in"', '"one"', '1', '9007199254740993']);
    expect(sent.at(-1)).toBe('DELETE');
  });

  it('sends nothing to a server without sessions, where several clients can use the same id', async () => {
    const session = orderly();
    const client = await opened(({ frame, ...rest }, response) => {
      if (frame?.method === 'tools/call') return;
      if (frame?.id === undefined) return void response.writeHead(202).end();
      if (frame.method === 'initialize') return json(response, result(frame.id, INITIALIZE_RESULT));
      return session.script({ frame, ...rest }, response);
    });
    client.send(call(1));
    await expect.poll(() => client.server.count('tools/call')).toBe(1);
    await client.bridge.close();
    expect(client.server.count('notifications/cancelled')).toBe(0);
  });
});
