import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { runProgram } from '../../../main/cli/program.ts';
import { type CommandLine, openCommandLine, USERS, WAREHOUSES } from './harness.ts';

/** The same commands where a user sits at a terminal. */

let cli: CommandLine;
let folder: string;
beforeEach(async () => {
  cli = await openCommandLine();
  folder = await mkdtemp(join(tmpdir(), 'causeway-questions-'));
});
afterEach(async () => {
  await cli[Symbol.asyncDispose]();
  await rm(folder, { recursive: true });
});

/** Runs a command in a terminal in which the answer is typed as soon as something is asked. */
async function atTerminal(answer: string, ...args: string[]) {
  const terminal = () => Object.assign(new PassThrough(), { isTTY: true });
  const [stdin, stdout, stderr] = [terminal(), terminal(), terminal()];
  let shown = '';
  stdout.on('data', (chunk) => {
    shown += chunk;
  });
  stderr.on('data', (chunk) => {
    shown += chunk;
    if (String(chunk).includes('[y/N]')) stdin.write(`${answer}\n`);
  });
  const env = { DATABRICKS_CONFIG_FILE: cli.workspace.profileFile, NO_COLOR: '1' };
  const code = await runProgram([...args, '--profile', 'ana'], { stdin, stdout, stderr, env });
  return { code, shown };
}

describe('import asks for confirmation before it changes anything', () => {
  const importing = async (answer: string) => {
    const file = join(folder, 'o.csv');
    await writeFile(file, 'user,warehouse\nben@example.com,Shared analytics\nchloe@example.com,Finance BI\n');
    return atTerminal(answer, 'warehouse', 'import', file);
  };

  test('the answer yes carries it out, with a progress bar', async () => {
    const { code, shown } = await importing('y');
    expect(code).toBe(0);
    expect(shown).toContain(`Make these changes in ${cli.workspace.host} as ana@example.com (profile ana)? [y/N]`);
    expect(shown).toContain('████████████████████████ 2 of 2');
    expect(cli.workspace.state.overrides.get(USERS.ben)?.warehouseId).toBe(WAREHOUSES.shared);
  });

  test.each(['n', '', 'perhaps'])('the answer "%s" changes nothing', async (answer) => {
    const { code, shown } = await importing(answer);
    expect(code).toBe(130);
    expect(shown).toContain('Nothing was changed.');
    expect(cli.workspace.state.overrides.size).toBe(0);
  });

  test('the question warns of users whose queries would fail', async () => {
    const { shown } = await importing('n');
    expect(shown).toContain(
      'chloe@example.com  No override → Finance BI  (No CAN USE on Finance BI. Queries would fail.)',
    );
    expect(shown).not.toMatch(/ben@example\.com .*would fail/);
  });
});

test('verify asks for confirmation before it stops anything', async () => {
  const { shown } = await atTerminal('n', 'warehouse', 'verify', 'starter', '--cold');
  expect(shown).toContain('Stop them? [y/N]');
  expect(shown).toContain('Nothing was stopped. You did not agree to stop Shared analytics, Finance BI.');
  expect(cli.workspace.requests.count({ path: '*/stop' })).toBe(0);
});

