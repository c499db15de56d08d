import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { startWorkspace } from '../../workspace/workspace.ts';
import { environment, homeWith, ProxyProcess } from './proxy-process.ts';

const SQL = '/api/2.0/mcp/sql';
const ends: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const end of ends.splice(0).reverse()) await end();
});

async function stage(args: (host: string) => string[], names = ['ana']) {
  const workspace = await startWorkspace();
  const ana = { host: workspace.host, token: String(workspace.users[0]?.token) };
  const other = { host: 'https://other.cloud.databricks.com', token: 'dapi-none' };
  const { home, close } = await homeWith({ DEFAULT: other, ...Object.fromEntries(names.map((name) => [name, ana])) });
  const proxy = new ProxyProcess(args(workspace.host), environment(home, { CAUSEWAY_HOME: home }));
  ends.push(
    close,
    () => workspace.close(),
    () => proxy.close(),
  );
  return { home, proxy };
}

describe('an entry that fits no profile', () => {
  it.each<[name: string, args: string[], reason: string]>([
    ['names a profile that is gone', ['--path', SQL, '--profile', 'gone'], 'There is no profile "gone"'],
    [
      'has a URL of another workspace than its profile',
      ['--url', `https://other.cloud.databricks.com${SQL}`, '--profile', 'ana'],
      'Profile "ana" signs in to',
    ],
    [
      'names the server twice',
      ['--url', `https://other.cloud.databricks.com${SQL}`, '--path', SQL, '--profile', 'ana'],
      '--url and --path were both given.',
    ],
    [
      'asks for certificates not to be verified',
      ['--path', SQL, '--profile', 'ana', '--no-auto-login', '--no-verify-ssl'],
      'set NODE_EXTRA_CA_CERTS to its file',
    ],
  ])('%s: the client is answered, and a tool gives the reason', async (_name, args, reason) => {
    const { proxy } = await stage(() => args);
    expect((await proxy.open()).result).toMatchObject({
      protocolVersion: '2025-06-18',
      instructions: expect.stringContaining(reason),
    });
    const { tools } = Object((await proxy.request(2, 'tools/list')).result);
    expect(tools).toMatchObject([{ name: 'connection_status', description: expect.stringContaining(reason) }]);
    const { result } = await proxy.request(3, 'tools/call', { name: 'connection_status', arguments: {} });
    expect(result).toMatchObject({ isError: true });
    const [{ text }] = Object(result).content;
    expect(text).toContain('The server "databricks-sql" cannot be used: ');
    expect(text).toContain(reason);
    const known = await proxy.request('known', 'tools/call', { name: 'execute_sql', arguments: {} });
    expect(known.error?.message).toContain(reason);
    expect((await proxy.request(4, 'resources/list')).result).toEqual({ resources: [] });
    expect(await proxy.finish()).toBe(0);
    expect(proxy.stderr).toContain(reason);
  });

  it('a URL without a profile takes the profile of its host', async () => {
    const { proxy } = await stage((host) => ['--url', `${host}${SQL}`], ['ana']);
    await proxy.open();
    const { tools } = Object((await proxy.request(2, 'tools/list')).result);
    expect(tools.map(({ name }: { name: string }) => name)).toContain('execute_sql');
  });

  it('a URL without a profile is not sent to where several profiles have its host, and they are named', async () => {
    const { proxy } = await stage((host) => ['--url', `${host}${SQL}`], ['ana', 'again']);
    await proxy.open();
    const { tools } = Object((await proxy.request(2, 'tools/list')).result);
    expect(tools).toMatchObject([{ description: expect.stringContaining('Use --profile with one of ana, again.') }]);
  });

  it('offers the tools of the server once the profile is back', async () => {
    const { home, proxy } = await stage(() => ['--path', SQL, '--profile', 'later']);
    await proxy.open();
    await proxy.request(2, 'tools/list');
    const file = join(home, '.databrickscfg');
    await writeFile(file, (await readFile(file, 'utf8')).replaceAll('ana', 'later'));
    await proxy.request(3, 'tools/call', { name: 'connection_status', arguments: {} });
    const names = async (id: string) =>
      Object((await proxy.request(id, 'tools/list')).result).tools.map(({ name }: { name: string }) => name);
    await expect.poll(() => names(crypto.randomUUID())).toContain('execute_sql');
    const changed = '{"jsonrpc":"2.0","method":"notifications/tools/list_changed"}';
    await expect.poll(() => proxy.frames.map(String)).toContain(changed);
  });
});
