import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { type CommandLine, openCommandLine, USERS, WAREHOUSES } from './harness.ts';

/** spec/default-warehouse-override.md › Endpoints, Command-line client subcommands, Override lifecycle, Permissions. */

const { shared, science, starter } = WAREHOUSES;
const PATH = '/api/warehouses/v1/default-warehouse-overrides';
const NAME = 'default-warehouse-overrides';

let cli: CommandLine;
beforeEach(async () => {
  cli = await openCommandLine();
});
afterEach(() => cli[Symbol.asyncDispose]());

const warehouses = (profile: string, subcommand: string, ...args: string[]) =>
  cli.run(
    profile,
    'warehouses',
    `${subcommand}-default-warehouse-override${subcommand === 'list' ? 's' : ''}`,
    ...args,
  );
const stored = (user: keyof typeof USERS) => cli.workspace.state.overrides.get(USERS[user]);
/** The last request to the override API, as the workspace saw it. */
const lastRequest = () => cli.workspace.requests.list({ path: `${PATH}*` }).at(-1);

describe('Endpoints, and the subcommands that wrap them', () => {
  const sentFirst = () => cli.workspace.requests.list({ path: `${PATH}*` })[0];

  test('create sends POST with the id in the query', async () => {
    const { code, stdout } = await warehouses('ben', 'create', 'me', 'CUSTOM', '--warehouse-id', shared);
    expect(code).toBe(0);
    expect(JSON.parse(stdout)).toEqual({
      name: `${NAME}/${USERS.ben}`,
      default_warehouse_override_id: USERS.ben,
      type: 'CUSTOM',
      warehouse_id: shared,
    });
    expect(sentFirst()).toMatchObject({ method: 'POST', path: PATH, query: { default_warehouse_override_id: 'me' } });
    expect(sentFirst()?.headers['content-type']).toBe('application/json');
  });

  test.each([`${NAME}/me`, 'me', `${NAME}/${USERS.ben}`])('get sends GET for %s', async (name) => {
    cli.give('ben', shared);
    const { code, stdout } = await warehouses('ben', 'get', name);
    expect(code).toBe(0);
    expect(JSON.parse(stdout)).toMatchObject({ default_warehouse_override_id: USERS.ben, warehouse_id: shared });
    expect(lastRequest()).toMatchObject({ method: 'GET', query: {} });
  });

  test('update sends PATCH with a mask of *', async () => {
    cli.give('ben', shared);
    const { code, stdout } = await warehouses('ben', 'update', `${NAME}/me`, '*', 'CUSTOM', '--warehouse-id', science);
    expect(code).toBe(0);
    expect(JSON.parse(stdout)).toMatchObject({ warehouse_id: science });
    expect(sentFirst()).toMatchObject({ method: 'PATCH', path: `${PATH}/me`, query: { update_mask: '*' } });
  });

  test('update sends PATCH with a mask of one field', async () => {
    cli.give('ben', shared);
    const mask = 'warehouse_id';
    const { code } = await warehouses('ben', 'update', `${NAME}/me`, mask, 'CUSTOM', '--warehouse-id', science);
    expect(code).toBe(0);
    expect(stored('ben')).toMatchObject({ type: 'CUSTOM', warehouseId: science });
    expect(sentFirst()?.query).toMatchObject({ update_mask: 'warehouse_id' });
  });

  test('update sends allow_missing only if --allow-missing is given', async () => {
    await warehouses('ben', 'update', `${NAME}/me`, '*', 'LAST_SELECTED', '--allow-missing');
    expect(sentFirst()?.query).toEqual({ update_mask: '*', allow_missing: 'true' });
    cli.workspace.requests.clear();
    await warehouses('ben', 'update', `${NAME}/me`, '*', 'LAST_SELECTED');
    expect(sentFirst()?.query).toEqual({ update_mask: '*' });
  });

  test('delete sends DELETE, prints nothing, and reads back', async () => {
    cli.give('ben', shared);
    expect(await warehouses('ben', 'delete', `${NAME}/me`)).toMatchObject({ code: 0, stdout: '' });
    expect(stored('ben')).toBeUndefined();
    const sent = cli.workspace.requests.list({ path: `${PATH}/me` }).map(({ method, status }) => `${method} ${status}`);
    expect(sent).toEqual(['DELETE 200', 'GET 404']);
  });

  test('list sends GET for the collection', async () => {
    cli.give('ben', shared);
    cli.give('chloe', undefined);
    const { code, stdout } = await warehouses('ana', 'list');
    expect(code).toBe(0);
    expect(JSON.parse(stdout)).toMatchObject([{ type: 'CUSTOM' }, { type: 'LAST_SELECTED' }]);
  });

  test('a name in an invalid form never leaves this computer', async () => {
    const { code, stderr } = await warehouses('ben', 'get', 'default-warehouse-overrides/../../clusters');
    expect(code).toBe(1);
    expect(stderr).toContain('is not the name of an override');
    expect(lastRequest()).toBeUndefined();
  });

  test('every call carries the bearer token and our User-Agent', async () => {
    await warehouses('ben', 'get', 'me');
    expect(lastRequest()?.userName).toBe('ben@example.com');
    expect(lastRequest()?.headers['user-agent']).toMatch(/^causeway\/\d+\.\d+\.\d+ /);
  });
});

