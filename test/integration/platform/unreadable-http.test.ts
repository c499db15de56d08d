import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import { describe, expect, it, onTestFinished } from 'vitest';
import { AuthHttp } from '../../../main/auth/host-fetch.ts';
import { openDispatcher } from '../../../main/platform/http.ts';
import { transportFailure } from '../../../main/workspace/transport-error.ts';
import { clientOf } from '../bridge/connected.ts';

const OVERFLOW = `HTTP/1.1 401 Unauthorized\r\nWWW-Authenticate: Bearer realm="${'x'.repeat(20_000)}"\r\n\r\n`;
const TOO_MANY = `HTTP/1.1 200 OK\r\n${'x: yy\r\n'.repeat(9_000)}\r\n`;
const GARBAGE = 'SSH-2.0-OpenSSH_9.6\r\n';

/** A host that gives this answer to every connection. */
async function hostSaying(answer: string): Promise<string> {
  const server = createServer((socket) => {
    socket.on('error', () => {});
    socket.once('data', () => socket.end(answer));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => void server.close());
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

describe.each([
  ['headers larger than 16 KB', OVERFLOW, 'returned more than 16 KB of headers'],
  ['very many headers', TOO_MANY, 'returned more than 16 KB of headers'],
  ['something that is not HTTP', GARBAGE, 'returned an invalid HTTP response'],
])('a host that answers with %s', (_, answer, words) => {
  it('is described to an AI client, which learns whether its call may have run', async () => {
    const client = await clientOf(await hostSaying(answer));
    const call = await client.request(1, 'tools/call');
    expect(call.error).toMatchObject({ message: expect.stringContaining(words), data: { reason: 'outcome_unknown' } });
    expect(call.error?.message).toContain('It may have run.');
    const list = await client.request(2, 'tools/list');
    expect(list.error?.message).toContain(words);
    expect(list.error?.message).not.toContain('It may have run');
  });

  it.each(['GET', 'POST'])('is described by the REST client, after a %s', async (method) => {
    const host = await hostSaying(answer);
    const dispatcher = await openDispatcher(host, { env: {} });
    onTestFinished(() => dispatcher.close());
    const cause = await dispatcher.request({ origin: host, path: '/', method }).catch((error: unknown) => error);
    const { error } = transportFailure(cause, { method, host });
    expect(error).toMatchObject({
      code: method === 'GET' ? 'unreachable' : 'outcome_unknown',
      message: expect.stringContaining(words),
    });
  });

  it('is described by a sign-in', async () => {
    const host = await hostSaying(answer);
    const http = new AuthHttp({});
    onTestFinished(() => http.close());
    await expect(http.to(host)(`${host}/oidc/v1/token`)).rejects.toMatchObject({
      code: 'unreachable',
      message: expect.stringContaining(words),
    });
  });
});
