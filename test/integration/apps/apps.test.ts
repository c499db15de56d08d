import { chmod, mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Client } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { beforeEach, describe, expect, it } from 'vitest';
import { createCauseway } from '../../../main/app/causeway.ts';
import type { App } from '../../workspace/model.ts';
import { runCauseway } from '../auth/causeway-process.ts';
import { scriptedBrowser } from '../auth/scripted-browser.ts';
import { CAUSEWAY } from '../proxy/proxy-process.ts';
import { causewayFor, INITIALIZE, listApp, pathOf, sessionWith, setAppStage, tokensBesideWorkspace } from './stage.ts';

/** Databricks Apps as servers, from `servers add` to a tool's answer. */

const stage = setAppStage();

/** Ben signs in; the profile `user` is his. */
async function signIn(): Promise<void> {
  const causeway = createCauseway({ env: stage.home.env, openBrowser: scriptedBrowser().open });
  const auth = await causeway.auth();
  await auth.signIn(await auth.profile('user'));
  await causeway.close();
}

const servers = (...args: string[]) => runCauseway(stage.home, ['servers', ...args]);
const app = (name: string): App => {
  const found = stage.workspace.state.apps.find((one) => one.name === name);
  if (!found) throw new Error(`no app ${name}`);
  return found;
};

/** The official client, with what `servers add` has written for its server. */
async function connect(name: string | undefined): Promise<Client> {
  const server = name === undefined ? ['--all'] : ['--profile', 'user', '--path', pathOf(name)];
  const transport = new StdioClientTransport({
    command: process.execPath,
    args: [CAUSEWAY, 'proxy', ...server],
    env: Object.fromEntries(Object.entries(stage.home.env).map(([key, value]) => [key, String(value)])),
  });
  const client = new Client({ name: 'test', version: '0' });
  await client.connect(transport);
  stage.atEnd(() => client.close());
  return client;
}

/** Gives what counts the sessions through the application. */
async function startApplication(): Promise<() => number> {
  const causeway = causewayFor(stage);
  const hub = await causeway.serveProxies();
  stage.atEnd(() => hub.close());
  return () => hub.sessions().length;
}

describe('an app, added and called by the official client', {
  skip: process.platform === 'win32',
  timeout: 60_000,
}, () => {
  beforeEach(signIn);

  it.each([
    ['alone', async () => () => 0, 0],
    ['through the application', startApplication, 1],
  ] as const)('%s', async (_place, arrange, shared) => {
    const added = await servers('add', 'app:mcp-inventory', '--profile', 'user', '--yes');
    const origin = await stage.workspace.apps.origin('mcp-inventory');
    expect(added.stderr).toContain(`App "mcp-inventory" is at ${origin}.`);
    expect(added.stdout).toContain(`Added mcp-inventory: /apps/mcp-inventory/mcp at ${origin} as user`);
    expect(await tokensBesideWorkspace(stage)).toEqual([]);
    const sessions = await arrange();
    const client = await connect('mcp-inventory');
    expect((await client.listTools()).tools.map(({ name }) => name)).toEqual(['stock_level', 'order_article']);
    const answer = await client.callTool({ name: 'stock_level', arguments: { article: '7' } });
    expect(answer.structuredContent).toMatchObject({ server: 'mcp-inventory', arguments: { article: '7' } });
    expect(sessions()).toBe(shared);
    const [token = '', ...others] = await tokensBesideWorkspace(stage);
    expect(others).toEqual([]);
    expect(stage.workspace.tokens.originsThatSaw(token).sort()).toEqual([stage.workspace.host, origin].sort());
  });

  it('is one of all servers, and permissions apply to its tools', async () => {
    for (const name of ['mcp-inventory', 'mcp-forecast'])
      await servers('add', `app:${name}`, '--profile', 'user', '--yes');
    expect(
      (await runCauseway(stage.home, ['permissions', 'set', 'mcp-inventory', '--off', 'order_article'])).code,
    ).toBe(0);
    const client = await connect(undefined);
    const listed = async () => (await client.listTools()).tools.map(({ name }) => name).sort();
    await expect.poll(listed, { timeout: 20_000 }).toEqual(['forecast', 'stock_level']);
    const answer = await client.callTool({ name: 'stock_level', arguments: { article: '7' } });
    expect(answer.structuredContent).toMatchObject({ server: 'mcp-inventory' });
    expect((await connect('mcp-inventory').then((one) => one.listTools())).tools.map(({ name }) => name)).toEqual([
      'stock_level',
    ]);
  });

  it('is asked again at its own host if it redirects to its inner address', async () => {
    await servers('add', 'app:mcp-forecast', '--profile', 'user', '--yes');
    const client = await connect('mcp-forecast');
    const answer = await client.callTool({ name: 'forecast', arguments: { week: '30' } });
    expect(answer.structuredContent).toMatchObject({ server: 'mcp-forecast' });
    const forecast = await stage.workspace.apps.origin('mcp-forecast');
    // The path that it led to is remembered: `/mcp` was asked once.
    const { length } = stage.workspace.state.mcpCalls.filter(({ name }) => name === 'mcp-forecast');
    expect(stage.workspace.tokens.requestsAt(forecast)).toBeLessThanOrEqual(length + 2);
  });
});

