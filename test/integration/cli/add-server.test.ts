import { readFile, writeFile } from 'node:fs/promises';
import { beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import { type EmbeddedWorkspace, startWorkspace } from '../../workspace/workspace.ts';
import { runCauseway } from '../auth/causeway-process.ts';
import { type OwnHome, ownHome } from '../auth/own-home.ts';

/** `causeway servers add`: what is added, and what the workspace says about it. */

const OLDER = '/api/2.0/mcp/sql';
const NEWER = '/ai-gateway/mcp-services/system.ai.dbsql';

let workspace: EmbeddedWorkspace;
let home: OwnHome;
beforeEach(async () => {
  workspace = await startWorkspace();
  home = await ownHome(await readFile(workspace.profileFile, 'utf8'));
  onTestFinished(async () => {
    await workspace.close();
    await home.remove();
  });
});

const add = (...args: string[]) => runCauseway(home, ['servers', 'add', ...args, '--profile', 'ana']);
const listed = async () => {
  const { stdout } = await runCauseway(home, ['servers', '--json']);
  return JSON.parse(stdout).servers.map(({ path }: { path: string }) => path);
};

describe('sql', () => {
  test('is the newer server where the workspace offers it', async () => {
    const { stdout } = await add('sql');
    expect(stdout).toContain(`Added databricks-sql: ${NEWER} as ana\nIt answers, with 3 tools.\n`);
    expect(await listed()).toEqual([NEWER]);
    // Nothing advises against it right afterwards.
    expect((await runCauseway(home, ['servers'])).stdout).not.toContain('newer');
  });

  test('is the one of every workspace where the newer one is suspended, with the reason', async () => {
    workspace.mcp.settings.preview = 'suspended';
    const { code, stdout } = await add('sql');
    expect([code, stdout]).toEqual([0, expect.stringContaining(`Added databricks-sql: ${OLDER} as ana`)]);
    expect(stdout).toContain('This workspace does not offer system.ai.dbsql: ');
    expect(stdout).toContain('suspended');
    expect(stdout).toContain('It answers, with 3 tools.');
  });

  test('is not asked for twice where a sign-in is missing, and added all the same', async () => {
    await writeFile(home.configFile, `[ana]\nhost = ${workspace.host}\ntoken = dapi-wrong\n`);
    const { code, stdout } = await add('sql');
    expect([code, stdout]).toEqual([0, expect.stringContaining('It does not answer yet: ')]);
    expect(workspace.requests.count({ path: OLDER, method: 'POST' })).toBe(0);
    expect(await listed()).toEqual([OLDER]);
  });

  test('is not added beside another SQL server: a client would have its tools twice', async () => {
    await add('--path', OLDER);
    const { code, stderr } = await add('sql');
    expect([code, stderr]).toEqual([1, expect.stringContaining(`Server "databricks-sql" is already ${OLDER}`)]);
    expect(await listed()).toEqual([OLDER]);
    expect((await add('sql', '--meta', 'warehouse_id=8baced1ff014912d')).code).toBe(0);
  });
});

describe('a server that does not exist', () => {
  test.each<[args: string[], code: number, message: string]>([
    [['genie', '123'], 4, 'matches none of the'],
    [['genie:00000000000000000000000000000000'], 4, 'not found'],
    [['functions', 'main.nope'], 4, 'Schema main.nope not found'],
    [['search:main.nope'], 4, 'Schema main.nope not found'],
    [['connection', 'nope'], 4, "Connection 'nope' does not exist"],
    [['system.ai.dbsq'], 4, 'Did you mean "system.ai.dbsql"?'],
    [['--path', `${OLDER}/8baced1ff014912d`], 1, 'has no managed MCP server at'],
    [['--path', `${OLDER}?warehouse_id=1`], 2, 'use --meta warehouse_id=1'],
  ])('is not added: %j', async (args, code, message) => {
    const run = await add(...args);
    expect(run).toMatchObject({ code, stderr: expect.stringContaining(message) });
    expect(await listed()).toEqual([]);
  });

  test('is added with --no-check, and nothing is asked', async () => {
    const before = workspace.requests.count();
    const { code, stdout } = await add('functions', 'main.nope', '--no-check');
    expect([code, stdout]).toEqual([0, expect.stringMatching(/^Added functions-nope: /)]);
    expect(stdout).not.toContain('answer');
    expect(workspace.requests.count()).toBe(before);
  });
});

test('a Genie space is named the same after its kind as behind a colon', async () => {
  for (const name of [['genie', 'New York taxi trips'], ['genie', 'New', 'York', 'taxi', 'trips'], ['genie:taxi']]) {
    const { stdout } = await add(...name, '--dry-run');
    expect(stdout).toContain('/api/2.0/mcp/genie/01ef2b7c5a9d1e3f8c4b6a0d2e5f7191 as ana');
  }
});

test('a service that wants a sign-in of its own is added, and its page is named', async () => {
  const { code, stdout } = await add('system.ai.github');
  expect([code, stdout]).toEqual([0, expect.stringContaining('is not signed in to GitHub')]);
  const { tools, error } = JSON.parse((await add('system.ai.github', '--name', 'again', '--json')).stdout);
  expect({ tools, code: error.code }).toEqual({ tools: null, code: 'service_signed_out' });
});
