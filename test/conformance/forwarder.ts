import { once } from 'node:events';
import { createServer, request } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';

/** What begins a conversation: a server that has to start first is slow to answer it. */
const FIRST = ['"method":"initialize"', '"method":"server/discover"'];

/**
 * Serves a server that is at another path under `/api/`, where managed servers stand, and changes nothing else, except
 * that one of the stateless revision alone knows no `initialize` (those of the suite know both), and that its first answer
 * comes `slowMs` late.
 */
export async function startForwarder(target: URL, knowsInitialize = true, slowMs = 0) {
  const server = createServer(async (incoming, outgoing) => {
    const { method, headers } = incoming;
    const chunks: Buffer[] = [];
    for await (const chunk of incoming) chunks.push(chunk);
    const body = Buffer.concat(chunks);
    if (slowMs > 0 && FIRST.some((method) => body.includes(method))) await sleep(slowMs);
    if (!knowsInitialize && body.includes('"method":"initialize"')) {
      const error = { code: -32601, message: 'Method not found' };
      outgoing.writeHead(404, { 'content-type': 'application/json' });
      outgoing.end(JSON.stringify({ jsonrpc: '2.0', id: JSON.parse(body.toString()).id, error }));
      return;
    }
    const onward = request(target, { method, headers: { ...headers, host: target.host } }, (answer) => {
      outgoing.writeHead(answer.statusCode ?? 502, answer.headers);
      outgoing.flushHeaders();
      answer.pipe(outgoing);
      answer.on('error', () => outgoing.destroy());
    });
    onward.on('error', () => outgoing.destroy());
    outgoing.on('close', () => onward.destroy());
    onward.end(body);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  if (typeof address !== 'object' || address === null) throw new Error('no address');
  return {
    origin: `http://127.0.0.1:${address.port}`,
    close: () => {
      server.closeAllConnections();
      server.close();
    },
  };
}
