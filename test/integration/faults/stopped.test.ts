import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createInterface, type Interface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type EmbeddedWorkspace, startWorkspace } from '../../workspace/workspace.ts';
import { installBrowser } from '../auth/causeway-process.ts';
import { type OwnHome, ownHome } from '../auth/own-home.ts';
import { ProxyProcess } from '../proxy/proxy-process.ts';
import { ADD_SERVER, expectHonest, OPERATIONS, type Operation, type Outcome, startOperation } from './operations.ts';

/** How long the other party is stopped, in milliseconds. Longer than most limits that a client or we have. */
const STOPPED_MS = 30_000;
const LONG_MS = 150_000;

/** When an operation is stopped itself, in milliseconds after its start: it is at work by then, or has not begun on a busy computer. */
const AT_WORK_MS = 400;

const WORKSPACE = ['a sign-in', 'a renewal', 'an override', 'an export', 'a proxy call'] as const;

/** A program with its output line by line. */
class Party {
  readonly child: ChildProcessWithoutNullStreams;
  readonly #lines: AsyncIterator<string>;

  constructor(file: URL, args: string[], env: NodeJS.ProcessEnv) {
    this.child = spawn(process.execPath, [fileURLToPath(file), ...args], { env });
    this.child.stderr.pipe(process.stderr);
    const lines: Interface = createInterface({ input: this.child.stdout });
    this.#lines = lines[Symbol.asyncIterator]();
  }

