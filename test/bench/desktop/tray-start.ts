import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { electronFlags } from '../../../main/desktop/electron-binary.ts';
import { environmentIn } from '../../desktop/application.ts';
import { startWorkspace } from '../../workspace/workspace.ts';
import { quantile } from '../clock.ts';

/** What is started: an Electron with an application's folder, or an application that brings its own. */
export interface Command {
  file: string;
  args: string[];
}

/** Nothing but an icon in the tray: what Electron itself takes, here and now. */
const BARE = `const { app, Tray, Menu, nativeImage } = require('electron');
app.whenReady().then(() => {
  globalThis.tray = new Tray(nativeImage.createFromPath(process.env.BARE_ICON));
  globalThis.tray.setContextMenu(Menu.buildFromTemplate([{ label: 'Quit' }]));
});`;

/**
 * Milliseconds (p50) from spawn until the panel has the tray icon, for Causeway and for Electron with nothing but an
 * icon, in turns. The files are in the system's cache from the first round on, which is not counted.
 */
export async function measureTrayStarts(causeway: Command, electron: string, icon: string, rounds: number) {
  const bareFolder = await mkdtemp(join(tmpdir(), 'causeway-bare-'));
  await writeFile(join(bareFolder, 'package.json'), '{ "name": "bare", "main": "index.js" }');
  await writeFile(join(bareFolder, 'index.js'), BARE);
  const bare: Command = { file: electron, args: [bareFolder] };
  const took = { causeway: [] as number[], bare: [] as number[] };
  for (let round = 0; round <= rounds; round += 1) {
    for (const [name, command] of [
      ['causeway', causeway],
      ['bare', bare],
    ] as const) {
      const milliseconds = await untilTray(command, { BARE_ICON: icon });
      if (round > 0) took[name].push(milliseconds);
    }
  }
  await rm(bareFolder, { recursive: true, force: true });
  return { causeway: quantile(took.causeway, 0.5), bare: quantile(took.bare, 0.5) };
}

async function untilTray({ file, args }: Command, more: Record<string, string>): Promise<number> {
  const home = await mkdtemp(join(tmpdir(), 'causeway-start-'));
  const workspace = await startWorkspace({ home });
  const registered = await watchTray();
  const start = performance.now();
  const env = { ...environmentIn(home), ...more };
  const application = spawn(file, [...electronFlags(), ...args, '--hidden'], { env, stdio: 'ignore' });
  await registered.seen;
  const milliseconds = performance.now() - start;
  registered.end();
  const ended = once(application, 'exit');
  application.kill();
  await ended;
  await workspace.close();
  await rm(home, { recursive: true, force: true, maxRetries: 5 });
  return milliseconds;
}

/** Hears the panel say that it has a new icon. */
async function watchTray() {
  const watcher = 'org.kde.StatusNotifierWatcher';
  const monitor = spawn('gdbus', ['monitor', '--session', '--dest', watcher], { stdio: ['ignore', 'pipe', 'inherit'] });
  const lines = createInterface({ input: monitor.stdout });
  const line = (part: string) =>
    new Promise<void>((resolve) => {
      lines.on('line', (text) => {
        if (text.includes(part)) resolve();
      });
    });
  const seen = line('StatusNotifierItemRegistered');
  await line('is owned by');
  return { seen, end: () => monitor.kill() };
}
