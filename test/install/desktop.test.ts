import { existsSync, readFileSync, readlinkSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import type { Client } from '@modelcontextprotocol/client';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { isDrawn, isShown, pressKey } from '../desktop/screen.ts';
import type { TrayOverDbus } from '../desktop/tray-over-dbus.ts';
import { type EmbeddedWorkspace, startWorkspace } from '../workspace/workspace.ts';
import { Account } from './account.ts';
import { connect, query } from './ai-client.ts';
import {
  commandLineOf,
  entryOfCursor,
  findTray,
  parentOf,
  programOf,
  SOON,
  signIn,
  writeCursorFile,
} from './application.ts';
import { apt, packageState, purge, purgeAll } from './apt.ts';
import { difference, filesIn, systemFiles } from './file-list.ts';
import { LoginSession } from './login-session.ts';
import { secondsSince, show } from './transcript.ts';

/** How long the window is given to show what it was told to, in milliseconds; it is told again where that was too short. */
const SETTLING_MS = 500;
/** What the session itself and the graphics driver put into a new home folder. */
const DESKTOPS_OWN =
  /^\+ ~\/(\.ICEauthority|\.cache\/(mesa_shader_cache|sessions)|\.config\/(user-dirs\.|xfce4)|\.gnupg|Desktop|Documents|Downloads|Music|Pictures|Public|Templates|Videos)/;
const PROGRAM = '/usr/lib/causeway/causeway-desktop';

/** The package for Debian, used by somebody who has logged in to a desktop. */
describe.skipIf(inject('reason'))('the application of the .deb', () => {
  const older = inject('older');
  const newer = inject('newer');
  let workspace: EmbeddedWorkspace;
  let account: Account;
  let session: LoginSession;
  let tray: TrayOverDbus;
  let client: Client;
  /** What was there before anything was installed. */
  let systemBefore: string[];
  let homeBefore: string[];

  beforeAll(async () => {
    workspace = await startWorkspace({ autoApprove: 'ana@example.com' });
    account = Account.create();
    session = await LoginSession.start(account);
    await writeCursorFile(account);
    [systemBefore, homeBefore] = await Promise.all([systemFiles(), filesIn(account.home)]);
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
    // The button before the field for the workspace's address, where a first run begins.
    for (const key of ['shift+Tab', 'shift+Tab', 'Return']) await pressKey(key);
    await expect.poll(() => readFileSync(settingsFile(), 'utf8'), SOON).toContain('"firstRun": null');
    show('The user skips the first steps in the window: they use the command.');
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
    await account.types('causeway clients add cursor');
    expect(await keychainItems()).not.toBe('(<@ao []>,)');
    client = await connect(account, await entryOfCursor(account));
    expect(await query(client, 'SELECT 41 + 1 AS answer')).toContain('42');
    await expect.poll(() => tray.labels(), SOON).toContain('1 client connected');
    await account.types('causeway status');
  });

  it('opens the screen that a causeway:// link names, in the running application', async () => {
    const running = mainProcess();
    await closeWindow();
    await account.types('xdg-open causeway://open/settings');
    await expect.poll(() => isDrawn('Causeway'), SOON).toBe(true);
    expect(mainProcess()).toBe(running);
  });

  it('is switched on for the login, and the next session starts it into the tray', async () => {
    const file = join(account.home, '.config', 'autostart', 'causeway.desktop');
    expect(existsSync(file)).toBe(false);
    const switchOn = async () => {
      // Another screen begins at its heading, and behind that of the settings is this switch.
      for (const screen of ['servers', 'settings']) await account.run('xdg-open', `causeway://open/${screen}`);
      await pause(SETTLING_MS);
      for (const key of ['Tab', 'space']) await pressKey(key);
      await pause(SETTLING_MS);
      return existsSync(file);
    };
    await expect.poll(switchOn, SOON).toBe(true);
    show('The user has switched “Start at login” on in the window, and logs out.');
    const before = mainProcess();
    // An AI client ends with the session, too.
    await client.close();
    await session.end();
    await expect.poll(() => application(), SOON).toEqual([]);

    session = await LoginSession.start(account);
    tray = await findTray(account);
    const started = mainProcess();
    expect(started).not.toBe(before);
    expect(commandLineOf(started ?? 0)).toContain(' --hidden');
    expect(programOf(parentOf(started ?? 0))).toContain('xfce4-session');
    expect(await isShown('Causeway')).toBe(false);
    show('Logged in again: the session has started Causeway, which is in the tray without its window.');
    client = await connect(account, await entryOfCursor(account));
    expect(await query(client, 'SELECT 40 + 3 AS answer')).toContain('43');
    await expect.poll(() => tray.labels(), SOON).toContain('1 client connected');
  });

  it('is upgraded while it runs, and restarts into the new version when the user wants it', async () => {
    await account.types('xdg-open causeway://open/settings');
    await expect.poll(() => isDrawn('Causeway'), SOON).toBe(true);
    const entry = await entryOfCursor(account);
    const keychain = await keychainItems();
    const before = mainProcess();
    await apt('install', newer.deb);
    expect(packageState()).toBe(`install ok installed ${newer.version}`);
    expect(await account.types('causeway --version')).toBe(`${newer.version}\n`);
    expect(await query(client, 'SELECT 40 + 4 AS answer')).toContain('44');
    expect(mainProcess()).toBe(before);

    const restart = `Restart to update to ${newer.version}`;
    await expect.poll(() => tray.labels(), SOON).toContain(restart);
    show(`In the tray’s menu: ${restart}.`);
    await tray.click(restart);
    await expect.poll(() => mainProcess() ?? before, SOON).not.toBe(before);
    await expect.poll(async () => (await findTray(account)).labels(), SOON).not.toContain(restart);
    tray = await findTray(account);
    await expect.poll(() => isDrawn('Causeway'), SOON).toBe(true);
    for (const pid of application()) expect(programOf(pid)).toBe(PROGRAM);
    expect(await query(client, 'SELECT 40 + 5 AS answer')).toContain('45');
    await expect.poll(() => tray.labels(), SOON).toContain('1 client connected');
    expect(await entryOfCursor(account)).toEqual(entry);
    expect(await keychainItems()).toBe(keychain);
    expect(await account.types('causeway whoami')).toContain('ana@example.com');
  });

  it('is purged while it runs, and nothing of it is left', async () => {
    expect(await apt('purge', 'causeway')).toContain(`Removing what Causeway has left for ${account.name}:`);
    expect(application()).toEqual([]);
    expect(packageState()).toBe('');
    expect(await keychainItems()).toBe('(<@ao []>,)');
    await client.close();
    purgeAll(inject('dependencies'));
    expect(difference(systemBefore, await systemFiles())).toEqual([]);
    const added = difference(homeBefore, await filesIn(account.home)).map((line) => line.replace(account.home, '~'));
    // The profiles stay the user's.
    expect(added.filter((line) => !DESKTOPS_OWN.test(line))).toEqual(['+ ~/.databrickscfg']);
    show('No file of the package is left, and none of the application’s in the home folder.');
  });

  /** The application's first process, which started the others. */
  function mainProcess(): number | undefined {
    return application().find((pid) => !commandLineOf(pid).includes(' --type='));
  }

  function settingsFile(): string {
    return join(account.home, '.config', 'causeway', 'settings.json');
  }

  async function closeWindow(): Promise<void> {
    await pressKey('ctrl+w');
    await expect.poll(() => isShown('Causeway'), SOON).toBe(false);
  }
});
