import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders, request } from 'node:http';
import { connect, Server, type Socket } from 'node:net';
import { promisify } from 'node:util';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { type CallbackListener, listenForCallback } from '../../../main/auth/oauth/callback-listener.ts';
import { startAddress } from '../../../main/auth/oauth/start-address.ts';

/** Who owns nothing; any user but the one who runs this. */
const OTHER_USER = 65_534;
const PORTS = Array.from({ length: 40 }, (_, index) => 18_020 + index);
const PAGE = { status: 200, tone: 'good', title: 'Fine', lines: ['<b>&"bold"</b>'] } as const;
let listener: CallbackListener;
let stray = 0;

afterEach(() => listener.close());

async function listen(ports: readonly number[] = PORTS): Promise<number> {
  stray = 0;
  listener = await listenForCallback({ ports, state: 'the-state', onStray: () => (stray += 1) });
  return Number(new URL(listener.redirectUri).port);
}

interface Got {
  status: number | undefined;
  headers: IncomingHttpHeaders;
  text: string;
}

async function get(
  port: number,
  path: string,
  more: { host?: string; method?: string; address?: string; purpose?: string } = {},
) {
  const headers = { host: more.host ?? `localhost:${port}`, ...(more.purpose ? { 'sec-purpose': more.purpose } : {}) };
  const sent = request({ host: more.address ?? '127.0.0.1', port, path, method: more.method ?? 'GET', headers });
  sent.end();
  const [response] = await once(sent, 'response');
  let text = '';
  for await (const chunk of response) text += chunk;
  return { status: response.statusCode, headers: response.headers, text } as Got;
}

async function post(port: number, body: string, type = 'application/x-www-form-urlencoded') {
  const response = await fetch(`http://localhost:${port}/`, {
    method: 'POST',
    headers: { 'content-type': type },
    body,
  });
  return { status: response.status, text: await response.text() };
}

/** Sends bytes as they are and gives what comes back until the listener closes the connection. */
async function exchangeRaw(port: number, bytes: string): Promise<string> {
  const socket = connect(port, '127.0.0.1').on('error', () => {});
  let said = '';
  socket.on('data', (chunk) => {
    said += chunk.toString('latin1');
  });
  socket.end(Buffer.from(bytes, 'latin1'));
  await new Promise((resolve) => socket.once('close', resolve));
  return said;
}