describe('Override lifecycle', () => {
  test('create adds an override if there is none, and queries resolve to it', async () => {
    await warehouses('ben', 'create', 'me', 'CUSTOM', '--warehouse-id', shared);
    expect((await cli.query('ben')).warehouseId).toBe(shared);
  });

  test('update to CUSTOM with a warehouse moves the next query to the new warehouse', async () => {
    cli.give('ben', undefined);
    await warehouses('ben', 'update', `${NAME}/me`, '*', 'CUSTOM', '--warehouse-id', science);
    expect((await cli.query('ben')).warehouseId).toBe(science);
  });

  test('update turns CUSTOM into LAST_SELECTED without a warehouse', async () => {
    cli.give('ben', shared);
    const { code } = await warehouses('ben', 'update', `${NAME}/me`, '*', 'LAST_SELECTED');
    expect(code).toBe(0);
    expect(stored('ben')).toEqual({ userId: USERS.ben, type: 'LAST_SELECTED', warehouseId: undefined });
  });

  test.each(['with', 'without'])('update with allow-missing works %s an override there', async (there) => {
    if (there === 'with') cli.give('ben', starter);
    const args = [`${NAME}/me`, '*', 'CUSTOM', '--warehouse-id', shared, '--allow-missing'];
    expect((await warehouses('ben', 'update', ...args)).code).toBe(0);
    expect(stored('ben')).toMatchObject({ type: 'CUSTOM', warehouseId: shared });
  });

  test('delete removes any override, and queries fall back to the workspace default', async () => {
    cli.give('ben', shared);
    expect((await warehouses('ben', 'delete', `${NAME}/me`)).code).toBe(0);
    expect((await cli.query('ben')).warehouseId).toBe(starter);
  });

  test('create is refused if one exists, with an explanation (409)', async () => {
    cli.without('createReplaces');
    cli.give('ben', shared);
    const { code, stderr } = await warehouses('ben', 'create', 'me', 'CUSTOM', '--warehouse-id', science);
    expect(code).toBe(1);
    expect(stderr).toContain('You already have an override');
    expect(stored('ben')?.warehouseId).toBe(shared);
  });

  test('the commands set, last-selected and clear do the same, and clear can be repeated', async () => {
    cli.without('deletesNothing');
    expect((await cli.run('ben', 'warehouse', 'set', 'Shared', 'analytics')).stdout).toContain(shared);
    expect(stored('ben')).toMatchObject({ type: 'CUSTOM', warehouseId: shared });
    expect((await cli.run('ben', 'warehouse', 'last-selected')).code).toBe(0);
    expect(stored('ben')).toMatchObject({ type: 'LAST_SELECTED' });
    expect((await cli.run('ben', 'warehouse', 'clear')).stdout).toContain('Your override is removed');
    expect(stored('ben')).toBeUndefined();
    const again = await cli.run('ben', 'warehouse', 'clear');
    expect(again).toMatchObject({ code: 0, stderr: '' });
    expect(again.stdout).toContain('You had no override');
  });
});

