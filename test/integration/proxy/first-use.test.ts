import { once } from 'node:events';
import { readdir, readFile, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { createCauseway } from '../../../main/app/causeway.ts';
import { withEdit } from '../../../main/permissions/permissions.ts';
import { PermissionsFile } from '../../../main/permissions/permissions-file.ts';
import { stateFolder } from '../../../main/platform/paths.ts';
import { pageAt, scriptedBrowser } from '../auth/scripted-browser.ts';
import { setBrowserStage } from '../auth/stage.ts';
import { ProxyProcess } from './proxy-process.ts';
import { listTools, signInTool } from './sign-in-tool.ts';

const PATH = '/api/2.0/mcp/sql';
const LIST_CHANGED = '{"jsonrpc":"2.0","method":"notifications/tools/list_changed"}';

/** A user who has never signed in. */
const stage = setBrowserStage(({ host }) => `[cli]\nhost = ${host}\nauth_type = databricks-cli\n`);

/** Makes the page that is open so much older. */
async function age(milliseconds: number): Promise<void> {
  const folder = join(stateFolder(stage.home.env), 'sign-in');
  const [name = ''] = (await readdir(folder)).filter((each) => each.startsWith('page-'));
  const page = JSON.parse(await readFile(join(folder, name), 'utf8'));
  await writeFile(join(folder, name), JSON.stringify({ ...page, openedAt: page.openedAt - milliseconds }));
}

function startProxy(profile = 'user'): ProxyProcess {
  const proxy = new ProxyProcess(['--profile', profile, '--path', PATH], stage.home.env);
  stage.atEnd(() => proxy.close());
  return proxy;
}

const begin = (proxy: ProxyProcess) => proxy.open({ clientInfo: { name: 'test', version: '1' } });

const textOf = (answer: { result?: unknown }) => Object(answer.result).content?.[0]?.text;
const toldOf = (proxy: ProxyProcess) => proxy.frames.map(String);

describe.skipIf(process.platform === 'win32')('the first use, signed out', { timeout: 90_000 }, () => {
  it('begins a session at once, offers a sign-in, and has the tools afterwards', async () => {
    const proxy = startProxy();
    const opened = await begin(proxy);
    expect(opened.result).toMatchObject({ capabilities: { tools: { listChanged: true } } });
    const { description } = (await signInTool(proxy)) ?? {};
    expect(description).toMatch(/to sign in|sign-in page is open/);
    const call = proxy.request(2, 'tools/call', { name: 'sign_in', arguments: {} });
    await expect.poll(stage.pages).toHaveLength(1);
    const [url = ''] = await stage.pages();
    await scriptedBrowser().open(url);
    expect(textOf(await call)).toMatch(/^Signed in to .+ The tools of .+ are available now/);
    await expect.poll(() => toldOf(proxy)).toContain(LIST_CHANGED);
    expect((await listTools(proxy)).map(({ name }) => name)).toContain('execute_sql');
    expect(await stage.pages()).toHaveLength(1);
  });

  it.each([
    ['read only is', { readOnly: true }, ['execute_sql_read_only', 'poll_sql_result']],
    ['permissions against new tools are', { newTools: 'off' as const }, []],
  ])(
    'offers the sign-in even if %s on for everything, and the allowed tools afterwards',
    async (_what, edit, allowed) => {
      await new PermissionsFile(stage.home.env).change((now) => withEdit(now, {}, edit));
      const proxy = startProxy();
      await begin(proxy);
      await signInTool(proxy);
      const call = proxy.request(2, 'tools/call', { name: 'sign_in', arguments: {} });
      await expect.poll(stage.pages).toHaveLength(1);
      await scriptedBrowser().open((await stage.pages())[0] ?? '');
      expect(textOf(await call)).toMatch(/^Signed in to /);
      await expect.poll(async () => (await listTools(proxy)).map(({ name }) => name)).toEqual(allowed);
    },
  );

  it('tells a call that waits for the sign-in where the page is, before its client gives up', async () => {
    const proxy = startProxy();
    await begin(proxy);
    const { error } = await proxy.request(1, 'resources/read', { uri: 'a://b' });
    const [url = 'none'] = await stage.pages();
    expect(error.message).toMatch(/^Nothing was run: the user has not signed in to /);
    expect(error.message).toContain(await pageAt(url));
  });

  it('answers three handshakes and opens one page for three proxies, one after another', async () => {
    const times: string[] = [];
    for (let count = 0; count < 3; count += 1) {
      const startedAt = performance.now();
      const proxy = startProxy();
      expect(await begin(proxy)).toHaveProperty('result');
      const handshakeMs = performance.now() - startedAt;
      await signInTool(proxy);
      times.push(`handshake ${handshakeMs.toFixed(0)} ms, tools ${(performance.now() - startedAt).toFixed(0)} ms`);
    }
    console.log(`Three proxies, signed out, from their start: ${times.join('; ')}.`);
    await expect.poll(stage.pages).toHaveLength(1);
  });

  it('offers a sign-in while the workspace does not answer at all', async () => {
    const silent = createServer(() => {});
    silent.listen(0, '127.0.0.1');
    await once(silent, 'listening');
    stage.atEnd(() => silent.close());
    const { port } = z.object({ port: z.number() }).parse(silent.address());
    await writeFile(stage.home.configFile, `[user]\nhost = http://127.0.0.1:${port}\n`);
    const proxy = startProxy();
    await begin(proxy);
    expect((await signInTool(proxy))?.description).toContain('is signed out of');
  });

  it('does not open the page a second time for a call of sign_in a few seconds after it was opened', async () => {
    const proxy = startProxy();
    await begin(proxy);
    await listTools(proxy);
    await expect.poll(stage.pages).toHaveLength(1);
    await age(20_000);
    const call = proxy.request(2, 'tools/call', { name: 'sign_in', arguments: {} });
    // Its answer comes behind whatever it has opened.
    await expect.poll(stage.pages).toHaveLength(1);
    const [url = ''] = await stage.pages();
    await scriptedBrowser().open(url);
    expect(textOf(await call)).toMatch(/^Signed in to /);
    expect(await stage.pages()).toHaveLength(1);
  });

  it('does not open another page for calls of sign_in after the page was answered, in two proxies', async () => {
    const proxies = [startProxy(), startProxy()];
    for (const proxy of proxies) {
      await begin(proxy);
      await signInTool(proxy);
    }
    await expect.poll(stage.pages).toHaveLength(1);
    const [url = ''] = await stage.pages();
    await scriptedBrowser().open(url);
    for (const proxy of proxies) {
      await expect.poll(() => toldOf(proxy)).toContain(LIST_CHANGED);
      const answer = await proxy.request(2, 'tools/call', { name: 'sign_in', arguments: {} });
      expect(textOf(answer)).toMatch(/^Signed in to .+ are available now/);
    }
    expect(await stage.pages()).toHaveLength(1);
  });

  it('signs in through the application if it runs, even if the profile names the Databricks CLI', async () => {
    const browser = scriptedBrowser();
    const causeway = createCauseway({ env: stage.home.env, openBrowser: browser.open });
    const hub = await causeway.serveProxies();
    stage.atEnd(() => causeway.close());
    stage.atEnd(() => hub.close());
    const proxy = startProxy('cli');
    expect(await begin(proxy)).toHaveProperty('result');
    await signInTool(proxy);
    expect(browser.opened).toEqual([]);
    const answer = await proxy.request(2, 'tools/call', { name: 'sign_in', arguments: {} });
    expect(textOf(answer)).toMatch(/^Signed in to /);
    expect(browser.opened).toHaveLength(1);
    await expect.poll(() => toldOf(proxy)).toContain(LIST_CHANGED);
    expect(await stage.pages()).toEqual([]);
  });
});
