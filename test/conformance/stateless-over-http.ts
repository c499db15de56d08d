import type { ChildProcessByStdio } from 'node:child_process';
import { once } from 'node:events';
import { createServer, type ServerResponse } from 'node:http';
import { createInterface } from 'node:readline';
import type { Readable, Writable } from 'node:stream';

const PROTOCOL = 'io.modelcontextprotocol/protocolVersion';
const SUBSCRIPTION = 'io.modelcontextprotocol/subscriptionId';
const REVISION = '2026-07-28';

/** The statuses that HTTP adds to errors of revision 2026-07-28. */
const STATUSES = new Map([
  [-32601, 404],
  [-32602, 400],
  [-32020, 400],
  [-32021, 400],
  [-32022, 400],
]);

interface Open {
  id: unknown;
  progressToken: unknown;
  isListener: boolean;
  response: ServerResponse;
}

/**
 * Serves a stdio server of revision 2026-07-28 over HTTP, all requests through one process as an AI client would send
 * them: what a suite that speaks nothing but HTTP needs. Requests that are left are cancelled.
 */
export async function serveStatelessOverHttp(child: ChildProcessByStdio<Writable, Readable, null>) {
  const open = new Map<string, Open>();
  let numbered = 0;
  const send = (frame: unknown) => child.stdin.write(`${JSON.stringify(frame)}\n`);
  createInterface({ input: child.stdout }).on('line', (line) => pass(JSON.parse(line)));

  function pass(frame: Record<string, unknown>): void {
    const params = Object(frame.params);
    const meta = Object(params._meta);
    if (frame.method === undefined) {
      const own = open.get(String(frame.id));
      open.delete(String(frame.id));
      if (own) finish(own, { ...frame, id: own.id });
      return;
    }
    const subscription = open.get(String(meta[SUBSCRIPTION]));
    const owner =
      subscription ??
      [...open.values()].find(
        ({ progressToken }) => progressToken !== undefined && progressToken === params.progressToken,
      ) ??
      [...open.values()].findLast(({ isListener }) => !isListener);
    if (!owner) return;
    begin(owner.response);
    const told = subscription ? { ...params, _meta: { ...meta, [SUBSCRIPTION]: subscription.id } } : params;
    owner.response.write(`data: ${JSON.stringify({ ...frame, params: told })}\n\n`);
  }

  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk);
    if (request.method !== 'POST') return void response.writeHead(405).end();
    const frame = JSON.parse(Buffer.concat(chunks).toString());
    if (frame.id === undefined) {
      send(frame);
      return void response.writeHead(202).end();
    }
    numbered += 1;
    const id = `suite-${numbered}`;
    const { progressToken } = Object(Object(frame.params)._meta);
    open.set(id, { id: frame.id, progressToken, isListener: frame.method === 'subscriptions/listen', response });
    response.on('close', () => {
      if (open.delete(id)) send({ jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: id } });
    });
    send({ ...frame, id });
  });

  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  if (typeof address !== 'object' || address === null) throw new Error('no address');
  // A client of this revision asks first what the server is: from then on the revision of this one is known.
  const capabilities = { sampling: {}, elicitation: {}, roots: {} };
  const _meta = { [PROTOCOL]: REVISION, 'io.modelcontextprotocol/clientCapabilities': capabilities };
  send({ jsonrpc: '2.0', id: 'first', method: 'server/discover', params: { _meta } });
  return {
    url: `http://127.0.0.1:${address.port}/mcp`,
    close: () => {
      child.kill();
      server.closeAllConnections();
      server.close();
    },
  };
}

function begin(response: ServerResponse): void {
  if (response.headersSent) return;
  response.writeHead(200, { 'content-type': 'text/event-stream' });
}

function finish({ response }: Open, frame: Record<string, unknown>): void {
  if (response.headersSent) return void response.end(`data: ${JSON.stringify(frame)}\n\n`);
  const status = STATUSES.get(Number(Object(frame.error).code)) ?? 200;
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(frame));
}
