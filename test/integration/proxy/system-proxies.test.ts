import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { createServer, type Server } from 'node:https';
import { type AddressInfo, createServer as createTcpServer } from 'node:net';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { createCauseway } from '../../../main/app/causeway.ts';
import { json, result } from '../bridge/scripted-server.ts';
import { type CertificateAuthority, createCertificateAuthority, HAS_OPENSSL } from './certificate-authority.ts';
import { startForwardProxy } from './forward-proxy.ts';
import { CAUSEWAY, environment, homeWith, ProxyProcess } from './proxy-process.ts';

const HOST = 'workspace.causeway.test';

describe.skipIf(!HAS_OPENSSL)("with certificates that openssl makes: the desktop's proxies", () => {
  let authority: CertificateAuthority;
  let workspace: Server;
  let port: number;

  beforeAll(async () => {
    authority = createCertificateAuthority(HOST);
    workspace = createServer({ key: authority.key, cert: authority.cert }, async (request, response) => {
      let body = '';
      for await (const chunk of request) body += chunk;
      if (request.url?.startsWith('/api/2.0/mcp')) json(response, result(JSON.parse(body).id, 'behind the proxy'));
      else
        response.writeHead(200, { 'content-type': 'application/json' }).end('{"id":"7","userName":"ana@example.com"}');
    });
    workspace.listen(0, '127.0.0.1');
    await once(workspace, 'listening');
    port = (workspace.address() as AddressInfo).port;
  });
  afterAll(async () => {
    workspace.closeAllConnections();
    workspace.close();
    await once(workspace, 'close');
    authority.remove();
  });

  async function company() {
    const proxy = await startForwardProxy({ [`${HOST}:443`]: port });
    onTestFinished(() => proxy.close());
    return proxy;
  }

  /** A computer whose desktop gives this list, with the application running. */
  async function computer(list: () => string, more: NodeJS.ProcessEnv = {}) {
    const { home, close } = await homeWith({ acme: { host: `https://${HOST}`, token: 'dapi-acme' } });
    const env = environment(home, { CAUSEWAY_HOME: home, NODE_EXTRA_CA_CERTS: authority.file, ...more });
    const asked: string[] = [];
    const systemProxies = async (origin: string) => {
      asked.push(origin);
      return list();
    };
    const causeway = createCauseway({ env, systemProxies });
    onTestFinished(async () => {
      await causeway.close();
      await close();
    });
    return { causeway, env, asked };
  }

  const whoAmI = async (causeway: ReturnType<typeof createCauseway>) =>
    (await (await causeway.open('acme')).client.users.me()).user.userName;

  it('are used if the environment names none', async () => {
    const proxy = await company();
    const { causeway, asked } = await computer(() => `PROXY ${proxy.address}`);
    expect(await whoAmI(causeway)).toBe('ana@example.com');
    expect(proxy.asked).toEqual([`${HOST}:443`]);
    expect(asked).toEqual([`https://${HOST}`]);
  });

  it('yield to the environment', async () => {
    const [own, other] = [await company(), await company()];
    const { causeway, asked } = await computer(() => `PROXY ${other.address}`, { HTTPS_PROXY: own.address });
    expect(await whoAmI(causeway)).toBe('ana@example.com');
    expect([own.asked.length, other.asked.length, asked.length]).toEqual([1, 0, 0]);
  });

  it('are tried in their order', async () => {
    const proxy = await company();
    const closed = createTcpServer().listen(0, '127.0.0.1');
    await once(closed, 'listening');
    const gone = (closed.address() as AddressInfo).port;
    closed.close();
    await once(closed, 'close');
    const { causeway } = await computer(() => `PROXY 127.0.0.1:${gone}; PROXY ${proxy.address}; DIRECT`);
    expect(await whoAmI(causeway)).toBe('ana@example.com');
    expect(proxy.asked).toHaveLength(1);
  });

  it('are requested again when the network has changed', async () => {
    const [first, second] = [await company(), await company()];
    let list = `PROXY ${first.address}`;
    const { causeway } = await computer(() => list);
    await whoAmI(causeway);
    list = `PROXY ${second.address}`;
    await causeway.renewConnections();
    await whoAmI(causeway);
    expect([first.asked.length, second.asked.length]).toEqual([1, 1]);
  });

  it('are passed to commands by the running application', async () => {
    const proxy = await company();
    const { causeway, env } = await computer(() => `PROXY ${proxy.address}`);
    const hub = await causeway.serveProxies();
    onTestFinished(() => hub.close());
    const whoami = [CAUSEWAY, 'whoami', '--profile', 'acme', '--json'];
    const { stdout } = await promisify(execFile)(process.execPath, whoami, { env });
    expect(JSON.parse(stdout)).toMatchObject({ userName: 'ana@example.com' });
    expect(proxy.asked).toEqual([`${HOST}:443`]);
  });

  it('serve AI clients through the running application', async () => {
    const proxy = await company();
    const { causeway, env, asked } = await computer(() => `PROXY ${proxy.address}`);
    const hub = await causeway.serveProxies();
    onTestFinished(() => hub.close());
    const args = ['--path', '/api/2.0/mcp/sql', '--profile', 'acme'];
    const through = new ProxyProcess(args, env);
    onTestFinished(() => through.close());
    expect(await through.request(1, 'tools/call')).toMatchObject({ result: 'behind the proxy' });
    expect(proxy.asked).toHaveLength(1);
    expect(asked).toHaveLength(1);
  });
});
