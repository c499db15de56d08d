import { mkdir, rename, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { Client } from '@modelcontextprotocol/client';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { isDrawn } from '../desktop/screen.ts';
import type { TrayOverDbus } from '../desktop/tray-over-dbus.ts';
import { type EmbeddedWorkspace, startWorkspace } from '../workspace/workspace.ts';
import { Account } from './account.ts';
import { connect, type Entry, query } from './ai-client.ts';
import { checksumOf, makeAppImage, ReleaseServer } from './app-image.ts';
import { entryOfCursor, findTray, programOf, SOON, signIn, writeCursorFile } from './application.ts';
import { LoginSession } from './login-session.ts';
import { WORK } from './prepare.ts';
import { show } from './transcript.ts';

/** An application in one file, which replaces itself by a newer one from a server of releases on this computer. */
describe.skipIf(inject('reason'))('the application in one file', () => {
  const older = inject('older');
  const newer = inject('newer');
  const newFile = join(WORK, 'newer.AppImage');
  let releases: ReleaseServer;
  let workspace: EmbeddedWorkspace;
  let account: Account;
  let session: LoginSession;
  let tray: TrayOverDbus;
  let client: Client;
  let entry: Entry;
  /** Where the user has put it. */
  let own: string;

  beforeAll(async () => {
    workspace = await startWorkspace({ autoApprove: 'ana@example.com' });
    releases = await ReleaseServer.start();
    account = Account.create();
    own = join(account.home, 'Applications', 'Causeway.AppImage');
    await mkdir(dirname(own));
    const oldFile = join(WORK, 'older.AppImage');
    await makeAppImage(older.folder, oldFile, releases.url);
    await makeAppImage(newer.folder, newFile, releases.url);
    await rename(oldFile, own);
    await writeCursorFile(account);
    session = await LoginSession.start(account);
  });
  afterAll(async () => {
    await client?.close();
    await session?.end();
    Account.remove();
    await workspace?.close();
    await releases?.close();
  });

  /** The folder in which the running application is. */
  function folder(): string | undefined {
    const programs = account.processes().map(programOf);
    return programs.map((path) => /^(.*\/\.mount_[^/]+)\/causeway-desktop$/.exec(path)?.[1]).find(Boolean);
  }

  it('runs, and gives an AI client an entry that outlives it', async () => {
    const started = account.start(own);
    for (const output of [started.stdout, started.stderr]) output?.resume();
    tray = await findTray(account);
    const command = join(folder() ?? '', 'resources', 'bin', 'causeway');
    await signIn(account, command, workspace);
    await account.types(`${command} servers add sql`);
    await account.types(`${command} clients add cursor`);
    entry = await entryOfCursor(account);
    expect(entry.command).not.toContain('.mount_');
    client = await connect(account, entry);
    expect(await query(client, 'SELECT 41 + 1 AS answer')).toContain('42');
    await expect.poll(() => tray.labels(), SOON).toContain('1 client connected');
  });

  it('finds a newer version, downloads it, and restarts into it under a client’s session', async () => {
    await releases.publish(newer.version, newFile);
    await tray.click('Check for updates');
    const restart = `Restart to update to ${newer.version}`;
    await expect.poll(() => tray.labels(), SOON).toContain(restart);
    expect(releases.asked).toEqual(['latest-linux.yml', `Causeway-${newer.version}.AppImage`]);
    show(`In the tray’s menu: ${restart}.`);
    expect(await checksumOf(own)).not.toBe(await checksumOf(newFile));
    const before = folder();
    await tray.click(restart);
    await expect.poll(() => folder() ?? before, SOON).not.toBe(before);
    expect(await checksumOf(own)).toBe(await checksumOf(newFile));
    expect((await stat(own)).mode & 0o111).toBe(0o111);

    const labels = async () => (await findTray(account)).labels();
    await expect.poll(labels, SOON).toContain('1 client connected');
    expect(await labels()).not.toContain(restart);
    await expect.poll(() => isDrawn('Causeway'), SOON).toBe(true);
    expect(await query(client, 'SELECT 40 + 3 AS answer')).toContain('43');
    expect(await entryOfCursor(account)).toEqual(entry);
    await expect.poll(() => account.run(entry.command, '--version'), SOON).toBe(`${newer.version}\n`);
    show(`The client goes on with its session, and its entry starts ${newer.version}.`);
  });
});
