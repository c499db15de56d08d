import { setTimeout as sleep } from 'node:timers/promises';
import { beforeEach, describe, expect, it } from 'vitest';
import { type AnswerStore, openAnswerStore, type RevisionStore } from '../../../main/bridge/answer-store.ts';
import { clientOf, newcomer, serve } from './connected.ts';
import { json, orderly, result } from './scripted-server.ts';
import { modern } from './stateless-script.ts';

let memory: AnswerStore & RevisionStore;

beforeEach(async () => {
  memory = openAnswerStore(await newcomer(), { host: 'https://example.com', path: '/api/2.0/mcp/sql', profile: 'p' });
});

const INITIALIZE = { protocolVersion: '2025-11-25', capabilities: {} };
/** What this server has, in the revision of its own. */
const OWN = {
  protocolVersion: '2025-06-18',
  capabilities: { tools: {}, prompts: {} },
  serverInfo: { name: 'own', version: '1' },
  instructions: 'Ask for the schema first.',
};

/** A server with prompts and without resources, whose first answer comes late. */
function slow(delayMs: number) {
  const normal = orderly({
    onCall: ({ frame }, response) => {
      if (frame?.method === 'prompts/list') json(response, result(frame.id, { prompts: [{ name: 'schema' }] }));
      else if (frame?.method === 'tools/list') json(response, result(frame.id, { tools: [{ name: 'execute_sql' }] }));
      else json(response, { jsonrpc: '2.0', id: frame?.id, error: { code: -32000, message: 'Not here.' } });
    },
  });
  return serve(async (arrival, response) => {
    if (arrival.frame?.method !== 'initialize') return normal.script(arrival, response);
    await sleep(delayMs);
    normal.sessions.add('s');
    json(response, result(arrival.frame.id, OWN), { 'mcp-session-id': 's' });
  });
}

async function first(origin: string) {
  const client = await clientOf(origin, { memory });
  const { result: introduced } = await client.request('open', 'initialize', INITIALIZE);
  client.send({ jsonrpc: '2.0', method: 'notifications/initialized' });
  return { client, introduced };
}

describe('a first session', () => {
  it('waits for a server that needs more than a moment, and has its own answer', async () => {
    const { introduced } = await first((await slow(500)).origin);
    expect(introduced).toEqual(OWN);
  });

  it('with a slower one declares all that may be there; what is not there is empty, what is there is announced', async () => {
    const { client, introduced } = await first((await slow(2_500)).origin);
    expect(introduced).toMatchObject({
      serverInfo: { name: 'causeway' },
      capabilities: {
        tools: { listChanged: true },
        prompts: { listChanged: true },
        resources: { listChanged: true },
        completions: {},
        logging: {},
      },
    });
    expect((await client.request(1, 'prompts/list')).result).toEqual({ prompts: [] });
    const said = () => client.sink.frames.map((frame) => JSON.parse(String(frame)).method);
    await expect.poll(said, { timeout: 5_000 }).toContain('notifications/prompts/list_changed');
    expect((await client.request(2, 'prompts/list')).result).toEqual({ prompts: [{ name: 'schema' }] });
    expect((await client.request(3, 'resources/list')).result).toEqual({ resources: [] });
    expect((await client.request(4, 'resources/templates/list')).result).toEqual({ resourceTemplates: [] });
    expect((await client.request(5, 'completion/complete')).result).toEqual({ completion: { values: [] } });
    expect((await client.request(6, 'logging/setLevel', { level: 'info' })).result).toEqual({});
    // What names a thing is the server's to answer.
    expect((await client.request(7, 'resources/read', { uri: 'a://b' })).error.message).toBe('Not here.');
  });

  it('lets a client that has the server’s own answer see its own errors', async () => {
    const { client } = await first((await slow(0)).origin);
    expect((await client.request(1, 'resources/list')).error.message).toBe('Not here.');
  });
});

describe('a remembered session', () => {
  it('is answered in the revision that the server chose, with its instructions', async () => {
    const { client } = await first((await slow(0)).origin);
    await client.request(1, 'tools/list');
    await client.close();
    expect((await first((await slow(5_000)).origin)).introduced).toMatchObject({
      protocolVersion: OWN.protocolVersion,
      instructions: OWN.instructions,
      capabilities: { prompts: {} },
    });
  });

  it('is learned from an answer that came after its client had another', async () => {
    const { client } = await first((await slow(2_000)).origin);
    await client.request(1, 'prompts/list');
    await expect.poll(async () => String(await memory.get('revisions'))).toBe('{"2025-11-25":"2025-06-18"}');
    expect(String(await memory.get('initialize'))).toContain(OWN.instructions);
  });
});