describe('`servers add app:NAME`', () => {
  it('adds nothing without a confirmation, and nothing in a dry run', async () => {
    const asked = await servers('add', 'app:mcp-inventory', '--profile', 'agent');
    expect([asked.code, asked.stderr]).toEqual([2, expect.stringContaining('Run it again with --yes.')]);
    const tried = await servers('add', 'app:mcp-inventory', '--profile', 'agent', '--dry-run');
    expect(tried.stdout).toContain('Would add mcp-inventory');
    expect(JSON.parse((await servers('list', '--json')).stdout)).toEqual({ servers: [] });
  });

  it('refuses a second time, and asks to confirm an address that has changed', async () => {
    await servers('add', 'app:mcp-inventory', '--profile', 'agent', '--yes');
    const again = await servers('add', 'app:mcp-inventory', '--profile', 'agent', '--yes');
    expect(again.stderr).toContain('Server "mcp-inventory" is already app "mcp-inventory" with profile agent.');
    await listApp(stage, 'mcp-inventory', 'https://before.test');
    const moved = await servers('add', 'app:mcp-inventory', '--profile', 'agent', '--yes', '--json');
    expect(moved.stderr).toContain('Confirmed so far: https://before.test.');
    expect(JSON.parse(moved.stdout).server).toMatchObject({
      confirmed: await stage.workspace.apps.origin('mcp-inventory'),
    });
    expect(JSON.parse((await servers('list', '--json')).stdout).servers).toHaveLength(1);
  });

  it('is not written into a client’s file as an address', async () => {
    await servers('add', 'app:mcp-inventory', '--profile', 'agent', '--yes');
    await mkdir(join(stage.home.folder, '.claude'), { recursive: true });
    await writeFile(join(stage.home.folder, '.claude.json'), '{}');
    const { code, stderr } = await runCauseway(stage.home, [
      'clients',
      'add',
      'claude-code',
      '--http',
      '--client-id',
      'x',
    ]);
    expect([code, stderr]).toEqual([
      2,
      expect.stringContaining('is a Databricks App. Claude Code cannot connect to it by address'),
    ]);
  });

  it.each([
    [
      'mcp-payroll',
      /is not allowed to use app "mcp-payroll" \(.+CAN_USE on app mcp-payroll\)\. Ask the app's owner for CAN_USE/,
    ],
    ['mcp-stranger', /has no app "mcp-stranger" for the user of profile "agent"/],
    ['../scim/v2/Me', /cannot name an app/],
  ])('refuses %s', async (name, words) => {
    app('mcp-payroll').canUse = new Set(['nobody']);
    const { code, stderr } = await servers('add', `app:${name}`, '--profile', 'agent', '--yes');
    expect(code).not.toBe(0);
    expect(stderr).toMatch(words);
  });
});

