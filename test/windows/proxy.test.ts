import assert from 'node:assert/strict';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { type Causeway, createCauseway } from '../../main/app/causeway.ts';
import { withEnvironment } from '../../main/clients/entry-environment.ts';
import { launcherFor } from '../../main/clients/launcher.ts';
import { prepareRendezvous, publishRendezvous } from '../../main/hub/publish.ts';
import type { Hub } from '../../main/hub/server.ts';
import { isProcessAlive } from '../../main/platform/process-alive.ts';
import { orderly, type ScriptedServer, startScriptedServer } from '../integration/bridge/scripted-server.ts';
import { CAUSEWAY } from '../integration/proxy/proxy-process.ts';
import { kill, setStage } from './stage.ts';

const SQL = ['--path', '/api/2.0/mcp/sql'];
const MIB = 1024 * 1024;
/** An application that can be killed. */
const APPLICATION = fileURLToPath(new URL('../bench/hub-program.ts', import.meta.url));
/** What clients on the official SDK pass on there (`getDefaultEnvironment`), and what Wine's Node is started with. */
const INHERITED = new Set(
  'APPDATA HOMEDRIVE HOMEPATH LOCALAPPDATA PATH PROCESSOR_ARCHITECTURE SYSTEMDRIVE SYSTEMROOT TEMP USERNAME USERPROFILE PROGRAMFILES NODE_OPTIONS'.split(
    ' ',
  ),
);

const stage = setStage();

/** A workspace's server, which the user's profile names. */
async function serve(): Promise<ReturnType<typeof orderly> & { server: ScriptedServer }> {
  const { script, ...sessions } = orderly();
  const server = await startScriptedServer(script);
  stage.atEnd(server.close);
  await stage.file(join(stage.home, '.databrickscfg'), `[DEFAULT]\r\nhost = ${server.origin}\r\ntoken = dapi-test\r\n`);
  return { script, ...sessions, server };
}

/** The application, as far as proxies see it. */
async function startApplication(env = stage.env): Promise<{ causeway: Causeway; hub: Hub }> {
  const causeway = createCauseway({ env });
  stage.atEnd(() => causeway.close());
  const hub = await causeway.serveProxies();
  stage.atEnd(() => hub.close());
  return { causeway, hub };
}

/** Waits until something holds: a slow computer is no failure, one that never gets there is. */
async function until(holds: () => boolean): Promise<void> {
  for (let tries = 0; !holds() && tries < 300; tries += 1) await sleep(100);
  assert.ok(holds(), `never came true: ${holds}`);
}

const call = (text: string) => ({ name: 'say', arguments: {}, text });

test('a standalone proxy answers in the folder of a user whose name has spaces, letters beyond ASCII, and an ampersand', async () => {
  await serve();
  const proxy = stage.proxy(SQL);
  assert.ok((await proxy.open()).result);
  const said = await proxy.request(1, 'tools/call', call('Grüße'));
  assert.deepEqual(said.result, { content: [{ type: 'text', text: 'Grüße' }] });
  assert.equal(await proxy.finish(), 0);
});

test('a proxy goes through the hub, and works alone if the hub was killed and its name is stale', async () => {
  await serve();
  const { causeway, hub } = await startApplication();
  const proxy = stage.proxy(SQL);
  assert.ok((await proxy.open()).result);
  // On a slow machine it begins alone and finds the hub later.
  await until(() => hub.sessions().length === 1);
  await proxy.close();
  await hub.close();
  await causeway.close();

  const folder = join(stage.home, '.causeway');
  await publishRendezvous(folder, await prepareRendezvous(folder, stage.env));
  assert.ok((await stage.proxy(SQL).open()).result);
});

test('a proxy that an AI client starts with few environment variables finds the hub', async () => {
  await serve();
  const { hub } = await startApplication();
  const inherited = Object.keys(stage.env).filter((name) => INHERITED.has(name.toUpperCase()));
  const env = Object.fromEntries(inherited.map((name) => [name, stage.env[name]]));
  // As an entry does: a token store that the application knows, and this process does not, would keep it from the hub.
  const { environment, keepEnvironment } = withEnvironment(
    launcherFor({ execPath: process.execPath, script: CAUSEWAY }, stage.env),
    stage.env,
  );
  await keepEnvironment?.();
  assert.ok(environment);
  const proxy = stage.proxy([...SQL, '--environment', environment], env);
  assert.ok((await proxy.open()).result);
  await until(() => hub.sessions().length === 1);
  assert.equal(hub.sessions()[0]?.pid, proxy.child.pid);
});

