/**
 * `npm run bench:desktop [-- --minutes N] [-- --packaged]`: what the application costs the desktop that it lives in.
 * `--packaged` measures what `npm run package:dir` left instead of the build, as far as that lets itself be measured.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { electronFlags, findElectron } from '../../main/desktop/electron-binary.ts';
import { environmentIn, whyNotHere } from '../desktop/application.ts';
import { APPLICATION } from '../packaging/packaged.ts';
import { startWorkspace } from '../workspace/workspace.ts';
import { type Idle, type Share, watchIdle } from './desktop/idle.ts';
import { type Command, measureTrayStarts } from './desktop/tray-start.ts';
import { measureWindowOpens } from './desktop/window-open.ts';
import { table } from './table.ts';

const ROOT = join(import.meta.dirname, '..', '..');
const ROUNDS = 10;
/** Milliseconds until the start is over and done with. */
const SETTLING_MS = 20_000;

const { values } = parseArgs({
  options: { minutes: { type: 'string', default: '10' }, packaged: { type: 'boolean', default: false } },
});
const reason = whyNotHere(process.env);
const electron = findElectron(process.env);
if (reason !== undefined || electron === undefined) {
  console.error(`Nothing was measured. ${reason}`);
  process.exit(1);
}

const command: Command = values.packaged ? { file: APPLICATION, args: [] } : { file: electron, args: [ROOT] };
const starts = await measureTrayStarts(command, electron, join(ROOT, 'resources', 'tray', 'ready.png'), ROUNDS);
const opens = values.packaged ? undefined : await measureWindowOpens(ROUNDS);
const idle = await measureIdle(Number(values.minutes));

const ms = (value: number) => `${Math.round(value)} ms`;
const mib = (value: number) => `${Math.round(value)} MiB`;
const rowsOf = (shares: readonly Share[]) =>
  shares.map(({ kind, count, memory }) => [`  ${count > 1 ? `${count} × ` : ''}${kind}`, mib(memory), '']);
const total = (shares: readonly Share[]) => shares.reduce((sum, { memory }) => sum + memory, 0);
const { memory } = idle;
console.log(
  table([
    ['', 'measured', 'wanted'],
    ['start to tray icon, p50', ms(starts.causeway), '< 1500 ms'],
    ['  Electron with an icon and nothing else', ms(starts.bare), ''],
    ...(opens
      ? [
          ['click in the tray to the answer, first', ms(opens.first), '< 400 ms'],
          ['  again, p50', ms(opens.again), '< 400 ms'],
          ['memory after the window was closed', mib(total(opens.closed)), ''],
          ...rowsOf(opens.closed),
        ]
      : []),
    [`memory of ${idle.processes} processes, tray only`, mib(memory.first), ''],
    [`  after ${values.minutes} minutes idle`, mib(memory.last), 'stable'],
    ['  the most in between', mib(memory.most), ''],
    ...rowsOf(idle.shares),
    ['processor meanwhile', `${idle.cpu.toFixed(2)} % of one`, 'near 0'],
  ]),
);

async function measureIdle(minutes: number): Promise<Idle> {
  const home = await mkdtemp(join(tmpdir(), 'causeway-idle-'));
  const workspace = await startWorkspace({ home });
  const args = [...electronFlags(), ...command.args, '--hidden'];
  const application = spawn(command.file, args, { env: environmentIn(home), stdio: 'ignore' });
  const ended = once(application, 'exit');
  await new Promise((resolve) => setTimeout(resolve, SETTLING_MS));
  const idle = await watchIdle(application.pid ?? 0, minutes);
  application.kill();
  await ended;
  await workspace.close();
  await rm(home, { recursive: true, force: true, maxRetries: 5 });
  return idle;
}
