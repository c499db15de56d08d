import { afterEach, describe, expect, it } from 'vitest';
import { bridgeTo } from './harness.ts';
import { json, orderly, result, type Script, type ScriptedServer, startScriptedServer } from './scripted-server.ts';

const open: { close(): Promise<void> }[] = [];
afterEach(async () => {
  for (const thing of open.splice(0).reverse()) await thing.close();
});

async function opened(script: Script) {
  const server = await startScriptedServer(script);
  open.push(server);
  const client = await bridgeTo(server.origin);
  open.push(client);
  await client.open();
  return { server, client };
}

const cancel = (requestId: unknown) => ({ jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId } });
const call = (id: unknown) => ({ jsonrpc: '2.0', id, method: 'tools/call', params: { text: `call ${id}` } });
const sentIds = ({ arrivals }: ScriptedServer) =>
  arrivals.filter(({ frame }) => frame?.method === 'tools/call').map(({ frame }) => frame?.id);

describe('a call that its client takes back', () => {
  it('while it waits out what the server asked for is not sent again, and others are', async () => {
    let refusals = 2;
    const { server, client } = await opened(
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
    await expect.poll(() => server.count('tools/call')).toBe(2);
    client.send(cancel(1));
    expect(await client.sink.answerTo('1')).toMatchObject({ result: 'done' });
    await client.request('after', 'tools/list');
    expect(sentIds(server).filter((id) => id === 1)).toHaveLength(1);
    expect(client.sink.frames.map((frame) => JSON.parse(String(frame)).id)).not.toContain(1);
    expect(server.count('notifications/cancelled')).toBe(1);
    await client.bridge.finish(5_000);
    expect(client.bridge.pendingBytes).toBe(0);
  });

  it('while its session is brought back is not sent at all', async () => {
    const session = orderly();
    let release = () => {};
    let gate = Promise.resolve();
    const { server, client } = await opened(async (arrival, response) => {
      if (arrival.frame?.method === 'initialize') await gate;
      return session.script(arrival, response);
    });
    gate = new Promise((resolve) => {
      release = resolve;
    });
    session.expireAll();
    client.send(call(1));
    await expect.poll(() => server.count('initialize')).toBe(2);
    client.send(call(2));
    client.send(call(3));
    client.send(cancel(2));
    release();
    expect(await client.sink.answerTo(3)).toHaveProperty('result');
    expect(await client.sink.answerTo(1)).toHaveProperty('result');
    expect(sentIds(server)).not.toContain(2);
  });
});
