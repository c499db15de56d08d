import type { ServerResponse } from 'node:http';
import { describe, expect, it } from 'vitest';
import { connect } from './connected.ts';
import type { BridgeUnderTest } from './harness.ts';
import { INITIALIZE_RESULT, json, orderly, result, type Script, type ScriptedServer } from './scripted-server.ts';

const ALL = { sampling: {}, elicitation: { form: {} }, roots: {} };

function meta(capabilities: object = ALL, more: object = {}) {
  return {
    'io.modelcontextprotocol/protocolVersion': '2026-07-28',
    'io.modelcontextprotocol/clientCapabilities': capabilities,
    ...more,
  };
}

/** A stateless client before a server with sessions; what the server has to say is said by the test. */
class Conversation {
  readonly client: BridgeUnderTest;
  readonly server: ScriptedServer;
  /** The streams of calls that are under way, by the server's id for them. */
  readonly calls: Map<unknown, ServerResponse>;
  /** The session's own stream. */
  readonly listening: ServerResponse[];

  constructor(parts: Pick<Conversation, 'client' | 'server' | 'calls' | 'listening'>) {
    this.client = parts.client;
    this.server = parts.server;
    this.calls = parts.calls;
    this.listening = parts.listening;
  }

  static async begin(): Promise<Conversation> {
    const calls = new Map<unknown, ServerResponse>();
    const listening: ServerResponse[] = [];
    const session = orderly({
      onCall: ({ frame }, response) => {
        if (frame?.method !== 'tools/call') return json(response, result(frame?.id));
        response.writeHead(200, { 'content-type': 'text/event-stream' }).flushHeaders();
        calls.set(frame.id, response);
      },
    });
    const script: Script = ({ method, frame, ...rest }, response) => {
      if (method === 'GET') {
        response.writeHead(200, { 'content-type': 'text/event-stream' }).flushHeaders();
        listening.push(response);
      } else if (frame?.method === 'initialize') {
        session.sessions.add('session-1');
        const capabilities = { tools: {}, logging: {}, resources: { subscribe: true } };
        json(response, result(frame.id, { ...INITIALIZE_RESULT, capabilities }), { 'mcp-session-id': 'session-1' });
      } else return session.script({ method, frame, ...rest }, response);
    };
    const client = await connect(script);
    const conversation = new Conversation({ client, server: client.server, calls, listening });
    await conversation.request(0, 'server/discover');
    await expect.poll(() => listening.length).toBe(1);
    return conversation;
  }

  request(id: number, method: string, params: object = {}, _meta: object = meta()) {
    this.client.send({ jsonrpc: '2.0', id, method, params: { ...params, _meta } });
    return this.client.sink.answerTo(id);
  }

  /** Calls a tool; resolves when the server works on it. */
  async call(id: number, _meta: object = meta()) {
    const answer = this.request(id, 'tools/call', { name: 'f' }, _meta);
    await expect.poll(() => this.calls.has(id)).toBe(true);
    return answer;
  }

  /** The server says something in the answer to a call. */
  say(id: unknown, frame: object): void {
    this.calls.get(id)?.write(`data: ${JSON.stringify({ jsonrpc: '2.0', ...frame })}\n\n`);
  }

  ask(id: unknown, question: string, method = 'elicitation/create'): void {
    this.say(id, { id: question, method, params: { message: question } });
  }

  finish(id: unknown, value: object): void {
    this.say(id, { id, result: value });
    this.calls.get(id)?.end();
  }

  /** What the server has been answered, by its own ids. */
  answers(): Record<string, unknown>[] {
    return this.server.arrivals.flatMap(({ frame }) =>
      frame !== undefined && frame.method === undefined ? [{ ...frame }] : [],
    );
  }

  sent(method: string) {
    return this.server.arrivals.filter(({ frame }) => frame?.method === method).map(({ frame }) => frame?.params);
  }
}

/** A result that asks for input. */
function asked({ result: asks }: { result?: unknown }): { names: string[]; state: string; requests: unknown[] } {
  const { resultType, inputRequests, requestState } = Object(asks);
  expect(resultType).toBe('input_required');
  return { names: Object.keys(inputRequests), state: requestState, requests: Object.values(inputRequests) };
}

