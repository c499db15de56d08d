/** A hub whose bridges throw in callbacks, in a process with the application's kind of last-resort handlers. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Bridge } from '../../../main/bridge/layers.ts';
import { readRendezvous } from '../../../main/hub/rendezvous.ts';
import { startHub } from '../../../main/hub/server.ts';
import { endSessionBehind } from '../../../main/hub/session-scope.ts';
import { enter } from './handshake.ts';

const folder = mkdtempSync(join(tmpdir(), 'causeway-faulty-'));
let outside: boolean | undefined;
const lastResort = (error: unknown) => {
  const isSession = endSessionBehind(error);
  if (!isSession) outside = isSession;
};
process.on('uncaughtException', lastResort);
process.on('unhandledRejection', lastResort);
console.error = () => {};

const bridge = (receive: Bridge['receive']): Bridge => ({
  receive,
  fault: () => {},
  pendingBytes: 0,
  onSettled: () => {},
  finish: async () => {},
  close: async () => {},
});
const fail = () => {
  throw new Error('a fault');
};
const hub = await startHub({
  folder,
  serve: async ({ path }, sink) => {
    if (path === '/timer') return bridge(() => void setTimeout(fail, 1));
    if (path === '/promise') return bridge(() => void Promise.resolve().then(fail));
    return bridge((frame) => sink.write(frame));
  },
});
const rendezvous = readRendezvous(folder);
if (!rendezvous) throw new Error('the hub has not said where it is');
const healthy = await enter(rendezvous, { path: '/healthy' });
for (const name of ['timer', 'promise']) {
  const faulty = await enter(rendezvous, { path: `/${name}` });
  faulty.send({ jsonrpc: '2.0', id: 1, method: 'x' });
  if ((await faulty.heard()) === undefined) console.log(`ended ${name}`);
}
healthy.send({ jsonrpc: '2.0', id: 1, method: 'x' });
if (await healthy.heard()) console.log('healthy answered');
await new Promise<void>((resolve) => {
  setTimeout(fail, 1);
  setTimeout(resolve, 50);
});
console.log(`outside ${outside}`);
healthy.socket.destroy();
await hub.close();
rmSync(folder, { recursive: true });
process.exit(0);
