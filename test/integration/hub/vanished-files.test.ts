import { cp, mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, expect, it } from 'vitest';
import { startProgram } from '../../bench/program.ts';
import { orderly, startScriptedServer } from '../bridge/scripted-server.ts';
import { CAUSEWAY, environment, homeWith, ProxyProcess } from '../proxy/proxy-process.ts';

const ends: (() => unknown)[] = [];
afterEach(async () => {
  for (const end of ends.splice(0).reverse()) await end();
});

/** A proxy in front of a server, from a copy of the built command that is gone by now. */
async function withoutItsFiles(throughHub: boolean) {
  const normal = orderly();
  const server = await startScriptedServer(normal.script);
  const { home, close } = await homeWith({ acme: { host: server.origin, token: 'dapi-acme' } });
  ends.push(close, server.close);
  const folder = await mkdtemp(join(tmpdir(), 'causeway-command-'));
  ends.push(() => rm(folder, { recursive: true, force: true }));
  await cp(dirname(CAUSEWAY), folder, { recursive: true });
  const hub = throughHub ? await startProgram('hub-program.ts', [home]) : undefined;
  if (hub) ends.push(() => hub.end());
  const env = environment(home, { CAUSEWAY_HOME: home });
  const args = ['--profile', 'acme', '--path', '/api/2.0/mcp/sql'];
  const proxy = new ProxyProcess(args, env, 'pipe', join(folder, 'causeway.js'));
  ends.push(() => proxy.close());
  await proxy.open();
  // It reads the rest of its code when it has nothing else to do.
  await sleep(4_000);
  await rm(folder, { recursive: true });
  await expect(readdir(folder)).rejects.toThrow();
  return { proxy, server, hub, normal };
}

it('a proxy whose files are gone continues alone when the application quits', async () => {
  const { proxy, hub } = await withoutItsFiles(true);
  await hub?.end();
  // A call that reaches the application in its last moment is told to be of unknown outcome.
  let id = 0;
  const call = () => proxy.request(++id, 'tools/call', { text: 'alone' });
  await expect.poll(call).toMatchObject({ result: { content: [{ text: 'alone' }] } });
  expect(proxy.stderr).toBe('');
});

it('a proxy whose files are gone still explains every failure', async () => {
  const { proxy, server } = await withoutItsFiles(false);
  server.script = (_, response) => void response.writeHead(500).end('broken');
  expect((await proxy.request(1, 'tools/call')).error.message).toContain('could not answer (500');
  server.script = (_, response) =>
    void response.writeHead(403).end('{"error_code":"PERMISSION_DENIED","message":"no"}');
  expect((await proxy.request(2, 'tools/call')).error.data).toMatchObject({ reason: 'permission_denied' });
  await server.close();
  expect((await proxy.request(3, 'resources/list')).error.message).toContain('cannot be reached');
  expect(proxy.stderr).toBe('');
});
