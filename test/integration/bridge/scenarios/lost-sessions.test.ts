import { afterEach, describe, expect, it } from 'vitest';
import { INITIALIZE_RESULT, json, orderly, result } from '../scripted-server.ts';
import { Stage } from './hostile.ts';

const stage = new Stage();
afterEach(() => stage.close());

const NO_SESSION =
  '{"jsonrpc":"2.0","id":null,"error":{"code":-32000,"message":"Bad Request: No valid session ID provided"}}';
const NOT_FOUND = '{"jsonrpc":"2.0","id":1,"error":{"code":-32001,"message":"Session not found"}}';

describe('a session that the server forgets', () => {
  it.each<[string, number, string]>([
    ['404', 404, '{"error_code":"RESOURCE_DOES_NOT_EXIST"}'],
    ['410', 410, ''],
    ['400 that names the session', 400, NO_SESSION],
    ['a JSON-RPC error that says so', 200, NOT_FOUND],
  ])('(%s) costs sixteen calls one new session: sixteen answers, no call run twice', async (_name, status, body) => {
    let forgotten = false;
    const ran: unknown[] = [];
    const session = orderly({
      onCall: ({ headers, frame }, response) => {
        const isKnown = !forgotten || headers['mcp-session-id'] !== 'session-1';
        if (!isKnown) return void response.writeHead(status, { 'content-type': 'application/json' }).end(body);
        ran.push(frame?.id);
        json(response, result(frame?.id, `ran ${frame?.id}`));
      },
    });
    const { server, proxy } = await stage.begin(session.script);
    await proxy.open();
    await proxy.request('warm', 'tools/call');
    forgotten = true;
    const ids = Array.from({ length: 16 }, (_, at) => at + 1);
    const answers = await Promise.all(ids.map((id) => proxy.request(id, 'tools/call')));
    expect(answers.map((answer) => answer.result)).toEqual(ids.map((id) => `ran ${id}`));
    expect(server.count('initialize')).toBe(2);
    expect(ran.toSorted()).toEqual(['warm', ...ids].toSorted());
  });

  it('is judged by the session that a request carried: a late refusal costs no other session', async () => {
    const late: (() => void)[] = [];
    const ran: unknown[] = [];
    const session = orderly({
      onCall: ({ frame, headers }, response) => {
        if (frame?.id === 'late' && headers['mcp-session-id'] === 'session-1') {
          late.push(() => void response.writeHead(404).end());
          return;
        }
        ran.push(frame?.id);
        json(response, result(frame?.id, 'ran'));
      },
    });
    const { server, proxy } = await stage.begin(session.script);
    await proxy.open();
    const call = proxy.request('late', 'tools/call');
    await expect.poll(() => late.length).toBe(1);
    session.expireAll();
    expect(await proxy.request('first', 'tools/call')).toMatchObject({ result: 'ran' });
    late[0]?.();
    expect(await call).toMatchObject({ result: 'ran' });
    expect(ran).toEqual(['first', 'late']);
    expect(server.count('initialize')).toBe(2);
  });

  it('holds new frames while it is replaced, and sends none before the server has accepted initialized', async () => {
    const session = orderly();
    const order: string[] = [];
    let late = (): void => {};
    const { proxy } = await stage.begin(async (arrival, response) => {
      const { method } = arrival.frame ?? {};
      if (method === 'notifications/initialized' && arrival.headers['mcp-session-id'] === 'session-2') {
        await new Promise<void>((resolve) => {
          late = resolve;
        });
        order.push('initialized was taken');
      } else if (arrival.headers['mcp-session-id'] === 'session-2' && arrival.method === 'POST') {
        order.push(`${arrival.frame?.id}`);
      }
      return session.script(arrival, response);
    });
    await proxy.open();
    await proxy.request('before', 'tools/call');
    session.expireAll();
    const first = proxy.request('first', 'tools/call');
    await expect.poll(() => session.sessions.has('session-2')).toBe(true);
    const second = proxy.request('second', 'tools/call');
    await expect.poll(() => late.name).not.toBe('late');
    late();
    await Promise.all([first, second]);
    expect(order[0]).toBe('initialized was taken');
    expect(order.slice(1).toSorted()).toEqual(['first', 'second']);
  });

  it('is not assumed if a server without sessions answers 404 to an unknown method', async () => {
    const { server, proxy } = await stage.begin(({ frame }, response) => {
      if (frame?.method === 'initialize') {
        return json(response, result(frame.id, INITIALIZE_RESULT), { 'mcp-session-id': 's' });
      }
      if (frame?.id === undefined) return void response.writeHead(202).end();
      const error = { code: -32601, message: 'Method not found' };
      response.writeHead(404, { 'content-type': 'application/json' });
      response.end(JSON.stringify({ jsonrpc: '2.0', id: frame.id, error }));
    });
    await proxy.open();
    expect((await proxy.request(1, 'x/y')).error).toEqual({ code: -32601, message: 'Method not found' });
    expect(server.count('initialize')).toBe(1);
  });

  it('is not replaced by one that another answer names', async () => {
    const session = orderly({
      onCall: ({ frame }, response) => json(response, result(frame?.id), { 'mcp-session-id': 'of somebody else' }),
    });
    const { server, proxy } = await stage.begin(session.script);
    await proxy.open();
    await proxy.request(1, 'tools/call');
    await proxy.request(2, 'tools/call');
    expect(server.arrivals.at(-1)?.headers['mcp-session-id']).toBe('session-1');
  });

  it('gives up with an explanation on a call for which three sessions in a row were lost', async () => {
    const session = orderly({ onCall: (_arrival, response) => void response.writeHead(404).end() });
    const { server, proxy } = await stage.begin(session.script);
    await proxy.open();
    const { error } = await proxy.request(1, 'tools/call');
    expect(error.message).toMatch(/drops each session .+ It has not run tools\/call\. Try again/);
    expect(server.count('tools/call')).toBe(3);
  });
});

it('frames that are written together with initialize wait for it, and for initialized', async () => {
  const session = orderly();
  const order: string[] = [];
  const { proxy } = await stage.begin(async (arrival, response) => {
    if (arrival.method !== 'POST') return session.script(arrival, response);
    order.push(`${arrival.frame?.method} begins`);
    await new Promise((resolve) => setImmediate(resolve));
    order.push(`${arrival.frame?.method} ends`);
    return session.script(arrival, response);
  });
  const frames = [
    { jsonrpc: '2.0', id: 0, method: 'initialize', params: {} },
    { jsonrpc: '2.0', method: 'notifications/initialized' },
    { jsonrpc: '2.0', id: 1, method: 'tools/list' },
  ];
  proxy.write(frames.map((frame) => `${JSON.stringify(frame)}\n`).join(''));
  await proxy.answerTo(1);
  expect(order).toEqual(
    ['initialize', 'notifications/initialized', 'tools/list'].flatMap((each) => [`${each} begins`, `${each} ends`]),
  );
});
