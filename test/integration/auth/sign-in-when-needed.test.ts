import { beforeEach, describe, expect, test } from 'vitest';
import { scriptedBrowser } from './scripted-browser.ts';
import { ownerOf, setStage } from './stage.ts';

const MINUTE = 60_000;
const stage = setStage(({ host }) => `[cli]\nhost = ${host}\nauth_type = databricks-cli\n`);
let clock: number;

beforeEach(() => {
  clock = Date.now();
});

/** As another process would: nothing is shared but the user's files. */
const open = () => stage.open({ now: () => clock, openBrowser: scriptedBrowser().open });

describe('a profile of the Databricks CLI, on a computer without it', () => {
  test('is signed out until the user signs in through Causeway, and then uses that sign-in', async () => {
    const auth = open();
    const profile = await auth.profile('cli');
    expect(await auth.signInState(profile)).toEqual({ state: 'signed-out' });
    await expect(auth.tokens(profile).token()).rejects.toMatchObject({ code: 'cli_unavailable' });
    await auth.signIn(profile);
    expect(await auth.signInState(profile)).toMatchObject({ state: 'signed-in', userName: 'ana@example.com' });
    const token = await auth.tokens(profile).token();
    expect(await ownerOf(stage, token)).toBe('ana@example.com');
    expect((await auth.tokens(profile).token({ rejected: token })).equals(token)).toBe(false);
    expect(stage.workspace.requests.count({ grantType: 'refresh_token' })).toBe(1);
  });
});

describe('a program that can start a sign-in on its own', () => {
  function unattended() {
    const browser = scriptedBrowser();
    const auth = stage.open({ now: () => clock, openBrowser: browser.open, signInWhenNeeded: true });
    return { auth, browser };
  }

  test.each(['user', 'cli'])('asks once for all its requests (profile %s)', async (name) => {
    const { auth, browser } = unattended();
    const source = auth.tokens(await auth.profile(name));
    const tokens = await Promise.all(Array.from({ length: 10 }, () => source.token()));
    expect(new Set(tokens.map((token) => token.reveal())).size).toBe(1);
    expect(browser.opened).toHaveLength(1);
  });

  test('does not ask again after a refusal until the user signs in elsewhere', async () => {
    stage.workspace.approve('deny');
    const { auth, browser } = unattended();
    const profile = await auth.profile('user');
    const source = auth.tokens(profile);
    for (let ask = 0; ask < 3; ask += 1) await expect(source.token()).rejects.toMatchObject({ code: 'consent_denied' });
    clock += 10 * MINUTE;
    await expect(source.token()).rejects.toMatchObject({ code: 'consent_denied' });
    expect(browser.opened).toHaveLength(1);
    stage.workspace.approve({ as: 'ana@example.com' });
    await open().signIn(profile);
    expect(await ownerOf(stage, await source.token())).toBe('ana@example.com');
    expect(browser.opened).toHaveLength(1);
  });

  test('tries again if the network caused the failure', async () => {
    const { auth, browser } = unattended();
    const source = auth.tokens(await auth.profile('user'));
    stage.workspace.faults.add({ path: '/oidc/.well-known/*', effect: { kind: 'drop', when: 'unhandled' } });
    await expect(source.token()).rejects.toMatchObject({ code: 'unreachable' });
    expect(browser.opened).toEqual([]);
    expect(await ownerOf(stage, await source.token())).toBe('ana@example.com');
  });

  test('asks again if an existing sign-in has expired', async () => {
    const { auth, browser } = unattended();
    const source = auth.tokens(await auth.profile('user'));
    await source.token();
    stage.workspace.faults.revokeRefreshTokens();
    clock += 2 * 60 * MINUTE;
    expect(await ownerOf(stage, await source.token())).toBe('ana@example.com');
    expect(browser.opened).toHaveLength(2);
  });
});
