import { createServer, request } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';

/** Stands before a workspace and hears which MCP methods arrive. */
export interface Tap extends AsyncDisposable {
  host: string;
  /** The methods, in the order in which they came. */
  methods: string[];
  /** What clients called themselves when they opened a session. */
  clientNames: Set<string>;
}

/**
 * Opens a tap before the workspace at that origin.
 * @param callTakesMs how long the first `tools/call` takes before it is passed on
 */
export async function openTap(origin: string, callTakesMs = 0): Promise<Tap> {
  const methods: string[] = [];
  const clientNames = new Set<string>();
  const server = createServer(async (incoming, outgoing) => {
    const body = await buffer(incoming);
    const method = /"method"\s*:\s*"([^"]+)"/.exec(body.toString('utf8'))?.[1];
    if (method !== undefined) methods.push(method);
    const clientName = /"clientInfo"\s*:\s*\{[^}]*?"name"\s*:\s*"([^"]+)"/.exec(body.toString('utf8'))?.[1];
    if (clientName !== undefined) clientNames.add(clientName);
    const calls = methods.filter((name) => name === 'tools/call').length;
    if (method === 'tools/call' && calls === 1 && callTakesMs > 0) await sleep(callTakesMs);
    const { host } = new URL(origin);
    const options = { method: incoming.method, headers: { ...incoming.headers, host } };
    request(new URL(incoming.url ?? '/', origin), options, (answer) => {
      outgoing.writeHead(answer.statusCode ?? 502, answer.headers);
      answer.pipe(outgoing);
    })
      .on('error', () => outgoing.destroy())
      .end(body);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port }: Partial<AddressInfo> = Object(server.address());
  return {
    host: `http://127.0.0.1:${port}`,
    methods,
    clientNames,
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
