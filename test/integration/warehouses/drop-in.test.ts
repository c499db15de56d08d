import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { type CommandLine, openCommandLine, runCommand, USERS, WAREHOUSES } from './harness.ts';

/**
 * The five subcommands beside what is known about the Databricks CLI's own: arguments, flags, output, exit codes and errors
 * (spec/default-warehouse-override.md › Command-line client subcommands). Its errors are `Error: …` on stderr with exit
 * code 1, with the usage behind them where the arguments are wrong.
 */

const { shared, science } = WAREHOUSES;
const PATH = '/api/warehouses/v1/default-warehouse-overrides';
const ME = 'default-warehouse-overrides/me';

let cli: CommandLine;
beforeEach(async () => {
  cli = await openCommandLine();
});
afterEach(() => cli[Symbol.asyncDispose]());

/** What stderr says after a change by Ben. */
const CHANGED = () => `Changed in ${cli.workspace.host} as ben@example.com (profile ben).\n`;
const stored = () => cli.workspace.state.overrides.get(USERS.ben);
/** Runs exactly these arguments: where the profile stands is what is tried. */
const exactly = (...args: string[]) => runCommand(cli.env, args);
const record = (user: keyof typeof USERS, warehouseId: string, indent = '') =>
  [
    '{',
    `  "default_warehouse_override_id": "${USERS[user]}",`,
    `  "name": "default-warehouse-overrides/${USERS[user]}",`,
    '  "type": "CUSTOM",',
    `  "warehouse_id": "${warehouseId}"`,
    '}',
  ].join(`\n${indent}`);

describe('output', () => {
  test.each([
    [[]],
    [['-o', 'json']],
    [['-o', 'text']],
    [['--output=json']],
    [['-ojson']],
    [['-o=text']],
    [['--output', 'JSON']],
  ])('is the record in the order of its fields, with %j', async (flags) => {
    cli.give('ben', shared);
    const run = await exactly('warehouses', 'get-default-warehouse-override', ME, '-p', 'ben', ...flags);
    expect(run).toEqual({ code: 0, stdout: `${record('ben', shared)}\n`, stderr: '' });
  });

  test('of create and of update is the record, too', async () => {
    const create = ['warehouses', 'create-default-warehouse-override', 'me', 'CUSTOM', '--warehouse-id', shared];
    expect((await exactly(...create, '-p', 'ben')).stdout).toBe(`${record('ben', shared)}\n`);
    const update = ['warehouses', 'update-default-warehouse-override', ME, '*', 'CUSTOM', '--warehouse-id', science];
    expect((await exactly(...update, '-p', 'ben')).stdout).toBe(`${record('ben', science)}\n`);
  });

  test('of a list is an array, even of an empty one', async () => {
    const list = ['warehouses', 'list-default-warehouse-overrides', '-p', 'ana'];
    expect((await exactly(...list)).stdout).toBe('[\n  \n]\n');
    cli.give('ana', shared);
    cli.give('ben', science);
    expect((await exactly(...list)).stdout).toBe(
      `[\n  ${record('ana', shared, '  ')},\n  ${record('ben', science, '  ')}\n]\n`,
    );
  });

  test('of a list that is refused is empty', async () => {
    const run = await exactly('warehouses', 'list-default-warehouse-overrides', '-p', 'ben');
    expect(run).toMatchObject({ code: 1, stdout: '' });
    expect(run.stderr).toMatch(
      /^Error: (Only workspace admins may list|The caller is not authorized) [^\n]*\nOnly workspace admins can see/,
    );
  });

  test('of delete is empty', async () => {
    cli.give('ben', shared);
    const run = await exactly('warehouses', 'delete-default-warehouse-override', ME, '-p', 'ben');
    expect(run).toEqual({ code: 0, stdout: '', stderr: CHANGED() });
  });
});

