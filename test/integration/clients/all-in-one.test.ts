import { appendFile, mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { homeOfAna, profileOf } from '../cli/sql-session.ts';
import { runCommand } from '../warehouses/harness.ts';

/** A home with two servers and Cursor, whose file holds someone else's entry. */
async function home() {
  const own = await homeOfAna();
  const path = join(own.folder, '.cursor', 'mcp.json');
  await mkdir(join(own.folder, '.cursor'));
  const before = '{\n  "mcpServers": {\n    "other": { "command": "other" }\n  }\n}\n';
  await writeFile(path, before);
  const causeway = (...args: string[]) => runCommand(own.env, args);
  await causeway('servers', 'add', 'sql', '--profile', 'ana');
  await causeway('servers', 'add', 'functions', 'main.default', '--profile', 'ana');
  const text = () => readFile(path, 'utf8');
  const entries = async (): Promise<Record<string, { args: string[] }>> => JSON.parse(await text()).mcpServers;
  const list = async () => (await causeway('clients', 'list', 'cursor')).stdout;
  return { ...own, path, before, text, entries, causeway, list };
}

describe('one entry for all servers', () => {
  test('replaces the separate entries, is listed, and is removed without a trace', async () => {
    const { causeway, entries, list, text, before } = await home();
    await causeway('clients', 'add', 'cursor');
    expect(Object.keys(await entries())).toEqual(['other', 'databricks-sql', 'functions-default']);
    const added = await causeway('clients', 'add', 'cursor', '--all-in-one');
    expect([added.code, added.stderr]).toEqual([0, '']);
    expect(Object.keys(await entries())).toEqual(['other', 'causeway']);
    expect((await entries()).causeway?.args.slice(-1)).toEqual(['--all']);
    expect(await list()).toContain('    causeway: all servers in one entry, added\n');
    expect(await list()).not.toContain('databricks-sql');
    expect((await causeway('clients', 'add', 'cursor', '--all-in-one')).stdout).toContain('unchanged');
    await causeway('clients', 'remove', 'cursor');
    expect(await text()).toBe(before);
  });

  test('takes a pin for one of its servers afterwards, as the refusal of one for all says', async () => {
    const { causeway, entries } = await home();
    const pin = ['--meta', 'warehouse_id=8baced1ff014912d'];
    const refused = await causeway('clients', 'add', 'cursor', '--all-in-one', ...pin);
    expect([refused.code, refused.stderr]).toEqual([
      2,
      expect.stringContaining('--server NAME --meta warehouse_id=ID'),
    ]);
    await causeway('clients', 'add', 'cursor', '--all-in-one');
    expect((await causeway('clients', 'add', 'cursor', '--server', 'databricks-sql', ...pin)).code).toBe(0);
    const its = ['--meta', 'databricks-sql/warehouse_id=8baced1ff014912d'];
    expect((await entries()).causeway?.args.slice(-3)).toEqual(['--all', ...its]);
    await causeway('clients', 'add', 'cursor', '--server', 'databricks-sql', '--no-meta');
    expect((await entries()).causeway?.args.slice(-1)).toEqual(['--all']);
  });

  test('is what the status shows, without the entries that it replaces', async () => {
    const { causeway } = await home();
    const clients = async () => /AI clients\n(.*?)\n\S/s.exec((await causeway('status')).stdout)?.[1];
    await causeway('clients', 'add', 'cursor');
    expect(await clients()).toBe('  Cursor: databricks-sql added, functions-default added');
    await causeway('clients', 'add', 'cursor', '--all-in-one');
    expect(await clients()).toBe('  Cursor: causeway (one entry for all servers) added');
    const { clients: found } = JSON.parse((await causeway('status', '--json')).stdout);
    expect(found).toMatchObject([{ id: 'cursor', files: [{ all: ['causeway'], entries: { causeway: 'current' } }] }]);
    await causeway('clients', 'remove', 'cursor');
    expect(await clients()).toBe('  Cursor: databricks-sql not added, functions-default not added');
  });

  test('of one profile leaves the servers of other profiles listed as not added', async () => {
    const { causeway, list, configFile, workspace } = await home();
    await appendFile(configFile, profileOf(workspace, 'ben'));
    await causeway('servers', 'add', 'sql', '--name', 'sql-of-ben', '--profile', 'ben');
    await causeway('clients', 'add', 'cursor', '--all-in-one', '--profile', 'ana');
    const { stdout } = await causeway('status');
    expect(stdout).toContain('causeway (one entry for all servers) added');
    expect(stdout).toContain('sql-of-ben not added');
    expect(stdout).not.toContain('databricks-sql not added');
    expect(await list()).toMatch(/^ {4}sql-of-ben: not added$/m);
    await causeway('clients', 'add', 'cursor', '--all-in-one');
    expect((await causeway('status')).stdout).not.toContain('not added');
  });

  test('makes room for separate entries again', async () => {
    const { causeway, entries } = await home();
    await causeway('clients', 'add', 'cursor', '--all-in-one', '--profile', 'ana');
    expect((await entries()).causeway?.args.slice(-3)).toEqual(['--all', '--profile', 'ana']);
    await causeway('clients', 'add', 'cursor', '--server', 'databricks-sql');
    expect(Object.keys(await entries())).toEqual(['other', 'causeway', 'databricks-sql']);
    await causeway('clients', 'add', 'cursor');
    expect(Object.keys(await entries())).toEqual(['other', 'databricks-sql', 'functions-default']);
  });

  test('is repaired if it has disappeared or was changed', async () => {
    const { causeway, entries, list, path, before, text } = await home();
    await causeway('clients', 'add', 'cursor', '--all-in-one', '--profile', 'ana');
    const written = await text();
    await writeFile(path, before);
    expect(await list()).toContain('causeway: all servers in one entry, removed by another program');
    await causeway('clients', 'repair', 'cursor');
    expect((await entries()).causeway?.args.slice(-2)).toEqual(['--profile', 'ana']);
    const broken = { command: '/nowhere/causeway', args: ['proxy', '--all', '--profile', 'ana'] };
    await writeFile(path, JSON.stringify({ mcpServers: { causeway: broken } }));
    expect(await list()).toContain('starts a program that no longer exists');
    await causeway('clients', 'repair', 'cursor');
    expect((await entries()).causeway).toEqual(JSON.parse(written).mcpServers.causeway);
  });

  test('does not count as orphaned, and is removed even if no record of it exists', async () => {
    const { causeway, list, text, path, before } = await home();
    const foreign = { mcpServers: { mine: { command: 'causeway', args: ['proxy', '--all'] } } };
    await writeFile(path, JSON.stringify(foreign));
    expect(await list()).toMatch(/mine: all servers in one entry, /);
    await causeway('clients', 'remove', 'cursor');
    expect(JSON.parse(await text()).mcpServers ?? {}).toEqual({});
    await writeFile(path, before);
  });

  test('is shown as a diff and as text to paste, without being written', async () => {
    const { causeway, text, before } = await home();
    const diff = await causeway('clients', 'diff', 'cursor', '--all-in-one');
    expect(diff.stdout).toContain('+    "causeway": {');
    const pasted = JSON.parse((await causeway('clients', 'json', '--all-in-one')).stdout);
    expect(pasted.mcpServers.causeway.args.slice(-1)).toEqual(['--all']);
    expect(await text()).toBe(before);
  });

  test('has another name if a server has its name', async () => {
    const { causeway, entries } = await home();
    await causeway('servers', 'add', 'sql', '--name', 'causeway', '--meta', 'warehouse_id=1', '--profile', 'ana');
    await causeway('clients', 'add', 'cursor', '--all-in-one');
    expect(Object.keys(await entries())).toEqual(['other', 'causeway-all']);
  });

  test.each([
    [['--server', 'databricks-sql'], 2, '--all-in-one writes one entry for all servers.'],
    [['--http'], 2, '--all-in-one writes one entry for all servers.'],
    [['--meta', 'a=b'], 2, '--all-in-one writes one entry for all servers.'],
    [['--profile', 'ben'], 4, 'No server in the list uses the profile "ben".'],
  ])('is refused with %j', async (args, code, words) => {
    const { causeway, text, before } = await home();
    const refused = await causeway('clients', 'add', 'cursor', '--all-in-one', ...args);
    expect([refused.code, refused.stderr]).toEqual([code, expect.stringContaining(words)]);
    expect(await text()).toBe(before);
  });
});
