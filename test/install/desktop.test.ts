import { readFileSync, readlinkSync } from 'node:fs';
import type { Client } from '@modelcontextprotocol/client';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { isDrawn } from '../desktop/screen.ts';
import type { TrayOverDbus } from '../desktop/tray-over-dbus.ts';
import { type EmbeddedWorkspace, startWorkspace } from '../workspace/workspace.ts';
import { Account } from './account.ts';
import { connect, query } from './ai-client.ts';
import { commandLineOf, entryOfCursor, findTray, programOf, SOON, signIn, writeCursorFile } from './application.ts';
import { apt, packageState, purge } from './apt.ts';
import { LoginSession } from './login-session.ts';
import { secondsSince, show } from './transcript.ts';

const PROGRAM = '/usr/lib/causeway/causeway-desktop';

/** The package for Debian, used by somebody who has logged in to a desktop. */
describe.skipIf(inject('reason'))('the application of the .deb', () => {
  const older = inject('older');
  let workspace: EmbeddedWorkspace;
  let account: Account;
  let session: LoginSession;
  let tray: TrayOverDbus;
  let client: Client;

  beforeAll(async () => {
    workspace = await startWorkspace({ autoApprove: 'ana@example.com' });
    account = Account.create();
    session = await LoginSession.start(account);
  });
  afterAll(async () => {
    await client?.close();
    await session?.end();
    Account.remove();
    purge();
    await workspace?.close();
  });

  /** The application's processes. */
  function application(): number[] {
    return account.processes().filter((pid) => programOf(pid).startsWith(PROGRAM));
  }

  /** What is in the user's keychain, where nobody else has put anything. */
  async function keychainItems(): Promise<string> {
    const target = ['--dest', 'org.freedesktop.secrets', '--object-path', '/org/freedesktop/secrets/collection/login'];
    const get = ['--method', 'org.freedesktop.DBus.Properties.Get', 'org.freedesktop.Secret.Collection', 'Items'];
    return (await account.run('gdbus', 'call', '--session', ...target, ...get)).trim();
  }

  /** Chooses the application in the menu. */
  async function startFromMenu(): Promise<TrayOverDbus> {
    await account.types('gio launch /usr/share/applications/causeway.desktop >/dev/null 2>&1 &');
    return findTray(account);
  }

  it('is installed by apt, and started from the menu it is in the tray', async () => {
    const start = performance.now();
    await apt('install', older.deb);
    show(`Installed after ${secondsSince(start)}.`);
    expect(packageState()).toBe(`install ok installed ${older.version}`);
    const started = performance.now();
    tray = await startFromMenu();
    expect(await tray.labels()).toContain('Quit');
    show(`In the tray ${secondsSince(started)} after it was started, ${secondsSince(start)} after apt-get was.`);
  });

  it('shows its window to an ordinary user, whose pages run in Chromium’s sandbox', async () => {
    await expect.poll(() => isDrawn('Causeway'), SOON).toBe(true);
    const isPage = (pid: number) => commandLineOf(pid).includes(' --type=renderer ');
    await expect.poll(() => application().some(isPage), SOON).toBe(true);
    for (const pid of application()) expect(commandLineOf(pid)).not.toMatch(/ --no-sandbox( |$)/);
    const pages = application().filter(isPage);
    for (const page of pages) {
      expect(readFileSync(`/proc/${page}/status`, 'utf8')).toMatch(/^Seccomp:\t2$/m);
      expect(readlinkSync(`/proc/${page}/ns/user`)).not.toBe(readlinkSync('/proc/self/ns/user'));
      show(`Process ${page} of the window: a filter for system calls, and namespaces of its own.`);
    }
  });

  it('puts the command on PATH, with its manual page and completion', async () => {
    expect(await account.types('command -v causeway')).toBe('/usr/bin/causeway\n');
    expect(await account.types('causeway --version')).toBe(`${older.version}\n`);
    expect(await account.types('man --path causeway causeway-desktop')).toBe(
      '/usr/share/man/man1/causeway.1.gz\n/usr/share/man/man1/causeway-desktop.1.gz\n',
    );
    expect(await account.types('MANWIDTH=80 man causeway | head -n 3')).toContain('CAUSEWAY(1)');
    const load = '. /usr/share/bash-completion/bash_completion; _completion_loader causeway';
    const tab = `COMP_LINE='causeway ser'; COMP_POINT=12; _causeway; echo "\${COMPREPLY[*]}"`;
    expect(await account.types(`${load}; ${tab}`)).toBe('servers\n');
  });

  it('signs in, and gives an AI client an entry that reaches a managed server through the application', async () => {
    await signIn(account, 'causeway', workspace);
    await account.types('causeway servers add sql');
    await writeCursorFile(account);
    await account.types('causeway clients add cursor');
    expect(await keychainItems()).not.toBe('(<@ao []>,)');
    client = await connect(account, await entryOfCursor(account));
    expect(await query(client, 'SELECT 41 + 1 AS answer')).toContain('42');
    await expect.poll(() => tray.labels(), SOON).toContain('1 client connected');
    await account.types('causeway status');
  });
});
