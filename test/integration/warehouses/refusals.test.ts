import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { type CommandLine, openCommandLine, USERS, WAREHOUSES } from './harness.ts';

/** What is said where the workspace says little, or means something else than is likely: never more than is known. */

let cli: CommandLine;
beforeEach(async () => {
  cli = await openCommandLine();
});
afterEach(() => cli[Symbol.asyncDispose]());

const OVERRIDES = '/api/warehouses/v1/default-warehouse-overrides*';
const LACKING = 'This API needs the entitlement for Databricks SQL.';
const refuse = () =>
  cli.workspace.faults.add({
    effect: {
      kind: 'answer',
      status: 403,
      body: JSON.stringify({ error_code: 'PERMISSION_DENIED', message: LACKING }),
    },
    path: OVERRIDES,
    times: 'always',
  });

describe('a refusal of another user’s override', () => {
  test.each([
    ['get', ['get-default-warehouse-override', USERS.chloe]],
    ['list', ['list-default-warehouse-overrides']],
    ['delete', ['delete-default-warehouse-override', USERS.chloe]],
  ])('comes in the workspace’s words, and never blames a missing admin right on an admin: %s', async (_, args) => {
    refuse();
    const { code, stderr } = await cli.run('ana', 'warehouses', ...args);
    expect([code, stderr]).toEqual([
      1,
      `Error: ${LACKING}\nYou are a workspace admin. Something else is missing. Check your entitlements, and the scopes of your sign-in.\n`,
    ]);
  });

  test('tells a user who is no admin that admins can, after the workspace’s words', async () => {
    refuse();
    const { stderr } = await cli.run('ben', 'warehouse', 'for', USERS.chloe, 'set', WAREHOUSES.shared, '--yes');
    expect(stderr).toMatch(
      new RegExp(
        `^causeway: The workspace answered 403: ${LACKING} Only workspace admins can .* override \\(8241\\)\\.`,
      ),
    );
  });

  test('says nothing of admins for certain if the groups cannot be read', async () => {
    refuse();
    cli.workspace.features.scimGroups = false;
    const { stderr } = await cli.run('ana', 'warehouses', 'list-default-warehouse-overrides');
    expect(stderr).toBe(`Error: ${LACKING}\nIf you are not a workspace admin, ask one to do it.\n`);
  });

  test('by the user’s own id is a refusal of the own override', async () => {
    refuse();
    const { stderr } = await cli.run('ben', 'warehouses', 'get-default-warehouse-override', USERS.ben);
    expect(stderr).not.toContain('another user');
    expect(stderr).toContain(LACKING);
  });
});

describe('a change that is answered with {}', () => {
  beforeEach(() => void cli.workspace.behaviors.add('answersChangesWithNothing'));

  test.each([
    ['create', ['create-default-warehouse-override', 'me', 'CUSTOM', '--warehouse-id', WAREHOUSES.shared]],
    ['update', ['update-default-warehouse-override', 'me', '*', 'CUSTOM', '--warehouse-id', WAREHOUSES.shared]],
  ])('prints the record as it is read back: %s', async (operation, args) => {
    if (operation === 'update') cli.give('ben');
    expect(await cli.json('ben', 'warehouses', ...args)).toEqual({
      default_warehouse_override_id: USERS.ben,
      name: `default-warehouse-overrides/${USERS.ben}`,
      type: 'CUSTOM',
      warehouse_id: WAREHOUSES.shared,
    });
  });

  test('is not taken as made if nothing is there afterwards', async () => {
    cli.workspace.faults.add({ effect: { kind: 'answer', status: 200, body: '{}' }, method: 'POST', path: OVERRIDES });
    const create = ['create-default-warehouse-override', 'me', 'LAST_SELECTED'];
    const { code, stdout, stderr } = await cli.run('ben', 'warehouses', ...create);
    expect([code, stdout]).toEqual([1, '']);
    expect(stderr).toContain('The change was accepted, but the workspace now has no override.');
  });

  test('is reported as made, and how it was asked for, if it cannot be read back', async () => {
    cli.workspace.faults.add({ effect: { kind: 'html' }, method: 'GET', path: OVERRIDES });
    const { code, stdout, stderr } = await cli.run('ben', 'warehouse', 'set', WAREHOUSES.shared);
    expect(code).toBe(0);
    expect(stdout).toContain(WAREHOUSES.shared);
    expect(stderr).toContain('The change was saved, but could not be read back.');
  });
});

test('create over an existing override is explained whatever the 409 says', async () => {
  cli.without('createReplaces');
  cli.workspace.behaviors.add('otherErrors');
  cli.give('ben');
  const { stderr } = await cli.run('ben', 'warehouses', 'create-default-warehouse-override', 'me', 'LAST_SELECTED');
  expect(stderr).toMatch(
    /^Error: The entity is in conflict with the request\.\nYou already have an override\. Update it/,
  );
});

test('a warehouse that a user cannot see is not said to be deleted, and to an admin it is', async () => {
  for (const name of ['hidesWarehouses', 'hiddenIsMissing'] as const) cli.workspace.behaviors.add(name);
  cli.give('ben', WAREHOUSES.finance);
  cli.give('ana', 'feedfeedfeedfeed');
  const answers = [await cli.run('ben', 'warehouse'), await cli.run('ana', 'warehouse')];
  expect(answers[0]?.stdout).toMatch(/^A warehouse that you cannot see\n/);
  expect(answers[0]?.stdout).toContain(`Warehouse ${WAREHOUSES.finance} no longer exists, or you cannot see it.`);
  expect(answers[1]?.stdout).toMatch(/^A warehouse that no longer exists\n/);
});

test('similar groups are found on every page of a list', async () => {
  cli.workspace.behaviors.add('smallPages');
  const users = cli.workspace.state.users;
  for (const [at, user] of users.entries()) user.groups.push(`team-${at}`);
  users[0]?.groups.push('finance');
  const { stderr } = await cli.run('ana', 'warehouse', 'assign', 'shared analytics', '--group', 'finanse', '--yes');
  expect(stderr).toContain('There is no group "finanse". Did you mean "finance"');
});
