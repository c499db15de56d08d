import type { ServerResponse } from 'node:http';
import type { Progress } from '@modelcontextprotocol/client';
import { afterEach, expect, it } from 'vitest';
import { McpSession } from '../../../../main/hub/health/mcp-session.ts';
import { openPool } from '../../../../main/platform/http.ts';
import { Secret } from '../../../../main/platform/secret.ts';
import { json, orderly, result, type Script, startScriptedServer } from '../../bridge/scripted-server.ts';
import { modern } from '../../bridge/stateless-script.ts';

const ends: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const end of ends.splice(0).reverse()) await end();
});

async function sessionWith(onCall: Script, script = orderly({ onCall }).script) {
  let changes = 0;
  const server = await startScriptedServer(script);
  const dispatcher = await openPool(server.origin, { env: {} });
  const session = new McpSession(
    {
      profile: { name: 'test', host: server.origin, method: 'pat', workspaceId: undefined },
      path: '/api/2.0/mcp/sql',
      tokens: { token: async () => new Secret('dapi-test') },
      connections: dispatcher,
    },
    {
      onToolsChanged: () => {
        changes += 1;
      },
    },
  );
  ends.push(
    () => server.close(),
    () => dispatcher.destroy(),
    () => session.close(),
  );
  return { server, session, changes: () => changes };
}

/** An answer as an event stream, to which more can be said. */
function events(response: ServerResponse): (frame: unknown) => void {
  response.writeHead(200, { 'content-type': 'text/event-stream' });
  return (frame) => response.write(`data: ${JSON.stringify({ jsonrpc: '2.0', ...Object(frame) })}\n\n`);
}

it("a health session reports a call's progress, declines what the server asks meanwhile, and returns the result unchanged", async () => {
  const { server, session } = await sessionWith(({ frame }, response) => {
    const say = events(response);
    const { progressToken } = Object(Object(frame?.params)._meta);
    say({ method: 'notifications/progress', params: { progressToken, progress: 1, total: 2, message: 'half' } });
    for (const method of ['elicitation/create', 'sampling/createMessage', 'roots/list', 'ping', 'x/y']) {
      say({ id: method, method, params: {} });
    }
    say({ id: frame?.id, result: { content: [{ type: 'x-new' }], isError: true, _meta: { kept: 1 } } });
    response.end();
  });
  const heard: Progress[] = [];
  const given = await session.call('tool', { a: 1 }, { onProgress: (progress) => heard.push(progress) });
  expect(given).toEqual({ content: [{ type: 'x-new' }], isError: true, _meta: { kept: 1 } });
  expect(heard).toEqual([{ progress: 1, total: 2, message: 'half' }]);
  const answers = () =>
    Object.fromEntries(server.arrivals.map(({ body }) => JSON.parse(body.toString() || '{}')).map((it) => [it.id, it]));
  await expect.poll(answers).toMatchObject({
    'elicitation/create': { result: { action: 'decline' } },
    'sampling/createMessage': { error: { code: -1 } },
    'roots/list': { result: { roots: [] } },
    ping: { result: {} },
    'x/y': { error: { code: -32601 } },
  });
});

it('a health session cancels a call that is no longer wanted', async () => {
  const { server, session } = await sessionWith(() => {});
  const given = new AbortController();
  const call = session.call('tool', {}, { signal: given.signal });
  await expect.poll(() => server.count('tools/call')).toBe(1);
  given.abort();
  await expect(call).rejects.toMatchObject({ code: 'cancelled' });
  await expect.poll(() => server.count('notifications/cancelled')).toBe(1);
});

it('a health session reads a list of tools completely, and leaves out malformed ones', async () => {
  const { session } = await sessionWith(({ frame }, response) => {
    const { cursor } = Object(frame?.params);
    const tool = { name: cursor ?? 'first', title: 5, annotations: { readOnlyHint: 'true' } };
    json(response, result(frame?.id, { tools: [tool], nextCursor: cursor ? null : 'second' }));
  });
  expect(await session.tools()).toEqual([
    { name: 'first', inputSchema: {}, annotations: { readOnlyHint: 'true' } },
    { name: 'second', inputSchema: {}, annotations: { readOnlyHint: 'true' } },
  ]);
});

it('a health session is notified that the tools have changed', async () => {
  const { session, changes } = await sessionWith(({ frame }, response) => {
    const say = events(response);
    say({ method: 'notifications/tools/list_changed' });
    say({ id: frame?.id, result: { content: [] } });
    response.end();
  });
  await session.call('tool', {}, {});
  expect(changes()).toBe(1);
});

it("a health session leaves out the code before a server's words", async () => {
  const { session } = await sessionWith(({ frame }, response) => {
    const error = { code: -32602, message: 'BAD_REQUEST: Genie space 01ef not found' };
    json(response, { jsonrpc: '2.0', id: frame?.id, error });
  });
  const error = await session.call('tool', {}, {}).catch((reason: unknown) => reason);
  expect(error).toMatchObject({ code: 'not_found', message: 'Genie space 01ef not found' });
});

