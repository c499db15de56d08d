import { connect, type Socket } from 'node:net';
import { createInterface } from 'node:readline';
import type { Rendezvous } from '../../../main/hub/rendezvous.ts';
import { freshNonce, HUB_PROTOCOL, proofOf } from '../../../main/hub/wire.ts';

/** A connection to a hub, line by line. */
export interface Lines {
  socket: Socket;
  send(value: unknown): void;
  /** The next line as JSON; undefined at the end. */
  heard(): Promise<Record<string, unknown> | undefined>;
}

/** Connects to whatever listens at an address. */
export function linesOf(address: string): Lines {
  const socket = connect(address);
  socket.on('error', () => {});
  const lines = createInterface({ input: socket })[Symbol.asyncIterator]();
  return {
    socket,
    send: (value) => socket.write(`${typeof value === 'string' ? value : JSON.stringify(value)}\n`),
    heard: async () => {
      const { value, done } = await lines.next();
      return done ? undefined : JSON.parse(String(value));
    },
  };
}

/** Proves itself to a hub as a proxy does, and asks for a server. Gives the hub's answer too. */
export async function enter(
  { address, secret }: Pick<Rendezvous, 'address' | 'secret'>,
  request: { path: string; profile?: string },
  more: Record<string, unknown> = {},
): Promise<Lines & { welcome: unknown }> {
  const lines = linesOf(address);
  const proxyNonce = freshNonce();
  lines.send({ hub: HUB_PROTOCOL, nonce: proxyNonce });
  const challenge = await lines.heard();
  const transcript = { address, proxyNonce, hubNonce: String(challenge?.nonce) };
  if (challenge?.proof !== proofOf('hub', secret, transcript)) throw new Error('the hub has not proven itself');
  lines.send({ proof: proofOf('proxy', secret, transcript), version: '0', pid: process.pid, request, ...more });
  return { ...lines, welcome: await lines.heard() };
}