describe('what others notice asks first', () => {
  const stop = ['warehouse', 'stop', 'shared analytics'];

  test('a warehouse is stopped after a yes', async () => {
    const { code, shown } = await atTerminal('y', ...stop);
    expect([code, shown]).toEqual([
      0,
      expect.stringContaining('Stop Shared analytics (running, Medium, Serverless) in '),
    ]);
    expect(shown).toContain(
      `in ${cli.workspace.host} as ana@example.com (profile ana)? Running queries are canceled, including those of other users. The next query starts it again. [y/N]`,
    );
    expect(cli.workspace.requests.count({ path: '*/stop' })).toBe(1);
  });

  test('another user’s override is changed after a yes', async () => {
    const { code, shown } = await atTerminal('y', 'warehouse', 'for', 'ben', 'set', 'shared');
    expect([code, shown]).toEqual([
      0,
      expect.stringContaining('Run the queries of Ben Okafor <ben@example.com> on Shared'),
    ]);
    expect(cli.workspace.state.overrides.get(USERS.ben)?.warehouseId).toBe(WAREHOUSES.shared);
  });

  const CHANGES = [
    stop,
    ['warehouse', 'stop'],
    ['warehouse', 'for', 'ben', 'set', 'shared'],
    ['warehouse', 'for', 'ben', 'last-selected'],
    ['warehouse', 'for', 'ben', 'clear'],
  ];

  test.each(CHANGES)('%s %s %s %s %s: a no changes nothing', async (...args) => {
    cli.give('ben', WAREHOUSES.science);
    const { code, shown } = await atTerminal('n', ...args.filter(Boolean));
    expect([code, shown]).toEqual([130, expect.stringContaining('Nothing was changed.')]);
    expect(cli.workspace.state.overrides.get(USERS.ben)?.warehouseId).toBe(WAREHOUSES.science);
    expect(cli.workspace.requests.count({ path: '*/stop' })).toBe(0);
  });

  test.each(CHANGES)('%s %s %s %s %s: without a terminal it needs --yes', async (...args) => {
    cli.give('ben', WAREHOUSES.science);
    const given = args.filter(Boolean);
    const { code, stdout, stderr } = await cli.run('ana', ...given);
    expect([code, stdout]).toEqual([2, '']);
    expect(stderr).toMatch(/^causeway: This needs confirmation: .+ Run it again with --yes\.\n$/);
    expect(cli.workspace.state.overrides.get(USERS.ben)?.warehouseId).toBe(WAREHOUSES.science);
    expect(cli.workspace.requests.count({ path: '*/stop' })).toBe(0);
    expect(await cli.run('ana', ...given, '--yes')).toMatchObject({ code: 0 });
  });

  test('one’s own override is changed without a question', async () => {
    const { code, shown } = await atTerminal('n', 'warehouse', 'set', 'shared');
    expect([code, shown]).toEqual([0, expect.not.stringContaining('[y/N]')]);
    expect(await cli.run('ana', 'warehouse', 'clear')).toMatchObject({ code: 0 });
  });
});

describe('only names act', () => {
  test.each([
    ['stop', 'sad', 'Did you mean "Shared analytics"'],
    ['stop', 'fb', 'Did you mean "Finance BI"'],
    ['set', '8baced1ff01491d', 'Did you mean "Shared analytics" (8baced1ff014912d)?'],
  ])('%s %s asks what was meant', async (verb, name, question) => {
    const { code, stderr } = await cli.run('ana', 'warehouse', verb, name, ...(verb === 'stop' ? ['--yes'] : []));
    expect([code, stderr]).toEqual([4, expect.stringContaining(question)]);
    expect(cli.workspace.requests.count({ path: '*/stop' })).toBe(0);
    expect(cli.workspace.state.overrides.size).toBe(0);
  });

  test.each([
    ['set', 'a'],
    ['for', 'fe', 'clear', '--yes'],
  ])('a letter or two do not act: %s %s', async (...args) => {
    cli.give('ana', WAREHOUSES.science);
    expect(await cli.run('ana', 'warehouse', ...args)).toMatchObject({ code: 2 });
    expect(cli.workspace.state.overrides.get(USERS.ana)?.warehouseId).toBe(WAREHOUSES.science);
  });
});

test('start --wait shows the progress until it runs', async () => {
  const { code, shown } = await atTerminal('', 'warehouse', 'start', 'data science', '--wait');
  expect(code).toBe(0);
  expect(shown).toMatch(/Data science \(running, Small, Serverless\)\n$/);
});

