import { describe, expect, test } from 'vitest';
import { createCauseway } from '../../../main/app/causeway.ts';
import { openAuth } from '../../../main/auth/open.ts';
import { initializeThroughProxy, installBrowser } from './causeway-process.ts';
import { scriptedBrowser } from './scripted-browser.ts';
import { setStage } from './stage.ts';

const TEN = Array.from({ length: 10 }, (_, index) => index);
const HOUR = 60 * 60_000;
const stage = setStage();

/** Signs in as if that had been some time ago. */
async function signInAgo(milliseconds: number): Promise<void> {
  const now = () => Date.now() - milliseconds;
  const auth = openAuth({ env: stage.home.env, openBrowser: scriptedBrowser().open, now });
  await auth.signIn(await auth.profile('user'));
  await auth.close();
}

async function allAnswer(): Promise<void> {
  const answers = await Promise.all(TEN.map(() => initializeThroughProxy(stage.home, 'user')));
  for (const { frame, code } of answers) {
    expect(frame).toMatchObject({ jsonrpc: '2.0', id: 1, result: { serverInfo: expect.anything() } });
    expect(code).toBe(0);
  }
}

// The system's browser is replaced by a program on PATH, which only Linux looks for there.
describe.skipIf(process.platform !== 'linux')('ten `causeway proxy` processes at once', { timeout: 120_000 }, () => {
  test('with an expired token make one refresh, and all answer', async () => {
    await signInAgo(2 * HOUR);
    await allAnswer();
    expect(stage.workspace.requests.count({ grantType: 'refresh_token' })).toBe(1);
    expect(stage.workspace.requests.count({ grantType: 'authorization_code' })).toBe(1);
  });

  test('with a token that the workspace refuses make one refresh, and all answer', async () => {
    await signInAgo(0);
    stage.workspace.faults.expireAccessTokens();
    await allAnswer();
    expect(stage.workspace.requests.count({ grantType: 'refresh_token' })).toBe(1);
  });

  test('beside the running application make one refresh together with it, and all answer', async () => {
    await signInAgo(2 * HOUR);
    const causeway = createCauseway({ env: stage.home.env });
    const hub = await causeway.serveProxies();
    // Every second one has its own identity in its environment, and so works alone.
    const alone = { ...stage.home, env: { ...stage.home.env, ARM_CLIENT_SECRET: 'of-something-else' } };
    const own = async () => (await causeway.open('user')).client.users.me();
    const [me, ...answers] = await Promise.all([
      own(),
      ...TEN.map((index) => initializeThroughProxy(index % 2 === 0 ? alone : stage.home, 'user')),
    ]);
    await hub.close();
    await causeway.close();
    expect(me).toMatchObject({ user: { userName: 'ana@example.com' } });
    for (const { frame } of answers) expect(frame).toHaveProperty('result.serverInfo');
    expect(stage.workspace.requests.count({ grantType: 'refresh_token' })).toBe(1);
    expect(stage.workspace.requests.count({ grantType: 'authorization_code' })).toBe(1);
  });

  test('without a token open one page in the browser, and all answer', async () => {
    const { opened } = await installBrowser(stage.home);
    await allAnswer();
    expect(await opened()).toHaveLength(1);
    expect(stage.workspace.requests.count({ grantType: 'authorization_code' })).toBe(1);
    expect(stage.workspace.requests.count({ grantType: 'refresh_token' })).toBe(0);
  });

  test('without a token open one page if the user refuses, and all offer to sign in', async () => {
    stage.workspace.approve('deny');
    const { opened } = await installBrowser(stage.home);
    const answers = await Promise.all(TEN.map(() => initializeThroughProxy(stage.home, 'user')));
    expect(await opened()).toHaveLength(1);
    for (const { frame, tools, code } of answers) {
      expect(frame).toHaveProperty('result');
      expect(tools).toMatchObject({ result: { tools: [{ name: 'sign_in' }] } });
      expect(code).toBe(0);
    }
  });
});
