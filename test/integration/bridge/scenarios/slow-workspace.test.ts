import { afterEach, describe, expect, it } from 'vitest';
import type { ProxyProcess } from '../../proxy/proxy-process.ts';
import { json, orderly, result } from '../scripted-server.ts';
import { type Scenario, Stage } from './hostile.ts';

const stage = new Stage();
afterEach(() => stage.close());

/** A server that has been used once, so that its answers are known; `tools` and `away` may be changed. */
async function known(): Promise<
  Scenario & { tools: string[]; away: 'no' | 'slow' | 'gone' | 'refusing'; back(): void }
> {
  const held: (() => void)[] = [];
  const state = { tools: ['execute_sql'], away: 'no' as 'no' | 'slow' | 'gone' | 'refusing' };
  const session = orderly({
    onCall: ({ frame }, response) => {
      const answer = frame?.method === 'tools/list' ? { tools: state.tools.map((name) => ({ name })) } : 'called';
      json(response, result(frame?.id, answer));
    },
  });
  const scenario = await stage.begin(async (arrival, response) => {
    if (state.away === 'gone') return void response.destroy();
    if (state.away === 'refusing') return void response.writeHead(401).end();
    if (state.away === 'slow' && arrival.frame?.method === 'initialize') {
      await new Promise<void>((resolve) => held.push(resolve));
    }
    return session.script(arrival, response);
  });
  await scenario.proxy.open();
  await scenario.proxy.request('learn', 'tools/list');
  expect(await scenario.proxy.finish()).toBe(0);
  const back = () => {
    state.away = 'no';
    for (const release of held.splice(0)) release();
  };
  return Object.assign(state, scenario, { back });
}

const CHANGED = '{"jsonrpc":"2.0","method":"notifications/tools/list_changed"}';

const heard = (proxy: ProxyProcess) => proxy.frames.map(String);

describe('a client whose workspace does not answer', () => {
  it('in time is answered from the cache; a call waits for the session, and a list that differs is announced', async () => {
    const workspace = await known();
    workspace.away = 'slow';
    workspace.tools = ['execute_sql', 'poll_sql_result'];
    const proxy = workspace.again();
    expect(await proxy.open()).toMatchObject({ result: { serverInfo: { name: 'scripted' } } });
    expect((await proxy.request('list', 'tools/list')).result).toEqual({ tools: [{ name: 'execute_sql' }] });
    const call = proxy.request('call', 'tools/call');
    workspace.back();
    expect((await call).result).toBe('called');
    await expect.poll(() => heard(proxy)).toContain(CHANGED);
  });

  it.each([
    ['because it cannot be reached', 'gone', /127\.0\.0\.1/],
    [
      'because it refuses the token',
      'refusing',
      /Create a new one|refused the sign-in|refuses the personal access token/,
    ],
  ] as const)('%s has its tools, and a call says in its result what to do', async (_name, how, words) => {
    const workspace = await known();
    workspace.away = how;
    const proxy = workspace.again();
    await proxy.open();
    expect((await proxy.request('list', 'tools/list')).result).toEqual({ tools: [{ name: 'execute_sql' }] });
    const { result: told } = await proxy.request('call', 'tools/call');
    expect(told).toEqual({ isError: true, content: [{ type: 'text', text: expect.stringMatching(words) }] });
    workspace.back();
    await expect.poll(async () => (await proxy.request(`again ${Math.random()}`, 'tools/call')).result).toBe('called');
  });
});

it('a ping that needs no server is answered without one', async () => {
  const { server, proxy } = await stage.begin(() => {});
  expect(await proxy.request(1, 'ping')).toMatchObject({ result: {} });
  expect(await proxy.request(2, 'server/discover')).toMatchObject({ error: { code: -32601 } });
  expect(server.arrivals).toEqual([]);
});
