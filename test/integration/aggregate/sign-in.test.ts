import { describe, expect, it } from 'vitest';
import { scriptedBrowser } from '../auth/scripted-browser.ts';
import { setBrowserStage } from '../auth/stage.ts';
import { ProxyProcess } from '../proxy/proxy-process.ts';
import { listTools } from '../proxy/sign-in-tool.ts';
import { runCommand } from '../warehouses/harness.ts';

/** A user who has never signed in, with one more profile of the same workspace. */
const stage = setBrowserStage(({ host }) => `[second]\nhost = ${host}\n`);

const textOf = (answer: { result?: unknown }) => Object(answer.result).content?.[0]?.text;

async function startAll(...servers: string[][]): Promise<ProxyProcess> {
  for (const server of servers) {
    expect((await runCommand(stage.home.env, ['servers', 'add', ...server])).stderr).toBe('');
  }
  const proxy = new ProxyProcess(['--all'], stage.home.env);
  stage.atEnd(() => proxy.close());
  await proxy.open({ clientInfo: { name: 'test', version: '1' } });
  return proxy;
}

const namesOf = async (proxy: ProxyProcess) => (await listTools(proxy)).map(({ name }) => name);

describe.skipIf(process.platform === 'win32')('all servers in one entry, signed out', { timeout: 90_000 }, () => {
  const sql = ['sql', '--name', 'sql', '--profile', 'user'];
  const functions = ['functions', 'main.default', '--name', 'functions', '--profile', 'user'];

  it('list one sign-in tool, which names the servers, and offer all their tools after the sign-in', async () => {
    const proxy = await startAll(sql, functions);
    await expect.poll(() => namesOf(proxy)).toEqual(['sign_in']);
    const [tool] = await listTools(proxy);
    expect(tool?.description).toMatch(/^One sign-in for the servers sql and functions\. /);
    const call = proxy.request(2, 'tools/call', { name: 'sign_in', arguments: {} });
    await expect.poll(stage.pages).toHaveLength(1);
    const [url = ''] = await stage.pages();
    await scriptedBrowser().open(url);
    expect(textOf(await call)).toMatch(/^Signed in to /);
    await expect.poll(() => namesOf(proxy)).toEqual(expect.arrayContaining(['execute_sql', 'main__default__initials']));
    expect(await namesOf(proxy)).not.toContain('sign_in');
    expect(await stage.pages()).toHaveLength(1);
  });

  it('list one sign-in tool for each profile, with the name of one of its servers', async () => {
    const other = ['sql', '--name', 'other', '--profile', 'second'];
    const proxy = await startAll(sql, functions, other);
    await expect.poll(() => namesOf(proxy)).toEqual(['sql__sign_in', 'other__sign_in']);
    const [first, second] = await listTools(proxy);
    expect(first?.description).toContain('sql and functions');
    expect(second?.description).not.toContain('One sign-in for');
  });

  it('answer a batch of calls to two services as a whole, after one page for each', async () => {
    const proxy = await startAll(['system.ai.github', '--profile', 'user'], ['system.ai.slack', '--profile', 'user']);
    await expect.poll(() => namesOf(proxy)).toEqual(['sign_in']);
    void proxy.request('sign in', 'tools/call', { name: 'sign_in', arguments: {} });
    await expect.poll(stage.pages).toHaveLength(1);
    await scriptedBrowser().open((await stage.pages())[0] ?? '');
    await expect.poll(() => namesOf(proxy)).toEqual(expect.arrayContaining(['search_code', 'search_messages']));
    const call = (id: number, name: string) => ({
      jsonrpc: '2.0',
      id,
      method: 'tools/call',
      params: { name, arguments: { query: 'retry' } },
    });
    proxy.send([call(1, 'search_code'), call(2, 'search_messages'), call(3, 'search_code')]);
    await expect.poll(stage.pages, { timeout: 20_000 }).toHaveLength(3);
    for (const url of (await stage.pages()).slice(1)) await scriptedBrowser().open(url);
    const batch = () => proxy.frames.map((frame) => JSON.parse(String(frame))).find(Array.isArray) ?? [];
    await expect.poll(() => batch().length, { timeout: 20_000 }).toBe(3);
    expect(new Set(batch().map(({ id }: { id: number }) => id))).toEqual(new Set([1, 2, 3]));
    for (const answer of batch()) expect(textOf(answer)).toContain('"query":"retry"');
  });
});
