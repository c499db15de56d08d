import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders, request } from 'node:http';
import { afterEach, describe, expect, test } from 'vitest';
import { type CallbackListener, listenForCallback } from '../../../main/auth/callback-listener.ts';

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

describe('the listener for the browser’s answer', () => {
  test.each(['127.0.0.1', '::1'])('hears it on %s, for localhost may mean either', async (address) => {
    const port = await listen();
    const page = get(port, '/?code=c&state=the-state', { address });
    const answer = await listener.answer;
    expect(answer.parameters.get('code')).toBe('c');
    await answer.reply(PAGE);
    expect(await page).toMatchObject({ status: 200 });
  });

  test('takes one answer; a second one is told so and changes nothing', async () => {
    const port = await listen();
    const first = get(port, '/?code=one&state=the-state');
    const answer = await listener.answer;
    const second = await get(port, '/?code=two&state=the-state');
    expect(second.status).toBe(409);
    expect(second.text).toContain('This sign-in has already been answered');
    expect(answer.parameters.get('code')).toBe('one');
    await answer.reply(PAGE);
    expect((await first).text).toContain('Fine');
  });

  test.each<[string, string, Parameters<typeof get>[2], number]>([
    ['a favicon', '/favicon.ico', {}, 404],
    ['a visit without an answer', '/', {}, 404],
    ['another path', '/callback?code=c&state=the-state', {}, 404],
    ['another name for this computer', '/?code=c&state=the-state', { host: 'evil.example:18020' }, 421],
    ['a request without the right port', '/?code=c&state=the-state', { host: 'localhost' }, 421],
    ['a probe', '/?code=c&state=the-state', { method: 'HEAD' }, 405],
    ['a form', '/?code=c&state=the-state', { method: 'POST' }, 405],
    ['a browser that looks ahead', '/?code=c&state=the-state', { purpose: 'prefetch;prerender' }, 503],
    ['an answer with another state', '/?code=c&state=other', {}, 400],
    ['an answer without a state', '/?code=c', {}, 400],
  ])('is not moved by %s', async (_, path, more, status) => {
    const port = await listen();
    expect((await get(port, path, more)).status).toBe(status);
    expect(stray).toBe(status === 400 ? 1 : 0);
    const page = get(port, '/?error=access_denied&state=the-state');
    const answer = await listener.answer;
    expect(answer.parameters.get('error')).toBe('access_denied');
    await answer.reply(PAGE);
    await page;
  });

  test('shows a page that can load, run, send and frame nothing', async () => {
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

  test('takes the next port where one is taken on either address, and frees its own at once', async () => {
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
      `Port ${port} of this computer is used by another program, so the browser could not bring the answer.`,
    );
  });
});
