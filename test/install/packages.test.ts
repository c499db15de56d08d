import { mkdir, readFile } from 'node:fs/promises';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { type EmbeddedWorkspace, startWorkspace } from '../workspace/workspace.ts';
import { Account } from './account.ts';
import { connect, query } from './ai-client.ts';
import { cursorFile, entryOfCursor, OTHER_ENTRY, writeCursorFile } from './application.ts';
import { purgeAll } from './apt.ts';
import { difference, filesIn, systemFiles } from './file-list.ts';
import { PACKAGE_MANAGERS } from './package-manager.ts';

const isHere = inject('reason') === undefined;

/** Each kind of package, with a user who is not logged in to a desktop. */
describe.skipIf(!isHere).each(Object.entries(PACKAGE_MANAGERS))('the %s', (_, manager) => {
  const older = inject('older');
  const newer = inject('newer');
  const [oldPackage, newPackage] = isHere ? [manager.fileOf(older), manager.fileOf(newer)] : [];
  let workspace: EmbeddedWorkspace;
  let account: Account;

  beforeAll(async () => {
    account = Account.create();
    workspace = await startWorkspace({ home: account.home });
    await writeCursorFile(account);
  });
  afterAll(async () => {
    Account.remove();
    await workspace?.close();
  });

  it.skipIf(!oldPackage || !newPackage)(
    'installs, is upgraded under a running proxy with entries kept, and leaves nothing behind',
    async () => {
      // The systems that use rpm bring this folder in a package of their own, so that no other package removes it.
      await mkdir('/usr/share/licenses', { recursive: true });
      const before = await filesOfAll();
      await manager.install(oldPackage ?? '');
      expect(manager.state()).toBe(manager.installed(older.version));
      expect(await account.types('causeway --version')).toBe(`${older.version}\n`);
      await account.types('causeway servers add sql');
      await account.types('causeway clients add cursor');
      const entry = await entryOfCursor(account);
      const client = await connect(account, entry);
      expect(await query(client, 'SELECT 41 + 1 AS answer')).toContain('42');

      expect(await manager.upgrade(newPackage ?? '')).not.toContain('Removing what Causeway has left');
      expect(manager.state()).toBe(manager.installed(newer.version));
      expect(await account.types('causeway --version')).toBe(`${newer.version}\n`);
      // The proxy still runs the file that the package has replaced.
      expect(await query(client, 'SELECT 40 + 3 AS answer')).toContain('43');
      expect(await entryOfCursor(account)).toEqual(entry);
      await client.close();
      const next = await connect(account, entry);
      expect(await query(next, 'SELECT 40 + 4 AS answer')).toContain('44');
      await next.close();

      expect(await manager.remove()).toContain(`Removing what Causeway has left for ${account.name}:`);
      expect(await readFile(cursorFile(account), 'utf8')).toBe(OTHER_ENTRY);
      // Nothing is left that a purge would find: the package manager does not know the package any more.
      expect(manager.state()).toBe('');
      purgeAll(inject('dependencies'));
      expect(difference(before, await filesOfAll())).toEqual([]);
    },
  );

  async function filesOfAll(): Promise<string[]> {
    return [...(await systemFiles()), ...(await filesIn(account.home))];
  }
});
