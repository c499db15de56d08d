import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { createCauseway } from '../../../main/app/causeway.ts';
import { configFolder } from '../../../main/platform/paths.ts';
import { startProgram } from '../../bench/program.ts';
import {
  INITIALIZE_RESULT,
  json,
  result,
  type ScriptedServer,
  startScriptedServer,
} from '../bridge/scripted-server.ts';
import { environment, homeWith, ProxyProcess } from '../proxy/proxy-process.ts';

const NAMES = ['one', 'two'];
const pathOf = (name: string) => `/api/2.0/mcp/functions/main/${name}`;

/** Two servers that know the sessions that they have given; a call of `NAME_wait` is never answered. */
async function startServers() {
  const sessions = new Map<string, string>();
  const calls: string[] = [];
  let given = 0;
  const server: ScriptedServer = await startScriptedServer(({ path, headers, method, frame }, response) => {
    const name = NAMES.find((one) => pathOf(one) === path) ?? '';
    if (frame?.method === 'initialize') {
      given += 1;
      const id = `session-${given}`;
      sessions.set(id, name);
      return json(response, result(frame.id, INITIALIZE_RESULT), { 'mcp-session-id': id });
    }
    const id = String(headers['mcp-session-id']);
    if (sessions.get(id) !== name) return void response.writeHead(404).end();
    if (method === 'DELETE') sessions.delete(id);
    if (frame?.id === undefined) return void response.writeHead(method === 'GET' ? 405 : 202).end();
    const tools = ['run', `${name}_wait`].map((tool) => ({ name: tool, inputSchema: { type: 'object' } }));
    if (frame.method === 'tools/list') return json(response, result(frame.id, { tools }));
    if (frame.method === 'tools/call') calls.push(`${name} ${Object(frame.params).name}`);
    if (Object(frame.params).name === `${name}_wait`) return;
    json(response, result(frame.id, { content: [{ type: 'text', text: `by ${name}` }] }));
  });
  onTestFinished(server.close);
  return { server, sessions, calls };
}

async function open() {
  const { server, sessions, calls } = await startServers();
  const { home, close } = await homeWith({ acme: { host: server.origin, token: 'dapi-acme' } });
  onTestFinished(close);
  const env = environment(home, { CAUSEWAY_HOME: home });
  const servers = NAMES.map((name) => ({ name, profile: 'acme', kind: 'functions', path: pathOf(name) }));
  await mkdir(configFolder(env), { recursive: true });
  await writeFile(join(configFolder(env), 'servers.json'), JSON.stringify({ version: 1, servers }));
  const startHub = async () => {
    const hub = await startProgram('hub-program.ts', [home]);
    onTestFinished(() => hub.end());
    return hub;
  };
  /** A hub in this process, which can be asked who is attached. */
  const hubHere = async () => {
    const causeway = createCauseway({ env });
    const hub = await causeway.serveProxies();
    const end = async () => {
      await hub.close();
      await causeway.close();
    };
    onTestFinished(end);
    return { hub, end };
  };
  const startClient = async () => {
    const proxy = new ProxyProcess(['--all'], env);
    onTestFinished(() => proxy.close());
    await proxy.open({ clientInfo: { name: 'test', version: '1' } });
    let last = 0;
    const call = async (name: string) => {
      last += 1;
      const { result: answer, error } = await proxy.request(`call-${last}`, 'tools/call', { name, arguments: {} });
      return error ? error.message : JSON.parse(JSON.stringify(answer)).content[0].text;
    };
    const tools = async () => {
      last += 1;
      const { result: answer } = await proxy.request(`list-${last}`, 'tools/list');
      return (JSON.parse(JSON.stringify(answer)).tools as { name: string }[]).map(({ name }) => name).sort();
    };
    const said = (method: string) => proxy.frames.filter((frame) => frame.includes(method)).length;
    return { proxy, call, tools, said };
  };
  return { sessions, calls, startHub, hubHere, startClient };
}

const TOOLS = ['one__run', 'one_wait', 'two__run', 'two_wait'];

describe('all servers as one, if the application', () => {
  test.each(['quits', 'is killed'])('%s, continue alone, and then through the next application', async (how) => {
    const { sessions, startHub, hubHere, startClient } = await open();
    const first = how === 'quits' ? await hubHere() : await startHub();
    const { proxy, call, tools, said } = await startClient();
    expect(await tools()).toEqual(TOOLS);
    expect([await call('one__run'), await call('two__run')]).toEqual(['by one', 'by two']);

    await first.end();
    const callBoth = () => Promise.all([call('two__run'), call('one__run')]);
    // A call that is sent before the proxy has seen the hub's end gets an error: it may have run.
    await expect.poll(callBoth).toEqual(['by two', 'by one']);
    expect(await tools()).toEqual(TOOLS);

    const { hub } = await hubHere();
    await expect.poll(() => hub.sessions().length, { timeout: 20_000 }).toBe(2);
    expect(hub.sessions().map(({ path }) => path)).toEqual(expect.arrayContaining(NAMES.map(pathOf)));
    expect(await Promise.all([call('one__run'), call('two__run')])).toEqual(['by one', 'by two']);
    expect(await tools()).toEqual(TOOLS);
    // A session that this process has given up is ended at the server.
    await expect
      .poll(() => [...sessions.values()].sort())
      .toEqual(how === 'quits' ? NAMES : expect.arrayContaining(NAMES));
    const ids = proxy.frames.map((frame) => String(JSON.parse(String(frame)).id ?? '')).filter((id) => id !== '');
    expect(new Set(ids).size).toBe(ids.length);
    expect(said('list_changed')).toBe(0);
    expect(proxy.stderr).toBe('');
    expect(await proxy.finish()).toBe(0);
  });

  test('is killed during calls to both, answer each call once, and run none again', async () => {
    const { calls, startHub, startClient } = await open();
    const first = await startHub();
    const { proxy, call, tools } = await startClient();
    await tools();
    const both = Promise.all([call('one_wait'), call('two_wait')]);
    await expect.poll(() => calls.length).toBe(2);
    await first.end();
    for (const words of await both) expect(words).toContain('It may have run');
    expect(await call('one__run')).toBe('by one');
    expect(calls.sort()).toEqual(['one one_wait', 'one run', 'two two_wait']);
    expect(await proxy.finish()).toBe(0);
  });

  test('starts after the session, move to it one by one, and list the same tools', async () => {
    const { hubHere, startClient } = await open();
    const { call, tools, said } = await startClient();
    expect(await tools()).toEqual(TOOLS);
    for (let turn = 0; turn < 2; turn += 1) {
      const { hub, end } = await hubHere();
      await expect.poll(() => hub.sessions().length, { timeout: 20_000 }).toBe(2);
      expect(await call('two__run')).toBe('by two');
      await end();
      expect(await call('one__run')).toBe('by one');
    }
    expect(await tools()).toEqual(TOOLS);
    expect(said('list_changed')).toBe(0);
  });
});
