import type { ServerResponse } from 'node:http';
import { beforeEach, describe, expect, it } from 'vitest';
import { type Connected, connect } from './connected.ts';
import { json, orderly, result, type ScriptedServer } from './scripted-server.ts';

const SIGN_IN = { mode: 'url', elicitationId: 'e-1', url: 'https://example.com/connect', message: 'Connect GitHub' };
const ABLE = { elicitation: { url: {} } };

let server: ScriptedServer;
let client: Connected;
/** Whether the user has signed in at the address. */
let isConnected: boolean;
let listening: ServerResponse | undefined;

/** A server with sessions, whose tools, prompts and resources need a sign-in elsewhere. */
beforeEach(async () => {
  isConnected = false;
  const session = orderly({
    onCall: ({ frame }, response) => {
      const error = { code: -32042, message: 'GitHub is not connected', data: { elicitations: [SIGN_IN] } };
      if (isConnected) json(response, result(frame?.id, { done: frame?.params }));
      else json(response, { jsonrpc: '2.0', id: frame?.id, error });
    },
  });
  client = await connect((arrival, response) => {
    if (arrival.method !== 'GET') return session.script(arrival, response);
    response.writeHead(200, { 'content-type': 'text/event-stream' }).flushHeaders();
    listening = response;
  });
  server = client.server;
});

function request(id: number, method: string, params: object = {}, capabilities: object = ABLE) {
  const _meta = {
    'io.modelcontextprotocol/protocolVersion': '2026-07-28',
    'io.modelcontextprotocol/clientCapabilities': capabilities,
  };
  return client.request(id, method, { ...params, _meta });
}

const call = (id: number, params: object = {}, capabilities: object = ABLE) =>
  request(id, 'tools/call', { name: 'issues', ...params }, capabilities);

/** Calls the tool, and gives what the client has to send with its next round. */
async function asked(id: number): Promise<{ inputResponses: object; requestState: string }> {
  const { inputRequests, requestState } = Object((await call(id)).result);
  const inputResponses = Object.fromEntries(Object.keys(inputRequests).map((name) => [name, { action: 'accept' }]));
  return { inputResponses, requestState };
}

describe('a server with sessions that wants to open an address, before a stateless client', () => {
  it('asks in a result as that revision does, and gets the call again once the user has agreed', async () => {
    const first = await call(1);
    expect(first.result).toEqual({
      resultType: 'input_required',
      inputRequests: {
        'address-1': {
          method: 'elicitation/create',
          params: { mode: 'url', message: 'Connect GitHub', url: 'https://example.com/connect' },
        },
      },
      requestState: expect.any(String),
    });
    isConnected = true;
    const { requestState } = Object(first.result);
    const again = await call(2, { inputResponses: { 'address-1': { action: 'accept' } }, requestState });
    expect(again.result).toEqual({
      done: { name: 'issues', _meta: expect.any(Object) },
      resultType: 'complete',
    });
    expect(server.count('tools/call')).toBe(2);
  });

  it('gets it again, under new ids, until the user is done there: the client waits for one answer', async () => {
    const answer = call(2, await asked(1));
    await expect.poll(() => server.count('tools/call'), { timeout: 10_000 }).toBeGreaterThan(2);
    isConnected = true;
    expect((await answer).result).toMatchObject({ done: { name: 'issues' } });
    const ids = server.arrivals.filter(({ frame }) => frame?.method === 'tools/call').map(({ frame }) => frame?.id);
    expect(new Set(ids).size).toBe(ids.length);
    expect(client.sink.frames.map((frame) => JSON.parse(String(frame)).id)).toEqual([1, 2]);
  });

  it('gets it again as soon as it reports that the user is done, and the client does not see that report', async () => {
    const answer = call(2, await asked(1));
    await expect.poll(() => server.count('tools/call')).toBe(2);
    isConnected = true;
    const frame = { jsonrpc: '2.0', method: 'notifications/elicitation/complete', params: { elicitationId: 'e-1' } };
    listening?.write(`data: ${JSON.stringify(frame)}\n\n`);
    expect((await answer).result).toMatchObject({ done: { name: 'issues' } });
    expect(client.sink.frames).toHaveLength(2);
  });

  it('is not asked again if the client cancels the call meanwhile', async () => {
    const given = await asked(1);
    void call(2, given);
    await expect.poll(() => server.count('tools/call')).toBe(2);
    client.send({ jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 2 } });
    isConnected = true;
    expect((await call(3)).result).toMatchObject({ resultType: 'complete' });
    listening?.write(
      'data: {"jsonrpc":"2.0","method":"notifications/elicitation/complete","params":{"elicitationId":"e-1"}}\n\n',
    );
    await call(4);
    expect(server.count('tools/call')).toBe(4);
  });

  it('gets no call if the user declines: the model reads why', async () => {
    const { requestState } = await asked(1);
    const declined = await call(2, { inputResponses: { 'address-1': { action: 'decline' } }, requestState });
    expect(declined.result).toMatchObject({
      isError: true,
      content: [{ text: 'GitHub is not connected. The address was not opened. Nothing was run.' }],
    });
    expect(server.count('tools/call')).toBe(1);
  });

  it('is put into the error’s text for a client that cannot open addresses: the model reads it', async () => {
    const { result: told } = await call(1, {}, { elicitation: {} });
    expect(told).toMatchObject({
      isError: true,
      resultType: 'complete',
      content: [{ text: expect.stringContaining('Open https://example.com/connect in a browser, then try again.') }],
    });
    const { error } = await request(2, 'prompts/get', { name: 'p' }, {});
    expect(error).toMatchObject({ code: -32021, data: { requiredCapabilities: { elicitation: { url: {} } } } });
    expect(error.message).toContain('https://example.com/connect');
  });

  it('is put into the error’s text for GitHub Copilot CLI, which declares what it fails at', async () => {
    const _meta = {
      'io.modelcontextprotocol/protocolVersion': '2026-07-28',
      'io.modelcontextprotocol/clientCapabilities': ABLE,
      'io.modelcontextprotocol/clientInfo': { name: 'github-copilot-developer', version: '1.0.102' },
    };
    const answer = await client.request(1, 'tools/call', { name: 'issues', _meta });
    expect(JSON.stringify(answer)).toContain('https://example.com/connect');
    expect(JSON.stringify(answer)).not.toContain('input_required');
    const opening = server.arrivals.find(({ frame }) => frame?.method === 'initialize');
    expect(opening?.frame?.params).toMatchObject({ capabilities: {} });
    expect(JSON.stringify(opening?.frame?.params)).not.toContain('elicitation');
  });
});

describe('a client with sessions', () => {
  const initialize = (capabilities: object) =>
    client.request(0, 'initialize', { protocolVersion: '2025-11-25', capabilities });

  it('that opens addresses gets that error unchanged: it is from its own revision', async () => {
    await initialize(ABLE);
    expect((await client.request(1, 'tools/call', { name: 'issues' })).error).toEqual({
      code: -32042,
      message: 'GitHub is not connected',
      data: { elicitations: [SIGN_IN] },
    });
  });

  it.each([{}, { elicitation: {} }])(
    'that cannot open addresses (%j) reads the address in the message',
    async (capabilities) => {
      await initialize(capabilities);
      expect((await client.request(1, 'tools/call', { name: 'issues' })).error).toEqual({
        code: -32042,
        message: 'GitHub is not connected. Open https://example.com/connect in a browser, then try again.',
        data: { elicitations: [SIGN_IN] },
      });
    },
  );
});
