import { mkdtemp, rm } from 'node:fs/promises';
import type { ServerResponse } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { type BridgeUnderTest, bridgeTo } from './harness.ts';
import { json, result, type Script, type ScriptedServer, startScriptedServer } from './scripted-server.ts';

/** What is built here ends with the test that asked for it, the latest first. */

type Options = Parameters<typeof bridgeTo>[1];

/** A client of a bridge, and the server behind it. */
export type Connected = BridgeUnderTest & { server: ScriptedServer };

/** A server that does what the test tells it. */
export async function serve(script: Script): Promise<ScriptedServer> {
  const server = await startScriptedServer(script);
  onTestFinished(() => server.close());
  return server;
}

/** A client of whatever is there, through its own bridge. */
export async function clientOf(origin: string, options?: Options): Promise<BridgeUnderTest> {
  const client = await bridgeTo(origin, options);
  onTestFinished(() => client.close());
  return client;
}

/** A client of a server that does what the test tells it. */
export async function connect(to: Script | ScriptedServer, options?: Options): Promise<Connected> {
  const server = typeof to === 'function' ? await serve(to) : to;
  return Object.assign(await clientOf(server.origin, options), { server });
}

/** The same, in a session that the client has opened. */
export async function opened(to: Script | ScriptedServer, options?: Options): Promise<Connected> {
  const client = await connect(to, options);
  await client.open();
  return client;
}

/** The environment of a user of whom nothing is known yet. */
export async function newcomer(): Promise<{ CAUSEWAY_HOME: string }> {
  const home = await mkdtemp(join(tmpdir(), 'causeway-home-'));
  onTestFinished(() => rm(home, { recursive: true, force: true }));
  return { CAUSEWAY_HOME: home };
}

/** The frames with this id that the client has read. */
export function asked(client: Connected, id: number | string): string[] {
  return client.sink.frames.map(String).filter((frame) => JSON.parse(frame).id === id);
}

/** What the client reads of one call, with a call behind it that is answered well: all that could come has come. */
export async function framesFor(answer: (response: ServerResponse) => void): Promise<string[]> {
  const client = await connect(({ frame }, response) => {
    if (frame?.method === 'last') json(response, result(frame.id));
    else answer(response);
  });
  const { bridge, sink } = client;
  client.send('{"jsonrpc":"2.0","id":1,"method":"tools/call"}');
  await client.sink.until(1);
  await client.request('z', 'last');
  await bridge.finish(5_000);
  return sink.frames.map(String).filter((frame) => !frame.includes('"z"'));
}

/** The answer to one call that the client reads. */
export async function answerTo(answer: (response: ServerResponse) => void) {
  const client = await connect((_arrival, response) => answer(response));
  return client.request(1, 'tools/call');
}
