import { onTestFinished } from 'vitest';
import { type BridgeUnderTest, bridgeTo } from './harness.ts';
import { type Script, type ScriptedServer, startScriptedServer } from './scripted-server.ts';

/** A client of a bridge, and the server behind it. */
export type Connected = BridgeUnderTest & { server: ScriptedServer };

/** A server that does what the test tells it, and ends with the test. */
export async function serve(script: Script): Promise<ScriptedServer> {
  const server = await startScriptedServer(script);
  onTestFinished(() => server.close());
  return server;
}

/** A client of such a server through a bridge of its own, which ends before the server. */
export async function connect(
  to: Script | ScriptedServer,
  options: Parameters<typeof bridgeTo>[1] = {},
): Promise<Connected> {
  const server = typeof to === 'function' ? await serve(to) : to;
  const client = await bridgeTo(server.origin, options);
  onTestFinished(() => client.close());
  return Object.assign(client, { server });
}

/** The same, with the session opened. */
export async function opened(...given: Parameters<typeof connect>): Promise<Connected> {
  const client = await connect(...given);
  await client.open();
  return client;
}
