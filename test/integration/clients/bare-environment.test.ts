import { execFile } from 'node:child_process';
import { chmod, mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, onTestFinished, test } from 'vitest';
import { createCauseway } from '../../../main/app/causeway.ts';
import { openAuth } from '../../../main/auth/open.ts';
import { environmentFile, withEnvironment } from '../../../main/clients/entry-environment.ts';
import { launcherFor } from '../../../main/clients/launcher.ts';
import { entriesToPaste } from '../../../main/clients/server-entry.ts';
import { CLIENTS } from '../../../main/clients/table.ts';
import { startWorkspace } from '../../workspace/workspace.ts';
import { ownHome } from '../auth/own-home.ts';
import { scriptedBrowser } from '../auth/scripted-browser.ts';
import { profileOf, SQL } from '../cli/sql-session.ts';
import { CAUSEWAY, ProxyProcess } from '../proxy/proxy-process.ts';

/** What AI clients hand on of their environment to the servers that they start. */

const run = promisify(execFile);

type Places = (folder: string) => Record<string, string>;

/** Where a person may have put what a proxy needs, as variables of their shell. */
const PLACES: Record<string, Places> = {
  'the usual home': () => ({}),
  CAUSEWAY_HOME: (folder) => ({ CAUSEWAY_HOME: join(folder, 'cw') }),
  'XDG folders': (folder) => ({ XDG_CONFIG_HOME: join(folder, 'cfg'), XDG_STATE_HOME: join(folder, 'st') }),
  'another configuration file': (folder) => ({ DATABRICKS_CONFIG_FILE: join(folder, 'profiles', 'databricks.cfg') }),
  'an encrypted file with its own key': (folder) => ({
    CAUSEWAY_TOKEN_STORE: 'encrypted-file',
    CAUSEWAY_TOKEN_KEY_FILE: join(folder, 'keys', 'key'),
  }),
};

/** The variables of each client (as seen in Claude Desktop and the MCP SDK, Codex, and Gemini), and none at all. */
const HANDED_ON: Record<string, (shell: NodeJS.ProcessEnv) => NodeJS.ProcessEnv> = {
  'the six of the MCP SDK': ({ HOME, PATH }) => ({
    HOME,
    PATH,
    LOGNAME: 'ana',
    SHELL: '/bin/sh',
    TERM: 'dumb',
    USER: 'ana',
  }),
  "Codex's": ({ HOME, PATH }) => ({
    HOME,
    PATH,
    LOGNAME: 'ana',
    SHELL: '/bin/sh',
    USER: 'ana',
    LANG: 'C.UTF-8',
    LC_ALL: 'C.UTF-8',
    TERM: 'dumb',
    TMPDIR: '/tmp',
    TZ: 'UTC',
  }),
  "Gemini's": (shell) =>
    Object.fromEntries(Object.entries(shell).filter(([name]) => !/TOKEN|SECRET|KEY|AUTH/.test(name))),
  'those of a sandbox with another home': ({ PATH }) => ({ PATH, HOME: '/nowhere', XDG_CONFIG_HOME: '/nowhere/cfg' }),
  none: () => ({}),
};

