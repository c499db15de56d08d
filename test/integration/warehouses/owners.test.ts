import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { createCauseway } from '../../../main/app/causeway.ts';
import { fixtureUsers } from '../../workspace/fixture.ts';
import type { User } from '../../workspace/model.ts';
import { type CommandLine, openCommandLine, USERS, WAREHOUSES } from './harness.ts';

const { shared, finance, deleted, deleting } = WAREHOUSES;
const GONE = '7777';

const extra = (id: string, of: Partial<User>): User => ({
  id,
  userName: `u${id}@example.com`,
  displayName: `User ${id}`,
  admin: false,
  groups: ['users'],
  active: true,
  servicePrincipal: false,
  ...of,
});
const LEFT = extra('6001', { userName: 'left@example.com', active: false });
const AGENT = extra('6002', {
  userName: '3c6a1f0e-0000-4000-8000-0123456789ab',
  displayName: 'Finance agent',
  servicePrincipal: true,
  groups: ['users', 'finance'],
});
const FINN = extra('6003', { userName: 'finn@example.com', groups: ['users', 'finance', 'finance-emea'] });
const EMMA = extra('6004', { userName: 'emma@example.com', groups: ['users', 'finance-emea'] });

let cli: CommandLine;
beforeEach(async () => {
  cli = await openCommandLine();
  cli.workspace.state.replace({
    users: [...fixtureUsers(), LEFT, AGENT, FINN, EMMA],
    nestedGroups: new Map([
      ['finance', ['finance-emea']],
      ['finance-emea', ['finance']],
    ]),
    startupMs: 20,
  });
});
afterEach(() => cli[Symbol.asyncDispose]());

const give = (userId: string, warehouseId?: string) =>
  cli.workspace.state.overrides.set(userId, { userId, type: warehouseId ? 'CUSTOM' : 'LAST_SELECTED', warehouseId });
const run = (...args: string[]) => cli.run('ana', 'warehouse', ...args);
/** What `causeway warehouse for USER clear` does once it is agreed to. */
async function clearFor(text: string): Promise<string> {
  const causeway = createCauseway({ env: cli.env });
  const { warehouses } = await causeway.open('ana');
  const { id } = await warehouses.findUser(text);
  return warehouses.clearOverride(id).finally(() => causeway.close());
}
const owners = () => [...cli.workspace.state.overrides.keys()].sort();

describe('warehouse all --dangling', () => {
  test('says why queries fail: permission, warehouse, deleted and deactivated owners', async () => {
    give(USERS.ana, shared);
    give(USERS.ben, finance);
    give(USERS.chloe, deleted);
    give(FINN.id, deleting);
    give(LEFT.id);
    give(AGENT.id, deleted);
    give(GONE, shared);
    const { stdout, code } = await run('all', '--dangling');
    const said = Object.fromEntries(
      stdout
        .trimEnd()
        .split('\n')
        .map((line) => line.split(/\s{2,}/).filter((_, at) => at !== 1))
        .map(([who, why]) => [who, why]),
    );
    expect(said).toEqual({
      'ben@example.com': '! the user may not use it',
      'chloe@example.com': '! the warehouse was deleted',
      'finn@example.com': '! the warehouse is being deleted',
      'left@example.com': '! the user is deactivated',
      'Finance agent (service principal)': '! the warehouse was deleted',
      [GONE]: '! the user no longer exists',
    });
    expect(code).toBe(0);
  });

  test('as JSON says the same in words for programs', async () => {
    give(LEFT.id, shared);
    give(AGENT.id);
    give(GONE);
    expect(await cli.json('ana', 'warehouse', 'all', '--json')).toMatchObject({
      overrides: [
        { userId: LEFT.id, ownerKind: 'user', dangling: 'owner-inactive' },
        { userId: AGENT.id, ownerKind: 'service-principal', dangling: null },
        { userId: GONE, ownerKind: 'unknown', dangling: 'owner-gone' },
      ],
    });
  });

  test('takes nobody for deleted where service principals cannot be listed', async () => {
    give(AGENT.id);
    cli.workspace.faults.add({
      effect: { kind: 'answer', status: 403, body: '{"detail":"no"}' },
      path: '/api/2.0/preview/scim/v2/ServicePrincipals',
      times: 'always',
    });
    expect(await cli.json('ana', 'warehouse', 'all', '--json')).toMatchObject({ overrides: [{ dangling: null }] });
  });
});

