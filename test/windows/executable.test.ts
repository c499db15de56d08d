import assert from 'node:assert/strict';
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { copyFile, cp, mkdir, mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { launcherFor } from '../../main/clients/launcher.ts';
import { ClientsService } from '../../main/clients/service.ts';
import manifest from '../../package.json' with { type: 'json' };
import { inject, prepare } from '../../resources/packaging/injection.ts';
import { orderly, startScriptedServer } from '../integration/bridge/scripted-server.ts';
import { SQL } from '../integration/clients/own-clients.ts';
import { setStage } from './stage.ts';

/** The folder with what the executable is made of (`main.ts`). */
const PARTS = process.env.CAUSEWAY_EXECUTABLE_PARTS ?? '';
const TARGET = { platform: 'win32', arch: 'x64' } as const;
const ROUNDS = 9;

const stage = setStage();
let work: string;
let executable: string;

/** The single executable as packages have it, of the Node that runs the tests. */
before(async () => {
  work = await mkdtemp(join(tmpdir(), 'causeway-executable-'));
  await cp(PARTS, work, { recursive: true });
  execFileSync(process.execPath, ['--experimental-sea-config', 'executable.json'], { cwd: work });
  executable = join(work, 'causeway.exe');
  await copyFile(process.execPath, executable);
  await prepare(TARGET, executable);
  await inject(TARGET, executable, join(work, 'blob'));
});
after(() => rm(work, { recursive: true, force: true, maxRetries: 10, retryDelay: 100 }));

async function outcome(command: string, args: string[], options: { shell?: boolean } = {}) {
  const child = spawn(command, args, { env: stage.env, ...options });
  let stdout = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    stdout += text;
  });
  child.stderr.resume();
  child.stdin.on('error', () => {}).end();
  const [code] = await once(child, 'close');
  return { code, stdout };
}

test('the executable says its version, and does not run scripts as Node does', async () => {
  assert.deepEqual(await outcome(executable, ['--version']), { code: 0, stdout: `${manifest.version}\n` });
  assert.deepEqual(await outcome(executable, ['-e', 'console.log("as Node")']), { code: 2, stdout: '' });
});

/** What clients do with an entry's command line. */
const WAYS = [
  ['directly', false],
  ['as one line for cmd', true],
] as const;
for (const name of ['R&D 100% (x86)', 'a^b Hi!', 'Jürgen']) {
  for (const [way, shell] of WAYS) {
    test(`an entry starts the executable of a user called ${name} ${way}, and bridges to a server`, async () => {
      const { script } = orderly();
      const server = await startScriptedServer(script);
      stage.atEnd(server.close);
      const home = join(stage.folder, 'Homes', name);
      const env = { ...stage.env, USERPROFILE: home, LOCALAPPDATA: join(home, 'AppData', 'Local') };
      const installed = join(home, 'AppData', 'Local', 'Programs', 'Causeway', 'resources', 'bin');
      await mkdir(installed, { recursive: true });
      await copyFile(executable, join(installed, 'causeway.exe'));
      await stage.file(join(home, '.databrickscfg'), `[${SQL.profile}]\nhost = ${server.origin}\ntoken = dapi-test\n`);
      await mkdir(join(home, '.cursor'));
      const clients = new ClientsService({
        env,
        environment: { system: 'win32', home, env },
        launcher: launcherFor({ execPath: join(installed, 'causeway.exe'), script: undefined }, env),
        running: async () => new Set(),
      });
      await clients.add(['cursor'], [SQL]);
      const { mcpServers } = JSON.parse(await readFile(join(home, '.cursor', 'mcp.json'), 'utf8'));
      const { command, args } = mcpServers[SQL.name];

      const words: string[] = [command, ...args];
      const child = shell ? spawn(words.join(' '), { env, shell }) : spawn(command, args, { env });
      child.stderr.resume();
      const params = { protocolVersion: '2025-06-18', capabilities: {} };
      child.stdin.end(`${JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'initialize', params })}\n`);
      let said = '';
      child.stdout.setEncoding('utf8').on('data', (text: string) => {
        said += text;
      });
      const [code] = await once(child, 'close');
      assert.equal(code, 0);
      assert.ok(JSON.parse(said).result, said);
    });
  }
}

test('the startup time of the executable is measured', async (context) => {
  const took = { node: [] as number[], causeway: [] as number[] };
  // In turns, so that whatever else the machine does falls on both.
  for (let round = 0; round < ROUNDS; round += 1) {
    for (const [who, command, args] of [
      ['node', process.execPath, ['-e', '0']],
      ['causeway', executable, ['--version']],
    ] as const) {
      const began = performance.now();
      assert.equal((await outcome(command, [...args])).code, 0);
      took[who].push(performance.now() - began);
    }
  }
  const median = (all: number[]) => all.sort((a, b) => a - b)[Math.floor(ROUNDS / 2)] ?? Number.NaN;
  const ratio = median(took.causeway) / median(took.node);
  context.diagnostic(`causeway.exe --version takes ${ratio.toFixed(2)} times as long as node.exe -e 0`);
});
