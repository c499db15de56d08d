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
import { rpm } from './rpm.ts';

const run = promisify(execFile);
const older = inject('older');
const newer = inject('newer');
const isHere = inject('reason') === undefined && older.rpm !== undefined && newer.rpm !== undefined;

/** The package for Fedora and its kin, with a database of its own: this system's libraries are not rpm's to count. */
describe.skipIf(!isHere)('the .rpm', () => {
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

  async function ownFiles(): Promise<string[]> {
    const { stdout } = await run('find', ['/etc', '/opt', '/usr', account.home, '-xdev', '-iname', '*causeway*']);
    return stdout.split('\n').filter(Boolean).sort();
  }

  it('installs, is upgraded with entries kept, and leaves nothing behind', async () => {
    const before = await ownFiles();
    await rpm('--install', older.rpm ?? '');
    expect(await account.types('causeway --version')).toBe(`${older.version}\n`);
    await account.types('causeway servers add sql');
    await writeCursorFile(account);
    await account.types('causeway clients add cursor');
    const entry = await entryOfCursor(account);
    const client = await connect(account, entry);
    expect(await query(client, 'SELECT 41 + 1 AS answer')).toContain('42');

    expect(await rpm('--upgrade', newer.rpm ?? '')).not.toContain('Removing what Causeway has left');
    expect(await account.types('causeway --version')).toBe(`${newer.version}\n`);
    expect(await query(client, 'SELECT 40 + 3 AS answer')).toContain('43');
    expect(await entryOfCursor(account)).toEqual(entry);
    await client.close();

    expect(await rpm('--erase', 'causeway')).toContain(`Removing what Causeway has left for ${account.name}:`);
    expect(await readFile(cursorFile(account), 'utf8')).toBe(OTHER_ENTRY);
    expect(existsSync(join(account.home, '.databrickscfg'))).toBe(true);
    expect(await ownFiles()).toEqual(before);
  });
});