describe('a profile whose token apps do not accept', () => {
  it('is reported with its remedy, for a personal access token', async () => {
    const words = /Databricks Apps do not accept personal access tokens.+causeway login --host/;
    expect((await servers('add', 'app:mcp-inventory', '--profile', 'token', '--yes')).stderr).toMatch(words);
    await listApp(stage, 'mcp-inventory', await stage.workspace.apps.origin('mcp-inventory'), 'token');
    const { error } = await (await sessionWith(stage, 'mcp-inventory', 'token')).request('initialize', INITIALIZE);
    expect(error?.message).toMatch(words);
    expect(await tokensBesideWorkspace(stage)).toEqual([]);
  });

  it.each([true, false])(
    'is exchanged at the workspace if Entra ID issued it and this is allowed: %s',
    async (isAllowed) => {
      const { entra, apps } = stage.workspace;
      entra.federated = isAllowed;
      const entraToken = entra.tokenFor('ben@example.com');
      const folder = join(stage.home.folder, 'bin-az');
      await mkdir(folder, { recursive: true });
      const answer = JSON.stringify({ accessToken: entraToken, expires_on: 4070908800 });
      const account = '{"user":{"name":"ben@example.com","type":"user"}}';
      await writeFile(
        join(folder, 'az'),
        `#!/bin/sh\ncase "$*" in\n"account show"*) echo '${account}';;\n*2ff814a6*) echo '${answer}';;\n*) exit 1;;\nesac\n`,
      );
      await chmod(join(folder, 'az'), 0o755);
      stage.home.env.PATH = `${folder}:/usr/bin:/bin`;
      await listApp(stage, 'mcp-inventory', await apps.origin('mcp-inventory'), 'azure');
      const session = await sessionWith(stage, 'mcp-inventory', 'azure');
      const { result, error } = await session.request('initialize', INITIALIZE);
      if (isAllowed) expect(result).toBeDefined();
      else
        expect(error?.message).toMatch(
          /do not accept Entra ID tokens, and .+ does not exchange .+An account admin can allow/,
        );
      expect(await tokensBesideWorkspace(stage)).not.toContain(entraToken);
      expect(stage.workspace.tokens.originsThatSaw(entraToken)).toEqual(isAllowed ? [stage.workspace.host] : []);
      expect(session.received()).not.toContain(entraToken);
    },
  );
});

describe('an app that does not answer', () => {
  const told = async (name: string) => {
    await listApp(stage, name, await stage.workspace.apps.origin(name));
    const { error } = await (await sessionWith(stage, name)).request('initialize', INITIALIZE);
    return error?.message;
  };

  it('gets no token while it is stopped, and the client is told how to start it', async () => {
    expect(await told('mcp-reports')).toBe(
      'App "mcp-reports" is stopped. Nothing was run. Start it with: causeway servers start app:mcp-reports --profile agent.',
    );
    expect(await tokensBesideWorkspace(stage)).toEqual([]);
  });

  it('gets no token after a crash', async () => {
    expect(await told('mcp-broken')).toMatch(/^App "mcp-broken" has crashed. Nothing was run\. Ask the app's owner/);
    expect(await tokensBesideWorkspace(stage)).toEqual([]);
  });

  it('is reported as not being an MCP server if it is a web page', async () => {
    expect(await told('sales-dashboard')).toMatch(/has no MCP server at \/mcp: it returned a web page/);
  });

  it.each([302, 401])('is distinguished from a stopped one if it refuses the sign-in with %i', async (status) => {
    const { apps } = stage.workspace;
    apps.settings.unauthenticated = status === 401 ? '401' : 'redirect';
    await listApp(stage, 'mcp-inventory', await apps.origin('mcp-inventory'));
    const session = await sessionWith(stage, 'mcp-inventory');
    expect((await session.request('initialize', INITIALIZE)).result).toBeDefined();
    // Stopped after the last look: the page that answers leads to another one.
    app('mcp-inventory').computeState = 'STOPPED';
    expect((await session.request('tools/list')).error?.message).toContain('is stopped. Nothing was run.');
    app('mcp-inventory').computeState = 'ACTIVE';
    app('mcp-inventory').canUse = new Set(['nobody']);
    expect((await session.request('tools/list')).error?.message).toContain('is not allowed to use app "mcp-inventory"');
  });
});

describe('`servers start`', () => {
  it('starts a stopped app, shows its progress, and ends when it runs', async () => {
    app('mcp-reports').canUse = new Set(['users']);
    app('mcp-reports').canManage = new Set(['users']);
    await listApp(stage, 'mcp-reports', await stage.workspace.apps.origin('mcp-reports'));
    const started = await servers('start', 'mcp-reports');
    expect([started.code, started.stdout]).toEqual([0, 'App "mcp-reports" is running now.\n']);
    expect(started.stderr).toContain('App "mcp-reports" is starting…');
    expect((await servers('start', 'app:mcp-reports', '--profile', 'agent')).stdout).toContain('is already running');
    const { result } = await (await sessionWith(stage, 'mcp-reports')).request('initialize', INITIALIZE);
    expect(result).toBeDefined();
  });

  it('says who can start it if the user cannot', async () => {
    const { code, stderr } = await servers('start', 'app:mcp-reports', '--profile', 'agent');
    expect([code, stderr]).toEqual([
      1,
      expect.stringContaining('is not allowed to start app "mcp-reports". Starting it requires CAN_MANAGE'),
    ]);
  });

  it('says that a warehouse is not an app', async () => {
    await servers('add', 'sql', '--profile', 'agent');
    expect((await servers('start', 'databricks-sql')).stderr).toContain('is not an app. There is nothing to start.');
  });
});
