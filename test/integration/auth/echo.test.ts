import { readdirSync, readFileSync } from 'node:fs';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { inspect } from 'node:util';
import { Agent } from 'undici';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { z } from 'zod';
import { BearerToken } from '../../../main/auth/access-token.ts';
import { openAuth } from '../../../main/auth/open.ts';
import { Secret } from '../../../main/platform/secret.ts';
import { createRest } from '../../../main/workspace/rest.ts';
import { type OwnHome, ownHome } from './own-home.ts';

/** A host that answers every request with the request itself, in one of the ways in which gateways and debug pages do. */
type Echo = (response: ServerResponse, request: string) => void;

const json =
  (status: number, body: (request: string) => unknown): Echo =>
  (response, request) => {
    response.writeHead(status, { 'content-type': 'application/json' });
    response.end(JSON.stringify(body(request)));
  };
const text =
  (status: number, body: (request: string) => string, headers: Record<string, string> = {}): Echo =>
  (response, request) => {
    response.writeHead(status, headers);
    response.end(body(request));
  };
const inHeader =
  (name: string, status: number): Echo =>
  (response, request) => {
    response.writeHead(status, { [name]: request.replace(/[^\x20-\x7e]+/g, ' ') });
    response.end('{}');
  };

const ECHOES: [how: string, echo: Echo][] = [
  ['an OAuth error', json(400, (request) => ({ error: 'invalid_request', error_description: request }))],
  ['an OAuth error code', json(400, (request) => ({ error: request }))],
  ['a REST error', json(400, (request) => ({ error_code: 'INVALID', message: request }))],
  ['a REST error code', json(403, (request) => ({ error_code: request, message: 'no' }))],
  ['a page', text(500, (request) => `<html><pre>${request}</pre></html>`, { 'content-type': 'text/html' })],
  [
    'a page with a tag in each word',
    text(400, (request) => `<html><pre>${request.replace(/.{5}/g, '$&<wbr>')}</pre></html>`),
  ],
  [
    'a page of entities',
    text(
      400,
      (request) => `<html><pre>${request.replace(/\w/g, (letter) => `&#${letter.charCodeAt(0)};`)}</pre></html>`,
    ),
  ],
  ['bare text', text(400, (request) => request)],
  ['text in capitals', text(400, (request) => request.toUpperCase())],
  ['percent-encoded text', text(400, encodeURIComponent)],
  ['base64', text(400, (request) => Buffer.from(request).toString('base64'))],
  ['text with status 200 that is not JSON', text(200, (request) => request, { 'content-type': 'application/json' })],
  ['JSON of another form with status 200', json(200, (request) => ({ [request]: request, access_token: [request] }))],
  ['a redirect', inHeader('location', 302)],
  ['a challenge', inHeader('www-authenticate', 401)],
  ['a request id', inHeader('x-request-id', 500)],
  [
    'an answer that is no HTTP',
    (response, request) => void response.socket?.end(`HTTP/1.1 200 OK\r\nBad Header ${request}\r\n\r\n`),
  ],
];

let echo: Echo;
let host: string;
let home: OwnHome;
let close: () => void;
/** Each secret that this host was sent, by where it stood. */
let received: Map<string, string>;

beforeEach(async () => {
  received = new Map();
  const server = createServer((request, response) => void answer(request, response));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  host = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  home = await ownHome(`[user]\nhost = ${host}\n[machine]\nhost = ${host}\nauth_type = env-oidc\n`, {
    DATABRICKS_OIDC_TOKEN: 'q9w8e7r6/t5y4u3+i2o1.p0~a9s8d7f6=1234567890',
  });
  close = () => {
    server.closeAllConnections();
    server.close();
  };
});
afterEach(async () => {
  close();
  await home.remove();
});

