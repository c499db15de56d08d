import { afterEach, beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import { createCauseway } from '../../../main/app/causeway.ts';
import type { Effect } from '../../workspace/faults.ts';
import { type CommandLine, openCommandLine, WAREHOUSES } from './harness.ts';

/** `causeway warehouse default`: the workspace default (facts: settings default_warehouse_id). */

const SETTING = '/api/2.0/settings/types/default_warehouse_id/names/default';
const NO_PREVIEW =
  'This workspace does not offer its default warehouse to other programs. The setting is a preview. A workspace admin can change it in Databricks, under Settings > Compute.';

let cli: CommandLine;
beforeEach(async () => {
  cli = await openCommandLine();
});
afterEach(() => cli[Symbol.asyncDispose]());

const run = (profile: string, ...args: string[]) => cli.run(profile, 'warehouse', 'default', ...args);
const now = () => cli.workspace.state.workspaceDefaultWarehouseId;
const set = ['set', 'shared', '--yes'];

describe('causeway warehouse default', () => {
  test.each(['ana', 'ben'])('shows the workspace default to %s', async (profile) => {
    expect(await run(profile)).toEqual({
      code: 0,
      stdout: 'The workspace default is Starter Warehouse (stopped, 2X-Small, Pro).\n',
      stderr: '',
    });
    expect(await cli.json(profile, 'warehouse', 'default', '--json')).toMatchObject({
      warehouseId: WAREHOUSES.starter,
      warehouse: { name: 'Starter Warehouse' },
    });
  });

  test('says that there is none', async () => {
    cli.workspace.state.setWorkspaceDefault(undefined);
    expect((await run('ana')).stdout).toMatch(/^The workspace has no default\./);
    expect(await cli.json('ana', 'warehouse', 'default', '--json')).toEqual({
      warehouseId: null,
      warehouse: null,
      change: null,
    });
  });

  test('sets it, and says where, as whom, and for how many users', async () => {
    cli.give('ben', WAREHOUSES.science);
    expect(await run('ana', ...set)).toEqual({
      code: 0,
      stdout:
        'The workspace default is now Shared analytics (running, Medium, Serverless). This applies to everyone without an override of their own: 2 of 3 users.\n',
      stderr: `Changed in ${cli.workspace.host} as ana@example.com (profile ana).\n`,
    });
    expect(now()).toBe(WAREHOUSES.shared);
    expect((await cli.run('chloe', 'warehouse')).stdout).toMatch(/^Shared analytics /);
  });

  test('removes it', async () => {
    expect(await cli.json('ana', 'warehouse', 'default', 'clear', '--yes', '--json')).toEqual({
      warehouseId: null,
      warehouse: null,
      change: {
        before: WAREHOUSES.starter,
        affected: { withoutOverride: 3, users: 3 },
        place: { profile: 'ana', host: cli.workspace.host, userName: 'ana@example.com' },
      },
    });
    expect(now()).toBeUndefined();
    expect(await run('ana', 'clear', '--yes')).toMatchObject({ code: 0, stderr: '' });
    expect(await run('ana', ...set)).toMatchObject({ code: 0 });
  });

  test('changes nothing, and asks nothing, where it is already so', async () => {
    cli.workspace.requests.clear();
    expect(await run('ana', 'set', 'Starter Warehouse')).toEqual({
      code: 0,
      stdout: 'The workspace default is already Starter Warehouse (stopped, 2X-Small, Pro).\n',
      stderr: '',
    });
    expect(cli.workspace.requests.count({ method: 'PATCH', path: SETTING })).toBe(0);
  });

  test.each([[['set', 'shared']], [['clear']]])(
    '%j needs --yes without a terminal, and says whom it concerns',
    async (args) => {
      const { code, stdout, stderr } = await run('ana', ...args);
      expect([code, stdout]).toEqual([2, '']);
      expect(stderr).toMatch(
        / in http:.* as ana@example\.com \(profile ana\)\? This applies to everyone without an override of their own: 3 of 3 users\. Run it again with --yes\.\n$/,
      );
      expect(now()).toBe(WAREHOUSES.starter);
    },
  );

  test('says so where the users cannot be counted', async () => {
    const body = '{"error_code":"PERMISSION_DENIED","message":"no"}';
    cli.workspace.faults.add({
      path: '/api/2.0/preview/scim/v2/Users',
      effect: { kind: 'answer', status: 403, body },
      times: 'always',
    });
    expect((await run('ana', ...set)).stdout).toContain('Causeway could not count them.');
    expect(now()).toBe(WAREHOUSES.shared);
  });

  test('refuses to overwrite a change that was made after it was read', async () => {
    const causeway = createCauseway({ env: cli.env });
    onTestFinished(() => causeway.close());
    const { workspaceDefault } = (await causeway.open('ana')).warehouses;
    const seen = await workspaceDefault.read();
    cli.workspace.state.setWorkspaceDefault(WAREHOUSES.science);
    for (const wanted of [WAREHOUSES.shared, null]) {
      await expect(workspaceDefault.change(wanted, seen)).rejects.toMatchObject({
        code: 'conflict',
        message: 'Someone else has changed the workspace default in the meantime.',
        remedy: 'Nothing was changed. Check it and try again.',
      });
    }
    expect(now()).toBe(WAREHOUSES.science);
  });

  const LOST: Effect = { kind: 'drop', when: 'before-headers' };
  const REFUSED: Effect = { kind: 'html' };
  test.each([
    ['made', LOST, 0, WAREHOUSES.shared],
    ['not made', REFUSED, 1, WAREHOUSES.starter],
  ])('a change whose answer was lost counts as %s if the workspace says so', async (_what, effect, code, after) => {
    cli.workspace.faults.add({ path: SETTING, method: 'PATCH', effect });
    expect((await run('ana', ...set)).code).toBe(code);
    expect(now()).toBe(after);
  });

  test('a workspace without the preview says so', async () => {
    cli.workspace.features.defaultWarehouseSetting = false;
    expect(await run('ana', ...set)).toEqual({ code: 1, stdout: '', stderr: `causeway: ${NO_PREVIEW}\n` });
    expect(now()).toBe(WAREHOUSES.starter);
  });

  test('a user who is not an admin reads the workspace’s own refusal', async () => {
    const { code, stderr } = await run('ben', ...set);
    expect([code, stderr]).toEqual([
      1,
      expect.stringMatching(/403: (Only workspace admins may read or change|The caller is not authorized)/),
    ]);
    expect(now()).toBe(WAREHOUSES.starter);
  });

  test.each([
    [['sett', 'shared'], 2, 'Did you mean "set"?'],
    [['set'], 2, 'No warehouse was named.'],
    [['clear', 'shared'], 2, '"clear" takes no warehouse.'],
    [['set', 'sad', '--yes'], 4, 'Did you mean "Shared analytics"'],
  ])('%j is refused', async (args, code, text) => {
    const refused = await run('ana', ...args);
    expect([refused.code, refused.stderr]).toEqual([code, expect.stringContaining(text)]);
    expect(now()).toBe(WAREHOUSES.starter);
  });
});
