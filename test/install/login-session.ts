import { type ChildProcess, execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { chownSync, mkdirSync, rmSync } from 'node:fs';
import { createInterface } from 'node:readline';
import type { Account } from './account.ts';

/** The programs that a session is made of, and the Debian package of each. */
export const SESSION_PROGRAMS = {
  Xvfb: 'xvfb',
  'dbus-daemon': 'dbus-daemon',
  'gnome-keyring-daemon': 'gnome-keyring',
  'xfce4-session': 'xfce4-session',
  'xfce4-panel': 'xfce4-panel',
  xfwm4: 'xfwm4',
} as const;

/**
 * A user who has logged in to Xfce: screen, session bus, unlocked keychain, and the desktop's own session manager, which starts
 * the window manager, the panel with its tray, and what is to start at login.
 */
export class LoginSession {
  readonly #screen: ChildProcess;
  readonly #bus: ChildProcess;
  readonly #manager: ChildProcess;

  private constructor(screen: ChildProcess, bus: ChildProcess, manager: ChildProcess) {
    this.#screen = screen;
    this.#bus = bus;
    this.#manager = manager;
  }

  static async start(account: Account): Promise<LoginSession> {
    const { runtime, uid } = account;
    rmSync(runtime, { recursive: true, force: true });
    mkdirSync(runtime, { recursive: true, mode: 0o700 });
    chownSync(runtime, uid, uid);
    account.setSession({ XDG_RUNTIME_DIR: runtime });
    const screen = account.start('Xvfb', '-displayfd', '1', '-screen', '0', '1440x900x24', '-nolisten', 'tcp');
    const display = `:${await firstLine(screen)}`;
    const address = `unix:path=${runtime}/bus`;
    const bus = account.start('dbus-daemon', '--session', `--address=${address}`, '--nofork', '--print-address=1');
    await firstLine(bus);
    account.setSession({
      XDG_RUNTIME_DIR: runtime,
      DBUS_SESSION_BUS_ADDRESS: address,
      DISPLAY: display,
      XDG_CURRENT_DESKTOP: 'XFCE',
      XDG_SESSION_TYPE: 'x11',
    });
    const keyring = account.start('gnome-keyring-daemon', '--unlock', '--components=secrets');
    keyring.stdin?.end('password');
    await once(keyring, 'exit');
    const manager = account.start('xfce4-session');
    for (const output of [bus, manager]) {
      output.stdout?.resume();
      output.stderr?.resume();
    }
    // What looks at the screen as root, such as ImageMagick, looks at this one.
    process.env.DISPLAY = display;
    return new LoginSession(screen, bus, manager);
  }

  /** Ends it without asking anybody. */
  async end(): Promise<void> {
    for (const process of [this.#manager, this.#bus, this.#screen]) {
      if (process.exitCode !== null || process.signalCode !== null) continue;
      const ended = once(process, 'exit');
      // `runuser` passes it on.
      process.kill('SIGTERM');
      await ended;
    }
  }
}

/** Which of these programs are missing, as the packages to install. */
export function missingPackages(programs: Readonly<Record<string, string>>): string[] {
  return Object.entries(programs)
    .filter(([program]) => !isInstalled(program))
    .map(([, name]) => name);
}

function isInstalled(program: string): boolean {
  try {
    execFileSync('which', [program], { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
}

async function firstLine({ stdout }: ChildProcess): Promise<string> {
  if (!stdout) throw new Error('Its output is not read.');
  for await (const line of createInterface({ input: stdout })) return line;
  throw new Error('It ended without a word.');
}