describe('what a server with sessions asks a stateless client', () => {
  it('answers the call with the question; the call continues, and is answered in the end under the last id', async () => {
    const talk = await Conversation.begin();
    const call = talk.call(1);
    await expect.poll(() => talk.calls.size).toBe(1);
    talk.ask(1, 'q');
    const { names, state, requests } = asked(await call);
    expect(requests).toEqual([{ method: 'elicitation/create', params: { message: 'q' } }]);
    const given = { [String(names[0])]: { action: 'accept', content: { n: 1 } } };
    const again = talk.request(2, 'tools/call', { name: 'f', inputResponses: given, requestState: state });
    await expect
      .poll(() => talk.answers())
      .toEqual([{ jsonrpc: '2.0', id: 'q', result: { action: 'accept', content: { n: 1 } } }]);
    talk.finish(1, { done: true });
    expect((await again).result).toEqual({ done: true, resultType: 'complete' });
    expect(talk.server.count('tools/call')).toBe(1);
  });

  it('can be several things at once; what the client leaves open is asked again', async () => {
    const talk = await Conversation.begin();
    const call = talk.call(1);
    await expect.poll(() => talk.calls.size).toBe(1);
    talk.ask(1, 'q');
    talk.ask(1, 's', 'sampling/createMessage');
    talk.ask(1, 'r', 'roots/list');
    const { names, state } = asked(await call);
    expect(names).toHaveLength(3);
    const given = { [String(names[2])]: { roots: [] } };
    const again = await talk.request(2, 'tools/call', { name: 'f', inputResponses: given, requestState: state });
    expect(asked(again).names).toEqual(names.slice(0, 2));
    expect(asked(again).state).not.toBe(state);
    await expect.poll(() => talk.answers()).toEqual([{ jsonrpc: '2.0', id: 'r', result: { roots: [] } }]);
  });

  it('is refused beyond a hundred questions for one call, or beyond one mebibyte', async () => {
    const talk = await Conversation.begin();
    const call = talk.call(1);
    await expect.poll(() => talk.calls.size).toBe(1);
    for (let count = 0; count < 130; count += 1) talk.ask(1, `q${count}`);
    await expect.poll(() => talk.answers()).toHaveLength(30);
    expect(talk.answers()[0]).toMatchObject({ error: { message: 'Too many requests to the client are open.' } });
    expect(asked(await call).names.length).toBeLessThanOrEqual(100);
    const long = talk.call(2);
    await expect.poll(() => talk.calls.size).toBe(2);
    talk.ask(2, 'x'.repeat(400_000));
    talk.ask(2, 'y'.repeat(400_000));
    talk.ask(2, 'z');
    expect(asked(await long).names.length).toBeLessThanOrEqual(2);
    await expect.poll(() => talk.answers()).toHaveLength(31);
  });

  it('can be to open an address, which that revision does not number', async () => {
    const talk = await Conversation.begin();
    const able = talk.call(1, meta({ elicitation: { url: {} } }));
    void talk.call(2, meta({ elicitation: {} }));
    await expect.poll(() => talk.calls.size).toBe(2);
    const params = { mode: 'url', elicitationId: 'e', url: 'https://example.com/1.0', message: 'Open this' };
    talk.say(2, { id: 'not able', method: 'elicitation/create', params });
    talk.say(1, { id: 'able', method: 'elicitation/create', params });
    const { elicitationId: _, ...unnumbered } = params;
    expect(asked(await able).requests).toEqual([{ method: 'elicitation/create', params: unnumbered }]);
    await expect.poll(() => talk.answers()).toMatchObject([{ id: 'not able', error: { code: -32601 } }]);
  });

  it("can arrive on the server's own stream: then it belongs to the latest outstanding call", async () => {
    const talk = await Conversation.begin();
    void talk.call(1);
    const latest = talk.call(2);
    await expect.poll(() => talk.calls.size).toBe(2);
    talk.listening[0]?.write('data: {"jsonrpc":"2.0","id":"q","method":"roots/list"}\n\n');
    expect(asked(await latest).requests).toEqual([{ method: 'roots/list' }]);
  });

  it.each([
    ['while no call is outstanding', 0, ALL],
    ['that the client has not declared', 1, { sampling: {} }],
  ])('%s is refused, and the client does not see it', async (_name, calls, capabilities) => {
    const talk = await Conversation.begin();
    if (calls > 0) void talk.call(1, meta(capabilities));
    await expect.poll(() => talk.calls.size).toBe(calls);
    talk.listening[0]?.write('data: {"jsonrpc":"2.0","id":"q","method":"roots/list"}\n\n');
    await expect
      .poll(() => talk.answers())
      .toEqual([
        { jsonrpc: '2.0', id: 'q', error: { code: -32601, message: expect.stringContaining('cannot answer') } },
      ]);
    expect(talk.client.sink.frames).toHaveLength(1);
  });

  it('is forgotten when the server cancels it', async () => {
    const talk = await Conversation.begin();
    const call = talk.call(1);
    await expect.poll(() => talk.calls.size).toBe(1);
    talk.ask(1, 'q');
    talk.say(1, { method: 'notifications/cancelled', params: { requestId: 'q' } });
    talk.finish(1, { done: true });
    expect((await call).result).toEqual({ done: true, resultType: 'complete' });
    expect(talk.client.sink.frames).toHaveLength(2);
  });

  it('is no longer pending if the server answers without it: the next round has the answer', async () => {
    const talk = await Conversation.begin();
    const call = talk.call(1);
    await expect.poll(() => talk.calls.size).toBe(1);
    talk.ask(1, 'q');
    const { state } = asked(await call);
    talk.finish(1, { done: true });
    const again = await talk.request(2, 'tools/call', { name: 'f', inputResponses: {}, requestState: state });
    expect(again.result).toEqual({ done: true, resultType: 'complete' });
  });

  it('is refused if its state is not one that the bridge issued', async () => {
    const talk = await Conversation.begin();
    const { error } = await talk.request(1, 'tools/call', { name: 'f', requestState: 'made up' });
    expect(error.code).toBe(-32602);
    expect(talk.server.count('tools/call')).toBe(0);
  });

  it('ends with the call that the client cancels in a later round', async () => {
    const talk = await Conversation.begin();
    const call = talk.call(1);
    await expect.poll(() => talk.calls.size).toBe(1);
    talk.ask(1, 'q');
    const { names, state } = asked(await call);
    const given = { [String(names[0])]: { action: 'decline' } };
    void talk.request(2, 'tools/call', { name: 'f', inputResponses: given, requestState: state });
    await expect.poll(() => talk.answers().length).toBe(1);
    talk.client.send({ jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 2 } });
    await expect.poll(() => talk.sent('notifications/cancelled')).toEqual([{ requestId: 1 }]);
  });

  it("keeps the call's progress under the token of the client's current round", async () => {
    const talk = await Conversation.begin();
    const call = talk.call(1, meta(ALL, { progressToken: 'one' }));
    await expect.poll(() => talk.calls.size).toBe(1);
    talk.ask(1, 'q');
    const { state } = asked(await call);
    const params = { name: 'f', inputResponses: {}, requestState: state };
    talk.client.send({
      jsonrpc: '2.0',
      id: 2,
      method: 'tools/call',
      params: { ...params, _meta: meta(ALL, { progressToken: 'two' }) },
    });
    asked(await talk.client.sink.answerTo(2));
    const seen = talk.client.sink.frames.length;
    talk.say(1, { method: 'notifications/progress', params: { progressToken: 'one', progress: 1 } });
    await talk.client.sink.until(seen + 1);
    expect(JSON.parse(String(talk.client.sink.frames[seen])).params).toEqual({ progressToken: 'two', progress: 1 });
  });
});