describe('the override of a user who was deleted', () => {
  test('is shown and cleared by the id alone', async () => {
    give(GONE, shared);
    expect((await run('for', GONE)).stdout).toContain(`user ${GONE} (${GONE}) has an override`);
    expect(await clearFor(GONE)).toBe('cleared');
    expect(owners()).toEqual([]);
  });

  test('is not looked for under an id that never had one', async () => {
    expect(await run('for', '4711')).toMatchObject({
      code: 4,
      stderr: expect.stringContaining('No user matches "4711"'),
    });
  });

  test('of a service principal works by id and by name', async () => {
    for (const text of [AGENT.id, AGENT.userName, 'Finance agent']) {
      give(AGENT.id, shared);
      expect(await clearFor(text)).toBe('cleared');
      expect(owners()).toEqual([]);
    }
  });
});

describe('warehouse assign', () => {
  test('gives all members of a group the override, nested groups and service principals included', async () => {
    const { code, stderr } = await run('assign', 'Shared analytics', '--group', 'finance', '--yes');
    expect({ code, stderr }).toEqual({ code: 0, stderr: expect.stringContaining('3 done.') });
    expect(stderr).toContain('The group finance has 3 members, with those of finance-emea.');
    expect(owners()).toEqual([AGENT.id, FINN.id, EMMA.id].sort());
    expect((await run('assign', 'Shared analytics', '--group', 'finance', '--yes')).stderr).toContain(
      '0 changes, 3 unchanged.',
    );
  });

  test('warns of users who are deactivated', async () => {
    cli.workspace.state.users.push(extra('6005', { active: false, groups: ['finance-emea'] }));
    const { stdout } = await run('assign', shared, '--group', 'finance-emea', '--dry-run');
    expect(stdout).toContain('+ u6005@example.com  No override → Shared analytics  (The user is deactivated.)');
  });

  test('can be undone', async () => {
    await run('assign', '--last-selected', '--group', 'finance-emea', '--yes');
    expect(owners()).not.toEqual([]);
    expect((await run('import', '--undo', 'last', '--yes')).code).toBe(0);
    expect(owners()).toEqual([]);
  });

  test('with --only clears the overrides of all others, and asks for it by their number', async () => {
    give(USERS.ana, shared);
    give(GONE, shared);
    const asked = await run('assign', shared, '--group', 'finance', '--only');
    expect(asked).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('and remove the overrides of 2 other users?'),
    });
    expect(owners()).toEqual([GONE, USERS.ana].sort());
    expect((await run('assign', shared, '--group', 'finance', '--only', '--yes')).code).toBe(0);
    expect(owners()).not.toContain(USERS.ana);
    expect(owners()).not.toContain(GONE);
  });

  test.each([
    [
      'a group that does not exist',
      [shared, '--group', 'finanz'],
      4,
      'There is no group "finanz". Did you mean "finance"',
    ],
    ['a part of a group’s name', [shared, '--group', 'finance-e'], 4, ' or "finance-emea"'],
    ['no override', ['--group', 'finance'], 2, 'Name a warehouse, or pass --last-selected or --clear.'],
    ['two overrides', [shared, '--clear', '--group', 'finance'], 2, 'Exactly one override can be assigned.'],
    ['no group', [shared], 2, "required option '-g, --group <group>' not specified"],
  ])('with %s is refused', async (_what, args, code, said) => {
    expect(await run('assign', ...args, '--yes')).toMatchObject({ code, stderr: expect.stringContaining(said) });
    expect(owners()).toEqual([]);
  });

  test('as a dry run says what would change, for CI too', async () => {
    const { code, stdout } = await run('assign', shared, '--group', 'finance-emea', '--dry-run', '--fail-on-change');
    expect(code).toBe(6);
    expect(stdout).toContain('emma@example.com  No override → Shared analytics');
    expect(owners()).toEqual([]);
  });
});
