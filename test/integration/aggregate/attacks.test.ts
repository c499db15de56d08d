import { mkdir, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { createCauseway } from '../../../main/app/causeway.ts';
import { ApprovalQueue } from '../../../main/permissions/approvals.ts';
import type { Permissions } from '../../../main/permissions/permissions.ts';
import { serverKey } from '../../../main/permissions/server-key.ts';
import { configFolder } from '../../../main/platform/paths.ts';
import { INITIALIZE_RESULT, json, result, startScriptedServer } from '../bridge/scripted-server.ts';
import { environment, homeWith, ProxyProcess } from '../proxy/proxy-process.ts';

const PAGE = 25;
const pathOf = (name: string) => `/api/2.0/mcp/functions/main/${name}`;

/** Servers with these tools, in pages; each can say something over its own stream. */
async function startServers(lists: Record<string, string[]>) {
  const calls: string[] = [];
  const streams = new Map<string, { write(text: string): void }>();
  const server = await startScriptedServer(({ path, method, frame }, response) => {
    const name = Object.keys(lists).find((one) => pathOf(one) === path) ?? '';
    if (method === 'GET') {
      streams.set(name, response);
      return void response.writeHead(200, { 'content-type': 'text/event-stream' }).flushHeaders();
    }
    if (frame?.method === 'initialize') {
      return json(response, result(frame.id, INITIALIZE_RESULT), { 'mcp-session-id': `session-of-${name}` });
    }
    if (frame?.id === undefined) return void response.writeHead(202).end();
    if (frame.method === 'tools/list') {
      const from = Number(frame.params?.cursor ?? 0);
      const tools = (lists[name] ?? []).slice(from, from + PAGE).map((tool) => ({ name: tool, inputSchema: {} }));
      const nextCursor = from + PAGE < (lists[name]?.length ?? 0) ? { nextCursor: String(from + PAGE) } : {};
      return json(response, result(frame.id, { tools, ...nextCursor }));
    }
    if (frame.method === 'tools/call') calls.push(`${name} ${frame.params?.name}`);
    json(response, result(frame.id, { content: [{ type: 'text', text: `by ${name}` }] }));
  });
  onTestFinished(server.close);
  const say = (name: string, frame: object) => streams.get(name)?.write(`data: ${JSON.stringify(frame)}\n\n`);
  return { server, calls, say, streams };
}

/** A home with these servers, alone or with the application that asks the user, and clients of all servers as one. */
async function open(lists: Record<string, string[]>, how = 'alone') {
  const { server, calls, say, streams } = await startServers(lists);
  const { home, close } = await homeWith({ acme: { host: server.origin, token: 'dapi-acme' } });
  onTestFinished(close);
  const env = environment(home, { CAUSEWAY_HOME: home });
  const folder = configFolder(env);
  await mkdir(folder, { recursive: true });
  const servers = Object.keys(lists).map((name) => ({ name, profile: 'acme', kind: 'functions', path: pathOf(name) }));
  await writeFile(join(folder, 'servers.json'), JSON.stringify({ version: 1, servers }));
  const approvals = new ApprovalQueue({ waits: () => ({ firstMs: 60_000, mostMs: 60_000 }) });
  if (how !== 'alone') {
    const causeway = createCauseway({ env });
    const hub = await causeway.serveProxies(undefined, approvals);
    onTestFinished(async () => {
      await hub.close();
      await causeway.close();
    });
  }
  const file = join(folder, 'permissions.json');
  const write = async (text: string) => {
    await writeFile(`${file}.new`, text);
    await rename(`${file}.new`, file);
  };
  const permission = (
    of: Record<string, NonNullable<Permissions['servers']>[string]>,
    more: Partial<Permissions> = {},
  ) =>
    write(
      JSON.stringify({
        version: 1,
        ...more,
        servers: Object.fromEntries(
          Object.entries(of).map(([name, permissions]) => [serverKey(server.origin, pathOf(name)), permissions]),
        ),
      }),
    );
  const startClient = async () => {
    const proxy = new ProxyProcess(['--all'], env);
    onTestFinished(() => proxy.close());
    await proxy.open({ clientInfo: { name: 'codex-mcp-client', version: '1' } });
    let last = 0;
    const call = async (name: string, args: object = {}) => {
      last += 1;
      const { result: answer, error } = await proxy.request(`call-${last}`, 'tools/call', { name, arguments: args });
      return error ? error.message : String(JSON.parse(JSON.stringify(answer)).content[0].text);
    };
    const tools = async () => {
      last += 1;
      const { result: answer } = await proxy.request(`list-${last}`, 'tools/list');
      return (JSON.parse(JSON.stringify(answer)).tools as { name: string }[]).map(({ name }) => name);
    };
    const changes = () => proxy.frames.filter((frame) => frame.includes('tools/list_changed')).length;
    return { proxy, call, tools, changes };
  };
  return { approvals, calls, say, streams, write, permission, startClient, file };
}

describe.each(['alone', 'through the application'])('all servers as one, %s', (how) => {
  test('offer three hundred tools in pages, and each call reaches its own server', async () => {
    const names = ['one', 'two', 'three'];
    const own = (server: string) => Array.from({ length: 90 }, (_, at) => `${server}_${at}`);
    const shared = Array.from({ length: 10 }, (_, at) => `shared_${at}`);
    const { startClient, calls } = await open(
      Object.fromEntries(names.map((name) => [name, [...own(name), ...shared]])),
      how,
    );
    const { tools, call } = await startClient();
    const listed = await tools();
    expect(listed).toHaveLength(300);
    expect(new Set(listed).size).toBe(300);
    for (const name of ['one_89', 'two_0', 'three__shared_9', 'one__shared_0']) {
      const server = name.split('_')[0];
      expect(await call(name)).toBe(`by ${server}`);
      expect(calls.at(-1)).toBe(`${server} ${name.replace(`${server}__`, '')}`);
    }
    expect(await call('shared_3')).toContain('Several servers have a tool "shared_3"');
    expect(calls).toHaveLength(4);
  });

  test('gather a storm of list changes, and answer calls during it', async () => {
    const { startClient, say, streams } = await open({ one: ['run'], two: ['look'] }, how);
    const { proxy, tools, call, changes } = await startClient();
    await tools();
    await expect.poll(() => streams.size).toBe(2);
    for (let at = 0; at < 2_000; at += 1) {
      say('one', { jsonrpc: '2.0', method: 'notifications/tools/list_changed' });
      if (at % 500 === 0) expect(await call('look')).toBe('by two');
    }
    say('one', { jsonrpc: '2.0', method: 'notifications/message', params: { level: 'info', data: 'over' } });
    await expect.poll(() => proxy.frames.some((frame) => frame.includes('over')), { timeout: 20_000 }).toBe(true);
    await expect.poll(changes).toBeGreaterThan(0);
    expect(changes()).toBeLessThan(500);
    expect((await tools()).toSorted()).toEqual(['look', 'run']);
  });

  test('follow permissions that become unreadable and readable again in a session', async () => {
    const { startClient, permission, write, file, calls } = await open({ one: ['run', 'drop'], two: ['look'] }, how);
    const { tools, call, changes } = await startClient();
    await permission({ one: { off: ['drop'] } });
    expect((await tools()).toSorted()).toEqual(['look', 'run']);
    const before = changes();
    await write('{"version":1,"servers":');
    expect(await call('run')).toMatch(/^The permissions in .* cannot be read/);
    expect(await call('look')).toMatch(/^The permissions in .* cannot be read/);
    expect(await tools()).toEqual([]);
    await expect.poll(changes).toBeGreaterThan(before);
    await rm(file);
    await mkdir(file);
    expect(await call('run')).toContain('cannot be read (it is a folder, not a file).');
    await rm(file, { recursive: true });
    await permission({ one: { off: ['run'] } });
    expect(await call('drop')).toBe('by one');
    expect(await call('run')).toContain('The user has turned off "run"');
    expect((await tools()).toSorted()).toEqual(['drop', 'look']);
    expect(calls).toEqual(['one drop']);
  });
});

describe('a call through all servers as one that asks first', () => {
  const asking = async () => {
    const opened = await open({ one: ['drop'], two: ['drop'] }, 'through the application');
    await opened.permission({ one: { ask: ['drop'] } });
    const waits = async () => {
      await expect.poll(() => opened.approvals.pending).toHaveLength(1);
      return opened.approvals.pending[0]?.id ?? 0;
    };
    return { ...opened, waits };
  };

  test('is answered once however many answers the user gives', async () => {
    const { approvals, calls, startClient, waits } = await asking();
    const { tools, call } = await startClient();
    await tools();
    const answer = call('one__drop', { q: 1 });
    const id = await waits();
    expect(approvals.find(id)).toMatchObject({ client: 'codex-mcp-client', tool: 'drop', arguments: '{"q":1}' });
    approvals.answer(id, 'refused');
    expect(() => approvals.answer(id, 'allowed')).toThrow('no longer waiting');
    expect(await answer).toContain('The user refused this call of "drop"');
    expect(await call('two__drop')).toBe('by two');
    expect(calls).toEqual(['two drop']);
  });

  test('is forgotten with a client that goes; the next client is asked about anew', async () => {
    const { approvals, calls, startClient, waits } = await asking();
    const first = await startClient();
    await first.tools();
    first.proxy.send({ jsonrpc: '2.0', id: 'x', method: 'tools/call', params: { name: 'one__drop' } });
    const former = await waits();
    await first.proxy.close();
    await expect.poll(() => approvals.pending).toEqual([]);
    const second = await startClient();
    await second.tools();
    const answer = second.call('one__drop');
    const id = await waits();
    expect(() => approvals.answer(former, 'allowed')).toThrow('no longer waiting');
    expect(calls).toEqual([]);
    approvals.answer(id, 'allowed');
    expect(await answer).toBe('by one');
    expect(calls).toEqual(['one drop']);
  });

  test('does not run once its client has cancelled it', async () => {
    const { approvals, calls, startClient, waits } = await asking();
    const { proxy, tools, call } = await startClient();
    await tools();
    proxy.send('{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"name":"one__drop"}}');
    const id = await waits();
    proxy.send('{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":7.0}}');
    await expect.poll(() => approvals.pending).toEqual([]);
    expect(() => approvals.answer(id, 'allowed')).toThrow('no longer waiting');
    await call('two__drop');
    expect(calls).toEqual(['two drop']);
  });

  test('is refused with the reason if the permissions become unreadable meanwhile', async () => {
    const { approvals, calls, startClient, waits, write } = await asking();
    const { tools, call } = await startClient();
    await tools();
    const answer = call('one__drop');
    await waits();
    await write('no permissions');
    expect(await answer).toMatch(/^The permissions in .* cannot be read/);
    expect(approvals.pending).toEqual([]);
    expect(calls).toEqual([]);
  });
});
