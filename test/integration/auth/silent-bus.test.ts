import { createServer } from 'node:net';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { startCauseway } from './causeway-process.ts';
import { ownHome } from './own-home.ts';

test.skipIf(process.platform !== 'linux')(
  'a keychain whose bus does not answer at all leaves a command that says so and can be interrupted',
  async () => {
    const home = await ownHome('[user]\nhost = http://127.0.0.1:9\n', { CAUSEWAY_TOKEN_STORE: 'keychain' });
    const path = join(home.folder, 'bus');
    const bus = createServer((socket) => socket.on('error', () => undefined).resume());
    await new Promise<void>((resolve) => bus.listen(path, resolve));
    home.env.DBUS_SESSION_BUS_ADDRESS = `unix:path=${path}`;
    try {
      const whoami = startCauseway(home, ['whoami', '--profile', 'user']);
      await expect.poll(whoami.stderr).toContain('Waiting for you to unlock the keychain.');
      whoami.child.kill('SIGINT');
      expect(await whoami.ended).toBe(130);
    } finally {
      bus.close();
      await home.remove();
    }
  },
);
