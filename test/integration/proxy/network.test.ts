import { once } from 'node:events';
import { createServer as createHttpsServer, type Server } from 'node:https';
import { type AddressInfo, createServer as createTcpServer } from 'node:net';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { json, orderly, result, type ScriptedServer, startScriptedServer } from '../bridge/scripted-server.ts';
import { type CertificateAuthority, createCertificateAuthority, HAS_OPENSSL } from './certificate-authority.ts';
import { type ForwardProxy, startForwardProxy } from './forward-proxy.ts';
import { environment, homeWith, ProxyProcess } from './proxy-process.ts';

const HOST = 'workspace.causeway.test';
const ARGS = ['--path', '/api/2.0/mcp/sql'];

const open: { close(): Promise<unknown> }[] = [];
afterEach(async () => {
  for (const thing of open.splice(0).reverse()) await thing.close();
});

async function start(host: string, env: NodeJS.ProcessEnv = {}): Promise<ProxyProcess> {
  const home = await homeWith({ acme: { host, token: 'dapi-acme' } });
  const proxy = new ProxyProcess(ARGS, environment(home.home, env));
  open.push(home, proxy);
  return proxy;
}

/** The error that a call is answered with; the proxy itself stays well. */
async function failure(host: string, env: NodeJS.ProcessEnv = {}) {
  const proxy = await start(host, env);
  const { error } = await proxy.request(1, 'tools/call');
  expect(await proxy.finish()).toBe(0);
  expect(proxy.stderr).toBe('');
  expect(error.code).toBe(-31999);
  return error;
}

describe.skipIf(!HAS_OPENSSL)('with certificates that openssl makes: a workspace behind a company proxy', () => {
  let authority: CertificateAuthority;
  let workspace: Server;
  let port: number;
  let arrived: (string | undefined)[] = [];

  beforeAll(async () => {
    authority = createCertificateAuthority(HOST);
    workspace = createHttpsServer({ key: authority.key, cert: authority.cert }, async (request, response) => {
      arrived.push(request.headers.authorization);
      let body = '';
      for await (const chunk of request) body += chunk;
      json(response, result(JSON.parse(body).id, 'behind the proxy'));
    });
    workspace.listen(0, '127.0.0.1');
    await once(workspace, 'listening');
    port = (workspace.address() as AddressInfo).port;
  });
  afterEach(() => {
    arrived = [];
  });
  afterAll(async () => {
    workspace.closeAllConnections();
    workspace.close();
    await once(workspace, 'close');
    authority.remove();
  });

  async function companyProxy(login?: string): Promise<ForwardProxy> {
    const proxy = await startForwardProxy({ [`${HOST}:443`]: port }, login);
    open.push(proxy);
    return proxy;
  }

  it.each([
    ['HTTPS_PROXY', 'NODE_EXTRA_CA_CERTS', 'http://'],
    ['https_proxy', 'SSL_CERT_FILE', 'http://'],
    ['HTTP_PROXY', 'NODE_EXTRA_CA_CERTS', ''],
  ])('is reached with %s and %s', async (proxyName, authorityName, scheme) => {
    const company = await companyProxy();
    const proxy = await start(`https://${HOST}`, {
      [proxyName]: `${scheme}${company.address}`,
      [authorityName]: authority.file,
    });
    expect(await proxy.request(1, 'tools/call')).toMatchObject({ result: 'behind the proxy' });
    expect(company.asked).toEqual([`${HOST}:443`]);
    expect(arrived).toEqual(['Bearer dapi-acme']);
    expect(await proxy.finish()).toBe(0);
    expect(proxy.stderr).toBe('');
  });

  it.each([
    ['open sesame', 'open%20sesame'],
    ['100%sure', '100%sure'],
    ['über', '%C3%BCber'],
  ])('is reached through a proxy that requires the password %j, written as %s', async (password, written) => {
    const company = await companyProxy(`ana:${password}`);
    const proxy = await start(`https://${HOST}`, {
      HTTPS_PROXY: `http://ana:${written}@${company.address}`,
      NODE_EXTRA_CA_CERTS: authority.file,
    });
    expect(await proxy.request(1, 'tools/call')).toMatchObject({ result: 'behind the proxy' });
  });

  it('is not reached with the wrong password, which is never repeated', async () => {
    const company = await companyProxy('ana:open sesame');
    const error = await failure(`https://${HOST}`, {
      HTTPS_PROXY: `http://ana:wrong-word@${company.address}`,
      NODE_EXTRA_CA_CERTS: authority.file,
    });
    expect(error.message).toBe(
      `The proxy does not connect to ${HOST} (407). Check the address, user name and password in HTTPS_PROXY or in this computer's settings, or add the host to NO_PROXY.`,
    );
    expect(company.asked).toHaveLength(1);
    expect(arrived).toEqual([]);
  });

  it('is not reached if the proxy does not know it', async () => {
    const company = await companyProxy();
    const error = await failure('https://other.causeway.test', { HTTPS_PROXY: `http://${company.address}` });
    expect(error.message).toContain('The proxy does not connect to other.causeway.test (502).');
  });

  it('is not trusted without the certificate authority, and gets no token', async () => {
    const company = await companyProxy();
    const error = await failure(`https://${HOST}`, { HTTPS_PROXY: `http://${company.address}` });
    expect(error.message).toMatch(
      /^The connection to workspace\.causeway\.test is not trusted \((UNABLE_TO_VERIFY_LEAF_SIGNATURE|SELF_SIGNED_CERT_IN_CHAIN|UNABLE_TO_GET_ISSUER_CERT_LOCALLY)\)\. Check the host\. Behind a company proxy, set NODE_EXTRA_CA_CERTS to its certificate file\.$/,
    );
    expect(error.data).toEqual({ source: 'causeway', reason: 'tls' });
    expect(arrived).toEqual([]);
  });

  it("is not trusted with another host's certificate, and gets no token", async () => {
    const error = await failure(`https://127.0.0.1:${port}`, { NODE_EXTRA_CA_CERTS: authority.file });
    expect(error.message).toContain(`127.0.0.1:${port} is not trusted (ERR_TLS_CERT_ALTNAME_INVALID).`);
    expect(arrived).toEqual([]);
  });

  it('is connected to directly if it is on this computer, whatever proxy is set', async () => {
    const company = await companyProxy();
    const server = await startScriptedServer(orderly().script);
    open.push(server);
    const proxy = await start(server.origin, { HTTPS_PROXY: `http://${company.address}`, HTTP_PROXY: company.address });
    expect(await proxy.open()).toHaveProperty('result');
    expect(company.asked).toEqual([]);
  });
});

