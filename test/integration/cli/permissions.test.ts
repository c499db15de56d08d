import { appendFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { PermissionsFile } from '../../../main/permissions/permissions-file.ts';
import { runCommand } from '../warehouses/harness.ts';
import { homeOfAna, profileOf, startApplication, startSession } from './sql-session.ts';

/** A home with a SQL server, and the embedded workspace behind it. */
async function home() {
  const own = await homeOfAna();
  await runCommand(own.env, ['servers', 'add', '--path', '/api/2.0/mcp/sql', '--no-check', '--profile', 'ana']);
  const permissions = (...args: string[]) => runCommand(own.env, ['permissions', ...args]);
  return { ...own, permissions };
}

/** A session of Codex, and what it asks. */
async function session(env: NodeJS.ProcessEnv) {
  const proxy = await startSession(env, [], 'codex-mcp-client');
  let last = 0;
  const request = (method: string, params: object) => {
    last += 1;
    return proxy.request(last, method, params);
  };
  return {
    tools: async () => {
      const { result } = await request('tools/list', {});
      return (result as { tools: { name: string }[] }).tools.map(({ name }) => name);
    },
    call: async (name: string, query: string) => {
      const { result } = await request('tools/call', { name, arguments: { query } });
      return result as { isError?: boolean; content: { text: string }[] };
    },
  };
}

/** A permission of every server and client that decides nothing, as JSON. */
const NOTHING = { servers: null, client: null, readOnly: null, newTools: null, on: [], off: [], ask: [] };

describe('causeway permissions', () => {
  test('says how to start if there are none', async () => {
    const { permissions } = await home();
    const { code, stdout } = await permissions();
    expect(code).toBe(0);
    expect(stdout).toBe(
      'Nothing is restricted yet. Every client may use every tool.\nStart with: causeway permissions set --all --read-only\n',
    );
  });

  test('does the same under its old name, rules, which help does not show', async () => {
    const { permissions, env } = await home();
    expect((await runCommand(env, ['rules', 'set', 'databricks-sql', '--read-only'])).stdout).toBe(
      'Permissions for databricks-sql: read only\n',
    );
    const { stdout } = await permissions();
    expect(stdout).toContain('databricks-sql  all     read only\n');
    expect((await runCommand(env, ['rules'])).stdout).toBe(stdout);
    const help = (await runCommand(env, ['help', 'rules'])).stdout;
    expect(help).toBe((await runCommand(env, ['help', 'permissions'])).stdout);
    expect(help).not.toContain('causeway rules');
    expect((await runCommand(env, ['help'])).stdout).not.toMatch(/^ +rules/m);
  });

  test('lists the current permissions, and the latest changes', async () => {
    const { permissions } = await home();
    expect((await permissions('set', 'databricks-sql', '--read-only')).stdout).toBe(
      'Permissions for databricks-sql: read only\n',
    );
    expect((await permissions('set', '--client', 'codex', '--read-only')).stdout).toBe(
      'Permissions for OpenAI Codex on all servers: read only\n',
    );
    await permissions(
      'set',
      'databricks-sql',
      '--client',
      'cursor',
      '--off',
      'execute_sql',
      '--ask',
      'poll_sql_result',
    );
    const { stdout } = await permissions();
    expect(stdout).toContain('SERVER          CLIENT  PERMISSION\n');
    expect(stdout).toContain('all             codex   read only\n');
    expect(stdout).toContain('databricks-sql  all     read only\n');
    expect(stdout).toContain('databricks-sql  cursor  off: execute_sql; ask first: poll_sql_result\n');
    expect(stdout).toMatch(/Latest changes:\n {2}\d\d:\d\d {2}Cursor on databricks-sql: off: execute_sql/);
    const listed = JSON.parse((await permissions('--json')).stdout);
    expect(listed.permissions).toContainEqual({ ...NOTHING, servers: ['databricks-sql'], readOnly: true });
    expect(listed.history).toHaveLength(3);
  });

  test('removes a permission, and says if there is none', async () => {
    const { permissions } = await home();
    await permissions('set', '--all', '--read-only');
    expect((await permissions('clear', '--all')).stdout).toBe('Permissions for everything: not set\n');
    const again = await permissions('clear', '--all');
    expect([again.code, again.stderr]).toEqual([4, expect.stringContaining('No permissions are set for everything.')]);
  });

  test('lists a tool that is on for a client even though it is off for the server', async () => {
    const { permissions } = await home();
    await permissions('set', 'databricks-sql', '--off', 'execute_sql');
    await permissions('set', 'databricks-sql', '--client', 'codex', '--on', 'execute_sql');
    expect((await permissions()).stdout).toContain('databricks-sql  codex   on: execute_sql\n');
  });

  test('prints the permissions of one scope as JSON, with what they forbid', async () => {
    const { permissions } = await home();
    expect(JSON.parse((await permissions('set', '--client', 'codex', '--read-only', '--json')).stdout)).toEqual({
      dryRun: false,
      permission: { ...NOTHING, client: 'codex', readOnly: true },
      warnings: [],
    });
    await permissions('set', 'databricks-sql', '--client', 'codex', '--read-only');
    const set = JSON.parse((await permissions('set', 'databricks-sql', '--new', 'off', '--json')).stdout);
    expect(set).toEqual({
      dryRun: false,
      permission: { ...NOTHING, servers: ['databricks-sql'], newTools: 'off' },
      warnings: [expect.stringContaining('are not known yet')],
    });
  });

  test('removes those of a client everywhere once, and with those of a server those of its clients', async () => {
    const { permissions } = await home();
    await permissions('set', 'databricks-sql', '--client', 'codex', '--read-only');
    expect((await permissions('clear', '--client', 'codex')).code).toBe(4);
    expect((await permissions('clear', 'databricks-sql')).code).toBe(0);
    expect((await permissions()).stdout).toContain('Nothing is restricted yet');
  });

  test("removes the permissions of a client that Causeway knows only by the client's own name", async () => {
    const { permissions, env } = await home();
    await new PermissionsFile(env).change((now) => ({
      ...now,
      clients: { 'home-made': { name: 'home-made', wireNames: ['home-made'], readOnly: true } },
    }));
    expect((await permissions()).stdout).toContain('all     home-made  read only\n');
    expect((await permissions('clear', '--client', 'home-made')).stdout).toBe(
      'Permissions for home-made on all servers: not set\n',
    );
    expect((await permissions()).stdout).toContain('Nothing is restricted yet');
  });

  test('says which other servers are the same one, and lists all of them', async () => {
    const { permissions, env, configFile, workspace } = await home();
    await appendFile(configFile, profileOf(workspace, 'ben'));
    await runCommand(env, ['servers', 'add', '--path', '/api/2.0/mcp/sql', '--profile', 'ben']);
    const { stderr } = await permissions('set', 'databricks-sql', '--off', 'execute_sql,poll_sql_result');
    expect(stderr).toBe('causeway: databricks-sql-2 leads to the same server. The permissions apply there too.\n');
    const { stdout } = await permissions();
    expect(stdout).toContain('databricks-sql, databricks-sql-2  all     off: execute_sql, poll_sql_result\n');
    expect(stdout).toContain('  databricks-sql: off: execute_sql, poll_sql_result\n');
  });

  test.each([
    [['set'], 2, 'No change was given.'],
    [['set', 'databricks-sql', '--off', ' , '], 2, '--off was given without a tool.'],
    [
      ['set', '--off', 'execute_sql', 'databricks-sql'],
      2,
      '"databricks-sql" follows --off and counts as a tool. Put the server first: causeway permissions set databricks-sql --off execute_sql',
    ],
    [['set', '--read-only'], 2, 'No server was named.'],
    [['set', 'databricks-sql', '--all', '--read-only'], 2, '--all was given with a server or a client.'],
    [['set', 'nothing', '--read-only'], 4, 'There is no server "nothing".'],
    [['set', '--client', 'nobody', '--read-only'], 4, 'There is no client "nobody".'],
    [['set', '--client', 'constructor', '--read-only'], 4, 'There is no client "constructor".'],
    [['set', '--all', '--off', 'execute_sql'], 2, 'Permissions for tools need a server.'],
    [['set', 'databricks-sql', '--on', 'a', '--off', 'a'], 2, 'The tool "a" is named twice.'],
    [['set', 'databricks-sql', '--new', 'maybe'], 2, 'maybe'],
    [['clear'], 2, 'No server was named.'],
  ])('refuses %j', async (args, code, words) => {
    const { permissions } = await home();
    const refused = await permissions(...args);
    expect([refused.code, refused.stderr]).toEqual([code, expect.stringContaining(words)]);
  });

  test('changes nothing with --dry-run, and does not change a file that it cannot read', async () => {
    const { permissions, env } = await home();
    expect((await permissions('set', '--all', '--read-only', '--dry-run')).stdout).toBe(
      'Permissions for everything would be: read only\n',
    );
    expect((await permissions()).stdout).toContain('Nothing is restricted yet');
    await permissions('set', '--all', '--read-only');
    const path = join(String(env.CAUSEWAY_HOME), 'config', 'permissions.json');
    await writeFile(path, '{"version":1,');
    for (const args of [[], ['set', '--all', '--no-read-only'], ['clear', '--all']]) {
      const { code, stderr } = await permissions(...args);
      expect([code, stderr]).toEqual([1, expect.stringContaining('cannot be read')]);
    }
  });

  test('keeps the tools that a server has when new ones are turned off', async () => {
    const { permissions, env } = await home();
    const unknown = await permissions('set', 'databricks-sql', '--new', 'off', '--dry-run');
    expect(unknown.stderr).toContain('are not known yet and all count as new');
    await (await session(env)).tools();
    // What the server has listed is stored once the client has its answer.
    await expect
      .poll(async () => (await permissions('set', 'databricks-sql', '--new', 'off', '--dry-run')).stderr)
      .toBe('');
    const { stdout } = await permissions('set', 'databricks-sql', '--new', 'off');
    expect(stdout).toBe(
      'Permissions for databricks-sql: on: execute_sql, execute_sql_read_only, poll_sql_result; new tools off\n',
    );
    const typing = await permissions('set', 'databricks-sql', '--off', 'execute_sq');
    expect(typing.stderr).toContain('databricks-sql currently has no tool "execute_sq".');
  });
});

describe('a running session whose application quits and restarts', () => {
  test('follows the same rule all the time', async () => {
    const { permissions, env, workspace } = await home();
    const stop = await startApplication(env);
    const client = await session(env);
    await permissions('set', 'databricks-sql', '--off', 'execute_sql');
    const refused = async () => (await client.call('execute_sql', 'SELECT 1')).content[0]?.text;
    expect(await refused()).toContain('The user has turned off "execute_sql"');
    await stop();
    // A call that the proxy sends before it sees the end has an unknown outcome; a list is sent again.
    expect(await client.tools()).not.toContain('execute_sql');
    expect(await refused()).toContain('The user has turned off "execute_sql"');
    await startApplication(env);
    expect(await refused()).toContain('The user has turned off "execute_sql"');
    const calls = workspace.state.mcpCalls.filter(({ method }) => method === 'tools/call');
    expect(calls).toEqual([]);
  });
});

describe.each(['alone', 'through the application'])('a running session %s', (how) => {
  test('follows a permission at its next call', async () => {
    const { permissions, env } = await home();
    if (how !== 'alone') await startApplication(env);
    const client = await session(env);
    expect(await client.tools()).toContain('execute_sql');
    await permissions('set', 'databricks-sql', '--read-only');
    expect(await client.tools()).toEqual(['execute_sql_read_only', 'poll_sql_result']);
    const refused = await client.call('execute_sql', 'SELECT 1');
    expect(refused.isError).toBe(true);
    expect(refused.content[0]?.text).toContain('the user allows only read-only tools on this server');
    expect((await client.call('execute_sql_read_only', 'SELECT 1')).isError ?? false).toBe(false);
    await permissions('set', 'databricks-sql', '--no-read-only');
    expect((await client.call('execute_sql', 'SELECT 1')).isError ?? false).toBe(false);
  });
});
