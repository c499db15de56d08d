import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { copyFile, mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { test } from 'node:test';
import { launcherFor, shippedLauncher } from '../../main/clients/launcher.ts';
import { placesOf, thisSystem } from '../../main/clients/places.ts';
import { isRunning, runningProcesses } from '../../main/clients/running.ts';
import { ClientsService } from '../../main/clients/service.ts';
import { CLIENTS } from '../../main/clients/table.ts';
import { SQL } from '../integration/clients/own-clients.ts';
import { CAUSEWAY } from '../integration/proxy/proxy-process.ts';
import { FIRST_FILES } from '../unit/clients/first-files.ts';
import { setStage } from './stage.ts';

const STORE_PACKAGE = ['Packages', 'Claude_pzs8sxrjxfjjc'];
const CLAUDE_FILE = ['Claude', 'claude_desktop_config.json'];

const stage = setStage();
const environment = () => ({ system: thisSystem(), home: stage.home, env: stage.env });

function service(command = process.execPath): ClientsService {
  return new ClientsService({
    env: stage.env,
    environment: environment(),
    launcher: launcherFor({ execPath: command, script: CAUSEWAY }, stage.env),
    running: async () => new Set(),
  });
}

/** Leaves the first sign of each client that can stand in the user's own folders. Returns the ids of the clients. */
async function installAll(): Promise<string[]> {
  const commands = join(stage.folder, 'Programs with spaces');
  // As Windows itself names the variable.
  for (const name of Object.keys(stage.env)) if (/^path$/i.test(name)) delete stage.env[name];
  stage.env.Path = `C:\\nowhere;${commands}`;
  stage.env.ProgramFiles = join(stage.folder, 'Program Files');
  const places = placesOf(environment());
  // Those of other systems have no sign here.
  const clients = CLIENTS.filter(({ signs }) => signs(places).length > 0);
  for (const { id, signs, files } of clients) {
    const [sign] = signs(places).filter((each) => 'command' in each || each.exists.startsWith(stage.folder));
    if (!sign) throw new Error(`${id} has no sign in the user's folders.`);
    const isFile = 'exists' in sign && files(places).some(({ path }) => path === sign.exists);
    if ('command' in sign) await stage.file(join(commands, `${sign.command}.cmd`), '@echo off\r\n');
    else if (isFile) await stage.file(sign.exists, '{}\r\n');
    else await mkdir(sign.exists.replaceAll('*', 'x'), { recursive: true });
  }
  return clients.map(({ id }) => id);
}

/** A path below the home folder as it is where the organization has redirected folders. */
function redirected(path: string): string {
  const folders = { 'AppData\\Roaming\\': stage.roaming, 'AppData\\Local\\': stage.local };
  for (const [prefix, folder] of Object.entries(folders)) {
    if (path.startsWith(prefix)) return join(folder, path.slice(prefix.length));
  }
  return join(stage.home, path);
}

const contentOf = (path: string) => readFile(path, 'utf8').catch(() => undefined);

test('every client is found, and has its entry in the file that it reads on Windows', async () => {
  const ids = await installAll();
  const found = await service().survey([SQL]);
  assert.deepEqual(
    found.filter(({ foundBy, problem }) => foundBy !== null && !problem).map(({ id }) => id),
    ids,
  );
  const files = found.flatMap((client) => client.files.map(({ path }) => path));
  const before = await Promise.all(files.map(contentOf));

  const outcomes = await service().add([], [SQL]);
  assert.deepEqual(
    outcomes.filter(({ result }) => result === 'failed').map(({ client, error }) => `${client}: ${error?.message}`),
    [],
  );
  assert.deepEqual(new Set(outcomes.map(({ client }) => client)), new Set(ids));
  const after = await service().survey([SQL]);
  const firstFiles = new Map(after.map(({ id, files: [first] }) => [id, first]));
  for (const id of ids) assert.equal(firstFiles.get(id)?.entries[SQL.name], 'current', id);
  for (const [id, , path] of FIRST_FILES) assert.equal(firstFiles.get(id)?.path, redirected(path), id);

  await service().remove([], [SQL.name]);
  assert.deepEqual(await Promise.all(files.map(contentOf)), before);
});

test('Claude Desktop from the Store has its entry in the folder of its package', async () => {
  const store = join(stage.local, ...STORE_PACKAGE, 'LocalCache', 'Roaming', ...CLAUDE_FILE);
  const elsewhere = join(stage.roaming, ...CLAUDE_FILE);
  await mkdir(join(stage.local, ...STORE_PACKAGE), { recursive: true });
  // An installation of before that is gone leaves its folder.
  await stage.file(elsewhere, '{}');
  await stage.file(
    join(stage.home, '.databrickscfg'),
    '[work]\r\nhost = https://acme.cloud.databricks.com\r\ntoken = x\r\n',
  );
  await stage.causeway('servers', 'add', '--path', '/api/2.0/mcp/sql', '--no-check', '--profile', 'work');
  const { code, stderr } = await stage.causeway('clients', 'add', 'claude-desktop');
  assert.equal(code, 0, stderr);
  const { mcpServers } = JSON.parse(await readFile(store, 'utf8'));
  const { command, args } = Object(Object.values(mcpServers)[0]);
  assert.equal(command, process.execPath);
  assert.deepEqual(args.slice(0, 3), [CAUSEWAY, 'proxy', '--environment']);
  assert.deepEqual(args.slice(4), ['--profile', 'work', '--path', '/api/2.0/mcp/sql']);
  assert.equal(await readFile(elsewhere, 'utf8'), '{}');
});

/** A copy of Node under another name. (A link to a program that runs could not be removed.) */
async function programAt(path: string): Promise<string> {
  await mkdir(dirname(path), { recursive: true });
  await copyFile(process.execPath, path);
  return path;
}

/** Starts a command line in one of the ways in which clients do. */
const WAYS: [way: string, start: (words: string[]) => ReturnType<typeof spawn>][] = [
  ['directly', ([command = '', ...args]) => spawn(command, args, { env: stage.env })],
  ['as one line for cmd', (words) => spawn(words.join(' '), { env: stage.env, shell: true })],
];

for (const [way, start] of WAYS) {
  test(`an entry starts ${way}, with letters beyond ASCII in the path`, async () => {
    const node = await programAt(join(stage.folder, 'Jürgen', 'Größe', 'node.exe'));
    await mkdir(join(stage.home, '.cursor'));
    await service(node).add(['cursor'], [SQL]);
    const { mcpServers } = JSON.parse(await readFile(join(stage.home, '.cursor', 'mcp.json'), 'utf8'));
    const { command, args } = mcpServers[SQL.name];
    const child = start([command, ...args, '--help']);
    let said = '';
    child.stdout?.setEncoding('utf8').on('data', (text: string) => {
      said += text;
    });
    const code = await new Promise((resolve) => child.once('close', resolve));
    assert.equal(code, 0);
    assert.match(said, /causeway proxy/);
  });
}

/** What Windows allows in a user's name, and some client or `cmd` would take for something else. */
const HARD_NAMES = ['R&D', '100%', '%USERNAME%', 'a^b', 'Hi!', 'Tom (x86)', 'Zoë Müller', 'a,b', 'a;b', 'a=b'];

for (const name of HARD_NAMES) {
  test(`entries go through a path that every client passes on, for a user called ${name}`, () => {
    const home = join('C:\\Users', name);
    const env = { ...stage.env, USERPROFILE: home, LOCALAPPDATA: join(home, 'AppData', 'Local') };
    const executable = join(home, 'AppData', 'Local', 'Programs', 'Causeway', 'resources', 'bin', 'causeway.exe');
    const { command } = shippedLauncher(executable, env);
    assert.match(command, /\\ProgramData\\Causeway-[0-9a-f]{8}\\bin\\causeway\.exe$/);
    const script = launcherFor({ execPath: join(home, 'node.exe'), script: join(home, 'causeway.js') }, env);
    const paths = [script.command, ...script.prefix].join('');
    assert.doesNotMatch(paths, /[\s&|<>^%!(),;=]/);
  });
}

test("letters beyond ASCII in the user's name need no other path", () => {
  const env = { ...stage.env, USERPROFILE: 'C:\\Users\\Jürgen', LOCALAPPDATA: 'C:\\Users\\Jürgen\\AppData\\Local' };
  const { command } = shippedLauncher('C:\\Programs\\Causeway\\causeway.exe', env);
  assert.equal(command, 'C:\\Users\\Jürgen\\AppData\\Local\\Causeway\\State\\bin\\causeway.exe');
});

test('the executable is reached by one path when an update moves it, on a disk without links too', async () => {
  const env = { ...stage.env, USERPROFILE: stage.folder, LOCALAPPDATA: stage.folder };
  for (const version of ['1', '2', '3']) {
    const place = join(stage.folder, `Causeway ${version}`);
    await mkdir(place);
    await writeFile(join(place, 'causeway.exe'), version);
    const launcher = shippedLauncher(join(place, 'causeway.exe'), env);
    await (version === '3' ? launcher.keepCurrent() : launcher.prepare());
    assert.equal(launcher.command, join(stage.folder, 'Causeway', 'State', 'bin', 'causeway.exe'));
    assert.equal(await readFile(launcher.command, 'utf8'), version);
  }
});

test("a folder outside the user's own that someone else created first is refused", async () => {
  const home = join(stage.folder, 'R&D');
  const env = { ...stage.env, USERPROFILE: home, LOCALAPPDATA: join(home, 'AppData', 'Local') };
  const executable = await stage.file(join(home, 'Programs', 'Causeway', 'causeway.exe'), '');
  const launcher = shippedLauncher(executable, env);
  const shared = join(launcher.command, '..', '..');
  await mkdir(shared, { recursive: true });
  await assert.rejects(launcher.prepare(), { code: 'file_not_writable' });
  await rm(shared, { recursive: true });
  await launcher.prepare();
  await launcher.prepare();
});

test('a running client is recognized by its path, and another program of that name is not mistaken for it', async (context) => {
  const before = await runningProcesses();
  if (before.size === 0) return context.skip('Wine lists no processes');
  const facts = CLIENTS.find(({ id }) => id === 'claude-desktop')?.overwritesWhileRunning;
  assert.ok(facts && !isRunning(facts, before), 'Claude Desktop runs on this computer');
  const script = ['-e', 'setInterval(() => {}, 1000)'];
  const started = async (path: string) => {
    const child = spawn(await programAt(path), script);
    stage.atEnd(() => child.kill());
    return runningProcesses();
  };
  assert.equal(isRunning(facts, await started(join(stage.home, '.local', 'bin', 'claude.exe'))), false);
  assert.equal(isRunning(facts, await started(join(stage.local, 'AnthropicClaude', 'app-1.2.3', 'claude.exe'))), true);
});

test('a list of processes has no empty names', async () => {
  assert.equal((await runningProcesses()).has(''), false);
});
