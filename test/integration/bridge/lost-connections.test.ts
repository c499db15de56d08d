import { describe, expect, it } from 'vitest';
import { opened } from './connected.ts';
import { json, orderly, result } from './scripted-server.ts';

describe('a request that is lost with its connection', () => {
  it('a tool call whose connection breaks is not sent again, and its answer says that it may have run', async () => {
    const session = orderly({ onCall: (_arrival, response) => void response.destroy() });
    const client = await opened(session.script);
    const { error } = await client.request(1, 'tools/call');
    expect(error.message).toMatch(/lost before it answered tools\/call\. It may have run/);
    expect(error.data).toEqual({ source: 'causeway', reason: 'outcome_unknown' });
    expect(client.server.count('tools/call')).toBe(1);
  });

  it('a call of a read-only tool is not sent again either: its query may already have cost something', async () => {
    const session = orderly({
      onCall: ({ frame }, response) => {
        if (frame?.method === 'tools/call') response.destroy();
        else json(response, result(frame?.id, { tools: [{ name: 'query', annotations: { readOnlyHint: true } }] }));
      },
    });
    const client = await opened(session.script);
    await client.request(1, 'tools/list');
    const { error } = await client.request(2, 'tools/call', { name: 'query', arguments: {} });
    expect(error.data).toEqual({ source: 'causeway', reason: 'outcome_unknown' });
    expect(client.server.count('tools/call')).toBe(1);
  });

  it('a list whose connection breaks is requested again', async () => {
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

describe('a server that accepts requests and stays silent', () => {
  it('is given up for initialize and lists; a call keeps waiting', async () => {
    const session = orderly();
    const silentFor = new Set<unknown>(['tools/list', 'tools/call']);
    let release = () => {};
    const client = await opened(
      ({ frame, ...rest }, response) => {
        if (!silentFor.has(frame?.method)) return session.script({ frame, ...rest }, response);
        if (frame?.method === 'tools/call') release = () => json(response, result(frame.id));
      },
      { firstBytesMs: 1_000 },
    );
    const call = client.request('call', 'tools/call');
    const { error } = await client.request('list', 'tools/list');
    expect(error.message).toMatch(/did not answer|has not answered|took too long|no answer/i);
    release();
    expect((await call).result).toBeDefined();
    silentFor.add('initialize');
    const again = await client.request('again', 'initialize', { protocolVersion: '2025-06-18', capabilities: {} });
    expect(again.error).toBeDefined();
  });
});