describe('--profile and --debug', () => {
  const get = ['get-default-warehouse-override', ME];
  test.each<[string[]]>([
    [['--profile', 'ben', 'warehouses', ...get]],
    [['-p', 'ben', '--debug', 'warehouses', ...get]],
    [['--profile=ben', '-o', 'json', 'warehouses', ...get]],
    [['warehouses', '--profile', 'ben', ...get]],
    [['warehouses', get[0] ?? '', '--profile', 'ben', ME]],
    [['warehouses', ...get, '--profile=ben']],
    [['warehouses', ...get, '-pben']],
  ])('can be anywhere: %j', async (args) => {
    cli.give('ben', shared);
    const { code, stdout } = await exactly(...args);
    expect([code, stdout]).toEqual([0, `${record('ben', shared)}\n`]);
  });

  test('--debug reports each request on stderr, without any secret', async () => {
    cli.give('ben', shared);
    const { stdout, stderr } = await exactly('warehouses', ...get, '-p', 'ben', '--debug');
    expect(stderr).toContain(`DEBUG GET ${cli.workspace.host}${PATH}/me\n`);
    expect(stderr).toContain('DEBUG < HTTP 200\n');
    expect(stderr).not.toMatch(/dapi|Bearer/i);
    expect(stdout).toBe(`${record('ben', shared)}\n`);
  });

  test('apply to another command that they come before if it has them', async () => {
    expect(await exactly('--profile', 'ben', 'warehouse')).toMatchObject({
      code: 0,
      stdout: expect.stringContaining('(profile ben)'),
    });
    expect(await exactly('--debug', 'warehouse')).toMatchObject({
      code: 2,
      stderr: expect.stringContaining("unknown option '--debug'"),
    });
  });
});

describe('switches', () => {
  const update = ['warehouses', 'update-default-warehouse-override'];
  const rest = [ME, '*', 'LAST_SELECTED', '-p', 'ben'];
  test.each([
    [['--allow-missing'], 0],
    [['--allow-missing=true'], 0],
    [['--allow-missing=1', '--debug=false'], 0],
    [['--allow-missing=false'], 1],
    [['--allow-missing', '--allow-missing=F'], 0],
    [['--debug=maybe'], 1],
  ])('take no argument as their value, with %j before the arguments', async (flags, code) => {
    const run = await exactly(...update, ...flags, ...rest);
    expect({ code: run.code, stored: stored()?.type }).toEqual({
      code,
      stored: code === 0 ? 'LAST_SELECTED' : undefined,
    });
    expect(run.stderr).not.toContain('DEBUG');
  });

  test('--name of create is sent, and left to the workspace', async () => {
    const create = ['warehouses', 'create-default-warehouse-override', '--name', 'default-warehouse-overrides/7'];
    const run = await exactly(...create, 'me', 'CUSTOM', '--warehouse-id', shared, '-p', 'ben');
    expect(run).toEqual({ code: 0, stdout: `${record('ben', shared)}\n`, stderr: CHANGED() });
  });
});

