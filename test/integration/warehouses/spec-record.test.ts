import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { type CommandLine, openCommandLine, USERS, WAREHOUSES } from './harness.ts';

/** spec/default-warehouse-override.md › Resources and their fields, Override types, Target warehouse requirement. */

const { shared, science, finance } = WAREHOUSES;

let cli: CommandLine;
beforeEach(async () => {
  cli = await openCommandLine();
});
afterEach(() => cli[Symbol.asyncDispose]());

const create = (profile: string, id: string, type: string, ...rest: string[]) =>
  cli.json(profile, 'warehouses', 'create-default-warehouse-override', id, type, ...rest);

describe('Default warehouse override', () => {
  test('default_warehouse_override_id is the numeric id of the owner, beyond 2^53, and `me` stands for the caller', async () => {
    expect(await create('ben', 'me', 'LAST_SELECTED')).toMatchObject({ default_warehouse_override_id: USERS.ben });
  });

  test('name is default-warehouse-overrides/<user_id>', async () => {
    expect(await create('ben', 'me', 'LAST_SELECTED')).toMatchObject({
      name: `default-warehouse-overrides/${USERS.ben}`,
    });
  });

  test.each([
    ['CUSTOM', ['--warehouse-id', shared]],
    ['LAST_SELECTED', []],
  ])('type can be %s', async (type, rest) => {
    expect(await create('ben', 'me', type, ...rest)).toMatchObject({ type });
  });

  test('type can be no other word, which is refused in the workspace’s words', async () => {
    const { code, stderr } = await cli.run('ben', 'warehouses', 'create-default-warehouse-override', 'me', 'PINNED');
    expect(code).toBe(1);
    expect(stderr).toMatch(/^Error: (Unknown default warehouse override type: PINNED|The request cannot be processed)/);
  });

  test('type is required on create and on update', async () => {
    const created = await cli.run('ben', 'warehouses', 'create-default-warehouse-override', 'me');
    const updated = await cli.run('ben', 'warehouses', 'update-default-warehouse-override', 'me', '*');
    expect([created.code, updated.code]).toEqual([1, 1]);
    expect(created.stderr).toMatch(/^Error: accepts 2 arg\(s\), received 1\n\nUsage: .*TYPE/s);
    expect(updated.stderr).toMatch(/^Error: accepts 3 arg\(s\), received 2\n\nUsage: .*TYPE/s);
  });

  test('warehouse_id is required with CUSTOM', async () => {
    const { code, stderr } = await cli.run('ben', 'warehouses', 'create-default-warehouse-override', 'me', 'CUSTOM');
    expect(code).toBe(1);
    expect(stderr).toMatch(/^Error: (warehouse_id is required when type is CUSTOM|The request cannot be processed)/);
  });

  test('warehouse_id is not needed with LAST_SELECTED, and absent from its record', async () => {
    expect(await create('ben', 'me', 'LAST_SELECTED')).not.toHaveProperty('warehouse_id');
  });
});

describe('Override types', () => {
  test('CUSTOM pins queries to the warehouse that it names', async () => {
    await cli.run('ben', 'warehouse', 'set', 'data science');
    expect(await cli.query('ben')).toEqual({ state: 'SUCCEEDED', warehouseId: science });
    expect((await cli.run('ben', 'warehouse')).stdout).toContain('Data science (running');
  });

  test('LAST_SELECTED runs queries on what the user picked last, and says that it is not visible', async () => {
    cli.workspace.state.lastSelected.set(USERS.ben, shared);
    await cli.run('ben', 'warehouse', 'last-selected');
    expect(await cli.query('ben')).toEqual({ state: 'SUCCEEDED', warehouseId: shared });
    const { stdout } = await cli.run('ben', 'warehouse');
    expect(stdout).toContain('only the workspace knows');
    expect(stdout).toContain('cannot be read from outside');
  });
});

describe('Target warehouse requirement', () => {
  test('an override can name a warehouse that its user cannot use; the queries then fail', async () => {
    await create('ben', 'me', 'CUSTOM', '--warehouse-id', finance);
    expect((await cli.query('ben')).state).toBe('FAILED');
  });

  test('a target that its user cannot use is reported before any query fails', async () => {
    await create('ben', 'me', 'CUSTOM', '--warehouse-id', finance);
    const { stdout } = await cli.run('ben', 'warehouse');
    expect(stdout).toMatch(
      /You do not have CAN USE on (Finance BI|c7e5190b3d48f62a)\. Queries|you cannot see it\. Queries/,
    );
  });

  test('the command warehouse set refuses such a target without --force', async () => {
    cli.without('hidesWarehouses');
    const refused = await cli.run('ben', 'warehouse', 'set', 'finance');
    expect(refused.code).toBe(1);
    expect(refused.stderr).toContain('Nothing was changed');
    expect(cli.workspace.state.overrides.size).toBe(0);
    expect((await cli.run('ben', 'warehouse', 'set', 'finance', '--force')).code).toBe(0);
    expect(cli.workspace.state.overrides.get(USERS.ben)?.warehouseId).toBe(finance);
  });

  test("an admin's command refuses it by the user’s permissions and not the admin’s own", async () => {
    const refused = await cli.run('ana', 'warehouse', 'for', 'ben', 'set', 'finance');
    expect(refused.code).toBe(1);
    expect(refused.stderr).toContain('Ben Okafor <ben@example.com> does not have CAN USE on Finance BI');
  });
});