const STATELESS = {
  _meta: {
    'io.modelcontextprotocol/protocolVersion': '2026-07-28',
    'io.modelcontextprotocol/clientCapabilities': {},
    'io.modelcontextprotocol/clientInfo': { name: 'new', version: '2' },
  },
};

describe('a first conversation of the stateless revision', () => {
  it('waits for a server of the same revision, and remembers its answer', async () => {
    let delayMs = 500;
    const server = await serve(async (arrival, response) => {
      if (arrival.frame?.method === 'server/discover') await sleep(delayMs);
      return modern()(arrival, response);
    });
    const ask = async () => {
      const client = await clientOf(server.origin, { memory });
      const discovered = client.request(1, 'server/discover', STATELESS);
      expect((await client.request(2, 'server/discover')).error.code).toBeLessThan(-32000);
      return (await discovered).result;
    };
    const answer = await ask();
    expect(answer).toMatchObject({ instructions: 'Ask in SQL.' });
    await expect.poll(() => memory.get('server/discover')).toBeDefined();
    delayMs = 5_000;
    expect(await ask()).toEqual(answer);
  });

  it('with a server of the same revision that needs two seconds passes unchanged afterwards', async () => {
    const asks = { resultType: 'input_required', requestState: 's' };
    const answering = modern(({ frame }, response) => json(response, result(frame?.id, asks)));
    const server = await serve(async (arrival, response) => {
      if (arrival.frame?.method === 'server/discover' || arrival.frame?.method === 'initialize') await sleep(2_000);
      return answering(arrival, response);
    });
    const client = await clientOf(server.origin, { memory });
    const discovered = client.request(1, 'server/discover', STATELESS);
    const nameless = client.request(2, 'server/discover');
    expect((await discovered).result).toHaveProperty('resultType', 'complete');
    expect((await nameless).error).toMatchObject({ code: -32602 });
    expect((await client.request(3, 'tools/call', { name: 'f', ...STATELESS })).result).toEqual(asks);
  });

  it('with a slower one of the same revision asks what each call asks, in the answer to that call', async () => {
    const input = { resultType: 'input_required', inputRequests: { who: { method: 'roots/list' } } };
    let isOther = () => {};
    const answering = modern(({ frame }, response) => {
      // The other call is open as long as the client is asked, and then some.
      if (frame?.params?.name === 'other') isOther = () => json(response, result(frame?.id, { done: true }));
      else json(response, result(frame?.id, frame?.params?.inputResponses ? { asked: true } : input));
    });
    const server = await serve(async (arrival, response) => {
      // Until after the session that the client is said to have.
      if (arrival.frame?.method === 'server/discover' || arrival.frame?.method === 'initialize') await sleep(4_000);
      return answering(arrival, response);
    });
    const client = await clientOf(server.origin, { memory });
    const _meta = { ...STATELESS._meta, 'io.modelcontextprotocol/clientCapabilities': { roots: {} } };
    await client.request(1, 'server/discover', { _meta });
    const call = client.request(2, 'tools/call', { name: 'f', _meta });
    const other = client.request(3, 'tools/call', { name: 'other', _meta });
    const { result: asks } = await call;
    expect(asks).toMatchObject({ resultType: 'input_required' });
    const { inputRequests, requestState } = Object(asks);
    const inputResponses = Object.fromEntries(Object.keys(inputRequests).map((name) => [name, { roots: [] }]));
    const again = await client.request(4, 'tools/call', { name: 'f', inputResponses, requestState, _meta });
    expect(again.result).toMatchObject({ asked: true });
    isOther();
    expect((await other).result).toMatchObject({ done: true });
  }, 20_000);

  it('with a server of sessions that is slow has the lists that the server has not', async () => {
    const client = await clientOf((await slow(2_500)).origin, { memory });
    const { result: discovered } = await client.request(1, 'server/discover', STATELESS);
    expect(discovered).toMatchObject({ capabilities: { resources: {}, prompts: {} }, resultType: 'complete' });
    expect((await client.request(2, 'tools/list', STATELESS)).result).toMatchObject({ resultType: 'complete' });
    expect((await client.request(3, 'resources/list', STATELESS)).result).toMatchObject({
      resources: [],
      resultType: 'complete',
      cacheScope: 'private',
    });
  });
});
