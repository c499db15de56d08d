import type { ServerResponse } from 'node:http';
import { afterEach, expect, it } from 'vitest';
import { createCauseway } from '../../../main/app/causeway.ts';
import { json, orderly, result, startScriptedServer } from '../bridge/scripted-server.ts';
import { environment, homeWith, ProxyProcess } from '../proxy/proxy-process.ts';

const CALLS = 1_000;
const ends: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const end of ends.splice(0).reverse()) await end();
});

it('a client with a thousand calls in flight has a limited share of the workspace, and others are served meanwhile', {
  timeout: 60_000,
}, async () => {
  const held: (() => void)[] = [];
  let isHolding = true;
  const hold = (response: ServerResponse, id: unknown) => {
    const answer = () => json(response, result(id, { content: [] }));
    if (isHolding) held.push(answer);
    else answer();
  };
  const script = orderly({
    onCall: ({ frame }, response) => {
      if (Object(frame?.params).name === 'slow') hold(response, frame?.id);
      else json(response, result(frame?.id, { content: [] }));
    },
  });
  const server = await startScriptedServer(script.script);
  const { home, close } = await homeWith({ acme: { host: server.origin, token: 'dapi-acme' } });
  const env = environment(home, { CAUSEWAY_HOME: home });
  const causeway = createCauseway({ env });
  const hub = await causeway.serveProxies();
  ends.push(
    close,
    () => server.close(),
    () => causeway.close(),
    () => hub.close(),
  );
  const proxy = async () => {
    const client = new ProxyProcess(['--path', '/api/2.0/mcp/sql'], env);
    ends.push(() => client.close());
    await client.open();
    return client;
  };
  const [greedy, modest] = await Promise.all([proxy(), proxy()]);
  for (let id = 0; id < CALLS; id += 1) {
    greedy.send({ jsonrpc: '2.0', id, method: 'tools/call', params: { name: 'slow' } });
  }
  await expect.poll(() => held.length).toBeGreaterThanOrEqual(100);
  for (let id = 0; id < 20; id += 1) await modest.request(id, 'tools/call', { name: 'quick' });
  // Its listening stream was refused: all of the share is for calls.
  expect(held.length).toBeLessThanOrEqual(128);
  isHolding = false;
  for (const answer of held.splice(0)) answer();
  await greedy.until(CALLS + 1);
  const answered = new Set(greedy.frames.map((frame) => JSON.parse(String(frame)).id));
  expect(answered.size).toBe(CALLS + 1);
  expect(server.count('tools/call')).toBe(CALLS + 20);
});
