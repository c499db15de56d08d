import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { type CommandLine, openCommandLine, USERS, WAREHOUSES } from './harness.ts';

/** What the commands for people say about warehouses: which are there, which is in effect, which cannot be chosen. */

const { shared, finance, deleting, science } = WAREHOUSES;

let cli: CommandLine;
beforeEach(async () => {
  cli = await openCommandLine();
});
afterEach(() => cli[Symbol.asyncDispose]());

const list = (...args: string[]) => cli.run('ben', 'warehouse', 'list', ...args);

describe('warehouse list', () => {
  test('marks the effective warehouse, and says what decides', async () => {
    expect((await list()).stdout).toMatch(
      /^→ ○ {2}Starter Warehouse .*\n→ marks where .*, by the workspace default\.\n$/m,
    );
    cli.give('ben', shared);
    const { stdout } = await list();
    expect(stdout).toMatch(/^→ ● {2}Shared analytics /m);
    expect(stdout).toMatch(/Retired reports +being deleted /);
    expect(stdout).toMatch(/^→ marks where your queries run, by your override\.$/m);
    expect(stdout.match(/→ [●○]/g)).toHaveLength(1);
  });

  test('marks a prediction as one', async () => {
    cli.workspace.state.setWorkspaceDefault(undefined);
    expect((await list()).stdout).toContain('→ marks where your queries probably run');
    expect(await cli.json('ben', 'warehouse', 'list', '--json')).toMatchObject({
      warehouses: expect.arrayContaining([expect.objectContaining({ id: shared, effective: 'predicted' })]),
    });
  });

  test('marks none if only the workspace knows', async () => {
    cli.give('ben');
    const { stdout } = await list();
    expect(stdout).not.toContain('→');
    expect(stdout).toContain('Only the workspace knows which one');
    expect(await cli.json('ben', 'warehouse', 'list', '--json')).toMatchObject({
      warehouses: expect.arrayContaining([expect.objectContaining({ id: shared, effective: 'unknown' })]),
    });
  });

  test('says if the override points to nothing', async () => {
    cli.give('ben', science);
    cli.workspace.state.warehouses = cli.workspace.state.warehouses.filter(({ id }) => id !== science);
    expect((await list()).stdout).toContain(
      `Warehouse ${science} no longer exists, or you cannot see it. Queries will fail.`,
    );
  });

  test('says that nothing matches, and prints no header', async () => {
    expect(await list('zzz')).toEqual({
      code: 0,
      stdout: '',
      stderr: expect.stringMatching(/^"zzz" matches none of the [56] warehouses that you can see\.\n$/),
    });
    expect(JSON.parse((await list('zzz', '--json')).stdout)).toEqual({ warehouses: [] });
    cli.workspace.state.warehouses = [];
    expect((await list()).stderr).toBe('There are no warehouses that you can see.\n');
  });
});

describe('warehouse set', () => {
  test.each(['Retired', deleting])('names a warehouse that is being deleted, and refuses it: %s', async (name) => {
    const { code, stderr } = await cli.run('ben', 'warehouse', 'set', name);
    expect(stderr).toContain('Retired reports is being deleted: queries would fail. Nothing was changed.');
    expect(code).toBe(1);
    expect(cli.workspace.state.overrides.size).toBe(0);
  });

  test('prefers a usable warehouse to one that is being deleted', async () => {
    const { stdout } = await cli.run('ben', 'warehouse', 'set', 'red');
    expect(stdout).toContain('Shared analytics');
  });

  test('counts what the list shows if nothing matches', async () => {
    const { code, stderr } = await cli.run('ben', 'warehouse', 'set', 'nonesuch');
    expect(stderr).toMatch(/"nonesuch" matches none of the [56] warehouses\./);
    expect(code).toBe(4);
  });

  test.each([
    ['ben', ['set', 'finance', '--force'], 'Your override now names Finance BI'],
    ['ben', ['set', 'Retired', '--force'], 'Your override now names Retired reports'],
    [
      'ana',
      ['for', 'ben', 'set', 'finance', '--force', '--yes'],
      'The override of Ben Okafor <ben@example.com> now names Finance BI',
    ],
  ])('says that queries will fail if it is forced (%s: %j)', async (user, args, words) => {
    cli.without('hidesWarehouses');
    const { code, stdout } = await cli.run(user, 'warehouse', ...args);
    expect(code).toBe(0);
    expect(stdout).toMatch(/queries will fail: .*(CAN USE on Finance BI|is being deleted)\./);
    expect(stdout).toContain(words);
  });
});

/** A warehouse that is hidden has no name, and may be as if it were gone. */
const UNUSABLE =
  /You do not have CAN USE on (Finance BI|c7e5190b3d48f62a)\. Queries will fail\.|or you cannot see it\. Queries will fail\./;

test('a running warehouse is not described as failing to start', async () => {
  cli.give('ben', finance);
  const { stdout } = await cli.run('ben', 'warehouse');
  expect(stdout).toMatch(UNUSABLE);
  expect(stdout).not.toContain('when it starts');
});

test('an admin who looks at one user sees that the user cannot use the warehouse', async () => {
  cli.give('ben', finance);
  const { stdout } = await cli.run('ana', 'warehouse', 'for', 'ben');
  expect(stdout).toContain(
    'Their queries will fail: Ben Okafor <ben@example.com> does not have CAN USE on Finance BI.',
  );
  cli.give('ben', shared);
  expect((await cli.run('ana', 'warehouse', 'for', 'ben')).stdout).not.toContain('fail');
  cli.workspace.faults.add({ effect: { kind: 'html' }, path: '/api/2.0/permissions/*', times: 'always' });
  expect((await cli.run('ana', 'warehouse', 'for', 'ben')).stdout).toContain(
    'Causeway could not check whether they may use it.',
  );
});

test('an admin who sets one user’s override sees that it is unknown whether the user can use the warehouse', async () => {
  const set = ['warehouse', 'for', 'ben', 'set', 'shared analytics', '--yes'];
  expect((await cli.run('ana', ...set)).stdout).not.toContain('could not check');
  cli.workspace.faults.add({ effect: { kind: 'html' }, path: '/api/2.0/permissions/*', times: 'always' });
  const { code, stdout } = await cli.run('ana', ...set);
  expect(stdout).toContain('Causeway could not check whether they may use it.');
  expect(code).toBe(0);
});

test('an update of a missing override suggests --allow-missing, and an update with that option does not', async () => {
  const update = ['warehouses', 'update-default-warehouse-override'];
  const { stderr } = await cli.run('ben', ...update, 'me', '*', 'LAST_SELECTED');
  expect(stderr).toContain('--allow-missing');
  const other = await cli.run('ana', ...update, USERS.ben, '*', 'LAST_SELECTED');
  expect(other.stderr).toContain('--allow-missing');
  const nobody = await cli.run('ana', ...update, '404', '*', 'LAST_SELECTED', '--allow-missing');
  expect(nobody.stderr).toMatch(/^Error: (User 404 does not exist|The requested entity)/);
  expect(nobody.stderr).not.toContain('--allow-missing');
});
