import { readdir, readFile, readlink } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { type Program, startProgram } from '../../bench/program.ts';
import { json, orderly, result, type ScriptedServer, startScriptedServer } from '../bridge/scripted-server.ts';
import { environment, homeWith, ProxyProcess } from '../proxy/proxy-process.ts';

const SERVERS = ['sql', 'genie/space', 'functions/main/default'];

let server: ScriptedServer;
let home: string;
let hub: Program;
/** The ends of the connections on which the servers were asked. */
let connections: Set<unknown>;
const ends: (() => Promise<unknown>)[] = [];

/** A workspace that gives out tokens, and an application in its own process. */
beforeEach(async () => {
  connections = new Set();
  const { script } = orderly({
    onCall: ({ frame }, response) => json(response, result(frame?.id, frame?.params?.text)),
  });
  server = await startScriptedServer((arrival, response) => {
    if (arrival.path.startsWith('/api/')) {
      connections.add(response.socket?.remotePort);
      return script(arrival, response);
    }
    if (arrival.path === '/oidc/v1/token') {
      return json(response, { access_token: 'token', token_type: 'Bearer', expires_in: 3600 });
    }
    const at = (place: string) => `${server.origin}/oidc${place}`;
    json(response, { issuer: at(''), authorization_endpoint: at('/v1/authorize'), token_endpoint: at('/v1/token') });
  });
  const own = await homeWith({ agent: { host: server.origin, client_id: 'agent', client_secret: 'dose-test' } });
  home = own.home;
  hub = await startProgram('hub-program.ts', [home]);
  ends.push(own.close, server.close, () => hub.end());
});
afterEach(async () => {
  for (const end of ends.splice(0).reverse()) await end();
});

async function opened(path = SERVERS[0]): Promise<ProxyProcess> {
  const proxy = new ProxyProcess(['--path', `/api/2.0/mcp/${path}`], environment(home, { CAUSEWAY_HOME: home }));
  ends.push(() => proxy.close());
  await proxy.open();
  return proxy;
}

it('many proxies of one profile share one token and few connections, and have a session each', async () => {
  for (const path of [...SERVERS, ...SERVERS, ...SERVERS, ...SERVERS]) {
    const proxy = await opened(path);
    expect(await proxy.request(1, 'tools/call', { text: path })).toMatchObject({ result: path });
  }
  expect(server.arrivals.filter(({ path }) => path === '/oidc/v1/token')).toHaveLength(1);
  const sessions = server.arrivals.flatMap(({ headers }) => headers['mcp-session-id'] ?? []);
  expect(new Set(sessions).size).toBe(12);
  expect(connections.size).toBeLessThan(12);
});

it('frames of 64 MiB pass through the application both ways, byte for byte', async () => {
  const proxy = await opened();
  const text = 'x'.repeat(64 * 1024 * 1024);
  const call = `{"params":{"text":"${text}"},"method":"tools/call","id":1.0,"jsonrpc":"2.0"}`;
  const { script } = server;
  server.script = (arrival, response) =>
    arrival.body.length < text.length
      ? script(arrival, response)
      : json(response, `{"id":1.0,"result":"${text}","jsonrpc":"2.0"}`);
  proxy.send(call);
  await proxy.until(2);
  expect(server.arrivals.some(({ body }) => body.equals(Buffer.from(call)))).toBe(true);
  expect(proxy.frames[1]?.equals(Buffer.from(`{"id":1.0,"result":"${text}","jsonrpc":"2.0"}`))).toBe(true);
});

it('nothing that a call sent or returned is written to disk', async () => {
  const proxy = await opened();
  const marked = 'a word that stands nowhere else';
  await proxy.request(1, 'tools/call', { text: marked });
  expect(await proxy.finish()).toBe(0);
  const entries = await readdir(home, { recursive: true, withFileTypes: true });
  const files = entries.filter((entry) => entry.isFile()).map(({ parentPath, name }) => join(parentPath, name));
  expect(files).not.toHaveLength(0);
  for (const file of files) expect(await readFile(file, 'utf8'), file).not.toContain(marked);
});

it.skipIf(process.platform !== 'linux')('the application opens no TCP port', async () => {
  const proxy = await opened();
  const { pid = 0 } = proxy.child;
  expect(await Promise.all([hub.pid, pid, process.pid].map(listensOnTcp))).toEqual([false, false, true]);
});

/** Whether a process has a TCP port open to others (proc(5): `/proc/net/tcp`, state 0A). */
async function listensOnTcp(pid: number): Promise<boolean> {
  const descriptors = await readdir(`/proc/${pid}/fd`);
  const open = await Promise.all(descriptors.map((each) => readlink(`/proc/${pid}/fd/${each}`).catch(() => '')));
  const tables = await Promise.all(
    ['tcp', 'tcp6'].map((name) => readFile(`/proc/net/${name}`, 'utf8').catch(() => '')),
  );
  const rows = tables.flatMap((table) => table.split('\n').map((row) => row.trim().split(/\s+/)));
  return rows.some(([, , , state, , , , , , inode]) => state === '0A' && open.includes(`socket:[${inode}]`));
}