  async line(): Promise<string> {
    return (await this.#lines.next()).value;
  }

  async stopFor(ms: number): Promise<void> {
    this.child.kill('SIGSTOP');
    await sleep(ms);
    this.child.kill('SIGCONT');
  }

  async end(): Promise<void> {
    if (this.child.exitCode !== null) return;
    const closed = once(this.child, 'close');
    this.child.kill('SIGKILL');
    await closed;
  }
}

/** A workspace and a token for it. */
interface At {
  host: string;
  token: string;
}

/** What an operation came to while the other party was stopped, and once more when it was not. */
interface Report {
  outcome: Outcome;
  /** Whether it had ended, or was still waiting, when the other party went on. */
  endedBefore: boolean;
  again: Outcome;
}

/** What an operation came to that was stopped itself, what another one like it came to meanwhile, and one after both. */
interface OwnStop {
  outcome: Outcome;
  meanwhile: Outcome;
  again: Outcome;
}

const reports = new Map<string, Report>();
const ownStops = new Map<Operation, OwnStop>();
const MISSING: Outcome = { code: null, stderr: 'It was not tried.' };
const homes: OwnHome[] = [];
/** What each configuration file held at first. */
const configs = new Map<OwnHome, string>();
const parties: Party[] = [];
const proxies: ProxyProcess[] = [];
let running: EmbeddedWorkspace;

const configOf = ({ host, token }: At) => `[user]\nhost = ${host}\n[pat]\nhost = ${host}\ntoken = ${token}\n`;

async function newHome(at: At): Promise<OwnHome> {
  const home = await ownHome(configOf(at));
  homes.push(home);
  configs.set(home, configOf(at));
  await installBrowser(home);
  await mkdir(join(home.folder, '.cursor'));
  await writeFile(join(home.folder, '.cursor', 'mcp.json'), '{ "mcpServers": { "mine": { "command": "x" } } }\n');
  return home;
}

function party(file: URL, args: string[] = [], env: NodeJS.ProcessEnv = process.env): Party {
  const made = new Party(file, args, env);
  parties.push(made);
  return made;
}

const run = (operation: Operation, home: OwnHome) => startOperation(operation, home.env, home.folder).ended;
const operations = Object.keys(OPERATIONS).filter((name): name is Operation => name in OPERATIONS);

async function addServer({ env }: OwnHome): Promise<void> {
  await once(spawn(process.execPath, ADD_SERVER, { env, stdio: 'ignore' }), 'close');
}

async function stopItself(operation: Operation, home: OwnHome): Promise<void> {
  const { child, ended } = startOperation(operation, home.env, home.folder);
  await Promise.race([ended, sleep(AT_WORK_MS)]);
  child.kill('SIGSTOP');
  const meanwhile = run(operation, home);
  await sleep(STOPPED_MS);
  child.kill('SIGCONT');
  ownStops.set(operation, { outcome: await ended, meanwhile: await meanwhile, again: await run(operation, home) });
}

/** Each pair of operation and stopped party at the same time, for most of it is waiting. */
describe.skipIf(process.platform === 'win32')('while the other party is stopped for 30 seconds', () => {
  beforeAll(async () => {
    const workspace = party(new URL('stoppable-workspace.ts', import.meta.url));
    const at: At = JSON.parse(await workspace.line());
    running = await startWorkspace({ autoApprove: 'ana@example.com' });
    const runningAt: At = { host: running.host, token: running.users[0]?.token ?? '' };
    const own = new Map<string, OwnHome>();
    for (const operation of WORKSPACE) own.set(operation, await newHome(at));
    const renewing = own.get('a renewal') ?? (await newHome(at));
    expect((await run('a sign-in', renewing)).code).toBe(0);
    workspace.child.stdin.write('end all tokens\n');
    await workspace.line();

    const writing = await newHome(at);
    await addServer(writing);
    const holder = party(
      new URL('lock-holder.ts', import.meta.url),
      [join(writing.folder, '.cursor', 'mcp.json'), join(writing.folder, 'causeway', 'state', 'locks')],
      writing.env,
    );
    await holder.line();

    const starting = await newHome(at);
    const hub = party(new URL('hub-start.ts', import.meta.url), [], starting.env);
    await hub.line();
    const attached = await newHome(runningAt);
    await mkdir(join(attached.folder, 'causeway'), { recursive: true });
    const busyHub = party(
      new URL('../../bench/hub-program.ts', import.meta.url),
      [join(attached.folder, 'causeway')],
      attached.env,
    );
    await writeFile(join(attached.folder, 'causeway', '.databrickscfg'), await attached.readConfig());
    await busyHub.line();

    const stoppable = await Promise.all(
      operations.map((operation) => newHome(runningAt).then((home) => ({ operation, home }))),
    );
    for (const { operation, home } of stoppable) {
      if (operation === 'a renewal') expect((await run('a sign-in', home)).code).toBe(0);
      if (operation === 'a client file') await addServer(home);
    }
    running.faults.expireAccessTokens();

    const proxy = new ProxyProcess(['--profile', 'pat', '--path', '/api/2.0/mcp/sql'], attached.env);
    proxies.push(proxy);
    const call = async (id: number): Promise<Outcome> => {
      const { error } = await proxy.request(id, 'tools/call', {
        name: 'execute_sql',
        arguments: { query: 'SELECT 1' },
      });
      return error ? { code: 1, stderr: `causeway: ${error.message}` } : { code: 0, stderr: '' };
    };
    const params = { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: 'test', version: '1' } };
    await proxy.request('open', 'initialize', params);
    proxy.send({ jsonrpc: '2.0', method: 'notifications/initialized' });
    expect(await call(0)).toMatchObject({ code: 0 });
    let goesOn = false;
    const tries = async (name: string, attempt: (number: number) => Promise<Outcome>) => {
      const outcome = await attempt(1);
      const endedBefore = !goesOn;
      await until(() => goesOn);
      reports.set(name, { outcome, endedBefore, again: await attempt(2) });
    };
    const stopped = Promise.all([workspace, holder, hub, busyHub].map((each) => each.stopFor(STOPPED_MS))).then(() => {
      goesOn = true;
      holder.child.stdin.end();
    });
    await Promise.all([
      stopped,
      ...WORKSPACE.map((operation) => tries(operation, () => run(operation, own.get(operation) ?? renewing))),
      tries('a client file', () => run('a client file', writing)),
      tries('a hub start', () => run('a hub start', starting)),
      tries('a proxy start', () => run('a proxy call', attached)),
      tries('an attached proxy', call),
      ...stoppable.map(({ operation, home }) => stopItself(operation, home)),
    ]);
  }, LONG_MS);

  afterAll(async () => {
    await Promise.all([...proxies.map((each) => each.close()), ...parties.map((each) => each.end())]);
    await running?.close();
    await Promise.all(homes.map((each) => each.remove()));
  });

  const reportOf = (name: string) => {
    const report = reports.get(name);
    if (!report) throw new Error(`${name} was not tried.`);
    return report;
  };

  test.each(WORKSPACE)(
    '%s outlasts a stopped workspace or fails with an explanation, and works again afterwards',
    (operation) => {
      const { outcome, again } = reportOf(operation);
      expectHonest(outcome);
      expect(again).toMatchObject({ code: 0 });
    },
  );

  test.each(['a renewal', 'an override', 'an export'])(
    '%s says that a stopped workspace has not answered',
    (operation) => {
      expect(reportOf(operation).outcome.stderr).toMatch(
        /has not responded for 5 seconds\. Still waiting|did not answer/,
      );
    },
  );

  test('a client file waits for a lock whose holder is stopped, and is written once it is free', async () => {
    const { outcome, endedBefore, again } = reportOf('a client file');
    expect(endedBefore).toBe(false);
    expect(outcome).toMatchObject({ code: 0 });
    expect(again).toMatchObject({ code: 0 });
  });

  test('a proxy that starts while its hub is stopped makes its call without it', () => {
    const { outcome, endedBefore, again } = reportOf('a proxy start');
    expect(outcome).toMatchObject({ code: 0 });
    expect(endedBefore).toBe(true);
    expect(again).toMatchObject({ code: 0 });
  });

  test('a proxy whose hub is stopped answers a call or says what happened to it before the hub continues, and keeps working', () => {
    const { outcome, endedBefore, again } = reportOf('an attached proxy');
    expectHonest(outcome);
    expect(endedBefore).toBe(true);
    expect(again).toMatchObject({ code: 0 });
  });

  test('a hub replaces one that is stopped, and that one does not return to its place', () => {
    const { outcome, again } = reportOf('a hub start');
    expectHonest(outcome);
    expectHonest(again);
  });

  test.each(operations)(
    '%s that is stopped itself fails with an explanation or works, as does one beside it, and works again',
    (operation) => {
      const { outcome, meanwhile, again } = ownStops.get(operation) ?? {
        outcome: MISSING,
        meanwhile: MISSING,
        again: MISSING,
      };
      expectHonest(outcome);
      expectHonest(meanwhile);
      expect(again).toMatchObject({ code: 0 });
    },
  );

  test('every file of the user is complete', async () => {
    for (const home of homes) {
      const text = await readFile(join(home.folder, '.cursor', 'mcp.json'), 'utf8');
      expect(JSON.parse(text)).toMatchObject({ mcpServers: { mine: { command: 'x' } } });
      expect(await home.readConfig()).toBe(configs.get(home));
    }
  });
});

async function until(isTrue: () => boolean): Promise<void> {
  while (!isTrue()) await sleep(100);
}
