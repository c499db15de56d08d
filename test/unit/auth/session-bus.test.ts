import { chmodSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { conventionalSessionBus } from '../../../main/auth/secrets/keychain-or-memory.ts';

const uid = process.getuid?.() ?? 0;

describe.skipIf(process.platform === 'win32')('the session bus, if the environment does not name it', () => {
  let folder: string;
  let servers: Server[];

  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'bus-'));
    servers = [];
  });
  afterEach(async () => {
    for (const server of servers) await new Promise((resolve) => server.close(resolve));
    rmSync(folder, { recursive: true, force: true });
  });

  async function socketIn(name: string, mode = 0o700): Promise<string> {
    const place = join(folder, name);
    mkdirSync(place, { recursive: true });
    chmodSync(place, mode);
    const server = createServer();
    servers.push(server);
    await new Promise<void>((resolve) => server.listen(join(place, 'bus'), resolve));
    return place;
  }
  const find = (env: NodeJS.ProcessEnv, owner = uid) =>
    conventionalSessionBus(env, { uid: owner, runFolder: join(folder, 'run') });

  test('is in the runtime folder that the environment names', async () => {
    const place = await socketIn('my runtime');
    expect(find({ XDG_RUNTIME_DIR: place })).toBe(`unix:path=${place.replace(' ', '%20')}/bus`);
  });

  test('is in the folder of the user id if the environment names none, or one without a bus', async () => {
    const place = await socketIn(join('run', String(uid)));
    expect(find({})).toBe(`unix:path=${place}/bus`);
    expect(find({ XDG_RUNTIME_DIR: join(folder, 'nowhere') })).toBe(`unix:path=${place}/bus`);
    expect(find({ XDG_RUNTIME_DIR: 'relative' })).toBe(`unix:path=${place}/bus`);
  });

  test('is left alone if the environment names one', async () => {
    const place = await socketIn('runtime');
    expect(find({ XDG_RUNTIME_DIR: place, DBUS_SESSION_BUS_ADDRESS: 'unix:path=/x' })).toBeUndefined();
  });

  test.each<[string, () => Promise<NodeJS.ProcessEnv>, number]>([
    ['a socket of another user', async () => ({ XDG_RUNTIME_DIR: await socketIn('a') }), uid + 1],
    ['a folder that others can write to', async () => ({ XDG_RUNTIME_DIR: await socketIn('b', 0o777) }), uid],
    [
      'a file',
      async () => {
        writeFileSync(join(folder, 'bus'), '');
        return { XDG_RUNTIME_DIR: folder };
      },
      uid,
    ],
    [
      'a link to a socket',
      async () => {
        symlinkSync(join(await socketIn('c'), 'bus'), join(folder, 'bus'));
        return { XDG_RUNTIME_DIR: folder };
      },
      uid,
    ],
    ['nothing', async () => ({}), uid],
  ])('is not %s', async (_what, arrange, owner) => {
    expect(find(await arrange(), owner)).toBeUndefined();
  });
});
