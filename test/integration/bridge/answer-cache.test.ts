import { readdir, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { z } from 'zod';
import { type AnswerStore, openAnswerStore, type RevisionStore } from '../../../main/bridge/answer-store.ts';
import { CausewayError } from '../../../main/platform/errors.ts';
import { Secret } from '../../../main/platform/secret.ts';
import { clientOf, newcomer, serve } from './connected.ts';
import type { BridgeUnderTest } from './harness.ts';
import { json, orderly, result, type ScriptedServer } from './scripted-server.ts';
import { modern } from './stateless-script.ts';

let home: string;
let memory: AnswerStore & RevisionStore;

beforeEach(async () => {
  const env = await newcomer();
  home = env.CAUSEWAY_HOME;
  memory = openAnswerStore(env, { host: 'https://example.com', path: '/api/2.0/mcp/sql', profile: 'p' });
});
afterEach(() => {
  vi.useRealTimers();
});

let tools = ['execute_sql'];
const session = () =>
  orderly({
    onCall: ({ frame }, response) => {
      if (frame?.method === 'tools/list') json(response, result(frame.id, { tools: tools.map((name) => ({ name })) }));
      else json(response, result(frame?.id, 'called'));
    },
  });

function connect(origin: string, options: Parameters<typeof clientOf>[1] = {}): Promise<BridgeUnderTest> {
  return clientOf(origin, { memory, ...options });
}

/** One ordinary session, from which the answers are remembered. */
async function learn(server: ScriptedServer): Promise<void> {
  const client = await connect(server.origin);
  await client.open();
  await client.request('learn', 'tools/list');
  await expect.poll(async () => String(await memory.get('tools/list'))).toContain('execute_sql');
}

/** As a server of the revisions with sessions has answered. */
const REMEMBERED = Buffer.from('{"jsonrpc":"2.0","id":0,"result":{"tools":[{"name":"execute_sql"}]}}');
const LIST_CHANGED = '{"jsonrpc":"2.0","method":"notifications/tools/list_changed"}';

describe('the cached answers', () => {
  it('are returned at once to a client whose workspace is slow, and a difference is announced afterwards', async () => {
    tools = ['execute_sql'];
    const normal = session();
    let gate = Promise.resolve();
    const server = await serve(async (arrival, response) => {
      if (arrival.frame?.method === 'initialize') await gate;
      return normal.script(arrival, response);
    });
    await learn(server);
    tools = ['execute_sql', 'poll_sql_result'];
    let release = () => {};
    gate = new Promise((resolve) => {
      release = resolve;
    });
    const client = await connect(server.origin);
    const opened = await client.request(1, 'initialize', { protocolVersion: '2025-11-25', capabilities: {} });
    expect(opened.result).toMatchObject({
      protocolVersion: '2025-11-25',
      capabilities: { tools: { listChanged: true } },
    });
    client.send({ jsonrpc: '2.0', method: 'notifications/initialized' });
    expect(await client.request('list', 'tools/list')).toMatchObject({ result: { tools: [{ name: 'execute_sql' }] } });
    const call = client.request(3, 'tools/call');
    release();
    expect(await call).toMatchObject({ result: 'called' });
    await expect.poll(() => client.sink.frames.map(String)).toContain(LIST_CHANGED);
    expect(await client.request(4, 'tools/list')).toMatchObject({
      result: { tools: [{}, { name: 'poll_sql_result' }] },
    });
    expect(client.sink.frames.filter((frame) => JSON.parse(String(frame)).id === 1)).toHaveLength(1);
    expect(server.count('notifications/initialized')).toBe(2);
  });

  it('make a call wait for at most 20 seconds, and its result then says what to do', async () => {
    const normal = session();
    const server = await serve(normal.script);
    await learn(server);
    server.script = () => {};
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    const client = await connect(server.origin);
    const opened = client.open();
    await expect.poll(() => server.count('initialize')).toBe(2);
    await vi.advanceTimersByTimeAsync(1_000);
    await opened;
    const call = client.request('call', 'tools/call');
    await vi.advanceTimersByTimeAsync(19_000);
    expect(client.sink.frames).toHaveLength(1);
    await vi.advanceTimersByTimeAsync(1_000);
    expect((await call).result).toEqual({
      isError: true,
      content: [{ type: 'text', text: expect.stringMatching(/^There is still no connection .+ Nothing was run\.$/) }],
    });
    expect(server.count('tools/call')).toBe(0);
  });

  it('make a call wait for a silent host until the host is given up, and name the likely causes', async () => {
    const server = await serve(() => {});
    const words: string[] = [];
    const client = await connect(server.origin, { firstBytesMs: 3_000, onNotice: (line) => words.push(line) });
    await client.open();
    const silent = `${new URL(server.origin).host} did not answer within 3 seconds. Likely causes: `;
    expect((await client.request('call', 'tools/call')).result).toEqual({
      isError: true,
      content: [{ type: 'text', text: expect.stringContaining(silent) }],
    });
    expect(server.count('initialize')).toBe(1);
    // On a busy computer there is a notice before it that the host has not responded yet.
    expect(words.at(-1)).toContain(silent);
    expect(await client.request('list', 'tools/list')).toMatchObject({
      result: { tools: [{ name: 'connection_status', description: expect.stringContaining(silent) }] },
    });
  });

  it('are returned at once to a client that is signed out; its calls say what to do, and work after the sign-in', async () => {
    tools = ['execute_sql'];
    const server = await serve(session().script);
    await learn(server);
    let signedIn = false;
    const client = await connect(server.origin, {
      tokens: {
        async token() {
          if (signedIn) return new Secret('t');
          throw new CausewayError('signed_out', 'Profile "test" is signed out.', { remedy: 'Run "causeway login".' });
        },
      },
    });
    await client.open();
    expect(await client.request(1, 'tools/list')).toMatchObject({ result: { tools: [{ name: 'execute_sql' }] } });
    expect(await client.request(2, 'tools/call')).toMatchObject({
      result: {
        isError: true,
        content: [{ type: 'text', text: 'Profile "test" is signed out. Run "causeway login".' }],
      },
    });
    tools = ['another'];
    signedIn = true;
    expect(await client.request(3, 'tools/call')).toMatchObject({ result: 'called' });
    await expect.poll(() => client.sink.frames.map(String)).toContain(LIST_CHANGED);
    expect(server.count('initialize')).toBe(2);
    expect(server.count('notifications/initialized')).toBe(2);
  });

  it('reach a client that is signed out before the user is asked to sign in', async () => {
    const answeredWhenAsked: number[] = [];
    const client = await connect('http://127.0.0.1:1', {
      tokens: {
        async token({ onSignedOut } = {}) {
          await onSignedOut?.(new CausewayError('signed_out', 'Profile "test" is signed out.'));
          answeredWhenAsked.push(client.sink.frames.length);
          return new Promise(() => {});
        },
      },
    });
    await client.request(1, 'initialize', { protocolVersion: '2025-03-26', capabilities: {} });
    await expect.poll(() => answeredWhenAsked).toEqual([1]);
  });

  it('are Causeway’s own if nothing is known: the session begins, and one tool says why there are no others', async () => {
    const client = await connect('http://127.0.0.1:1');
    const opened = await client.request(1, 'initialize', { protocolVersion: '2025-03-26', capabilities: {} });
    expect(opened.result).toMatchObject({
      protocolVersion: '2025-03-26',
      capabilities: { tools: { listChanged: true } },
      serverInfo: { name: 'causeway' },
    });
    client.send({ jsonrpc: '2.0', method: 'notifications/initialized' });
    expect(await client.request(2, 'tools/list')).toMatchObject({
      result: {
        tools: [{ name: 'connection_status', description: expect.stringContaining('127.0.0.1:1 cannot be reached') }],
      },
    });
  });

  it('change if it turns out that the user has to sign in, and the client is notified', async () => {
    let refuse = (_error: CausewayError) => {};
    const token = new Promise<never>((_, reject) => {
      refuse = reject;
    });
    const client = await connect('http://127.0.0.1:1', {
      tokens: { token: () => token },
      signIn: { pending: undefined, begin: async () => {}, isDone: async () => false },
    });
    await client.request(1, 'initialize', { protocolVersion: '2025-03-26', capabilities: {} });
    client.send({ jsonrpc: '2.0', method: 'notifications/initialized' });
    expect(await client.request(2, 'tools/list')).toMatchObject({ result: { tools: [{ name: 'connection_status' }] } });
    expect(client.sink.frames.map(String)).not.toContain(LIST_CHANGED);
    refuse(new CausewayError('signed_out', 'Profile "test" is signed out.'));
    await expect.poll(() => client.sink.frames.map(String)).toContain(LIST_CHANGED);
    expect(await client.request(3, 'tools/list')).toMatchObject({ result: { tools: [{ name: 'sign_in' }] } });
  });

  it('offer the sign-in beside the known tools until the user has signed in', async () => {
    tools = ['execute_sql', 'poll_sql_result'];
    const server = await serve(session().script);
    await learn(server);
    let isSignedIn = false;
    const client = await connect(server.origin, {
      tokens: {
        token: async () => {
          if (isSignedIn) return new Secret('token');
          throw new CausewayError('signed_out', 'Profile "test" is signed out.');
        },
      },
      signIn: {
        pending: undefined,
        begin: async () => {
          isSignedIn = true;
        },
        isDone: async () => isSignedIn,
      },
    });
    const names = async (id: number) => {
      const { result } = await client.request(id, 'tools/list');
      return z
        .object({ tools: z.array(z.object({ name: z.string() })) })
        .parse(result)
        .tools.map(({ name }) => name);
    };
    await client.open();
    await expect.poll(() => names(Math.random())).toEqual(['execute_sql', 'poll_sql_result', 'sign_in']);
    expect(await client.request('in', 'tools/call', { name: 'sign_in', arguments: {} })).toMatchObject({
      result: { content: [{ text: expect.stringContaining('The connection to') }] },
    });
    await expect.poll(() => client.sink.frames.map(String)).toContain(LIST_CHANGED);
    await expect.poll(() => names(Math.random())).toEqual(['execute_sql', 'poll_sql_result']);
  });

  it.each(['remembered', 'of our own'])(
    'for a client and a server of the stateless revision are whole: a list %s, while the server is slow',
    async (which) => {
      const _meta = {
        'io.modelcontextprotocol/protocolVersion': '2026-07-28',
        'io.modelcontextprotocol/clientCapabilities': {},
        'io.modelcontextprotocol/clientInfo': { name: 'new', version: '2' },
      };
      if (which === 'remembered') await memory.put('tools/list', REMEMBERED, undefined, []);
      const client = await connect((await serve(modern(() => {}))).origin);
      expect(await client.request(0, 'server/discover', { _meta })).toMatchObject({ result: { ttlMs: 0 } });
      const name = which === 'remembered' ? 'execute_sql' : 'connection_status';
      expect((await client.request(1, 'tools/list', { _meta })).result).toMatchObject({
        tools: [{ name }],
        resultType: 'complete',
        ttlMs: 0,
        cacheScope: 'private',
      });
    },
  );

  it('do not replace a refusal that concerns this user', async () => {
    tools = ['execute_sql'];
    const normal = session();
    let forbidden = false;
    const server = await serve((arrival, response) => {
      if (forbidden) response.writeHead(403).end('{"error_code":"PERMISSION_DENIED","message":"no"}');
      else return normal.script(arrival, response);
    });
    await learn(server);
    forbidden = true;
    const client = await connect(server.origin);
    expect((await client.request(1, 'initialize')).error.data).toMatchObject({ reason: 'permission_denied' });
  });

  it('are kept for this user only, and a damaged file counts as empty', async () => {
    tools = ['execute_sql'];
    await learn(await serve(session().script));
    const folder = join(home, 'state', 'answers');
    const [file] = await readdir(folder);
    const path = join(folder, String(file));
    expect((await stat(path)).mode & 0o777).toBe(0o600);
    await writeFile(path, '{"initialize": ');
    expect(await memory.get('initialize')).toBeUndefined();
  });
});