describe('--json', () => {
  const create = ['warehouses', 'create-default-warehouse-override', 'me'];
  const body = JSON.stringify({ type: 'CUSTOM', warehouse_id: shared });

  test('sets the body, inline or from a file', async () => {
    expect((await exactly(...create, '--json', body, '-p', 'ben')).stdout).toBe(`${record('ben', shared)}\n`);
    const file = join(cli.env.CAUSEWAY_HOME ?? '', 'body.json');
    await writeFile(file, JSON.stringify({ type: 'CUSTOM', warehouse_id: science }));
    const update = ['warehouses', 'update-default-warehouse-override', ME, '*', `--json=@${file}`, '-p', 'ben'];
    expect((await exactly(...update)).stdout).toBe(`${record('ben', science)}\n`);
  });

  test('takes precedence over --warehouse-id, which fills in what it leaves out', async () => {
    await exactly(...create, '--json', body, '--warehouse-id', science, '-p', 'ben');
    expect(stored()?.warehouseId).toBe(shared);
    cli.workspace.state.overrides.clear();
    await exactly(...create, '--json', '{"type":"CUSTOM"}', '--warehouse-id', science, '-p', 'ben');
    expect(stored()?.warehouseId).toBe(science);
  });

  test('replaces TYPE', async () => {
    const { code, stderr } = await exactly(...create, 'CUSTOM', '--json', body, '-p', 'ben');
    expect(code).toBe(1);
    expect(stderr).toBe(
      "Error: when --json flag is specified, provide only DEFAULT_WAREHOUSE_OVERRIDE_ID as positional arguments. Provide 'type' in your JSON input\n",
    );
  });

  test('warns about fields without a meaning', async () => {
    const odd = JSON.stringify({ type: 'LAST_SELECTED', colour: 'red', name: 'x' });
    const { code, stderr } = await exactly(...create, '--json', odd, '-p', 'ben');
    expect([code, stderr]).toEqual([0, `Warning: unknown field: colour\n${CHANGED()}`]);
  });

  test.each([
    ['{', /^Error: error decoding JSON at \(inline\):1:2: close brace expected\n$/],
    ['[]', /^Error: Invalid command input: expected JSON object, received sequence\n$/],
    ['"x"', /^Error: Invalid command input: expected JSON object, received string\n$/],
    ['{"type":{}}', /^Error: expected string at type/],
    ['@/nowhere/body.json', /^Error: read \/nowhere\/body\.json: .*no such file or directory\n$/],
  ])('sends nothing if it is invalid: %s', async (given, words) => {
    const { code, stdout, stderr } = await exactly(...create, '--json', given, '-p', 'ben');
    expect([code, stdout]).toEqual([1, '']);
    expect(stderr).toMatch(words);
    expect(cli.workspace.requests.count({ path: `${PATH}*` })).toBe(0);
  });
});

describe('flags of the original without an effect here', () => {
  const list = ['list-default-warehouse-overrides'];
  test.each([
    [['warehouses', ...list, '-t', 'dev']],
    [['-t', 'dev', '--log-level', 'debug', 'warehouses', ...list]],
    [['--target=dev', 'warehouses', ...list, '--log-file', 'stderr', '--log-format=json']],
  ])('are accepted: %j', async (args) => {
    expect(await exactly(...args, '-p', 'ana')).toEqual({ code: 0, stdout: '[\n  \n]\n', stderr: '' });
  });

  test.each(['--target', '--log-level'])('need a value: %s', async (flag) => {
    const { code, stderr } = await exactly('warehouses', ...list, flag);
    expect([code, stderr]).toEqual([1, expect.stringMatching(`^Error: flag needs an argument: ${flag}\n`)]);
  });
});

describe('the group', () => {
  test('by itself prints its help', async () => {
    const { code, stdout, stderr } = await exactly('warehouses');
    expect([code, stderr]).toEqual([0, '']);
    expect(stdout).toContain('list-default-warehouse-overrides');
  });

  test('refuses what is none of its subcommands as the original does', async () => {
    const { code, stdout, stderr } = await exactly('warehouses', 'get-default-warehouse-overide', 'me');
    expect([code, stdout]).toEqual([1, '']);
    expect(stderr).toMatch(/^Error: unknown command "get-default-warehouse-overide" for "causeway warehouses"\n/);
  });
});

describe('--page-size and --limit', () => {
  beforeEach(() => {
    for (const user of ['ana', 'ben', 'chloe'] as const) cli.give(user, shared);
  });
  const list = (...flags: string[]) => exactly('warehouses', 'list-default-warehouse-overrides', '-p', 'ana', ...flags);
  const pages = () => cli.workspace.requests.list({ path: PATH }).map(({ query }) => query.page_size);

  test('request pages of a size, and print at most that many', async () => {
    expect(JSON.parse((await list('--page-size', '1')).stdout)).toHaveLength(3);
    expect(pages()).toEqual(['1', '1', '1']);
    cli.workspace.requests.clear();
    expect(JSON.parse((await list('--page-size=1', '--limit', '2')).stdout)).toHaveLength(2);
    expect(pages()).toEqual(['1', '1']);
    expect(JSON.parse((await list('--limit', '0')).stdout)).toHaveLength(3);
  });

  test('begin with --page-token, as a script that pages by itself has it', async () => {
    const first = await fetch(`${cli.workspace.host}${PATH}?page_size=1`, {
      headers: { authorization: `Bearer ${cli.workspace.users[0]?.token}` },
    });
    const { next_page_token: token }: { next_page_token: string } = await first.json();
    expect(JSON.parse((await list('--page-token', token)).stdout)).toHaveLength(2);
  });

  test('are refused if they are negative', async () => {
    const { code, stdout, stderr } = await list('--limit', '-1');
    expect({ code, stdout, stderr }).toEqual({
      code: 1,
      stdout: '',
      stderr: 'Error: --limit must be a non-negative integer, got -1\n',
    });
  });

  test('are refused if they are not numbers', async () => {
    const { code, stderr } = await list('--limit', 'many');
    expect(code).toBe(1);
    expect(stderr).toContain(
      'Error: invalid argument "many" for "--limit" flag: strconv.ParseInt: parsing "many": invalid syntax',
    );
  });
});

