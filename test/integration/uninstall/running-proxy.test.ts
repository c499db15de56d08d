import { existsSync } from 'node:fs';
import { cp, mkdtemp, rename, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { serve } from '../bridge/connected.ts';
import { json, orderly, result } from '../bridge/scripted-server.ts';
import { CAUSEWAY, environment, homeWith, ProxyProcess } from '../proxy/proxy-process.ts';
import { runCommand } from '../warehouses/harness.ts';

/** A proxy of a command that is installed in a folder of its own, with a session that is open and stored answers. */
async function running() {
  let calls = 0;
  const held: (() => void)[] = [];
  const { script } = orderly({
    onCall: ({ frame }, response) => {
      calls += 1;
      const tools = [{ name: `tool-${calls}`, inputSchema: { type: 'object' } }];
      const answer = () => json(response, result(frame?.id, frame?.method === 'tools/list' ? { tools } : 'done'));
      if (frame?.method === 'tools/call') held.push(answer);
      else answer();
    },
  });
  const server = await serve(script);
  const { home, close } = await homeWith({ acme: { host: server.origin, token: 'dapi-acme' } });
  const installed = await mkdtemp(join(tmpdir(), 'causeway-installed-'));
  await cp(dirname(CAUSEWAY), installed, { recursive: true });
  const env = environment(home, { CAUSEWAY_HOME: join(home, 'own') });
  const command = join(installed, 'causeway.js');
  const proxy = new ProxyProcess(['--profile', 'acme', '--path', '/api/2.0/mcp/sql'], env, 'pipe', command);
  onTestFinished(async () => {
    await proxy.close();
    await rm(installed, { recursive: true, force: true });
    await close();
  });
  await proxy.open();
  await proxy.request('list', 'tools/list');
  const state = join(home, 'own', 'state');
  await expect.poll(() => existsSync(join(state, 'answers'))).toBe(true);
  return { proxy, server, held, installed, state, env, own: join(home, 'own') };
}

const REMOVED = 'Causeway was removed from this computer';

it('a proxy whose program is gone writes nothing more, finishes its call, tells its client, and ends', async () => {
  const { proxy, server, held, installed, state } = await running();
  proxy.send({ jsonrpc: '2.0', id: 'call', method: 'tools/call', params: { name: 'tool-1' } });
  await expect.poll(() => held.length).toBe(1);
  await rm(installed, { recursive: true });
  await rm(state, { recursive: true });
  await proxy.request('again', 'tools/list');
  expect(existsSync(state)).toBe(false);
  await expect.poll(() => proxy.stderr, { timeout: 20_000 }).toContain(REMOVED);
  const late = await proxy.request('late', 'tools/call', { name: 'tool-1' });
  expect(late.error.message).toContain(REMOVED);
  for (const answer of held) answer();
  expect(await proxy.ended).toBe(0);
  const frames = proxy.frames.map((frame) => JSON.parse(String(frame)));
  expect(frames).toContainEqual({ jsonrpc: '2.0', id: 'call', result: 'done' });
  expect(frames.at(-1)).toMatchObject({
    method: 'notifications/message',
    params: { data: expect.stringContaining(REMOVED) },
  });
  expect(proxy.stderr.trimEnd().split('\n')).toHaveLength(1);
  expect(existsSync(state)).toBe(false);
  expect(server.count('tools/call')).toBe(1);
}, 60_000);

it('`causeway uninstall` ends the proxies that run, though their program stays', async () => {
  const { proxy, state, env, own } = await running();
  expect((await runCommand(env, ['uninstall', '--yes', '--force'])).code).toBe(0);
  expect(existsSync(own)).toBe(false);
  expect(await proxy.ended).toBe(0);
  expect(proxy.stderr).toContain(REMOVED);
  expect(existsSync(state)).toBe(false);
}, 60_000);

it('a proxy of a program that an upgrade replaces goes on, and so does one that is started after a removal', async () => {
  const { proxy, installed, env } = await running();
  await rename(installed, `${installed}-before`);
  await cp(`${installed}-before`, installed, { recursive: true });
  await rm(`${installed}-before`, { recursive: true });
  await proxy.request('again', 'tools/list');
  expect(await proxy.finish()).toBe(0);
  expect(proxy.stderr).toBe('');
  await runCommand(env, ['uninstall', '--yes', '--force']);
  const later = new ProxyProcess(['--profile', 'acme', '--path', '/api/2.0/mcp/sql'], env);
  onTestFinished(() => later.close());
  await later.open();
  await later.request('list', 'tools/list');
  await expect.poll(() => existsSync(join(env.CAUSEWAY_HOME ?? '', 'state', 'answers'))).toBe(true);
  expect(await later.finish()).toBe(0);
}, 60_000);