/** A person whose SQL server is read only, signed in where `places` says. */
async function person(places: Places) {
  const workspace = await startWorkspace({ autoApprove: 'ana@example.com', state: { startupMs: 20 } });
  onTestFinished(() => workspace.close());
  const home = await ownHome('');
  onTestFinished(() => home.remove());
  const { PATH } = process.env;
  const shell: NodeJS.ProcessEnv = { PATH, HOME: home.folder, USERPROFILE: home.folder, ...places(home.folder) };
  const configFile = shell.DATABRICKS_CONFIG_FILE ?? home.configFile;
  await mkdir(join(configFile, '..'), { recursive: true });
  const signsIn = shell.CAUSEWAY_TOKEN_STORE !== undefined;
  await mkdir(join(home.folder, 'keys'));
  await writeFile(configFile, signsIn ? `[ana]\nhost = ${workspace.host}\n` : profileOf(workspace, 'ana'), {
    mode: 0o600,
  });
  if (signsIn) {
    const auth = openAuth({ env: shell, openBrowser: scriptedBrowser().open });
    await auth.signIn(await auth.profile('ana'));
    await auth.close();
  }
  const causeway = (...args: string[]) => run(process.execPath, [CAUSEWAY, ...args], { env: shell });
  await causeway('servers', 'add', '--path', SQL, '--name', 'data', '--profile', 'ana');
  await causeway('permissions', 'set', 'data', '--read-only');
  /** The arguments of a client's entry, after the script. */
  const argumentsFor = async (client: string): Promise<string[]> => {
    const { stdout } = await causeway('clients', 'json', client);
    const words = JSON.stringify(JSON.parse(stdout)).match(/"proxy"(?:,"[^"]*")*/)?.[0] ?? '[]';
    return JSON.parse(`[${words}]`).slice(1);
  };
  return { workspace, shell, causeway, argumentsFor, folder: home.folder };
}

/** What a client gets that starts an entry with these variables: a statement that writes, and one that reads. */
async function attempt(args: string[], env: NodeJS.ProcessEnv): Promise<[writes: string, reads: string]> {
  const proxy = new ProxyProcess(args, env);
  onTestFinished(() => proxy.close());
  await proxy.open({ clientInfo: { name: 'test', version: '1' } });
  const call = async (name: string, statement: string) =>
    JSON.stringify(await proxy.request(name, 'tools/call', { name, arguments: { query: statement } }));
  return [
    await call('execute_sql', 'CREATE TABLE t (a INT)'),
    await call('execute_sql_read_only', 'SELECT 41 + 1 AS n'),
  ];
}

describe.each(Object.entries(PLACES))('an entry that was written with %s', (_, places) => {
  test('holds its permissions and reaches the workspace, whatever the client hands on', async () => {
    const { workspace, shell, argumentsFor } = await person(places);
    const args = await argumentsFor('cursor');
    const outcomes = await Promise.all(
      Object.entries(HANDED_ON).map(async ([name, of]) => [name, await attempt(args, of(shell))] as const),
    );
    for (const [name, [writes, reads]] of outcomes) {
      expect([name, writes]).toEqual([name, expect.stringContaining('allows only read-only tools on this server')]);
      expect([name, reads]).toEqual([name, expect.stringContaining('statement_id')]);
    }
    expect(JSON.stringify(workspace.statements)).not.toContain('CREATE');
  });
});

describe.each(['another configuration file', 'an encrypted file with its own key'])(
  'an entry that was written with %s',
  (place) => {
    test.each([
      ['the same places goes through it', true],
      ['others works alone, under the same permissions', false],
    ])('while an application runs that knows %s', async (_, isSame) => {
      const { workspace, shell, argumentsFor } = await person(PLACES[place] ?? (() => ({})));
      const args = await argumentsFor('cursor');
      const { HOME, USERPROFILE, PATH } = shell;
      const causeway = createCauseway({ env: isSame ? shell : { HOME, USERPROFILE, PATH } });
      const calls: string[] = [];
      const hub = await causeway.serveProxies({ onCall: ({ tool }) => void calls.push(tool ?? '') });
      onTestFinished(async () => {
        await hub.close();
        await causeway.close();
      });
      const [writes, reads] = await attempt(args, {});
      expect(writes).toContain('allows only read-only tools on this server');
      expect(reads).toContain('statement_id');
      expect(calls.includes('execute_sql_read_only')).toBe(isSame);
      expect(JSON.stringify(workspace.statements)).not.toContain('CREATE');
    });
  },
);

test('an entry starts the same in every client', () => {
  const env = { HOME: '/home/ana', CAUSEWAY_HOME: '/home/ana/cw' };
  const launcher = withEnvironment(launcherFor({ execPath: process.execPath, script: CAUSEWAY }, env), env);
  const server = { name: 'data', kind: 'other', profile: 'ana', path: SQL } as const;
  const words = (text: string) => JSON.stringify(JSON.parse(text)).match(/"proxy"(?:,"[^"]*")*/)?.[0];
  const all = CLIENTS.map((client) => words(JSON.stringify(entriesToPaste([server], launcher, client).entries)));
  const file = environmentFile(env);
  expect([...new Set(all)]).toEqual([`"proxy","--environment","${file}","--profile","ana","--path","${SQL}"`]);
});

test("a team's entry, which names no record, finds the home that only the shell knows", async () => {
  const { shell, argumentsFor } = await person((folder) => ({ CAUSEWAY_HOME: join(folder, 'cw') }));
  await argumentsFor('cursor');
  const team = ['--profile', 'ana', '--path', SQL];
  const six = HANDED_ON['the six of the MCP SDK']?.(shell) ?? {};
  const [writes, reads] = await attempt(team, six);
  expect(writes).toContain('allows only read-only tools on this server');
  expect(reads).toContain('statement_id');
});

test('an entry whose record cannot be used answers with the reason, and runs nothing', async () => {
  const spoil: Record<string, (file: string) => Promise<unknown>> = {
    'is gone': (file) => rm(file),
    'is damaged': (file) => writeFile(file, '{"version":1,'),
    'is of a newer version': (file) => writeFile(file, '{"version":2}'),
    'decides something unknown': (file) => writeFile(file, '{"version":1,"decides":{"ROOT":"/"},"helps":{}}'),
    'may be written by others': (file) => chmod(file, 0o666),
    'is a folder': (file) => rm(file).then(() => mkdir(file)),
  };
  const { workspace, shell, argumentsFor } = await person(() => ({}));
  for (const [what, spoilt] of Object.entries(spoil)) {
    const args = await argumentsFor('cursor');
    const file = args[args.indexOf('--environment') + 1] ?? '';
    await spoilt(file);
    const proxy = new ProxyProcess(args, shell);
    onTestFinished(() => proxy.close());
    const why = expect.stringContaining(`its record ${file} cannot be used`);
    const opened = await proxy.open({ clientInfo: { name: 'test', version: '1' } });
    expect([what, JSON.stringify(opened)]).toEqual([what, why]);
    for (const method of ['tools/list', 'tools/call']) {
      const answer = await proxy.request(method, method, {
        name: 'execute_sql_read_only',
        arguments: { query: 'SELECT 1' },
      });
      expect([what, method, JSON.stringify(answer)]).toEqual([what, method, why]);
    }
    const all = new ProxyProcess(['--all', ...args.slice(0, 2)], shell);
    onTestFinished(() => all.close());
    expect([what, JSON.stringify(await all.open())]).toEqual([what, why]);
    expect([what, JSON.stringify(await all.request('tools', 'tools/list'))]).toEqual([what, why]);
    await rm(file, { recursive: true, force: true });
  }
  expect(workspace.statements).toEqual([]);
});

test.each<[string, Places, folder: string]>([
  ['the usual home', () => ({}), '.config'],
  ['XDG folders on another disk', (folder) => ({ XDG_CONFIG_HOME: join(folder, 'disk', 'cfg') }), 'disk'],
])('an entry whose settings are gone with their folder runs nothing: %s', async (_, places, folder) => {
  const { workspace, argumentsFor, causeway, folder: home } = await person(places);
  const args = await argumentsFor('cursor');
  await rename(join(home, folder), join(home, 'gone'));
  const proxy = new ProxyProcess(args, {});
  onTestFinished(() => proxy.close());
  const why = expect.stringMatching(/the folder of its settings, \S+causeway, is not there\. Nothing was run\./);
  expect(JSON.stringify(await proxy.open())).toEqual(why);
  const call = { name: 'execute_sql', arguments: { query: 'CREATE TABLE t (a INT)' } };
  expect(JSON.stringify(await proxy.request('call', 'tools/call', call))).toEqual(why);
  expect(workspace.statements).toEqual([]);
  await rename(join(home, 'gone'), join(home, folder));
  const [writes, reads] = await attempt(args, {});
  expect(writes).toContain('allows only read-only tools on this server');
  expect(reads).toContain('statement_id');
  expect((await causeway('servers')).stdout).toContain('data');
});

test('an entry that was written in another environment is repaired on request', async () => {
  const { causeway, shell, folder } = await person(() => ({}));
  await mkdir(join(folder, '.cursor'));
  await causeway('clients', 'add', 'cursor');
  const file = join(folder, '.cursor', 'mcp.json');
  const before = await readFile(file, 'utf8');
  expect(before).toContain('--environment');
  await writeFile(file, before.replace(/\s*"--environment",\s*"[^"]*",/, ''));
  expect((await causeway('clients', 'list', 'cursor')).stdout).toContain('causeway clients repair');
  await causeway('clients', 'repair');
  expect(await readFile(file, 'utf8')).toBe(before);

  shell.CAUSEWAY_TOKEN_KEY_FILE = join(folder, 'keys', 'other');
  expect((await causeway('clients', 'list', 'cursor')).stdout).toContain('causeway clients repair');
  await causeway('clients', 'repair');
  expect(await readFile(file, 'utf8')).not.toBe(before);
});

test('no password of a proxy is in an entry or its record', async () => {
  const { causeway, shell, argumentsFor } = await person(() => ({}));
  shell.HTTPS_PROXY = 'http://ana:pass-word@proxy.example:8080';
  shell.NO_PROXY = '127.0.0.1,localhost';
  const args = await argumentsFor('cursor');
  const record = await readFile(args[args.indexOf('--environment') + 1] ?? '', 'utf8');
  expect(JSON.parse(record).helps).toMatchObject({
    HTTPS_PROXY: 'http://proxy.example:8080',
    NO_PROXY: '127.0.0.1,localhost',
  });
  expect(`${args} ${record} ${(await causeway('clients', 'json')).stdout}`).not.toContain('pass-word');
});
