import { EventEmitter, once } from 'node:events';
import { createServer, request } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';

/** Stands before a workspace and hears which MCP methods arrive. */
export interface Tap extends AsyncDisposable {
  host: string;
  /** The methods, in the order in which they came. */
  methods: string[];
  /** Resolves when that method has been answered. */
  answered(method: string): Promise<void>;
}

/** Opens a tap before the workspace at that origin. */
export async function openTap(origin: string): Promise<Tap> {
  const methods: string[] = [];
  const answers = new EventEmitter();
  const server = createServer(async (incoming, outgoing) => {
    const body = await buffer(incoming);
    const method = /"method"\s*:\s*"([^"]+)"/.exec(body.toString('utf8'))?.[1];
    if (method !== undefined) methods.push(method);
    const { host } = new URL(origin);
    const options = { method: incoming.method, headers: { ...incoming.headers, host } };
    request(new URL(incoming.url ?? '/', origin), options, (answer) => {
      outgoing.writeHead(answer.statusCode ?? 502, answer.headers);
      answer.pipe(outgoing);
      outgoing.once('close', () => method !== undefined && answers.emit(method));
    })
      .on('error', () => outgoing.destroy())
      .end(body);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port }: Partial<AddressInfo> = Object(server.address());
  return {
    host: `http://127.0.0.1:${port}`,
    methods,
    answered: async (method) => void (await once(answers, method)),
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
