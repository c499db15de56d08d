/**
 * `npm run clients-at-once [-- [--dir DIR] [--pictures DIR]]`: twelve sessions of real clients at the same time through the
 * application, whose screen Activity has to name each of them with its mark. Needs an Electron binary and a desktop session.
 */
import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { _electron } from 'playwright-core';
import { CLIENTS } from '../../main/clients/table.ts';
import { electronFlags, findElectron } from '../../main/desktop/electron-binary.ts';
import { endFirstRun, whyNotHere } from '../desktop/application.ts';
import { startWorkspace } from '../workspace/workspace.ts';
import { addEntry, openComputer } from './computer.ts';
import { startFakeModel } from './fake-model.ts';
import { install } from './install.ts';
import { REAL_CLIENTS, type RealClient } from './real-clients.ts';

/** Those whose session lasts as long as their model takes; twice those that learn of their model by the environment. */
const SESSIONS = [
  ...['claude-code', 'codex', 'gemini', 'qwen', 'opencode', 'kilo', 'droid', 'copilot-cli', 'cline', 'continue-cli'],
  ...['claude-code', 'gemini'],
];
/** How long all of them may take to be there, in milliseconds. */
const TOGETHER_MS = 300_000;
const ROOT = join(import.meta.dirname, '..', '..');

const { values } = parseArgs({ options: { dir: { type: 'string' }, pictures: { type: 'string' } } });
const missing = whyNotHere(process.env);
if (missing) {
  console.error(missing);
  process.exit(2);
}
const scratch = await mkdtemp(join(tmpdir(), 'causeway-at-once-'));
const packages = values.dir === undefined ? join(scratch, 'packages') : resolve(values.dir);
const home = join(scratch, 'home');
await mkdir(home);
const workspace = await startWorkspace();
let release = () => {};
const released = new Promise<void>((letGo) => {
  release = letGo;
});
const token = workspace.users.find(({ admin }) => admin)?.token ?? '';
const kept = Object.entries(process.env).filter(([name]) => !/^(DATABRICKS|XDG_CONFIG|XDG_STATE)_/.test(name));
const env = Object.fromEntries(kept.flatMap(([name, value]) => (value === undefined ? [] : [[name, value]])));
const running: Promise<unknown>[] = [];
let left: AsyncDisposable | undefined;
try {
  const sessions = SESSIONS.map((id) => REAL_CLIENTS.find((client) => client.id === id && client.as === undefined));
  const computers = [];
  for (const client of sessions.filter((one) => one !== undefined)) {
    const folder = join(packages, client.id);
    const version = await install(folder, client.install);
    if (version === undefined) throw new Error(`npm could not install ${client.id}.`);
    computers.push(await prepared(client, folder));
  }
  await endFirstRun({ ...env, HOME: home });
  const electron = await _electron.launch({
    executablePath: findElectron(process.env) ?? '',
    args: [...electronFlags(), ROOT],
    env: { ...env, HOME: home },
    // Without this the page would be told that the system is light, whatever it is.
    colorScheme: null,
  });
  const page = electron.windows()[0] ?? (await electron.waitForEvent('window'));
  await page.getByRole('link', { name: 'Activity' }).click();
  for (const { client, computer } of computers)
    running.push(computer.run(client.session(computer.where), TOGETHER_MS * 2));
  const rows = page.getByRole('list', { name: 'Sessions' }).getByRole('listitem');
  const names = async () => (await rows.allInnerTexts()).map((text) => text.split('\n').filter(Boolean));
  const deadline = performance.now() + TOGETHER_MS;
  const areThere = async () => (await rows.count()) >= SESSIONS.length && (await callsOf(rows)) >= SESSIONS.length;
  while (!(await areThere()) && performance.now() < deadline) await sleep(500);
  const shown = await names();
  for (const row of shown) console.log(row.join(' · '));
  if (values.pictures !== undefined) {
    await mkdir(values.pictures, { recursive: true });
    for (const scheme of ['light', 'dark'] as const) {
      await electron.evaluate(({ nativeTheme, BrowserWindow }, source) => {
        nativeTheme.themeSource = source;
        BrowserWindow.getAllWindows()[0]?.setContentSize(1280, 860);
      }, scheme);
      await page.screenshot({ path: join(values.pictures, `twelve-sessions-${scheme}.png`) });
    }
  }
  const marks = await rows.evaluateAll((items) =>
    items.map((item) => {
      const mark = item.querySelector('[aria-hidden="true"]');
      return mark?.querySelector('svg') ? 'icon' : (mark?.textContent ?? '');
    }),
  );
  const lacking = SESSIONS.map((id) => CLIENTS.find((client) => client.id === id)).filter((client) => {
    const mark = client && ('icon' in client.mark ? 'icon' : client.mark.monogram);
    const at = shown.findIndex((row, index) => client && row.join(' ').includes(client.name) && marks[index] === mark);
    // Of two sessions of one client, each has its own row.
    if (at >= 0) shown.splice(at, 1, []);
    return at < 0;
  });
  console.log(
    `${shown.length} sessions; without its name or mark: ${lacking.map((one) => one?.name).join(', ') || 'none'}.`,
  );
  process.exitCode = shown.length === SESSIONS.length && lacking.length === 0 ? 0 : 1;
  await electron.close();
} finally {
  release();
  await Promise.race([Promise.allSettled(running), sleep(30_000)]);
  await workspace.close();
  await left?.[Symbol.asyncDispose]();
  await rm(scratch, { recursive: true, force: true, maxRetries: 5 });
}
process.exit();

/** A client in the home folder of all, with its own model, whose last words wait until the picture is taken. */
async function prepared(client: RealClient, folder: string) {
  const model = await startFakeModel(released);
  const computer = await openComputer(client, { home, model: model.url }, folder);
  await computer.consents(false);
  await computer.profile([`host = ${workspace.host}`, `token = ${token}`]);
  await addEntry(computer, client);
  left = computer;
  return { client, computer };
}

/** How many of the sessions have made a call. */
async function callsOf(rows: { allInnerTexts(): Promise<string[]> }): Promise<number> {
  return (await rows.allInnerTexts()).filter((text) => /\b[1-9]\d* calls?\b/.test(text)).length;
}