describe('a host that cannot be reached is reported', () => {
  let server: ScriptedServer;
  beforeAll(async () => {
    server = await startScriptedServer(() => {});
  });
  afterAll(() => server.close());

  it('because nothing listens there', async () => {
    const { port, close } = await closedPort();
    await close();
    const error = await failure(`http://127.0.0.1:${port}`);
    expect(error.message).toBe(
      `127.0.0.1:${port} cannot be reached (ECONNREFUSED). Check the host name and your network, VPN and proxy.`,
    );
    expect(error.data).toEqual({ source: 'causeway', reason: 'unreachable' });
  });

  it('because the proxy does not exist', async () => {
    const { port, close } = await closedPort();
    await close();
    const error = await failure(`https://${HOST}`, { HTTPS_PROXY: `http://127.0.0.1:${port}` });
    expect(error.message).toContain(`${HOST} cannot be reached (ECONNREFUSED).`);
  });

  it('because it does not speak TLS', async () => {
    const error = await failure(server.origin.replace('http:', 'https:'));
    expect(error.message).toMatch(/is not trusted \((ERR_SSL|EPROTO)\w*\)\. Check the host/);
  });

  it.each(['http://ana:word@:x', 'ftp://proxy.example:8080', 'http://ana:%E9t%E9@proxy.example:8080'])(
    'because the proxy setting is not the address of a proxy: incorrect usage (%s)',
    async (address) => {
      const proxy = await start(`https://${HOST}`, { HTTPS_PROXY: address });
      expect(await proxy.finish()).toBe(2);
      expect(proxy.stderr).toBe(
        'causeway proxy: HTTPS_PROXY is not a valid address. Use the form http://proxy.example:8080, or unset it.\n',
      );
    },
  );
});

async function closedPort() {
  const server = createTcpServer();
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return { port, close: () => new Promise((resolve) => server.close(resolve)) };
}
