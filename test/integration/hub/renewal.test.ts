import { once } from 'node:events';
import { writeFile } from 'node:fs/promises';
import { connect, createServer, type Socket } from 'node:net';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { type Causeway, createCauseway } from '../../../main/app/causeway.ts';
import { json, orderly, result, type ScriptedServer, startScriptedServer } from '../bridge/scripted-server.ts';
import { environment, homeWith, ProxyProcess } from '../proxy/proxy-process.ts';
import { TestClock } from './health/test-clock.ts';

const PATH = '/api/2.0/mcp/sql';
const ends: (() => Promise<unknown>)[] = [];

let server: ScriptedServer;
let network: Awaited<ReturnType<typeof startNetwork>>;
let causeway: Causeway;
let env: NodeJS.ProcessEnv;

/** A way to the server whose connections can be made to lead nowhere, as those of a network that was left do. */
async function startNetwork(port: number) {
  let pairs: [Socket, Socket][] = [];
  const forwarder = createServer((near) => {
    const far = connect(port, '127.0.0.1');
    pairs.push([near, far]);
    for (const socket of [near, far]) socket.on('error', () => {});
    near.pipe(far).pipe(near);
  });
  forwarder.listen(0, '127.0.0.1');
  await once(forwarder, 'listening');
  const address = forwarder.address();
  return {
    origin: `http://127.0.0.1:${typeof address === 'object' && address ? address.port : 0}`,
    /** How many connections were made. */
    get made() {
      return pairs.length;
    },
    /** Nothing of what is sent over the connections that there are arrives anymore, and nobody is told. */
    leave() {
      for (const [near, far] of pairs) {
        near.unpipe(far);
        far.unpipe(near);
        near.resume();
        far.resume();
      }
    },
    async close() {
      for (const pair of pairs) for (const socket of pair) socket.destroy();
      pairs = [];
      forwarder.close();
      await once(forwarder, 'close');
    },
  };
}

beforeEach(async () => {
  const { script } = orderly({
    onCall: ({ frame }, response) => json(response, result(frame?.id, { tools: [{ name: 'one' }], content: [] })),
  });
  server = await startScriptedServer(script);
  network = await startNetwork(Number(new URL(server.origin).port));
  const { home, close } = await homeWith({ acme: { host: network.origin, token: 'dapi-acme' } });
  env = environment(home, { CAUSEWAY_HOME: home });
  causeway = createCauseway({ env });
  ends.push(close, server.close, network.close, () => causeway.close());
});
afterEach(async () => {
  for (const end of ends.splice(0).reverse()) await end();
});

it('in another network, calls do not wait for dead connections', async () => {
  const hub = await causeway.serveProxies();
  const client = new ProxyProcess(['--path', PATH], env);
  ends.push(
    () => hub.close(),
    () => client.close(),
  );
  await client.open();
  await client.request(1, 'tools/call');
  network.leave();
  await causeway.renewConnections();
  expect(await client.request(2, 'tools/call')).toHaveProperty('result');
});

it('in another network, a token is requested over a new connection, too', async () => {
  let tokens = 0;
  server.script = ({ path }, response) => {
    if (path === '/oidc/v1/token') {
      tokens += 1;
      return json(response, { access_token: `token-${tokens}`, token_type: 'Bearer', expires_in: 3600 });
    }
    const at = (place: string) => `${network.origin}/oidc${place}`;
    json(response, { issuer: at(''), authorization_endpoint: at('/v1/authorize'), token_endpoint: at('/v1/token') });
  };
  await writeFile(
    join(String(env.HOME), '.databrickscfg'),
    `[agent]\nhost = ${network.origin}\nclient_id = agent\nclient_secret = dose-test\n`,
  );
  const auth = await causeway.auth();
  const source = auth.tokens(await auth.profile('agent'));
  const first = await source.token();
  network.leave();
  await causeway.renewConnections();
  expect((await source.token({ rejected: first })).reveal()).toBe('token-2');
});

it('a call in flight when connections are renewed is answered over the old one', async () => {
  let answer = () => {};
  server.script = orderly({
    onCall: ({ frame }, response) => {
      answer = () => json(response, result(frame?.id, { content: [] }));
    },
  }).script;
  const hub = await causeway.serveProxies();
  const client = new ProxyProcess(['--path', PATH], env);
  ends.push(
    () => hub.close(),
    () => client.close(),
  );
  await client.open();
  const call = client.request(1, 'tools/call');
  await expect.poll(() => server.count('tools/call')).toBe(1);
  await causeway.renewConnections();
  answer();
  expect(await call).toHaveProperty('result');
  expect(server.count('tools/call')).toBe(1);
});

it('a monitored server is ready again soon after the network has changed', async () => {
  const clock = new TestClock();
  const warm = await causeway.monitorHealth([{ name: 'sql', profile: 'acme', path: PATH }], {
    clock,
    random: () => 0,
  });
  ends.push(() => warm.close());
  await expect.poll(() => warm.states()[0]?.health).toMatchObject({ name: 'ready' });
  network.leave();
  const before = network.made;
  warm.networkChanged();
  clock.pass(3_000);
  await expect.poll(() => network.made).toBeGreaterThan(before);
  await expect.poll(() => warm.states()[0]?.health).toMatchObject({ name: 'ready', checkedAt: clock.now() });
});

it('servers that are added and removed leave no session, timer or listener behind', async () => {
  const clock = new TestClock();
  const auth = await causeway.auth();
  let listeners = 0;
  const subscribe = auth.subscribe.bind(auth);
  auth.subscribe = (listener) => {
    listeners += 1;
    const end = subscribe(listener);
    return () => {
      listeners -= 1;
      end();
    };
  };
  for (let round = 0; round < 5; round += 1) {
    const warm = await causeway.monitorHealth([], { clock });
    const servers = Array.from({ length: 40 }, (_, number) => ({ name: `sql-${number}`, profile: 'acme', path: PATH }));
    warm.update(servers);
    await expect
      .poll(() => warm.states().every(({ health }) => health.name === 'ready'), { timeout: 20_000 })
      .toBe(true);
    // Some go while they are being asked.
    warm.update(servers.map((server) => ({ ...server, path: `${PATH}/${round}` })));
    warm.update([]);
    await warm.close();
  }
  const sessionsOf = (wanted: string) =>
    new Set(
      server.arrivals.filter(({ method }) => method === wanted).map(({ headers }) => String(headers['mcp-session-id'])),
    );
  const used = sessionsOf('POST');
  used.delete('undefined');
  expect(used.size).toBeGreaterThanOrEqual(5 * 40);
  await expect.poll(() => [...used].filter((id) => !sessionsOf('DELETE').has(id))).toEqual([]);
  expect(clock.waiting).toBe(0);
  expect(listeners).toBe(0);
});
