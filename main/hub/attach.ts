import { connect, type Socket } from 'node:net';
import type { ServerRequest } from '../bridge/endpoint.ts';
import { VERSION } from '../platform/version.ts';
import type { Rendezvous } from './rendezvous.ts';
import { firstLine, HELLO_MS, type Hello, HUB_PROTOCOL } from './wire.ts';

/** An open way to the hub: frames from here on. `rest` is what had already arrived of them. */
export interface HubConnection {
  socket: Socket;
  rest: Buffer;
}

/** Connects to the hub and asks for a server. Undefined where no hub answers, or where it will not serve this request. */
export function attach(rendezvous: Rendezvous, request: ServerRequest): Promise<HubConnection | undefined> {
  const hello: Hello = { hub: HUB_PROTOCOL, secret: rendezvous.secret, version: VERSION, pid: process.pid, request };
  return new Promise((resolve) => {
    const socket = connect({ path: rendezvous.address, allowHalfOpen: true });
    const tooSlow = setTimeout(() => socket.destroy(), HELLO_MS * 5);
    let received = Buffer.alloc(0);
    const listen = (chunk: Buffer) => {
      received = Buffer.concat([received, chunk]);
      const first = firstLine(received);
      if (!first) return;
      socket.off('data', listen);
      socket.pause();
      if (isReady(first.line)) {
        clearTimeout(tooSlow);
        socket.removeAllListeners('close');
        resolve({ socket, rest: first.rest });
      } else socket.destroy();
    };
    socket.on('data', listen);
    // Nobody listens there, or the peer let go: 'close' follows and says so.
    socket.on('error', () => {});
    socket.on('close', () => {
      clearTimeout(tooSlow);
      resolve(undefined);
    });
    socket.write(`${JSON.stringify(hello)}\n`);
  });
}

/** Whether something listens at a hub's address. */
export function isHubAlive({ address }: Rendezvous): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect({ path: address });
    const settle = (alive: boolean) => {
      socket.destroy();
      resolve(alive);
    };
    socket.once('connect', () => settle(true));
    socket.once('error', () => settle(false));
  });
}

function isReady(line: string): boolean {
  try {
    const welcome: unknown = JSON.parse(line);
    return (
      typeof welcome === 'object' &&
      welcome !== null &&
      'hub' in welcome &&
      welcome.hub === HUB_PROTOCOL &&
      'ready' in welcome &&
      welcome.ready === true
    );
  } catch {
    return false;
  }
}