describe('Errors', () => {
  test('get says that there is no override', async () => {
    const { code, stderr } = await warehouses('ben', 'get', 'me');
    expect(code).toBe(1);
    expect(stderr).toContain('You have no override.');
  });

  test('update without allow-missing says that there is no override, and creates none', async () => {
    const { code, stderr } = await warehouses('ben', 'update', 'me', '*', 'LAST_SELECTED');
    expect(code).toBe(1);
    expect(stderr).toContain('You have no override.');
    expect(stored('ben')).toBeUndefined();
  });

  test.each([
    ['never existed', '00000000deadbeef'],
    ['is deleted', WAREHOUSES.deleted],
  ])('a warehouse that %s is refused with an explanation, and nothing is changed', async (_how, id) => {
    cli.without('acceptsAnyTarget');
    for (const args of [
      ['create', 'me', 'CUSTOM', '--warehouse-id', id],
      ['update', 'me', '*', 'CUSTOM', '--warehouse-id', id, '--allow-missing'],
    ] as const) {
      const [subcommand, ...rest] = args;
      const { code, stderr } = await warehouses('ben', subcommand, ...rest);
      expect(code).toBe(1);
      expect(stderr).toContain(`Warehouse ${id} does not exist. Nothing was changed.`);
    }
  });

  test('a mask that names an unknown field is refused, and the field is named', async () => {
    cli.give('ben', shared);
    const { code, stderr } = await warehouses('ben', 'update', 'me', 'colour', 'CUSTOM', '--warehouse-id', science);
    expect(code).toBe(1);
    expect(stderr).toMatch(/^Error: (update_mask names an unknown field: colour|The request cannot be processed)/);
    expect(stored('ben')?.warehouseId).toBe(shared);
  });

  test('a workspace without the override API is distinguished from one without an override', async () => {
    cli.workspace.features.overrides = false;
    for (const [subcommand, ...args] of [
      ['get', 'me'],
      ['create', 'me', 'LAST_SELECTED'],
      ['update', 'me', '*', 'LAST_SELECTED'],
      ['delete', 'me'],
      ['list'],
    ] as const) {
      const { code, stderr } = await warehouses('ana', subcommand, ...args);
      expect(code).toBe(1);
      expect(stderr).toContain('This workspace does not support warehouse overrides.');
    }
    const shown = await cli.run('ana', 'warehouse');
    expect(shown.stdout).toContain('This workspace does not support overrides.');
    expect(shown.stdout).toMatch(/^Starter Warehouse/);
  });
});

describe('Permissions', () => {
  test('any user can create, read, update and delete their own override', async () => {
    const codes = [];
    codes.push((await warehouses('chloe', 'create', 'me', 'LAST_SELECTED')).code);
    codes.push((await warehouses('chloe', 'get', USERS.chloe)).code);
    codes.push((await warehouses('chloe', 'update', 'me', '*', 'CUSTOM', '--warehouse-id', shared)).code);
    codes.push((await warehouses('chloe', 'delete', 'me')).code);
    expect(codes).toEqual([0, 0, 0, 0]);
  });

  const forAnother: [string, string[]][] = [
    ['get', [`${NAME}/${USERS.chloe}`]],
    ['create', [USERS.chloe, 'LAST_SELECTED']],
    ['update', [`${NAME}/${USERS.chloe}`, '*', 'LAST_SELECTED']],
    ['delete', [`${NAME}/${USERS.chloe}`]],
  ];

  test.each(forAnother)(
    '%s is refused for another user’s override to a user who is not an admin',
    async (subcommand, args) => {
      if (subcommand !== 'create') cli.give('chloe', shared);
      const { code, stderr } = await warehouses('ben', subcommand, ...args);
      expect(code).toBe(1);
      expect(stderr).toContain('Only workspace admins can');
      expect(stored('chloe')?.warehouseId).toBe(subcommand === 'create' ? undefined : shared);
    },
  );

  test.each(forAnother)('%s works for another user’s override for an admin', async (subcommand, args) => {
    if (subcommand !== 'create') cli.give('chloe', shared);
    expect((await warehouses('ana', subcommand, ...args)).code).toBe(0);
    if (subcommand !== 'get') expect(stored('chloe')?.type).toBe(subcommand === 'delete' ? undefined : 'LAST_SELECTED');
  });

  test('list is refused to a user who is not an admin', async () => {
    for (const run of [await warehouses('ben', 'list'), await cli.run('ben', 'warehouse', 'all')]) {
      expect(run.code).toBe(1);
      expect(run.stderr).toContain('Only workspace admins can see the overrides of all users.');
    }
  });

  test('list works for an admin, with names', async () => {
    cli.give('ben', shared);
    cli.give('chloe');
    const { stdout } = await cli.run('ana', 'warehouse', 'all');
    expect(stdout).toMatch(/^ben@example\.com\s+Shared analytics\nchloe@example\.com\s+Last selected\n$/);
  });

  test.each([USERS.chloe, 'chloe@example.com', 'chloe', 'Chloe Tan'])('an admin names the user by %s', async (user) => {
    expect((await cli.run('ana', 'warehouse', 'for', user, 'set', 'shared', '--yes')).code).toBe(0);
    expect(stored('chloe')).toMatchObject({ type: 'CUSTOM', warehouseId: shared });
    expect((await cli.run('ana', 'warehouse', 'for', user, 'last-selected', '--yes')).code).toBe(0);
    expect((await cli.run('ana', 'warehouse', 'for', user)).stdout).toContain('LAST_SELECTED');
    expect((await cli.run('ana', 'warehouse', 'for', user, 'clear', '--yes')).code).toBe(0);
    expect(stored('chloe')).toBeUndefined();
  });
});
