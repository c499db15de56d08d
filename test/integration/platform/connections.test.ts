import { once } from 'node:events';
import { createServer, type ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { Dispatcher } from 'undici';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import {
  type Connections,
  openedWhenUsed,
  RenewableConnections,
  sharedPools,
  shareOf,
} from '../../../main/platform/connections.ts';
import { CausewayError } from '../../../main/platform/errors.ts';
import { openDispatcher, openPool } from '../../../main/platform/http.ts';

let origin: string;
let arrived: string[];
let sockets: Set<Socket>;
let held: Map<string, ServerResponse>;
const ends: (() => Promise<unknown>)[] = [];

beforeEach(async () => {
  arrived = [];
  held = new Map();
  sockets = new Set();
  const server = createServer((request, response) => {
    const path = request.url ?? '';
    arrived.push(path);
    if (path.startsWith('/held')) held.set(path, response);
    else response.end('done');
  });
  server.on('connection', (socket) => {
    sockets.add(socket);
    socket.on('close', () => sockets.delete(socket));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  origin = `http://127.0.0.1:${typeof address === 'object' && address ? address.port : 0}`;
  ends.push(async () => {
    server.closeAllConnections();
    server.close();
  });
});
afterEach(async () => {
  for (const end of ends.splice(0).reverse()) await end();
});

interface Sent {
  answer: Promise<string>;
  abort(): void;
}

/** Sends a request, and gives what came back: the body, or the error's name. */
function send(connections: Connections, path: string): Sent {
  let controller: Dispatcher.DispatchController | undefined;
  const answer = new Promise<string>((resolve) => {
    let body = '';
    connections.dispatch(
      { origin, path, method: 'GET' },
      {
        onRequestStart: (given) => {
          controller = given;
        },
        onResponseStart() {},
        onResponseData: (_, chunk) => {
          body += chunk;
        },
        onResponseEnd: () => resolve(body),
        onResponseError: (_, error) => resolve(error.name),
      },
    );
  });
  return { answer, abort: () => controller?.abort(new Error('aborted')) };
}

describe('connections that are renewed', () => {
  async function renewable(open: () => Promise<Dispatcher> = () => openPool(origin, { env: {} }), now = Date.now) {
    const connections = await RenewableConnections.open(open, now);
    ends.push(() => connections.destroy());
    return connections;
  }

  it('take new requests from then on, and idle ones are closed', async () => {
    const connections = await renewable();
    await send(connections, '/1').answer;
    const [before] = sockets;
    const renewal = connections.renew();
    expect(await send(connections, '/2').answer).toBe('done');
    await renewal;
    await expect.poll(() => before !== undefined && sockets.has(before)).toBe(false);
  });

  it('are reopened for the first request after a sleep that was not reported', async () => {
    let time = 0;
    const connections = await renewable(undefined, () => time);
    await send(connections, '/1').answer;
    time += 30_000;
    await send(connections, '/2').answer;
    const before = [...sockets];
    time += 30_001;
    const answers = [send(connections, '/3').answer, send(connections, '/4').answer];
    expect(await Promise.all(answers)).toEqual(['done', 'done']);
    await expect.poll(() => before.some((socket) => sockets.has(socket))).toBe(false);
    expect(sockets.size).toBe(2);
  });

  it('can be used as a whole dispatcher, which is renewed too', async () => {
    const connections = await renewable(() => openDispatcher(origin, { env: {} }));
    const whole = connections.whole();
    const ask = async () => (await whole.request({ origin, path: '/1', method: 'GET' })).body.text();
    expect(await ask()).toBe('done');
    const [before] = sockets;
    await connections.renew();
    expect(await ask()).toBe('done');
    await expect.poll(() => before !== undefined && sockets.has(before)).toBe(false);
  });

  it('let a request in flight finish', async () => {
    const connections = await renewable();
    const { answer } = send(connections, '/held');
    await expect.poll(() => arrived).toEqual(['/held']);
    await connections.renew();
    held.get('/held')?.end('late');
    expect(await answer).toBe('late');
    await expect.poll(() => sockets.size).toBe(0);
  });

  it('stay in use if no new ones can be opened', async () => {
    let isBroken = false;
    const connections = await renewable(async () => {
      if (isBroken) throw new Error('the certificate file is gone');
      return openPool(origin, { env: {} });
    });
    isBroken = true;
    const renewal = connections.renew();
    const { answer } = send(connections, '/1');
    await expect(renewal).rejects.toThrow('certificate');
    expect(await answer).toBe('done');
    expect(await send(connections, '/2').answer).toBe('done');
  });
});

describe('connections that are opened on demand', () => {
  it('are opened for the first request, once for any number of concurrent requests', async () => {
    let opened = 0;
    const connections = openedWhenUsed(async () => {
      opened += 1;
      const pool = await openPool(origin, { env: {} });
      ends.push(() => pool.destroy());
      return pool;
    });
    expect(opened).toBe(0);
    const answers = ['/1', '/2', '/3'].map((path) => send(connections, path).answer);
    expect(await Promise.all(answers)).toEqual(['done', 'done', 'done']);
    expect(await send(connections, '/4').answer).toBe('done');
    expect(opened).toBe(1);
  });

  it('fail the requests that they cannot be opened for, and are opened for the next one', async () => {
    let isBroken = true;
    const connections = openedWhenUsed(async () => {
      if (isBroken) throw new CausewayError('invalid_file', 'The certificate file is gone.');
      const pool = await openPool(origin, { env: {} });
      ends.push(() => pool.destroy());
      return pool;
    });
    const answers = ['/1', '/2'].map((path) => send(connections, path).answer);
    expect(await Promise.all(answers)).toEqual(['CausewayError', 'CausewayError']);
    isBroken = false;
    expect(await send(connections, '/3').answer).toBe('done');
    expect(arrived).toEqual(['/3']);
  });
});

describe('shared connections', () => {
  it('are opened once for each origin, and again after a failure', async () => {
    let isBroken = true;
    const opened: string[] = [];
    const pools = sharedPools(async (to) => {
      opened.push(to);
      if (isBroken) throw new Error('the certificate file is gone');
      return openPool(to, { env: {} });
    });
    ends.push(() => pools.close());
    await expect(pools.to(origin)).rejects.toThrow('certificate');
    isBroken = false;
    const [one, other] = await Promise.all([pools.to(origin), pools.to(origin)]);
    expect(one).toBe(other);
    await pools.to('http://localhost:1');
    expect(opened).toEqual([origin, origin, 'http://localhost:1']);
    expect(await send(one, '/1').answer).toBe('done');
  });
});

describe('a share of connections', () => {
  it('limits the requests in flight and sends the others in order as those end or fail', async () => {
    const pool = await openPool(origin, { env: {} });
    ends.push(() => pool.destroy());
    const share = shareOf(pool, 2);
    const sent = Array.from({ length: 5 }, (_, number) => send(share, `/held${number}`));
    await expect.poll(() => arrived.toSorted()).toEqual(['/held0', '/held1']);
    expect(await send(pool, '/other').answer).toBe('done');
    sent[0]?.abort();
    await expect.poll(() => held.has('/held2')).toBe(true);
    expect(await sent[0]?.answer).toBe('Error');
    held.get('/held1')?.destroy();
    await expect.poll(() => held.has('/held3')).toBe(true);
    expect(held.has('/held4')).toBe(false);
    held.get('/held2')?.end('two');
    expect(await sent[2]?.answer).toBe('two');
    await expect.poll(() => held.has('/held4')).toBe(true);
  });
});
