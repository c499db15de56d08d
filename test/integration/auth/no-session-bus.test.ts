import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { keychainNames, openKeychain } from '../../../main/auth/secrets/keychain.ts';

/** The calls go over two libraries, each with its own words for a bus that is not there. */
test.skipIf(process.platform !== 'linux').each([
  ['read', () => openKeychain('Causeway tests').get('one')],
  ['listed', () => keychainNames('Causeway tests')],
])(
  'where no session bus answers, a keychain that is %s is not there, which is not the same as locked',
  async (_, call) => {
    const folder = await mkdtemp(join(tmpdir(), 'causeway-no-bus-'));
    const before = process.env.DBUS_SESSION_BUS_ADDRESS;
    process.env.DBUS_SESSION_BUS_ADDRESS = `unix:path=${join(folder, 'bus')}`;
    try {
      await expect(call()).rejects.toMatchObject({ code: 'keychain_unavailable' });
    } finally {
      if (before === undefined) delete process.env.DBUS_SESSION_BUS_ADDRESS;
      else process.env.DBUS_SESSION_BUS_ADDRESS = before;
      await rm(folder, { recursive: true });
    }
  },
);
