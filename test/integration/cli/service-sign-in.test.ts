import { readFile } from 'node:fs/promises';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { userNamed } from '../../workspace/caller.ts';
import { type EmbeddedWorkspace, startWorkspace } from '../../workspace/workspace.ts';
import { installWaitingBrowser } from '../auth/causeway-process.ts';
import { type OwnHome, ownHome } from '../auth/own-home.ts';
import { scriptedBrowser } from '../auth/scripted-browser.ts';
import { runCommand } from '../warehouses/harness.ts';

/** `causeway servers sign-in` and `sign-out`. */

const GITHUB = 'system.ai.github';

let workspace: EmbeddedWorkspace;
let home: OwnHome;
let opened: () => Promise<string[]>;

beforeEach(async () => {
  workspace = await startWorkspace({ autoApprove: 'ben@example.com' });
  const { host } = workspace;
  const agent = /\[agent\][^[]*/.exec(await readFile(workspace.profileFile, 'utf8'))?.[0] ?? '';
  home = await ownHome(`[ben]\nhost = ${host}\ntoken = ${userNamed(workspace, 'ben').token}\n${agent}`);
  opened = (await installWaitingBrowser(home)).opened;
});
afterEach(async () => {
  await workspace.close();
  await home.remove();
});

const run = (...args: string[]) => runCommand(home.env, ['servers', ...args]);
const page = () => `${workspace.host}/mcp-service-login?name=${GITHUB}`;

describe.skipIf(process.platform === 'win32')("the sign-in to a service's connection", { timeout: 60_000 }, () => {
  test('shows the page, waits for the user, and says so; then there is nothing left to do', async () => {
    const signingIn = run('sign-in', GITHUB, '--profile', 'ben');
    await expect.poll(opened, { timeout: 20_000 }).toEqual([page()]);
    await scriptedBrowser().open(page());
    const done = await signingIn;
    expect([done.code, done.stdout]).toEqual([0, 'Signed in to GitHub (profile ben).\n']);
    expect(done.stderr).toContain('Sign in to the workspace as ben@example.com in the browser first.');
    expect(workspace.gateway.isSignedIn('ben', GITHUB)).toBe(true);
    const again = await run('sign-in', GITHUB, '--profile', 'ben');
    expect([again.code, again.stdout]).toEqual([0, 'You are already signed in to GitHub (profile ben).\n']);
  });

  test('prints only the address with --no-browser', async () => {
    const signingIn = run('sign-in', GITHUB, '--profile', 'ben', '--no-browser', '--json');
    await expect
      .poll(() => workspace.requests.count({ path: '/api/2.1/unity-catalog/*' }), { timeout: 20_000 })
      .toBeGreaterThan(2);
    workspace.gateway.signIn('ben', GITHUB);
    const done = await signingIn;
    expect(JSON.parse(done.stdout)).toEqual({
      service: GITHUB,
      title: 'GitHub',
      profile: 'ben',
      host: workspace.host,
      state: 'signed-in',
      wasSignedIn: false,
    });
    expect(done.stderr).toContain(`\n${page()}\n`);
    expect(await opened()).toEqual([]);
  });

  test('is revoked for all clients', async () => {
    workspace.gateway.signIn('ben', GITHUB);
    const out = await run('sign-out', GITHUB, '--profile', 'ben');
    expect([out.code, out.stdout]).toEqual([0, 'Signed out of GitHub, for all clients and computers (profile ben).\n']);
    expect(workspace.gateway.isSignedIn('ben', GITHUB)).toBe(false);
    expect((await run('sign-out', GITHUB, '--profile', 'ben')).stdout).toBe(
      'You were not signed in to GitHub (profile ben).\n',
    );
  });

  test('uses the name and profile of a server in the list', async () => {
    await run('add', '--path', `/ai-gateway/mcp-services/${GITHUB}`, '--name', 'code', '--profile', 'ben');
    const tested = await run('test', 'code');
    expect([tested.code, tested.stderr]).toEqual([
      3,
      expect.stringContaining('code: ben@example.com is not signed in to GitHub.'),
    ]);
    workspace.gateway.signIn('ben', GITHUB);
    expect((await run('sign-in', 'code')).stdout).toBe('You are already signed in to GitHub (profile ben).\n');
    expect((await run('test', 'code')).stdout).toContain('code: 5 tools');
  });

  test.each([
    [
      'a service that needs no sign-in',
      ['sign-in', 'system.ai.web_search', '--profile', 'ben'],
      0,
      'Web search needs no sign-in of its own.',
    ],
    [
      'a sign-out of such a service',
      ['sign-out', 'system.ai.web_search', '--profile', 'ben'],
      0,
      'Web search needs no sign-in of its own.',
    ],
    ['a service principal', ['sign-in', GITHUB, '--profile', 'agent'], 3, 'is a service principal.'],
    ['a name that is not a service', ['sign-in', 'sql'], 4, 'There is no server and no service "sql".'],
    [
      'a service that does not exist',
      ['sign-in', 'system.ai.nothing', '--profile', 'ben'],
      4,
      'There is no service "system.ai.nothing" that you can see.',
    ],
  ])('opens no page for %s', async (_what, args, code, words) => {
    const done = await run(...args);
    expect([done.code, done.stdout + done.stderr]).toEqual([code, expect.stringContaining(words)]);
    expect(await opened()).toEqual([]);
  });
});
