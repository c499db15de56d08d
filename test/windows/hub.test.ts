import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { attach } from '../../main/hub/attach.ts';
import { prepareRendezvous } from '../../main/hub/publish.ts';
import { type Rendezvous, readRendezvous } from '../../main/hub/rendezvous.ts';
import { type Hub, startHub } from '../../main/hub/server.ts';
import { enter, linesOf } from '../integration/hub/handshake.ts';
import { kill, setStage, UNDER_WINE } from './stage.ts';

const HUB_START = fileURLToPath(new URL('../integration/faults/hub-start.ts', import.meta.url));

const stage = setStage();
const folder = () => join(stage.home, '.causeway');

async function start(): Promise<{ hub: Hub; rendezvous: Rendezvous }> {
  const hub = await startHub({
    folder: folder(),
    env: stage.env,
    serve: () => Promise.reject(new Error('There is no bridge.')),
  });
  stage.atEnd(() => hub.close());
  const rendezvous = readRendezvous(folder());
  assert.ok(rendezvous);
  return { hub, rendezvous };
}

test('the hub listens on a pipe with an unpredictable name, which is a new one at each start', async () => {
  const names = new Set<string>();
  for (let times = 0; times < 2; times += 1) {
    const { hub, rendezvous } = await start();
    assert.match(rendezvous.address, /^\\\\\.\\pipe\\causeway-[0-9a-f]{32}$/);
    names.add(rendezvous.address);
    await hub.close();
  }
  assert.equal(names.size, 2);
});

test('hub and proxy prove to each other that they hold the secret', async () => {
  const { rendezvous } = await start();
  // It has proven itself, and says that it serves nobody.
  assert.equal(Object((await enter(rendezvous, { path: '/api/2.0/mcp/sql' })).welcome).ready, false);
  await assert.rejects(enter({ ...rendezvous, secret: 'another' }, { path: '/api/2.0/mcp/sql' }), /not proven itself/);
});

test('a program that only reads from the pipe receives nothing', async () => {
  const { rendezvous } = await start();
  assert.equal(await linesOf(rendezvous.address).heard(), undefined);
});

test('a program that listens under the name of a hub that has ended learns nothing', async () => {
  const rendezvous = await prepareRendezvous(folder(), stage.env);
  let heard = '';
  const impostor = createServer((socket) => {
    socket
      .on('error', () => {})
      .on('data', (chunk) => {
        heard += String(chunk);
        socket.write(`${JSON.stringify({ hub: 2, nonce: 'x'.repeat(43), proof: 'y'.repeat(43) })}\n`);
      });
  }).listen(rendezvous.address);
  await once(impostor, 'listening');
  stage.atEnd(() => impostor.close());
  const { kind } = await attach(rendezvous, { path: '/api/2.0/mcp/a-secret-place' });
  assert.equal(kind, 'impostor');
  assert.ok(!heard.includes('a-secret-place') && !heard.includes(rendezvous.secret));
});

test('nobody else can listen under the name of a running hub', async (context) => {
  const { rendezvous } = await start();
  const second = createServer().listen(rendezvous.address);
  const outcome = await Promise.race([
    once(second, 'error').then(([error]) => String(Object(error).code)),
    once(second, 'listening').then(() => 'listening'),
  ]);
  second.close();
  // Wine lets a second program make an instance of a pipe that must be the first.
  if (outcome === 'listening' && UNDER_WINE) return context.skip('Wine opens a pipe twice that must be the first');
  assert.match(outcome, /EADDRINUSE|EACCES/);
});

test('a hub replaces one that was killed, and a second one does not start beside it', async () => {
  const first = stage.program([HUB_START]);
  await once(first.stdout, 'data');
  const stale = readRendezvous(folder());
  await kill(first);
  const { rendezvous } = await start();
  assert.notEqual(rendezvous.address, stale?.address);
  await assert.rejects(start(), /already running/);
});
