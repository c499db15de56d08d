import { describe, expect, test } from 'vitest';
import { runCauseway } from './causeway-process.ts';
import { ownHome } from './own-home.ts';
import { setCommandStage } from './stage.ts';

const stage = setCommandStage();

describe('causeway profiles', () => {
  test('lists the profile that the environment defines, just as every other command uses it', async () => {
    const bare = await ownHome('', {
      DATABRICKS_HOST: stage.workspace.host,
      DATABRICKS_TOKEN: stage.workspace.users[0]?.token ?? '',
    });
    try {
      const { code, stdout } = await runCauseway(bare, ['profiles', '--json']);
      expect(code).toBe(0);
      expect(JSON.parse(stdout).profiles).toMatchObject([
        {
          profile: '(environment)',
          host: stage.workspace.host,
          isDefault: true,
          state: 'ready',
          userName: 'ana@example.com',
        },
      ]);
      const both = await ownHome(`[other]\nhost = ${stage.workspace.host}\ntoken = x\n`, bare.env);
      both.env.HOME = both.folder;
      const listed = await runCauseway(both, ['profiles', '--json', '--skip-validate']);
      await both.remove();
      expect(
        JSON.parse(listed.stdout).profiles.map((row: { profile: string; isDefault: boolean }) => [
          row.profile,
          row.isDefault,
        ]),
      ).toEqual([
        ['other', false],
        ['(environment)', true],
      ]);
    } finally {
      await bare.remove();
    }
  });

  test('shows every profile with its state, usable or not', async () => {
    const { code, stdout } = await runCauseway(stage.home, ['profiles', '--json']);
    expect(code).toBe(0);
    expect(JSON.parse(stdout).profiles).toMatchObject([
      { profile: 'pat', method: 'pat', state: 'ready', userName: 'ana@example.com', error: null, isDefault: false },
      { profile: 'old', method: 'pat', state: 'refused', userName: null },
      { profile: 'agent', method: 'oauth-m2m', state: 'ready' },
      {
        profile: 'account',
        method: null,
        state: 'unusable',
        error: { message: expect.stringContaining('account host') },
      },
    ]);
  });

  test('ends normally on a computer without a keychain, and does not mention keychains', async () => {
    // No D-Bus address: no Secret Service can be asked.
    const bare = await ownHome(`[user]\nhost = ${stage.workspace.host}\n`, { CAUSEWAY_TOKEN_STORE: 'keychain' });
    try {
      const { code, stdout, stderr } = await runCauseway(bare, ['profiles', '--json']);
      expect(code).toBe(0);
      expect(JSON.parse(stdout).profiles).toMatchObject([{ profile: 'user', state: 'signed-out' }]);
      expect(stderr).toBe('');
    } finally {
      await bare.remove();
    }
  });

  test('prints a table, and does not contact the workspaces unless asked to', async () => {
    const { stdout, stderr } = await runCauseway(stage.home, ['profiles', '--skip-validate']);
    const [heading, ...rows] = stdout.trimEnd().split('\n');
    expect(heading).toMatch(/^ {2}PROFILE +HOST +METHOD +STATE +WHO$/);
    expect(rows.map((row) => row.trim().split(/ {2,}/))).toEqual([
      ['pat', stage.workspace.host, 'personal access token', 'not checked', '-'],
      ['old', stage.workspace.host, 'personal access token', 'not checked', '-'],
      ['agent', stage.workspace.host, 'service principal', 'not checked', '-'],
      ['account', 'https://accounts.cloud.databricks.com', '-', 'unusable', '-'],
    ]);
    expect(stderr).toBe('account: Its host is an account host, not a workspace. Use the address of a workspace.\n');
    expect(stage.workspace.requests.count()).toBe(0);
  });
});
