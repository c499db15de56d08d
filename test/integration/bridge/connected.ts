import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { type BridgeUnderTest, bridgeTo } from './harness.ts';
import { type Script, type ScriptedServer, startScriptedServer } from './scripted-server.ts';

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
