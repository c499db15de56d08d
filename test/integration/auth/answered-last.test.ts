import { mkdir, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { scriptedBrowser } from './scripted-browser.ts';
import { ownerOf, setStage, signInOutcome } from './stage.ts';

const ANA = 'ana@example.com';
const BEN = 'ben@example.com';
const stage = setStage();
const revoked = () => stage.workspace.requests.count({ path: '/oidc/v1/revoke' });
const ME = '/api/2.0/preview/scim/v2/Me';

describe('the browser', () => {
  it('is told of a sign-in only once it is stored; one that cannot be stored is revoked, and the next one works', async () => {
    const tokens = join(stage.home.folder, 'causeway', 'state', 'tokens');
    const browser = scriptedBrowser();
    const open = async (url: string) => {
      // A file where the folder should be: nobody can write there.
      await mkdir(dirname(tokens), { recursive: true });
      await writeFile(tokens, '');
      await browser.open(url);
    };
    const outcome = await signInOutcome(stage.open({ openBrowser: open }));
    expect(outcome).toMatchObject({ code: expect.stringMatching(/^(file_not_writable|invalid_file)$/) });
    const { status, text } = await browser.page();
    expect(status).toBe(400);
    expect(text).toContain('You are not signed in');
    expect(text).not.toContain('You are signed in');
    expect(revoked()).toBe(2);
    await rm(tokens);
    const auth = stage.open({ openBrowser: scriptedBrowser().open });
    expect(await signInOutcome(auth)).toMatchObject({ state: 'signed-in' });
    expect(await ownerOf(stage, await auth.tokens(await auth.profile('user')).token())).toBe(ANA);
  });

  it.each([
    [true, BEN],
    [false, ANA],
  ])('says that a question waits if another user may take the place of the one before (%s)', async (agreed, owner) => {
    expect(await signInOutcome(stage.open({ openBrowser: scriptedBrowser().open }))).toMatchObject({ userName: ANA });
    const browser = scriptedBrowser();
    const auth = stage.open({ openBrowser: browser.open });
    stage.workspace.approve({ as: BEN });
    await signInOutcome(auth, {
      confirmChange: async (_change, beforeQuestion) => {
        await beforeQuestion();
        expect((await browser.page()).text).toContain('One question is left');
        return agreed;
      },
    });
    expect(await ownerOf(stage, await auth.tokens(await auth.profile('user')).token())).toBe(owner);
  });
});

describe('what belongs to a sign-in cannot be stored', () => {
  const keepRest = async () => {
    throw new Error('no room for the profile');
  };

  it('fails before the browser is answered, and revokes the sign-in', async () => {
    const browser = scriptedBrowser();
    const auth = stage.open({ openBrowser: browser.open });
    expect(await signInOutcome(auth, { keepRest })).toMatchObject({ message: 'no room for the profile' });
    expect((await browser.page()).text).toContain('You are not signed in');
    expect(revoked()).toBe(2);
    expect(await auth.signInState(await auth.profile('user'))).toEqual({ state: 'signed-out' });
  });

  it('leaves the user signed in who was before', async () => {
    await signInOutcome(stage.open({ openBrowser: scriptedBrowser().open }));
    stage.workspace.approve({ as: BEN });
    const auth = stage.open({ openBrowser: scriptedBrowser().open });
    expect(await signInOutcome(auth, { keepRest })).toMatchObject({ message: 'no room for the profile' });
    expect(revoked()).toBe(2);
    expect(await ownerOf(stage, await auth.tokens(await auth.profile('user')).token())).toBe(ANA);
  });
});

describe('tokens that were given out for a sign-in that is then refused', () => {
  it.each([
    ['the workspace does not let the user in', { kind: 'answer', status: 403, body: '{"message":"No access"}' }],
    ['the workspace does not take its own token', { kind: 'refuse-token' }],
    ['the connection is cut', { kind: 'drop', when: 'before-headers' }],
  ] as const)('are revoked: %s', async (_why, effect) => {
    stage.workspace.faults.add({ path: ME, effect, times: 'always' });
    const outcome = await signInOutcome(stage.open({ openBrowser: scriptedBrowser().open }));
    expect(outcome).toBeInstanceOf(Error);
    expect(revoked()).toBe(2);
  });
});
