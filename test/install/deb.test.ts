import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { type EmbeddedWorkspace, startWorkspace } from '../workspace/workspace.ts';
import { Account } from './account.ts';
import { connect, query } from './ai-client.ts';
import { cursorFile, entryOfCursor, OTHER_ENTRY, writeCursorFile } from './application.ts';
import { apt, packageState } from './apt.ts';

const run = promisify(execFile);

/** The package for Debian and its kin, with a user who is not logged in to a desktop. */
describe.skipIf(inject('reason'))('the .deb', () => {
  const older = inject('older');
  const newer = inject('newer');
  let workspace: EmbeddedWorkspace;
  let account: Account;

  beforeAll(async () => {
    account = Account.create();
    workspace = await startWorkspace({ home: account.home });
    await account.giveHome();
  });
  afterAll(async () => {
    Account.remove();
    await workspace?.close();
  });

  /** Every file and folder of the system that bears Causeway's name, outside checkouts and other users' homes. */
  async function ownFiles(): Promise<string[]> {
    const places = ['/boot', '/etc', '/opt', '/run', '/srv', '/usr', '/var', account.home];
    const { stdout } = await run('find', [...places, '-xdev', '-iname', '*causeway*']);
    return stdout.split('\n').filter(Boolean).sort();
  }

  it('installs, is upgraded under a running proxy with entries kept, and leaves nothing behind', async () => {
    const before = await ownFiles();
    await apt('install', older.deb);
    expect(packageState()).toBe(`install ok installed ${older.version}`);
    expect(await account.types('causeway --version')).toBe(`${older.version}\n`);
    await account.types('causeway servers add sql');
    await writeCursorFile(account);
    await account.types('causeway clients add cursor');
    const entry = await entryOfCursor(account);
    const client = await connect(account, entry);
    expect(await query(client, 'SELECT 41 + 1 AS answer')).toContain('42');

    expect(await apt('install', newer.deb)).not.toContain('Removing what Causeway has left');
    expect(packageState()).toBe(`install ok installed ${newer.version}`);
    expect(await account.types('causeway --version')).toBe(`${newer.version}\n`);
    // The proxy still runs the file that the package has replaced.
    expect(await query(client, 'SELECT 40 + 3 AS answer')).toContain('43');
    expect(await entryOfCursor(account)).toEqual(entry);
    await client.close();
    const next = await connect(account, entry);
    expect(await query(next, 'SELECT 40 + 4 AS answer')).toContain('44');
    await next.close();

    expect(await apt('remove', 'causeway')).toContain(`Removing what Causeway has left for ${account.name}:`);
    expect(await readFile(cursorFile(account), 'utf8')).toBe(OTHER_ENTRY);
    expect(existsSync(join(account.home, '.databrickscfg'))).toBe(true);
    expect(await ownFiles()).toEqual(before);
    // Nothing is left that `apt-get purge` would find: dpkg does not know the package any more.
    expect(packageState()).toBe('');
  });
});
