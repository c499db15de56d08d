import { chmod, mkdir, mkdtemp, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { lookUpHub, readRendezvous } from '../../../main/hub/rendezvous.ts';
import { startHub } from '../../../main/hub/server.ts';
import { enter } from './handshake.ts';

let base: string;
let folder: string;
const ends: (() => unknown)[] = [];

beforeEach(async () => {
  base = await mkdtemp(join(tmpdir(), 'causeway-long-'));
  folder = join(base, 'a'.repeat(120), 'hub');
  await mkdir(folder, { recursive: true, mode: 0o700 });
});
afterEach(async () => {
  for (const end of ends.splice(0).reverse()) await end();
  await rm(base, { recursive: true, force: true });
});

async function start(env: NodeJS.ProcessEnv): Promise<string> {
  const hub = await startHub({ folder, env, serve: () => Promise.reject(new Error('serves nobody')) });
  ends.push(() => hub.close());
  const rendezvous = readRendezvous(folder);
  if (!rendezvous) throw new Error('the hub is not to be found');
  const { welcome, socket } = await enter(rendezvous, { path: '/' });
  expect(welcome).toMatchObject({ ready: false });
  socket.destroy();
  return rendezvous.address;
}

describe.skipIf(process.platform === 'win32')('a hub whose folder is too long for a socket', () => {
  it("listens in the user's runtime folder", async () => {
    const runtime = join(base, 'run');
    await mkdir(runtime, { mode: 0o700 });
    expect(dirname(await start({ XDG_RUNTIME_DIR: runtime }))).toBe(runtime);
  });

  it('listens in its own temporary folder if other users can use that one, and removes it at the end', async () => {
    const runtime = join(base, 'run');
    await mkdir(runtime);
    await chmod(runtime, 0o777);
    const made = dirname(await start({ XDG_RUNTIME_DIR: runtime }));
    expect(made.startsWith(join(tmpdir(), 'causeway-'))).toBe(true);
    expect((await stat(made)).mode & 0o777).toBe(0o700);
    for (const end of ends.splice(0)) await end();
    await expect(stat(made)).rejects.toThrow('ENOENT');
  });

  it('is not trusted once other users can use the folder of its socket', async () => {
    const made = dirname(await start({}));
    await chmod(made, 0o755);
    expect(lookUpHub(folder)).toEqual({ kind: 'untrusted', why: `other users may use ${made}` });
  });
});