describe('what the stateless revision forbids', () => {
  it.each<[string, string, object, number]>([
    ['initialize', 'initialize', meta(), -32601],
    ['ping', 'ping', meta(), -32601],
    ['resources/subscribe', 'resources/subscribe', meta(), -32601],
    ['another revision', 'tools/list', meta({}, { 'io.modelcontextprotocol/protocolVersion': '2027-01-01' }), -32022],
    ['no client capabilities', 'tools/list', { 'io.modelcontextprotocol/protocolVersion': '2026-07-28' }, -32602],
    ['no revision', 'tools/list', {}, -32602],
  ])('%s is refused, even though the server behind would accept it', async (_name, method, _meta, code) => {
    const talk = await Conversation.begin();
    expect((await talk.request(1, method, {}, _meta)).error.code).toBe(code);
    expect(talk.server.count(method)).toBe(method === 'initialize' ? 1 : 0);
  });
});

describe('the log of a server with sessions', () => {
  it('reaches a stateless client at the level of its own request, and is set no quieter than another client wants', async () => {
    const talk = await Conversation.begin();
    const level = (name: string) => meta(ALL, { 'io.modelcontextprotocol/logLevel': name });
    void talk.call(1);
    talk.say(1, { method: 'notifications/message', params: { level: 'emergency', data: 'nobody asked' } });
    void talk.call(2, level('warning'));
    void talk.call(3, level('error'));
    await expect.poll(() => talk.calls.size).toBe(3);
    expect(talk.sent('logging/setLevel')).toEqual([{ level: 'warning' }]);
    talk.say(2, { method: 'notifications/message', params: { level: 'info', data: 'too little' } });
    talk.say(2, { method: 'notifications/message', params: { level: 'warning', data: 'enough' } });
    await talk.client.sink.until(2);
    expect(String(talk.client.sink.frames[1])).toContain('enough');
  });
});

describe('the protocol revision', () => {
  it('of a client that probes first and then begins its own session is that of the session', async () => {
    const talk = await Conversation.begin();
    const opened = await talk.client.request(1, 'initialize', { protocolVersion: '2025-06-18', capabilities: {} });
    expect(opened.result).toMatchObject({ protocolVersion: '2025-06-18' });
    talk.client.send({ jsonrpc: '2.0', method: 'notifications/initialized' });
    expect((await talk.client.request(2, 'tools/list')).result).toEqual({});
  });
});
