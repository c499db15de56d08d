import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type EmbeddedWorkspace, startWorkspace } from '../../workspace/workspace.ts';
import { type OwnHome, ownHome } from '../auth/own-home.ts';
import { runCommand } from '../warehouses/harness.ts';

let workspace: EmbeddedWorkspace;
let home: OwnHome;

beforeAll(async () => {
  workspace = await startWorkspace();
  home = await ownHome(`[good]
host = ${workspace.host}
token = ${workspace.users[0]?.token}

[refused]
host = ${workspace.host}
token = dapi-expired

[nobody]
host = ${workspace.host}

[away]
host = http://127.0.0.1:1
token = x

[account]
host = https://accounts.cloud.databricks.com
token = x
`);
});
afterAll(async () => {
  await workspace.close();
  await home.remove();
});

const COMMANDS = [
  ['whoami'],
  ['warehouse'],
  ['warehouse', 'list'],
  ['warehouse', 'set', 'Shared'],
  ['warehouse', 'all'],
];

describe.each(COMMANDS.map((command) => [command.join(' '), command] as const))('causeway %s', (_name, command) => {
  test.each([
    ['a profile that does not exist', 'gone', 3, 'profile_not_found'],
    ['nobody signed in', 'nobody', 3, 'signed_out'],
    ['a token that is refused', 'refused', 3, 'unauthenticated'],
    ['a workspace that cannot be reached', 'away', 5, 'unreachable'],
    ['a profile that cannot be used', 'account', 2, 'profile_unusable'],
  ])('with %s ends with the same code as every other command', async (_failure, profile, code, errorCode) => {
    const run = await runCommand(home.env, [...command, '--profile', profile, '--json']);
    expect(run.code).toBe(code);
    expect(JSON.parse(run.stdout).error.code).toBe(errorCode);
    expect(run.stderr).not.toBe('');
  });

  test('with an unknown option ends with 2', async () => {
    expect((await runCommand(home.env, [...command, '--bogus'])).code).toBe(2);
  });
});

describe('causeway status', () => {
  const status = (...args: string[]) => runCommand(home.env, ['status', ...args]);

  test.each([
    ['good', 0],
    ['refused', 3],
    ['nobody', 3],
    ['away', 5],
    ['account', 2],
  ])('with --check and the profile "%s" ends with %i, and without it with 0', async (profile, code) => {
    expect((await status('--profile', profile, '--check')).code).toBe(code);
    expect((await status('--profile', profile)).code).toBe(0);
  });

  test('with --check ends with the code of a server that does not work', async () => {
    await runCommand(home.env, ['servers', 'add', 'sql', '--name', 'signed-out', '--profile', 'refused']);
    const { code, stdout } = await status('--profile', 'good', '--check', '--json');
    expect(code).toBe(3);
    expect(JSON.parse(stdout).servers).toMatchObject([{ state: 'signed-out', error: { code: 'unauthenticated' } }]);
    await runCommand(home.env, ['servers', 'add', 'sql', '--name', 'away', '--profile', 'away']);
    expect((await status('--profile', 'good', '--check')).code).toBe(1);
    await runCommand(home.env, ['servers', 'remove', 'signed-out', 'away']);
  });
});

describe('causeway logout', () => {
  test('of a profile that nobody is signed in to ends with 0, and says so', async () => {
    const run = await runCommand(home.env, ['logout', '--profile', 'nobody']);
    expect(run).toEqual({
      code: 0,
      stdout: `You were not signed in to ${workspace.host} (profile nobody).\n`,
      stderr: '',
    });
    const { stdout } = await runCommand(home.env, ['logout', '--profile', 'nobody', '--json']);
    expect(JSON.parse(stdout)).toMatchObject({ profile: 'nobody', wasSignedIn: false, revoked: false });
  });

  test('of a profile that does not exist is still a failure', async () => {
    expect((await runCommand(home.env, ['logout', '--profile', 'gone'])).code).toBe(3);
  });
});

test.each([
  [['warehouse', 'set', 'no such warehouse', '--profile', 'good'], 4],
  [['warehouse', 'set', 'S', '--profile', 'good'], 2],
  [['warehouse', 'for', 'no such user', '--profile', 'good'], 4],
  [['warehouse', 'import', 'no such file.csv', '--profile', 'good'], 4],
  [['policy', 'check', 'no such file.json'], 4],
  [['status', '--profile', 'gone'], 3],
  [['servers', 'remove', 'nothing'], 4],
  [['clients', 'add', 'no-such-client'], 4],
  [['clients', 'add', 'zed'], 4],
  [['servers', 'add', 'nothing'], 2],
  [['whoami', '--profile', 'good'], 0],
  [['--profile', 'good', 'whoami'], 0],
  [['--profile', 'gone', 'status'], 3],
])('causeway %j ends with %i', async (args, code) => {
  expect((await runCommand(home.env, args)).code).toBe(code);
});
