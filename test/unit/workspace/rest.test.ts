import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Agent } from 'undici';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { z } from 'zod';
import type { Profile, TokenSource } from '../../../main/auth/auth.ts';
import { Secret } from '../../../main/platform/secret.ts';
import { createRest, type RestRequest } from '../../../main/workspace/rest.ts';

/** The client against a real server that answers from a script; time passes only if the script says so. */

type Answer = (request: IncomingMessage, response: ServerResponse) => void;

const ok: Answer = (_request, response) => response.end('{"name":"x","extra":{"deep":[1]},"type":"A_NEW_TYPE"}');
const refuse =
  (status: number, headers: Record<string, string> = {}): Answer =>
  (_request, response) => {
    response.writeHead(status, headers);
    response.end(`{"error_code":"E${status}","message":"no"}`);
  };
const drop: Answer = (request) => request.socket.destroy();

let script: Answer[];
let seen: IncomingMessage[];
let waits: number[];
let tokens: string[];
let onWait: () => void;
let dispatcher: Agent;
let host: string;
let close: () => void;

beforeEach(async () => {
  [script, seen, waits, tokens] = [[], [], [], ['first', 'second']];
  onWait = () => {};
  const server = createServer((request, response) => {
    seen.push(request);
    (script.shift() ?? ok)(request, response);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  host = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  dispatcher = new Agent();
  close = () => {
    server.closeAllConnections();
    server.close();
  };
});
afterEach(async () => {
  await dispatcher.destroy();
  close();
});

const Schema = z.looseObject({ name: z.string(), type: z.string() });

function rest(profile: Partial<Profile> = {}, silenceMs = 5000) {
  let now = Date.parse('2026-11-21T10:00:00Z');
  const source: TokenSource = {
    token: async ({ rejected } = {}) => {
      const token = new Secret(tokens[0] ?? '');
      if (token.equals(rejected)) tokens.shift();
      return new Secret(tokens[0] ?? '');
    },
  };
  const client = createRest({
    profile: { name: 'p', host, method: 'pat', workspaceId: undefined, ...profile },
    tokens: source,
    dispatcher,
    silenceMs,
    clock: {
      now: () => now,
      random: () => 0.5,
      sleep: async (millis, signal) => {
        waits.push(millis);
        onWait();
        signal?.throwIfAborted();
        now += millis;
      },
    },
  });
  return (request: Partial<RestRequest<z.infer<typeof Schema>>> = {}) =>
    client.request({ path: '/api/x', schema: Schema, ...request });
}

describe('a REST request', () => {
  test('carries the token and the User-Agent, and no workspace id for an ordinary host', async () => {
    await rest()();
    expect(seen[0]?.headers).toMatchObject({ authorization: 'Bearer first', accept: 'application/json' });
    expect(seen[0]?.headers['user-agent']).toMatch(/^causeway\/[0-9.]+ node\/[0-9.]+ os\/\w+ auth\/pat$/);
    expect(seen[0]?.headers).not.toHaveProperty('x-databricks-workspace-id');
  });

  test('carries the workspace id for a unified host', async () => {
    await rest({ workspaceId: '4811239471023948' })();
    expect(seen[0]?.headers['x-databricks-workspace-id']).toBe('4811239471023948');
  });

  test('leaves undefined values out of the query', async () => {
    await rest()({ query: { mask: '*', flag: true, none: undefined } });
    expect(seen[0]?.url).toBe('/api/x?mask=*&flag=true');
  });
});

test.each(['GET', 'POST'] as const)(
  'a %s with a token that cannot be sent is not sent, and not reported as a lost connection',
  async (method) => {
    tokens = ['a\r\nx-evil: 1', 'second'];
    await expect(rest()({ method })).rejects.toMatchObject({
      code: 'unexpected_answer',
      message: 'The token contains a line break. That cannot be sent.',
      mayHaveRun: false,
    });
    expect([seen, waits]).toEqual([[], []]);
  },
);

describe('a REST answer', () => {
  test('keeps unknown fields and unknown enum values', async () => {
    expect(await rest()()).toEqual({ name: 'x', extra: { deep: [1] }, type: 'A_NEW_TYPE' });
  });

  test('is not followed if it is a redirect, so that the token goes to only one host', async () => {
    script = [refuse(302, { location: `${host}/elsewhere` })];
    await expect(rest()()).rejects.toMatchObject({ code: 'login_page', status: 302 });
    expect(seen).toHaveLength(1);
  });
});

describe('a token that is refused twice', () => {
  test.each([
    ['oauth-user', 'Sign in again. If it keeps failing, check that the profile names the right workspace.'],
    [
      'oauth-m2m',
      'Correct the credentials of the profile "p". If they are right, check that its host is the right workspace.',
    ],
  ] as const)('has a remedy that its profile allows: %s', async (method, remedy) => {
    script = [refuse(401), refuse(401)];
    await expect(rest({ method })()).rejects.toMatchObject({ code: 'unauthenticated', remedy });
  });
});

describe('a name in a response that is the token that was sent', () => {
  const TOKEN = 'eyJhbGciOiJSUzI1NiJ9.eyJzdWIiOiJhbmEifQ.c2ln/bmF0dXJl';
  const everyCharacter = (write: (code: number) => string) =>
    [...TOKEN].map((character) => write(character.charCodeAt(0))).join('');

  test.each([
    ['as it is', TOKEN],
    ['in a longer text', `Ana (${TOKEN})`],
    ['with escaped slashes', TOKEN.replaceAll('/', '\\/')],
    ['with every character escaped', everyCharacter((code) => `\\u${code.toString(16).padStart(4, '0')}`)],
    ['in base64', Buffer.from(TOKEN).toString('base64')],
    ['in hexadecimal', Buffer.from(TOKEN).toString('hex')],
  ])('is not kept: %s', async (_how, written) => {
    tokens = [TOKEN];
    script = [(_request, response) => response.end(`{"name":"${written}","type":"A"}`)];
    const { name } = await rest()();
    for (const part of [
      TOKEN,
      TOKEN.slice(4, -4),
      Buffer.from(TOKEN).toString('base64'),
      Buffer.from(TOKEN).toString('hex'),
    ])
      expect(name).not.toContain(part);
  });

  test('changes nothing else of the response', async () => {
    tokens = [TOKEN];
    script = [(_request, response) => response.end(`{"name":"a\\/b \\u0041 ${TOKEN}","type":"\\u00e9"}`)];
    expect(await rest()()).toEqual({ name: 'a/b A [redacted]', type: 'é' });
  });
});

describe('a request to the REST API', () => {
  test.each([
    ['seconds', '3', 3125],
    ['a date', 'Sat, 21 Nov 2026 10:00:05 GMT', 5125],
  ])('is retried after 429 with Retry-After as %s, a little later than asked', async (_form, header, wait) => {
    script = [refuse(429, { 'retry-after': header })];
    await rest()();
    expect(waits).toEqual([wait]);
  });

  test('is retried after 503 without Retry-After, with growing delays and a limit', async () => {
    script = Array.from({ length: 9 }, () => refuse(503));
    await expect(rest()()).rejects.toMatchObject({ code: 'unavailable', status: 503 });
    expect(waits).toEqual([375, 750, 1500, 3000]);
    expect(seen).toHaveLength(5);
  });

  test('reports each further attempt before it is sent, which can prevent it', async () => {
    script = [refuse(429), refuse(401), refuse(503), refuse(503)];
    let repeats = 0;
    const onRepeat = () => {
      repeats += 1;
      if (repeats > 2) throw new Error('enough');
    };
    await expect(rest()({ onRepeat })).rejects.toThrow('enough');
    expect([seen.length, repeats]).toEqual([3, 3]);
  });

  test('fails at once if the delay would exceed the time limit', async () => {
    script = [refuse(429, { 'retry-after': '600' })];
    await expect(rest()()).rejects.toMatchObject({ code: 'rate_limited' });
    expect(waits).toEqual([]);
  });

  test.each([400, 403, 404, 409, 500, 501, 502, 504])('is not retried after %i', async (status) => {
    script = [refuse(status)];
    await expect(rest()()).rejects.toMatchObject({ status });
    expect(seen).toHaveLength(1);
  });

  test('is retried with a new token after the first 401', async () => {
    script = [refuse(401)];
    await rest()();
    expect(seen.map(({ headers }) => headers.authorization)).toEqual(['Bearer first', 'Bearer second']);
  });

  test('is not retried after a second 401', async () => {
    script = [refuse(401), refuse(401), refuse(401)];
    await expect(rest()()).rejects.toMatchObject({ code: 'unauthenticated' });
    expect(seen).toHaveLength(2);
  });

  test('is retried after a lost response if it only reads or is idempotent', async () => {
    script = [drop];
    await rest()();
    script = [drop];
    await rest()({ method: 'PATCH', body: {}, idempotent: true });
    expect(seen.map(({ method }) => method)).toEqual(['GET', 'GET', 'PATCH', 'PATCH']);
  });

  test('is not retried after a lost response if it is not idempotent, and its outcome is unknown', async () => {
    script = [drop];
    await expect(rest()({ method: 'POST', body: {} })).rejects.toMatchObject({
      code: 'outcome_unknown',
      mayHaveRun: true,
    });
    expect(seen).toHaveLength(1);
  });

  test('has an unknown outcome if a refusal follows a lost response', async () => {
    script = [drop, refuse(404)];
    const request = rest()({ method: 'DELETE', idempotent: true });
    await expect(request).rejects.toMatchObject({ code: 'not_found', mayHaveRun: true });
  });

  test('reports a lost response if the workspace stays busy afterwards', async () => {
    script = [drop, ...Array.from({ length: 9 }, () => refuse(503))];
    const request = rest()({ method: 'PATCH', body: {}, idempotent: true });
    await expect(request).rejects.toMatchObject({ code: 'outcome_unknown' });
  });

  test('is retried after a connection that was never made, whatever its method', async () => {
    close();
    const request = rest()({ method: 'POST', body: {} });
    await expect(request).rejects.toMatchObject({ code: 'unreachable', mayHaveRun: false });
    expect(waits).toEqual([375, 750]);
  });

  test('is retried after a connection that stays silent', async () => {
    script = [() => {}, () => {}, () => {}];
    await expect(rest({}, 50)()).rejects.toMatchObject({ code: 'timeout' });
    expect(seen).toHaveLength(3);
  });
});

describe('an aborted REST request', () => {
  test('sends nothing if it is aborted before it starts', async () => {
    await expect(rest()({ signal: AbortSignal.abort() })).rejects.toMatchObject({ code: 'cancelled' });
    expect(seen).toHaveLength(0);
  });

  test('has an unknown outcome if it is waiting for the response', async () => {
    const abort = new AbortController();
    script = [() => abort.abort()];
    const request = rest()({ method: 'PATCH', body: {}, idempotent: true, signal: abort.signal });
    await expect(request).rejects.toMatchObject({ code: 'cancelled', mayHaveRun: true });
  });

  test('has not run if it is waiting for another attempt', async () => {
    const abort = new AbortController();
    onWait = () => abort.abort();
    script = [refuse(503)];
    const request = rest()({ method: 'PATCH', body: {}, idempotent: true, signal: abort.signal });
    await expect(request).rejects.toMatchObject({ code: 'cancelled', mayHaveRun: false });
  });
});
