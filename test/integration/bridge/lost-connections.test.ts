import { describe, expect, it } from 'vitest';
import { openMemory } from '../../../main/bridge/memory.ts';
import { newcomer, opened } from './connected.ts';
import { modern } from './modern-script.ts';
import { json, orderly, result, type Script } from './scripted-server.ts';

/** Says that these are its tools, and cuts the connection of the first `cuts` calls. */
function cutting(tools: unknown, cuts = 1): Script {
  let left = cuts;
  return ({ frame }, response) => {
    if (frame?.method !== 'tools/call') return json(response, result(frame?.id, { tools }));
    left -= 1;
    if (left >= 0) response.destroy();
    else json(response, result(frame?.id, 'answered'));
  };
}

/** What is remembered of a server, for as long as the test lasts. */
async function memory() {
  return openMemory(await newcomer(), { host: 'https://example.com', path: '/api/2.0/mcp/sql', profile: 'p' });
}

const called = (name?: string) => ({ name, arguments: {} });

describe('what is lost with its connection', () => {
  it('a tool call whose connection breaks is not sent again, and its answer says that it may have run', async () => {
    const session = orderly({ onCall: (_arrival, response) => void response.destroy() });
    const client = await opened(session.script);
    const { error } = await client.request(1, 'tools/call');
    expect(error.message).toMatch(/lost before it answered tools\/call\. It may or may not have run/);
    expect(error.data).toEqual({ source: 'causeway', reason: 'outcome_unknown' });
    expect(client.server.count('tools/call')).toBe(1);
  });

  it('a list whose connection breaks is asked for again', async () => {
    let breaks = 1;
    const session = orderly({
      onCall: ({ frame }, response) => {
        breaks -= 1;
        if (breaks >= 0) response.destroy();
        else json(response, result(frame?.id, { tools: [] }));
      },
    });
    const client = await opened(session.script);
    expect(await client.request(1, 'tools/list')).toMatchObject({ result: { tools: [] } });
  });

  it('an event stream that ends without the answer settles the call', async () => {
    const session = orderly({
      onCall: (_arrival, response) => {
        response.writeHead(200, { 'content-type': 'text/event-stream' });
        response.end('data: {"jsonrpc":"2.0","method":"notifications/progress","params":{}}\n\n');
      },
    });
    const client = await opened(session.script);
    const { error } = await client.request(1, 'tools/call');
    expect(error.message).toContain('before it was complete');
    expect(client.sink.frames.map(String)).toContain('{"jsonrpc":"2.0","method":"notifications/progress","params":{}}');
  });
});

describe('a call of a tool whose connection is lost before any answer', () => {
  const named = (annotations?: unknown) => [{ name: 'other' }, { name: 'tool', annotations }];

  it.each([
    ['only reads', { readOnlyHint: true, destructiveHint: true }],
    ['does nothing more the second time', { readOnlyHint: false, idempotentHint: true }],
  ])('is made again where the server has said that it %s', async (_name, annotations) => {
    const { script } = orderly({ onCall: cutting(named(annotations)) });
    const client = await opened(script, { memory: await memory() });
    await client.request(1, 'tools/list');
    expect(await client.request(2, 'tools/call', called('tool'))).toMatchObject({ result: 'answered' });
    const bodies = client.server.arrivals.flatMap(({ frame, body }) => (frame?.id === 2 ? [String(body)] : []));
    expect(bodies).toHaveLength(2);
    expect(bodies[0]).toBe(bodies[1]);
  });

  it.each([
    ['of which the server says nothing', 'tool', named()],
    ['that the server says to change something', 'tool', named({ readOnlyHint: false, destructiveHint: false })],
    ['that the server does not say to be safe in so many words', 'tool', named({ readOnlyHint: 'true' })],
    ['that is not in the list', 'third', named({ readOnlyHint: true })],
    ['that is not named', undefined, named({ readOnlyHint: true })],
    ['behind a list that is none', 'tool', { tool: { annotations: { readOnlyHint: true } } }],
  ])('is not made again %s', async (_name, name, tools) => {
    const { script } = orderly({ onCall: cutting(tools) });
    const client = await opened(script, { memory: await memory() });
    await client.request(1, 'tools/list');
    const { error } = await client.request(2, 'tools/call', called(name));
    expect(error.data).toEqual({ source: 'causeway', reason: 'outcome_unknown' });
    expect(client.server.count('tools/call')).toBe(1);
  });

  it('is not made again where the list has never been read', async () => {
    const { script } = orderly({ onCall: cutting(named({ readOnlyHint: true })) });
    const client = await opened(script, { memory: await memory() });
    expect((await client.request(2, 'tools/call', called('tool'))).error.data).toMatchObject({
      reason: 'outcome_unknown',
    });
    expect(client.server.count('tools/call')).toBe(1);
  });

  it('is made three times at the most', async () => {
    const { script } = orderly({ onCall: cutting(named({ readOnlyHint: true }), Number.POSITIVE_INFINITY) });
    const client = await opened(script, { memory: await memory() });
    await client.request(1, 'tools/list');
    expect((await client.request(2, 'tools/call', called('tool'))).error.message).toContain('may or may not have run');
    expect(client.server.count('tools/call')).toBe(3);
  });

  it('is not made again once the answer has begun', async () => {
    const list = cutting(named({ readOnlyHint: true }), 0);
    const { script } = orderly({
      onCall: (arrival, response) => {
        if (arrival.frame?.method === 'tools/list') return list(arrival, response);
        response.writeHead(200, { 'content-type': 'text/event-stream' });
        response.write(': begun\n\n', () => response.destroy());
      },
    });
    const client = await opened(script, { memory: await memory() });
    await client.request(1, 'tools/list');
    expect((await client.request(2, 'tools/call', called('tool'))).error.data).toMatchObject({
      reason: 'outcome_unknown',
    });
    expect(client.server.count('tools/call')).toBe(1);
  });

  it('is made again under another id where the server is of the stateless revision', async () => {
    const client = await opened(modern(cutting(named({ readOnlyHint: true }))), { memory: await memory() });
    await client.request(1, 'tools/list');
    expect(await client.request(2, 'tools/call', called('tool'))).toMatchObject({ result: 'answered' });
    const ids = client.server.arrivals.flatMap(({ frame }) => (frame?.method === 'tools/call' ? [frame.id] : []));
    expect(ids).toHaveLength(2);
    expect(ids[0]).not.toBe(ids[1]);
  });
});
