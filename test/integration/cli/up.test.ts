import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import { type EmbeddedWorkspace, startWorkspace } from '../../workspace/workspace.ts';
import { installBrowser, runCauseway } from '../auth/causeway-process.ts';
import { type OwnHome, ownHome } from '../auth/own-home.ts';
import { HAS_TERMINALS, openTerminal, textOf } from './real-terminal.ts';

/** `causeway up`: from nothing to a query. */

const NEWER = '/ai-gateway/mcp-services/system.ai.dbsql';
const STARTER = '3f0c8a1d5e7b2946';

const FORBIDDEN = { kind: 'answer', status: 403, body: '{"error_code":"PERMISSION_DENIED","message":"No."}' } as const;

let workspace: EmbeddedWorkspace;
let home: OwnHome;
let cursor: string;

beforeEach(async () => {
  workspace = await startWorkspace({ autoApprove: 'ana@example.com', state: { startupMs: 20 } });
  home = await ownHome('');
  onTestFinished(async () => {
    await workspace.close();
    await home.remove();
  });
  await mkdir(join(home.folder, '.cursor'));
  cursor = join(home.folder, '.cursor', 'mcp.json');
});

const up = (...args: string[]) => runCauseway(home, ['up', ...args]);
const withToken = () =>
  writeFile(home.configFile, `[ana]\nhost = ${workspace.host}\ntoken = ${workspace.users[0]?.token}\n`);
const entries = () => readFile(cursor, 'utf8').catch(() => '');

describe.skipIf(process.platform !== 'linux')('causeway up on a fresh computer', () => {
  test('signs in, adds the server and the entry, and runs a query on the warehouse that it names', async () => {
    await installBrowser(home);
    const run = await up(workspace.host, '--profile', 'me', '--yes');
    expect(run).toMatchObject({ code: 0 });
    expect(run.stdout).toContain(`Connected to ${workspace.host} as ana@example.com (profile me).`);
    expect(run.stdout).toContain(`Added databricks-sql: ${NEWER} as me`);
    expect(run.stdout).toMatch(/^SELECT 1 ran on Starter Warehouse \(\d+\.\d s\)\.$/m);
    expect(run.stdout).toContain('Now ask in Cursor: ');
    expect(workspace.statements.at(-1)?.choice).toMatchObject({ warehouseId: STARTER });
    expect(await entries()).toContain(NEWER);
    expect(await home.readConfig()).toContain(`[me]\nhost = ${workspace.host}`);
  });
});

describe('causeway up with a sign-in', () => {
  beforeEach(withToken);

  test('shows everything first, and writes nothing that is not agreed to', async () => {
    const dry = await up('--dry-run');
    expect(dry).toMatchObject({ code: 0, stdout: expect.stringContaining('New server databricks-sql') });
    expect(dry.stdout).toContain('+    "databricks-sql": {');
    const asked = await up();
    expect(asked).toMatchObject({ code: 2, stderr: expect.stringContaining('Run it again with --yes.') });
    expect(await entries()).toBe('');
    expect(JSON.parse((await runCauseway(home, ['servers', '--json'])).stdout)).toEqual({ servers: [] });
    expect(workspace.statements).toEqual([]);
  });

  test.runIf(HAS_TERMINALS)('asks on a terminal; no is no, and it goes on from there another time', async () => {
    const run = async (answer: string) => {
      const terminal = openTerminal(home.env, 80, ['up']);
      await expect.poll(() => textOf(terminal.shown())).toContain('Write this? [y/N]');
      terminal.type(answer);
      return { code: await terminal.ended, text: textOf(terminal.shown()) };
    };
    expect(await run('n\r')).toMatchObject({ code: 130, text: expect.stringContaining('Nothing was changed.') });
    expect(await run('\u0003')).toMatchObject({ code: 130 });
    expect(await entries()).toBe('');
    expect(await run('y\r')).toMatchObject({ code: 0, text: expect.stringContaining('SELECT 1 ran on') });
    expect(await entries()).toContain(NEWER);
  });

  test('run again changes nothing and only runs the query', async () => {
    expect((await up('--yes')).code).toBe(0);
    const before = await entries();
    const { code, stdout } = await up('--json');
    const { isNew, changes, query } = JSON.parse(stdout);
    expect({ code, isNew, changes, query }).toMatchObject({
      code: 0,
      isNew: false,
      changes: [{ client: 'cursor', result: 'unchanged' }],
      query: { succeeded: true, warehouse: { id: STARTER, name: 'Starter Warehouse' } },
    });
    expect(await entries()).toBe(before);
  });

  test('takes the SQL server that is in the list already', async () => {
    await runCauseway(home, ['servers', 'add', '--path', '/api/2.0/mcp/sql', '--name', 'mine', '--profile', 'ana']);
    const { stdout } = await up('--yes');
    expect(stdout).toContain('Server mine: /api/2.0/mcp/sql as ana: 3 tools.');
    expect(await entries()).toContain('"mine"');
  });

  test('without AI clients it says so, and runs the query all the same', async () => {
    const bare = await ownHome(await home.readConfig());
    onTestFinished(() => bare.remove());
    const run = await runCauseway(bare, ['up', '--yes']);
    expect(run).toMatchObject({ code: 0, stderr: expect.stringContaining('No AI clients were found') });
    expect(run.stdout).toContain('Now ask in any MCP client');
  });

  test('a history that does not show the statement says nothing of the warehouse', async () => {
    workspace.faults.add({ effect: FORBIDDEN, path: '/api/2.0/sql/history/queries', times: 'always' });
    const run = await up('--yes');
    expect(run).toMatchObject({ code: 0, stdout: expect.stringContaining('does not show on which warehouse') });
  });

  test('ends with the reason if no SQL server answers, before anything is written', async () => {
    workspace.faults.add({ effect: FORBIDDEN, path: '/api/2.0/mcp/sql', times: 'always' });
    workspace.mcp.settings.preview = 'suspended';
    const { code, stderr } = await up('--yes');
    expect([code, stderr]).toEqual([1, expect.stringMatching(/^causeway: /)]);
    expect(await entries()).toBe('');
  });
});

describe('causeway up where it is not known which workspace', () => {
  test('names what to give, without a terminal', async () => {
    const { code, stderr } = await up('--yes');
    expect([code, stderr]).toEqual([2, expect.stringContaining('causeway up https://YOUR-WORKSPACE')]);
  });

  test.runIf(HAS_TERMINALS)('asks for the address until it is one', async () => {
    const terminal = openTerminal(home.env, 80, ['up', '--dry-run']);
    await expect.poll(() => textOf(terminal.shown())).toContain('The address of your workspace');
    terminal.type('no address\r');
    await expect.poll(() => textOf(terminal.shown()).split('The address of your workspace').length).toBe(3);
    terminal.type(`${workspace.host}\r`);
    expect(await terminal.ended).toBe(3);
    expect(textOf(terminal.shown())).toContain(`You are not signed in to ${workspace.host}. Nothing was done.`);
  });
});
