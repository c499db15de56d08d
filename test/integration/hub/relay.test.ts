import { once } from 'node:events';
import { connect, createServer, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, expect, it } from 'vitest';
import type { HubConnection } from '../../../main/hub/attach.ts';
import { Relay } from '../../../main/hub/relay.ts';
import { CollectingSink } from '../bridge/harness.ts';

const ends: (() => void)[] = [];
afterEach(() => {
  for (const end of ends.splice(0)) end();
});

/** A client's sink that counts who waits for it. */
class CountingSink extends CollectingSink {
  listeners = 0;

  override onDrain(listener: () => void): void {
    this.listeners += 1;
    super.onDrain(listener);
  }
}

/** The hub's end of a connection, and the proxy's. */
async function connected(): Promise<{ hub: Socket; connection: HubConnection }> {
  const server = createServer({ allowHalfOpen: true });
  server.listen(join(tmpdir(), `causeway-relay-${process.pid}-${Math.random()}.sock`));
  await once(server, 'listening');
  const address = server.address();
  const socket = connect({ path: typeof address === 'string' ? address : '', allowHalfOpen: true });
  const [hub] = await once(server, 'connection');
  ends.push(() => {
    hub.destroy();
    socket.destroy();
    server.close();
  });
  return { hub, connection: { socket, rest: Buffer.alloc(0) } };
}

it('a session that moves to one hub after the other leaves no listener behind, and still heeds a paused client', async () => {
  const sink = new CountingSink();
  let { hub, connection } = await connected();
  const next: (() => void)[] = [];
  const relay = new Relay(connection, sink, {
    reattach: async () => {
      const again = await connected();
      hub = again.hub;
      next.shift()?.();
      return again.connection;
    },
    alone: () => Promise.reject(new Error('there is always a hub')),
  });
  const before = sink.listeners;
  for (let move = 0; move < 20; move += 1) {
    const moved = new Promise<void>((resolve) => next.push(resolve));
    hub.destroy();
    await moved;
  }
  expect(sink.listeners).toBe(before);
  sink.flowing = false;
  hub.write('{"jsonrpc":"2.0","method":"first"}\n');
  await sink.until(1);
  hub.write('{"jsonrpc":"2.0","method":"second"}\n');
  sink.drain();
  expect((await sink.until(2)).map(String).at(-1)).toContain('second');
  await relay.close();
});
