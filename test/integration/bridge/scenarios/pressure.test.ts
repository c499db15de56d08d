import { readFile } from 'node:fs/promises';
import { afterEach, expect, it } from 'vitest';
import { json, orderly, result } from '../scripted-server.ts';
import { Stage } from './hostile.ts';

const stage = new Stage();
afterEach(() => stage.close());

it.each<[string, number, Record<string, string>]>([
  ['429 with Retry-After', 429, { 'retry-after': '1' }],
  ['503 with Retry-After', 503, { 'retry-after': '1' }],
  ['503 without a reason', 503, {}],
])('a call that is deferred (%s) is sent again when allowed, and runs once', async (_name, status, headers) => {
  let refusals = 2;
  const ran: unknown[] = [];
  const session = orderly({
    onCall: ({ frame }, response) => {
      refusals -= 1;
      if (refusals >= 0) return void response.writeHead(status, headers).end();
      ran.push(frame?.id);
      json(response, result(frame?.id, 'at last'));
    },
  });
  const { proxy } = await stage.begin(session.script);
  await proxy.open();
  expect(await proxy.request(1, 'tools/call')).toMatchObject({ result: 'at last' });
  expect(ran).toEqual([1]);
});

it('request ids of every valid kind come back as they were written, even from a server that mangles them', async () => {
  const ids = ['0', '-1', '1.0', '1e2', '9007199254740993', '"text"', '""', '"ä\\u00e4\\""', '"0"'];
  const session = orderly({
    onCall: ({ frame }, response) => json(response, result(-7, String(frame?.params?.text))),
  });
  const { proxy } = await stage.begin(session.script);
  await proxy.open();
  for (const [at, id] of ids.entries()) {
    proxy.send(`{"jsonrpc":"2.0","id":${id},"method":"tools/call","params":{"text":"${at}"}}`);
  }
  await proxy.until(ids.length + 1);
  expect(proxy.frames.slice(1).map(String).toSorted()).toEqual(
    ids.map((id, at) => `{"jsonrpc":"2.0","id":${id},"result":"${at}"}`).toSorted(),
  );
});

it.skipIf(process.platform !== 'linux')('an idle connection is checked by TCP keep-alive', async () => {
  const { server, proxy } = await stage.begin(orderly({ onCall: () => {} }).script);
  await proxy.open();
  proxy.send({ jsonrpc: '2.0', id: 1, method: 'tools/call' });
  await expect.poll(() => server.count('tools/call')).toBe(1);
  const port = Number(new URL(server.origin).port).toString(16).toUpperCase().padStart(4, '0');
  // proc(5): a connection's other end, its state (01: it is open), its timer (02: for keep-alive).
  const open = new RegExp(`:\\w{4} \\w+:${port} 01 \\S+ (\\d\\d):`, 'g');
  const timers = async () => {
    const tables = await Promise.all(['tcp', 'tcp6'].map((name) => readFile(`/proc/net/${name}`, 'utf8')));
    return Array.from(tables.join('').matchAll(open), ([, timer]) => timer);
  };
  await expect.poll(async () => new Set(await timers())).toEqual(new Set(['02']));
});

it('three thousand calls, hundreds at a time, write nothing to stderr', async () => {
  const { proxy } = await stage.begin(orderly().script);
  await proxy.open();
  for (let id = 0; id < 3_000; id += 1) proxy.send(`{"jsonrpc":"2.0","id":${id},"method":"tools/call"}`);
  await proxy.until(3_001);
  expect(await proxy.finish()).toBe(0);
  expect(proxy.frames).toHaveLength(3_001);
  expect(proxy.stderr).toBe('');
});