it("a health session shows no secret in a server's error, and no control characters", async () => {
  const { session } = await sessionWith(({ frame }, response) => {
    const message = 'It failed\u001b[31m with dapi0123456789abcdef0123456789abcdef in the request';
    json(response, { jsonrpc: '2.0', id: frame?.id, error: { code: -32000, message } });
  });
  const error = await session.call('tool', {}, {}).catch((reason: unknown) => reason);
  expect(error).toHaveProperty('message', 'It failed [31m with [redacted] in the request');
});

it('a health session says where else to sign in if the server requires that first', async () => {
  const { session } = await sessionWith(({ frame }, response) => {
    const data = { elicitations: [{ mode: 'url', url: 'https://example.com/connect', message: 'Connect' }] };
    json(response, { jsonrpc: '2.0', id: frame?.id, error: { code: -32042, message: 'Sign in to GitHub.', data } });
  });
  await expect(session.call('tool', {}, {})).rejects.toMatchObject({
    message: 'Sign in to GitHub.',
    remedy: 'Open https://example.com/connect in your browser, sign in there, and try again.',
  });
});

it('a health session does not end while a call is outstanding', async () => {
  let answer = () => {};
  const { server, session } = await sessionWith(({ frame }, response) => {
    answer = () => json(response, result(frame?.id, { content: [] }));
  });
  const call = session.call('tool', {}, {});
  await expect.poll(() => server.count('tools/call')).toBe(1);
  await session.retire();
  answer();
  expect(await call).toMatchObject({ isError: false });
  await expect.poll(() => server.arrivals.filter(({ method }) => method === 'DELETE').length).toBe(1);
});

it('a health session lists and calls the tools of a server of the stateless revision', async () => {
  const onCall: Script = ({ frame }, response) => {
    const isList = frame?.method === 'tools/list';
    const content = [{ type: 'text', text: 'done' }];
    const listed = { tools: [{ name: 'only', inputSchema: { type: 'object' } }], ttlMs: 0, cacheScope: 'private' };
    json(response, result(frame?.id, { resultType: 'complete', ...(isList ? listed : { content }) }));
  };
  const { session } = await sessionWith(onCall, modern(onCall));
  expect(await session.tools()).toMatchObject([{ name: 'only' }]);
  expect(await session.call('only', {}, {})).toMatchObject({ content: [{ text: 'done' }], isError: false });
});

it.each([
  ['a result that is not an object', { result: 5 }],
  ['a result whose _meta is not an object', { result: { content: [], _meta: 1 } }],
])('fails at once on %s', async (_what, outcome) => {
  const { session } = await sessionWith(({ frame }, response) => {
    json(response, { jsonrpc: '2.0', id: frame?.id, ...outcome });
  });
  await expect(session.call('tool', {}, {})).rejects.toMatchObject({ code: 'unexpected_answer' });
});

it('a health session accepts an answer with members that JSON-RPC does not know', async () => {
  const { session } = await sessionWith(({ frame }, response) => {
    json(response, { jsonrpc: '2.0', id: frame?.id, result: { content: [] }, took: 3 });
  });
  expect(await session.call('tool', {}, {})).toMatchObject({ isError: false });
});

it('a health session returns to each of several concurrent calls its own error', async () => {
  const { session } = await sessionWith(({ frame }, response) => {
    const { name } = Object(frame?.params);
    if (name === 'refused') response.writeHead(403).end();
    else json(response, { jsonrpc: '2.0', id: frame?.id, error: { code: -32000, message: `${name} has failed` } });
  });
  const calls = ['first', 'refused', 'second'].map((name) => session.call(name, {}, {}));
  const errors = await Promise.all(calls.map((call) => call.catch((error: unknown) => error)));
  expect(errors).toMatchObject([
    { code: 'unexpected_answer', message: 'first has failed' },
    { code: 'permission_denied' },
    { code: 'unexpected_answer', message: 'second has failed' },
  ]);
});

it('a health session fails the outstanding calls when it is closed, and opens again after a failed attempt', async () => {
  let openings = 0;
  const { script } = orderly({ onCall: () => {} });
  const { server, session } = await sessionWith(
    () => {},
    (arrival, response) => {
      if (arrival.frame?.method === 'initialize') openings += 1;
      if (arrival.frame?.method !== 'initialize' || openings > 1) return script(arrival, response);
      json(response, result(arrival.frame.id, { protocolVersion: 'none' }));
    },
  );
  await expect(session.call('tool', {}, {})).rejects.toMatchObject({ code: 'unexpected_answer' });
  const call = session.call('tool', {}, {});
  const ended = expect(call).rejects.toMatchObject({ code: 'cancelled', message: 'The session was closed.' });
  await expect.poll(() => server.count('tools/call')).toBe(1);
  await session.close();
  await ended;
});