describe('all --dangling', () => {
  const dangling = (...args: string[]) => cli.run('ana', 'warehouse', 'all', '--dangling', ...args);

  test('checks who can use the warehouse without being asked to', async () => {
    cli.give('ben', WAREHOUSES.finance);
    const { code, stdout, stderr } = await dangling();
    expect(stdout).toMatch(/^ben@example\.com .*Finance BI {2}! the user may not use it\n$/);
    expect([code, stderr]).toEqual([0, '']);
    const rows = JSON.parse((await dangling('--json')).stdout).overrides;
    expect(rows).toMatchObject([{ userName: 'ben@example.com', dangling: 'cannot-use', canUse: false }]);
  });

  test('says that all is well only for what it has checked', async () => {
    cli.give('ben', WAREHOUSES.shared);
    expect(await dangling()).toEqual({
      code: 0,
      stdout: '',
      stderr: 'The one override names no deleted or forbidden warehouse, and no owner is deleted or deactivated.\n',
    });
    cli.workspace.state.overrides.clear();
    expect((await dangling()).stderr).toBe('No user has an override.\n');
    cli.give('ben');
    expect((await dangling()).stderr).toContain('1 override names no warehouse');
  });

  test.each([
    ['permissions', '/api/2.0/permissions/*'],
    ['users', '/api/2.0/preview/scim/v2/Users'],
    ['warehouses', '/api/2.0/sql/warehouses'],
  ])('does not describe as fine what it could not check: %s that cannot be read', async (what, path) => {
    cli.give('ben', what === 'warehouses' ? WAREHOUSES.finance : WAREHOUSES.shared);
    cli.give('chloe', WAREHOUSES.deleting);
    const body = '{"error_code":"PERMISSION_DENIED","message":"no"}';
    cli.workspace.faults.add({ path, effect: { kind: 'answer', status: 403, body }, times: 'always' });
    const { code, stdout, stderr } = await dangling();
    expect(stdout).toMatch(/ben@example\.com|9007199254740993002/);
    const rows = JSON.parse((await dangling('--json')).stdout).overrides;
    expect(rows).toContainEqual(expect.objectContaining({ userId: USERS.ben }));
    if (what === 'warehouses') {
      expect(rows).toContainEqual(expect.objectContaining({ userId: USERS.ben, dangling: 'cannot-use' }));
    }
    expect(stdout).toContain("? the user's permission could not be checked");
    expect(stderr).toContain("Causeway could not check the user's permission for");
    expect(code).toBe(5);
  });

  test('knows that a user without groups cannot use what only groups can', async () => {
    const dan = { id: '77', userName: 'dan@example.com', displayName: 'Dan', groups: [] };
    cli.workspace.state.users.push({ ...dan, admin: false, active: true, servicePrincipal: false });
    cli.workspace.state.overrides.set('77', { userId: '77', type: 'CUSTOM', warehouseId: WAREHOUSES.nightly });
    expect((await dangling()).stdout).toMatch(/^dan@example\.com .*Nightly loads {2}! the user may not use it\n$/);
  });

  test('requests each user and each warehouse once', async () => {
    cli.give('ben', WAREHOUSES.shared);
    cli.give('chloe', WAREHOUSES.shared);
    cli.give('ana', WAREHOUSES.science);
    cli.workspace.requests.clear();
    // Without a total, the end of a list of users costs a request.
    cli.without('smallPages', 'omitsOptionalFields');
    await dangling();
    expect(cli.workspace.requests.count({ path: '/api/2.0/permissions/*' })).toBe(2);
    expect(cli.workspace.requests.count()).toBe(6);
  });
});

test('a list that is cut off is not followed by other JSON', async () => {
  const { overrides } = cli.workspace.state;
  for (let id = 1; id <= 1_001; id += 1)
    overrides.set(String(id), { userId: String(id), type: 'LAST_SELECTED', warehouseId: undefined });
  const path = '/api/warehouses/v1/default-warehouse-overrides';
  cli.workspace.faults.add({ path, effect: { kind: 'answer', status: 403, body: '{}' }, skip: 1, times: 'always' });
  const { code, stdout, stderr } = await cli.run('ana', 'warehouse', 'all', '--json');
  expect(code).toBe(1);
  expect(stdout).toContain('"userId":"1"');
  expect(stdout).not.toContain('error');
  expect(stderr).toMatch(
    /^causeway: The workspace answered 403: .* You are a workspace admin. Something else is missing./,
  );
});

test('all without --access does not claim that any user can use the warehouse', async () => {
  const { overrides } = cli.workspace.state;
  overrides.set(USERS.ben, { userId: USERS.ben, type: 'CUSTOM', warehouseId: WAREHOUSES.finance });
  expect(await cli.json('ana', 'warehouse', 'all', '--json')).toMatchObject({
    overrides: [{ dangling: null, canUse: 'unchecked' }],
  });
});

test('all --access finds who cannot use the warehouse', async () => {
  const { overrides } = cli.workspace.state;
  overrides.set(USERS.ben, { userId: USERS.ben, type: 'CUSTOM', warehouseId: WAREHOUSES.finance });
  overrides.set(USERS.ana, { userId: USERS.ana, type: 'CUSTOM', warehouseId: WAREHOUSES.finance });
  overrides.set(USERS.chloe, { userId: USERS.chloe, type: 'CUSTOM', warehouseId: WAREHOUSES.deleting });
  const { stdout } = await cli.run('ana', 'warehouse', 'all', '--access', '--dangling');
  expect(stdout.trimEnd().split('\n')).toEqual([
    expect.stringMatching(/^ben@example\.com .*Finance BI {2}! the user may not use it$/),
    expect.stringMatching(/^chloe@example\.com .*Retired reports {2}! the warehouse is being deleted$/),
  ]);
});