async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
  let body = '';
  for await (const chunk of request) body += chunk;
  if (request.url?.startsWith('/oidc/.well-known/')) {
    const endpoints = { authorization_endpoint: `${host}/authorize`, token_endpoint: `${host}/token` };
    const metadata = { issuer: `${host}/oidc`, ...endpoints, code_challenge_methods_supported: ['S256'] };
    response.setHeader('content-type', 'application/json');
    response.end(JSON.stringify(metadata));
    return;
  }
  const { authorization } = request.headers;
  if (authorization) received.set('bearer', authorization.replace('Bearer ', ''));
  const beside = request.headers['x-databricks-azure-sp-management-token'];
  if (beside) received.set('beside', String(beside));
  for (const [name, value] of new URLSearchParams(body)) {
    if (name.startsWith('code') || name === 'subject_token') received.set(name, value);
  }
  const headers = request.rawHeaders.join(': ');
  echo(response, `${request.method} ${request.url} ${headers} ${body}`);
}

/** Whether eight letters and digits of a secret in a row can be read in a text. */
function tells(text: string, secret: string): boolean {
  const bare = (value: string) => value.replace(/[^a-z\d]/gi, '').toLowerCase();
  const [left, whole] = [bare(text), bare(secret)];
  return Array.from({ length: whole.length - 7 }, (_, at) => whole.slice(at, at + 8)).some((part) =>
    left.includes(part),
  );
}

function everythingIn(folder: string): string {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => readFileSync(join(entry.parentPath, entry.name), 'latin1'))
    .join('\n');
}

function expectNothingTold(error: unknown, where = ''): void {
  expect(error).toBeInstanceOf(Error);
  const printed = `${inspect(error, { depth: 20, showHidden: true, getters: true })}${JSON.stringify(error)}${where}`;
  for (const [what, secret] of received) expect(tells(printed, secret), `${what} in ${printed}`).toBe(false);
}

describe.each(ECHOES)('a host that echoes the request as %s', (_how, how) => {
  beforeEach(() => {
    echo = how;
  });

  test('puts neither code nor verifier into a sign-in’s error, page or files', async () => {
    let page = Promise.resolve('');
    const openBrowser = async (address: string) => {
      const url = new URL(address);
      const answer = new URL(url.searchParams.get('redirect_uri') ?? '');
      answer.searchParams.set('code', 'a-code/of+many.letters~and=1234567890');
      answer.searchParams.set('state', url.searchParams.get('state') ?? '');
      page = fetch(answer).then((shown) => shown.text());
      page.catch(() => undefined);
    };
    const auth = openAuth({ env: home.env, openBrowser });
    const error = await auth.signIn(await auth.profile('user')).catch((failure: unknown) => failure);
    expect([...received.keys()]).toEqual(['code', 'code_verifier']);
    expectNothingTold(error, (await page) + everythingIn(home.folder));
    await auth.close();
  });

  test('puts no ID token into a token exchange’s error', async () => {
    const auth = openAuth({ env: home.env });
    const source = auth.tokens(await auth.profile('machine'));
    const error = await source.token().catch((failure: unknown) => failure);
    expect([...received.keys()]).toEqual(['subject_token']);
    expectNothingTold(error, everythingIn(home.folder));
    await auth.close();
  });

  test('puts no bearer token into a REST error', async () => {
    const dispatcher = new Agent();
    const beside = { 'x-databricks-azure-sp-management-token': new Secret('beside-of.many~letters+1234567890') };
    const token = new BearerToken('dapi0123456789abcdef0123456789abcdef-2', beside);
    const profile = { name: 'user', host, method: 'pat', workspaceId: undefined } as const;
    const rest = createRest({ profile, dispatcher, tokens: { token: async () => token } });
    const request = rest.request({ method: 'POST', path: '/api/x', body: {}, schema: z.object({ name: z.string() }) });
    expectNothingTold(await request.catch((failure: unknown) => failure));
    expect([...received.keys()]).toEqual(['bearer', 'beside']);
    await dispatcher.destroy();
  });
});
