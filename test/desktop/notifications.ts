import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { promisify } from 'node:util';

const run = promisify(execFile);

/** What the bus says between two messages. */
interface Message {
  member: string;
  /** All strings among its arguments, those of lists included. */
  strings: string[];
}

/** Why notifications cannot be seen here, in one line; undefined if they can. */
export async function whyNoNotifications(): Promise<string | undefined> {
  for (const program of ['dunst', 'dunstctl', 'dbus-monitor']) {
    const found = await run('which', [program]).then(
      () => true,
      () => false,
    );
    if (!found) return `${program} is not installed.`;
  }
  return undefined;
}

/** The system's notifications, as a daemon (dunst) shows them: what the application sends is read on the session bus. */
export class ShownNotifications {
  readonly #monitor: ChildProcess;
  readonly #daemon: ChildProcess;
  readonly #messages: Message[] = [];

  private constructor() {
    // Ends at once if there is a daemon already, which is then used.
    this.#daemon = spawn('dunst', { stdio: 'ignore' });
    this.#monitor = spawn('dbus-monitor', ['--session', "interface='org.freedesktop.Notifications'"], {
      stdio: ['ignore', 'pipe', 'ignore'],
    });
    if (this.#monitor.stdout) createInterface(this.#monitor.stdout).on('line', (line) => this.#read(line));
  }

  /** @throws if no daemon answers */
  static async watch(): Promise<ShownNotifications> {
    const shown = new ShownNotifications();
    for (let attempt = 1; ; attempt += 1) {
      try {
        await shown.flush();
        return shown;
      } catch (error) {
        if (attempt === 50) throw error;
        await new Promise((resolve) => setTimeout(resolve, 100));
      }
    }
  }

  /** The titles and bodies that the application has sent so far, in their order. */
  async sent(): Promise<{ title: string; body: string }[]> {
    await this.flush();
    const notify = this.#messages.filter(({ member, strings }) => member === 'Notify' && strings[0] === 'Causeway');
    return notify.map(({ strings: [, , title = '', body = ''] }) => ({ title, body }));
  }

  async titles(): Promise<string[]> {
    return (await this.sent()).map(({ title }) => title);
  }

  /** How many are on the screen. */
  async displayed(): Promise<number> {
    const { stdout } = await run('dunstctl', ['count', 'displayed']);
    return Number(stdout);
  }

  /** Clicks the newest. */
  async click(): Promise<void> {
    await run('dunstctl', ['action', '0']);
  }

  async end(): Promise<void> {
    await run('dunstctl', ['close-all']).catch(() => undefined);
    this.#monitor.kill();
    this.#daemon.kill();
  }

  /** Waits until the monitor has seen a message that is sent now, and so everything before it. */
  async flush(): Promise<void> {
    const before = this.#flushes();
    await run('gdbus', [
      ...['call', '--session', '--dest', 'org.freedesktop.Notifications'],
      ...['--object-path', '/org/freedesktop/Notifications'],
      ...['--method', 'org.freedesktop.Notifications.GetServerInformation'],
    ]);
    for (let look = 1; this.#flushes() === before; look += 1) {
      if (look === 50) throw new Error('dbus-monitor does not see the session bus.');
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
  }

  #flushes(): number {
    return this.#messages.filter(({ member }) => member === 'GetServerInformation').length;
  }

  #read(line: string): void {
    const [, member] = /^(?:method call|signal) .*member=(\w+)/.exec(line) ?? [];
    if (member !== undefined) this.#messages.push({ member, strings: [] });
    const [, text] = /^ +string "(.*)"?$/.exec(line) ?? [];
    if (text !== undefined) this.#messages.at(-1)?.strings.push(text.replace(/"$/, ''));
  }
}
