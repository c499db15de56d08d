import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type RunningApplication, startApplication, whyNotHere } from './application.ts';
import { TrayOverDbus } from './tray-over-dbus.ts';

const reason = whyNotHere(process.env) ?? whyNoPanel();
const name = 'the tray icon of an application that starts before the panel';
const SOON = { timeout: 30_000, interval: 50 };

function whyNoPanel(): string | undefined {
  if (process.platform !== 'linux') return 'panels are only on Linux';
  try {
    execFileSync('which', ['xfce4-panel', 'dbus-daemon'], { stdio: 'ignore' });
    return undefined;
  } catch {
    return 'no xfce4-panel here';
  }
}

/** On a session bus of its own, where nothing shows tray icons yet. */
describe.skipIf(reason)(reason ? `${name} (skipped: ${reason})` : name, () => {
  let bus: ChildProcess;
  let panel: ChildProcess | undefined;
  let application: RunningApplication;

  beforeAll(async () => {
    bus = spawn('dbus-daemon', ['--session', '--nofork', '--print-address=1'], { stdio: ['ignore', 'pipe', 'ignore'] });
    for await (const line of createInterface({ input: bus.stdout ?? process.stdin })) {
      process.env.DBUS_SESSION_BUS_ADDRESS = line;
      break;
    }
    application = await startApplication({ flags: ['--hidden'] });
  });
  afterAll(async () => {
    await application?.close();
    await end(panel);
    await end(bus);
  });

  /** The icon that is there now: a new panel may get a new one. */
  const find = () => TrayOverDbus.find();
  const labels = async () => (await find()).labels();

  function startPanel(): void {
    panel = spawn('xfce4-panel', ['--disable-wm-check'], { env: application.env, stdio: 'ignore' });
  }

  async function end(program: ChildProcess | undefined): Promise<void> {
    if (!program || program.exitCode !== null || program.signalCode !== null) return;
    const ended = once(program, 'exit');
    program.kill();
    await ended;
  }

  it('is there once the panel is', async () => {
    await expect(find()).rejects.toThrow('ServiceUnknown');
    startPanel();
    await expect.poll(labels, SOON).toContain('Quit');
  });

  it('is there again after the panel was restarted, and its menu works', async () => {
    await end(panel);
    await expect.poll(() => find().catch(() => 'gone'), SOON).toBe('gone');
    startPanel();
    await expect.poll(labels, SOON).toContain('Open Causeway');
    await expect.poll(async () => (await find()).click('Open Causeway'), SOON).toBeUndefined();
    expect(await (await application.window()).title()).toContain('Causeway');
  });
});