test('each of two users has their own hub, and their proxies find it', async () => {
  await serve();
  const other = join(stage.folder, 'Users', 'Бен');
  const env = { ...stage.env, HOME: other, USERPROFILE: other };
  await stage.file(join(other, '.databrickscfg'), await readFile(join(stage.home, '.databrickscfg')));
  const [ours, theirs] = [await startApplication(), await startApplication(env)];
  const [our, their] = [stage.proxy(SQL), stage.proxy(SQL, env)];
  await Promise.all([our.open(), their.open()]);
  await until(() => ours.hub.sessions().length === 1 && theirs.hub.sessions().length === 1);
  assert.deepEqual(
    [ours, theirs].map(({ hub }) => hub.sessions()[0]?.pid),
    [our.child.pid, their.child.pid],
  );
});

for (const way of ['alone', 'through the hub'] as const) {
  async function open() {
    const { server, expireAll } = await serve();
    const application = way === 'alone' ? undefined : await startApplication();
    const proxy = stage.proxy(SQL);
    assert.ok((await proxy.open()).result);
    if (application) await until(() => application.hub.sessions().length === 1);
    return { server, expireAll, proxy, hub: application?.hub };
  }

  test(`a session that the server has lost is renewed, and the client does not notice (${way})`, async () => {
    const { server, expireAll, proxy } = await open();
    assert.ok((await proxy.request(1, 'tools/call', call('before'))).result);
    const opened = server.count('initialize');
    expireAll();
    assert.deepEqual((await proxy.request(2, 'tools/call', call('after'))).result, {
      content: [{ type: 'text', text: 'after' }],
    });
    assert.equal(server.count('initialize'), opened + 1);
  });

  test(`an answer of 8 MiB arrives complete (${way})`, async () => {
    const { proxy } = await open();
    const text = 'ä'.repeat(4 * MIB);
    const { result } = await proxy.request(1, 'tools/call', call(text));
    assert.equal(JSON.stringify(result), JSON.stringify({ content: [{ type: 'text', text }] }));
  });

  test(`a proxy whose input ends still answers its requests, and ends (${way})`, async () => {
    const { proxy, hub } = await open();
    proxy.send({ jsonrpc: '2.0', id: 1, method: 'tools/call', params: call('last') });
    assert.equal(await proxy.finish(), 0);
    assert.deepEqual(Object(await proxy.answerTo(1)).result, { content: [{ type: 'text', text: 'last' }] });
    await until(() => (hub?.sessions().length ?? 0) === 0);
  });
}

test('a session continues when the application is killed, and through the next one when it starts', async () => {
  const { server } = await serve();
  const application = stage.program([APPLICATION, stage.home]);
  await once(application.stdout, 'data');
  const env = { ...stage.env, CAUSEWAY_HOME: stage.home };
  const proxy = stage.proxy(SQL, env);
  await proxy.open();
  assert.ok((await proxy.request(1, 'tools/call', call('through the hub'))).result);
  await kill(application);
  let alone = await proxy.request(2, 'tools/call', call('alone'));
  // A call that is sent before the proxy has seen the end of the application does not arrive, and gets an error.
  for (let id = 10; alone.error && id < 20; id += 1) alone = await proxy.request(id, 'tools/call', call('alone'));
  assert.deepEqual(alone.result, { content: [{ type: 'text', text: 'alone' }] });
  const { hub } = await startApplication(env);
  // It looks for a hub while it has nothing else to do.
  await until(() => hub.sessions().length === 1);
  assert.ok((await proxy.request(3, 'tools/call', call('through the next one'))).result);
  assert.equal(server.count('tools/call'), 3);
});

test('the hub forgets a proxy that was killed', async () => {
  await serve();
  const { hub } = await startApplication();
  const proxy = stage.proxy(SQL);
  await proxy.open();
  await until(() => hub.sessions().length === 1);
  await proxy.close();
  await until(() => hub.sessions().length === 0);
});

test('a proxy ends when the program that started it is killed', async () => {
  await serve();
  const script = `
    const proxy = require('child_process').spawn(process.execPath, [process.argv[1], 'proxy', '--path', '/api/2.0/mcp/sql']);
    console.log(proxy.pid);
    setInterval(() => {}, 1000);`;
  const client = stage.program(['-e', script, CAUSEWAY]);
  const [pid] = await once(client.stdout, 'data');
  client.kill('SIGKILL');
  await until(() => !isProcessAlive(Number(String(pid))));
});