describe('the listener for the browser’s callback', () => {
  test('survives running out of file descriptors, and accepts the next connection', async () => {
    const listening = vi.spyOn(Server.prototype, 'listen');
    const port = await listen();
    const servers = listening.mock.contexts.filter((server) => server instanceof Server);
    listening.mockRestore();
    expect(servers.length).toBeGreaterThan(0);
    for (const server of servers) server.emit('error', Object.assign(new Error('accept EMFILE'), { code: 'EMFILE' }));
    expect(await get(port, '/')).toMatchObject({ status: 404 });
  });

  test.each(['127.0.0.1', '::1'])('receives it on %s, because localhost can mean either', async (address) => {
    const port = await listen();
    const page = get(port, '/?code=c&state=the-state', { address });
    const answer = await listener.answer;
    expect(answer.parameters.get('code')).toBe('c');
    await answer.reply(PAGE);
    expect(await page).toMatchObject({ status: 200 });
  });

  test('accepts one callback; a second one gets a page that says so and changes nothing', async () => {
    const port = await listen();
    const first = get(port, '/?code=one&state=the-state');
    const answer = await listener.answer;
    const second = await get(port, '/?code=two&state=the-state');
    expect(second.status).toBe(409);
    expect(second.text).toContain('This sign-in is already finished');
    expect(answer.parameters.get('code')).toBe('one');
    await answer.reply(PAGE);
    expect((await first).text).toContain('Fine');
  });

  test.each<[string, string, Parameters<typeof get>[2], number]>([
    ['a favicon', '/favicon.ico', {}, 404],
    ['a request without a callback', '/', {}, 404],
    ['another path', '/callback?code=c&state=the-state', {}, 404],
    ['another name for this computer', '/?code=c&state=the-state', { host: 'evil.example:18020' }, 421],
    ['a request without the correct port', '/?code=c&state=the-state', { host: 'localhost' }, 421],
    ['a probe', '/?code=c&state=the-state', { method: 'HEAD' }, 405],
    ['a form', '/?code=c&state=the-state', { method: 'POST' }, 405],
    ['a browser that prefetches', '/?code=c&state=the-state', { purpose: 'prefetch;prerender' }, 503],
    ['a callback with another state', '/?code=c&state=other', {}, 400],
    ['a callback without a state', '/?code=c', {}, 400],
  ])('is not affected by %s', async (_, path, more, status) => {
    const port = await listen();
    expect((await get(port, path, more)).status).toBe(status);
    expect(stray).toBe(status === 400 ? 1 : 0);
    const page = get(port, '/?error=access_denied&state=the-state');
    const answer = await listener.answer;
    expect(answer.parameters.get('error')).toBe('access_denied');
    await answer.reply(PAGE);
    await page;
  });

  test.each<[string, (host: string) => string]>([
    ['an empty path', (host) => `GET // HTTP/1.1\r\nHost: ${host}\r\n\r\n`],
    ['an address that cannot be parsed', (host) => `GET http://[ HTTP/1.1\r\nHost: ${host}\r\n\r\n`],
    ['a path that cannot be parsed', (host) => `GET //[?code=c&state=the-state HTTP/1.1\r\nHost: ${host}\r\n\r\n`],
    [
      'another site in absolute form',
      (host) => `GET http://evil.example/?code=c&state=x HTTP/1.1\r\nHost: ${host}\r\n\r\n`,
    ],
    ['an asterisk', (host) => `OPTIONS * HTTP/1.1\r\nHost: ${host}\r\n\r\n`],
    ['a tunnel', (host) => `CONNECT ${host} HTTP/1.1\r\nHost: ${host}\r\n\r\n`],
    ['no host', () => 'GET /?code=c&state=the-state HTTP/1.1\r\n\r\n'],
    ['two hosts', (host) => `GET /?code=c&state=the-state HTTP/1.1\r\nHost: evil\r\nHost: ${host}\r\n\r\n`],
    ['half an escape in the query', (host) => `GET /?code=%&state=%E0%A4%A HTTP/1.1\r\nHost: ${host}\r\n\r\n`],
    ['headers without end', (host) => `GET / HTTP/1.1\r\nHost: ${host}\r\nX: ${'x'.repeat(200_000)}\r\n\r\n`],
    ['an upgrade', (host) => `GET / HTTP/1.1\r\nHost: ${host}\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n`],
    ['an expectation', (host) => `GET / HTTP/1.1\r\nHost: ${host}\r\nExpect: everything\r\n\r\n`],
    ['a TLS handshake', () => '\u0016\u0003\u0001\u0002\u0000\u0001\u0000'],
    ['HTTP/2', () => 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n'],
    [
      'a body of another length',
      (host) => `GET / HTTP/1.1\r\nHost: ${host}\r\nContent-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\nzz`,
    ],
    ['many requests at once', (host) => `GET / HTTP/1.1\r\nHost: ${host}\r\n\r\n`.repeat(500)],
  ])('is neither ended nor affected by %s', async (_, raw) => {
    const port = await listen();
    const said = await exchangeRaw(port, raw(`localhost:${port}`));
    expect(said).not.toContain('HTTP/1.1 2');
    const page = get(port, '/?code=right&state=the-state');
    const answer = await listener.answer;
    expect(answer.parameters.get('code')).toBe('right');
    await answer.reply(PAGE);
    await page;
  });

  test('accepts the callback in absolute form, as a proxy sends it', async () => {
    const port = await listen();
    const page = get(port, `http://localhost:${port}/?code=c&state=the-state`);
    await (await listener.answer).reply(PAGE);
    expect(await page).toMatchObject({ status: 200 });
  });

  test('receives the callback while others hold as many silent connections as they can', async () => {
    const port = await listen();
    const silent: Socket[] = [];
    for (let count = 0; count < 300; count += 1) {
      const socket = connect(port, '127.0.0.1').on('error', () => {});
      silent.push(socket);
      await once(socket, 'connect');
      socket.write('GET / HTTP/1.1\r\nX');
    }
    const page = get(port, '/?code=c&state=the-state');
    await (await listener.answer).reply(PAGE);
    expect(await page).toMatchObject({ status: 200 });
    await expect.poll(() => silent.filter(({ closed }) => closed).length).toBeGreaterThan(200);
    for (const socket of silent) socket.destroy();
  });

  test('receives the callback on a connection that was open before many others', async () => {
    const port = await listen();
    const browser = connect(port, '127.0.0.1');
    await once(browser, 'connect');
    const others = Array.from({ length: 200 }, () => connect(port, '127.0.0.1').on('error', () => {}));
    await Promise.all(others.map((socket) => once(socket, 'connect')));
    let said = '';
    browser.on('data', (chunk) => {
      said += String(chunk);
    });
    browser.write(`GET /?code=c&state=the-state HTTP/1.1\r\nHost: localhost:${port}\r\n\r\n`);
    const answer = await listener.answer;
    // While the tokens are requested and stored, too.
    const more = Array.from({ length: 600 }, () => connect(port, '127.0.0.1').on('error', () => {}));
    await Promise.all(more.map((socket) => Promise.race([once(socket, 'connect'), once(socket, 'close')])));
    await answer.reply(PAGE);
    await expect.poll(() => said).toContain('Fine');
    for (const socket of [browser, ...others, ...more]) socket.destroy();
  });

  test('takes the callback of a service that answers with a form', async () => {
    const port = await listen();
    const page = post(port, 'code=c&state=the-state');
    const answer = await listener.answer;
    expect(answer.parameters.get('code')).toBe('c');
    await answer.reply(PAGE);
    expect(await page).toMatchObject({ status: 200, text: expect.stringContaining('Fine') });
  });

  test.each([
    [
      'of another sign-in',
      'code=c&state=other',
      'application/x-www-form-urlencoded',
      400,
      'belongs to another sign-in',
    ],
    ['without a state', 'a=b', 'application/x-www-form-urlencoded', 405, 'not an answer to a sign-in'],
    ['of another type', '{"state":"the-state"}', 'application/json', 405, 'not an answer to a sign-in'],
    [
      'that is too long',
      `state=the-state&code=${'c'.repeat(70_000)}`,
      'application/x-www-form-urlencoded',
      405,
      'not an answer',
    ],
  ])('is not affected by a form %s', async (_what, body, type, status, said) => {
    const port = await listen();
    expect(await post(port, body, type)).toMatchObject({ status, text: expect.stringContaining(said) });
  });

  test('sends its user’s browser on to the sign-in page, from an address that tells nothing', async () => {
    const port = await listen();
    const page = new URL(
      `https://acme.example/authorize?redirect_uri=${encodeURIComponent(listener.redirectUri)}&state=the-state`,
    );
    const start = new URL(startAddress(page.href));
    expect(start.host).toBe(`localhost:${port}`);
    expect((await get(port, start.pathname)).status).toBe(404);
    listener.startAt(page);
    expect(await get(port, start.pathname)).toMatchObject({ status: 302, headers: { location: page.href } });
    expect((await get(port, start.pathname, { host: 'evil.example' })).status).toBe(421);
    expect((await get(port, start.pathname, { purpose: 'prefetch' })).status).toBe(503);
    expect((await get(port, '/open/other')).status).toBe(404);
  });

  // Only the superuser can act as another user.
  test.skipIf(process.platform !== 'linux' || process.getuid?.() !== 0)(
    'ignores the callback of another user of this computer, and tells them nothing',
    async () => {
      const port = await listen();
      const page = new URL(
        `https://acme.example/authorize?redirect_uri=${encodeURIComponent(listener.redirectUri)}&state=the-state`,
      );
      listener.startAt(page);
      const asOther = async (path: string) => {
        // A program of the system: the project's own may be where only its user can read.
        const request = `GET ${path} HTTP/1.1\\r\\nHost: localhost:${port}\\r\\nConnection: close\\r\\n\\r\\n`;
        const script = `exec 3<>/dev/tcp/127.0.0.1/${port}; printf '${request}' >&3; cat <&3`;
        const { stdout } = await promisify(execFile)('bash', ['-c', script], {
          uid: OTHER_USER,
          env: { PATH: '/usr/bin:/bin' },
          cwd: '/',
        });
        return stdout;
      };
      const refused = await asOther('/?code=theirs&state=the-state');
      expect(refused).toMatch(/^HTTP\/1\.1 403 /);
      expect(refused).toContain('opened by another user of this computer');
      expect(stray).toBe(1);
      const start = await asOther(new URL(startAddress(page.href)).pathname);
      expect(start).toMatch(/^HTTP\/1\.1 403 /);
      expect(start).not.toMatch(/^location:/im);
      const mine = get(port, '/?code=mine&state=the-state');
      const answer = await listener.answer;
      expect(answer.parameters.get('code')).toBe('mine');
      await answer.reply(PAGE);
      await mine;
    },
  );

  test('continues after the handler of a stray callback throws', async () => {
    listener = await listenForCallback({
      ports: PORTS,
      state: 'the-state',
      onStray: () => {
        throw new Error('nobody listens');
      },
    });
    const port = Number(new URL(listener.redirectUri).port);
    await exchangeRaw(port, `GET /?code=c&state=x HTTP/1.1\r\nHost: localhost:${port}\r\n\r\n`);
    const page = get(port, '/?code=c&state=the-state');
    await (await listener.answer).reply(PAGE);
    expect(await page).toMatchObject({ status: 200 });
  });

  test('shows a page that cannot load, run, send or frame anything', async () => {
    const port = await listen();
    const page = get(port, '/?code=c&state=the-state');
    await (await listener.answer).reply(PAGE);
    const { headers, text } = await page;
    expect(headers['content-security-policy']).toMatch(
      /^default-src 'none'; style-src 'sha256-[\w+/=]+'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'$/,
    );
    expect(headers).toMatchObject({ 'cache-control': 'no-store', 'referrer-policy': 'no-referrer' });
    expect(text).toContain('&lt;b&gt;&amp;&quot;bold&quot;&lt;/b&gt;');
    expect(text).not.toMatch(/<script|style="|src=|href=/);
  });

  test('uses the next port if one is taken on either address, and releases its own at once', async () => {
    const other = createServer();
    await new Promise<void>((resolve) => other.listen(PORTS[3], '::1', resolve));
    try {
      const port = await listen(PORTS.slice(3));
      expect(port).toBeGreaterThan(PORTS[3] ?? 0);
      await listener.close();
      expect(await listen([port])).toBe(port);
    } finally {
      other.close();
    }
  });

  test('says which ports are taken', async () => {
    const port = await listen();
    await expect(listenForCallback({ ports: [port], state: 's', onStray: () => undefined })).rejects.toThrow(
      `Port ${port} of this computer is used by another program. The browser cannot return the sign-in.`,
    );
  });
});