describe('errors', () => {
  test.each<[string[], RegExp]>([
    [['get-default-warehouse-override'], /^Error: accepts 1 arg\(s\), received 0\n\nUsage: /],
    [['get-default-warehouse-override', ME, 'more'], /^Error: accepts 1 arg\(s\), received 2\n\nUsage: /],
    [['create-default-warehouse-override', 'me'], /^Error: accepts 2 arg\(s\), received 1\n\nUsage: /],
    [['get-default-warehouse-override', ME, '--colour', 'red'], /^Error: unknown flag: --colour\n\nUsage: /],
    [['get-default-warehouse-override', ME, '-x'], /^Error: unknown shorthand flag: 'x' in -x\n\nUsage: /],
    [['list-default-warehouse-overrides', 'more'], /^Error: unknown command "more" for /],
    [['get-default-warehouse-override', ME, '-o', 'yaml'], /^Error: invalid argument "yaml" for "-o, --output" flag: /],
    [
      ['create-default-warehouse-override', 'me', 'CUSTOM', '--warehouse-id'],
      /^Error: flag needs an argument: --warehouse-id/,
    ],
    [['list-default-warehouse-overrides', '-o', ''], /^Error: flag needs an argument: --output\n\nUsage: /],
    [
      ['get-default-warehouse-override', ME],
      /^Error: (User \d+ has no default warehouse override|The requested entity [^\n]*)\.\nYou have no override\./,
    ],
    [
      ['delete-default-warehouse-override', ME],
      /^Error: (User \d+ has no default warehouse override|The requested entity [^\n]*)\.\nYou have no override\..*\n$/,
    ],
    [
      ['update-default-warehouse-override', ME, '*', 'LAST_SELECTED'],
      /^Error: (User \d+ has|The requested) .*\.\nYou have no .* --allow-missing to create one\.\n$/,
    ],
    [
      ['update-default-warehouse-override', ME, '*', 'LAST_SELECTED', '--allow-missing=false'],
      /^Error: (User|The requested) .*\nYou have no /,
    ],
    [
      ['get-default-warehouse-override', USERS.ana],
      /^Error: (Only workspace admins may|The caller is not) .*\nOnly workspace admins can read /,
    ],
  ])('explain the incorrect usage of %j on stderr only', async (args, words) => {
    cli.without('deletesNothing');
    const { code, stdout, stderr } = await exactly('warehouses', ...args, '-p', 'ben');
    expect(stderr).toMatch(words);
    expect([code, stdout]).toEqual([1, '']);
  });

  test('name the flag of an empty profile', async () => {
    const { code, stderr } = await exactly('warehouses', 'get-default-warehouse-override', ME, '--profile=');
    expect([code, stderr]).toEqual([1, expect.stringMatching(/^Error: flag needs an argument: --profile\n\nUsage: /)]);
  });

  test('name a profile that does not exist', async () => {
    const { code, stderr } = await exactly('warehouses', 'get-default-warehouse-override', ME, '-p', 'nobody');
    expect(stderr).toMatch(/^Error: .*nobody/);
    expect(code).toBe(1);
  });

  test('contain nothing that moves a cursor', async () => {
    const { stderr } = await exactly('warehouses', 'get-default-warehouse-override', 'a\u001b[2Jb', '-p', 'ben');
    expect(stderr).not.toContain('\u001b');
  });
});
