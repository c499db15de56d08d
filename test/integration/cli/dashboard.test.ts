import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { DASHBOARD_NAME } from '../../../main/app/dashboard/lakeview.ts';
import { type CommandLine, openCommandLine, WAREHOUSES } from '../warehouses/harness.ts';

const LAKEVIEW = '/api/2.0/lakeview/dashboards';
const PATH = `/Users/ana@example.com/${DASHBOARD_NAME}.lvdash.json`;

let cli: CommandLine;
beforeEach(async () => {
  cli = await openCommandLine();
});
afterEach(() => cli[Symbol.asyncDispose]());

const install = (...args: string[]) =>
  cli.run('ana', 'dashboard', 'install', '--warehouse', 'Shared analytics', ...args);
const requests = () => cli.workspace.requests.list({ path: `${LAKEVIEW}*` });

describe('causeway dashboard install', () => {
  test('creates the dashboard in the user’s folder and publishes it without the user’s rights', async () => {
    const { code, stdout, stderr } = await install();
    expect([code, stdout]).toEqual([
      0,
      expect.stringMatching(
        /^Created the dashboard .*\.lvdash\.json\.\nhttp:\/\/127\.0\.0\.1:\d+\/dashboardsv3\/\w+\/published\n$/,
      ),
    ]);
    expect(stdout).toContain(PATH);
    expect(stderr).toContain('SELECT on system.query.history');
    const shown = await cli.json('ana', 'dashboard', 'show', '--json');
    expect(shown).toMatchObject({
      path: PATH,
      warehouseId: WAREHOUSES.shared,
      current: true,
      published: true,
      embedsCredentials: false,
    });
  });

  test('leaves one that is up to date as it is, and replaces the content of one that is not, without making a second', async () => {
    const first = JSON.parse((await install('--json')).stdout);
    expect(first).toMatchObject({ result: 'created', published: true });
    expect(JSON.parse((await install('--json')).stdout)).toEqual({ ...first, result: 'unchanged' });
    const other = ['dashboard', 'install', '--warehouse', 'Starter Warehouse'];
    const { code, stderr } = await cli.run('ana', ...other);
    expect(code).toBe(2);
    expect(stderr).toContain('Changes that were made in it are lost. Run it again with --yes.');
    expect(await cli.json('ana', ...other, '--dry-run', '--json')).toMatchObject({
      result: 'would-update',
      id: first.id,
    });
    expect(await cli.json('ana', ...other, '--yes', '--json')).toMatchObject({ result: 'updated', id: first.id });
    expect(requests().filter(({ method, path }) => method === 'POST' && path === LAKEVIEW)).toHaveLength(1);
  });

  test('changes nothing with --dry-run', async () => {
    expect((await install('--dry-run')).stdout).toBe(`Would create the dashboard ${PATH}.\n`);
    expect(requests()).toEqual([]);
  });

  test.each([
    [['--folder', '/Nowhere'], 'The workspace has no folder /Nowhere. Choose one that exists: --folder /Shared', 4],
    [['--folder', 'Shared'], '"Shared" is not a folder of the workspace.', 2],
    [['--name', 'a/b'], '"a/b" cannot be the name of a dashboard.', 2],
  ])('refuses %j in words', async (args, words, exitCode) => {
    const { code, stderr } = await install(...args);
    expect(stderr).toContain(words);
    expect(code).toBe(exitCode);
  });

  test('says so if the folder is somebody else’s', async () => {
    const { code, stderr } = await cli.run(
      'ben',
      'dashboard',
      'install',
      '--warehouse',
      'shared',
      '--folder',
      '/Users/ana@example.com',
    );
    expect(stderr).toContain('You need the right to edit in /Users/ana@example.com.');
    expect(code).toBe(1);
  });
});

test('causeway dashboard show says that there is none, and print prints what would be installed', async () => {
  const { code, stderr } = await cli.run('ana', 'dashboard', 'show');
  expect([code, stderr]).toEqual([4, expect.stringContaining(`There is no dashboard ${PATH}.`)]);
});
