import { once } from 'node:events';
import { createServer, type IncomingMessage } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';

/** A company's proxy: it opens tunnels, and knows one host name more than this computer does. */
export interface ForwardProxy {
  address: string;
  /** What it was asked to connect to, in order. */
  asked: string[];
  close(): Promise<void>;
}

/**
 * @param hosts the `host:port` it connects to, each with the port on this computer that stands for it
 * @param login `user:password` that it demands
 */
export async function startForwardProxy(hosts: Record<string, number>, login?: string): Promise<ForwardProxy> {
  const asked: string[] = [];
  const sockets = new Set<Socket>();
  const server = createServer((_request, response) => void response.writeHead(405).end());
  server.on('connect', (request: IncomingMessage, client: Socket) => {
    const target = request.url ?? '';
    asked.push(target);
    client.on('error', () => {});
    const port = hosts[target];
    const expected = login && `Basic ${Buffer.from(login).toString('base64')}`;
    if (expected && request.headers['proxy-authorization'] !== expected) {
      client.end('HTTP/1.1 407 Proxy Authentication Required\r\n\r\n');
    } else if (port === undefined) client.end('HTTP/1.1 502 Bad Gateway\r\n\r\n');
    else {
      const upstream = connect(port, '127.0.0.1', () => {
        client.write('HTTP/1.1 200 Connection established\r\n\r\n');
        upstream.pipe(client).pipe(upstream);
      });
      upstream.on('error', () => client.destroy());
    }
  });
  server.on('connection', (socket: Socket) => {
    sockets.add(socket);
    socket.on('close', () => sockets.delete(socket));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    address: `127.0.0.1:${(server.address() as AddressInfo).port}`,
    asked,
    async close() {
      for (const socket of sockets) socket.destroy();
      server.close();
      await once(server, 'close');
    },
  };
}
