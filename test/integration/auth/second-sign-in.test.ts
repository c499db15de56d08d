import { describe, expect, it } from 'vitest';
import type { AuthEvent, SignInProgress } from '../../../main/auth/auth.ts';
import { installBrowser, runCauseway } from './causeway-process.ts';
import { scriptedBrowser } from './scripted-browser.ts';
import { ownerOf, setStage } from './stage.ts';

const ANA = 'ana@example.com';
const BEN = 'ben@example.com';
// A token that the workspace no longer takes would hide who still gives it out.
const stage = setStage(({ host }) => `[cli]\nhost = ${host}\nauth_type = databricks-cli\n\n`, {
  accessTokensOutliveRevocation: true,
});

/** A process in which a user signs in, and what it has reported. */
function open(confirmChange?: (change: { from: string | undefined; to: string | undefined }) => Promise<boolean>) {
  const steps: SignInProgress[] = [];
  const events: string[] = [];
  const auth = stage.open({ openBrowser: scriptedBrowser().open });
  auth.subscribe(({ type }: AuthEvent) => events.push(type));
  const signIn = async (as: string) => {
    stage.workspace.approve({ as });
    return auth.signIn(await auth.profile('user'), { confirmChange, onProgress: (step) => steps.push(step) });
  };
  const token = async () => auth.tokens(await auth.profile('user')).token();
  const replaced = () => steps.filter(({ step }) => step === 'replaced');
  return { auth, signIn, token, replaced, events };
}
const owner = async ({ token }: ReturnType<typeof open>) => ownerOf(stage, await token());

describe('a second sign-in', () => {
  it.each([
    [ANA, false],
    [BEN, true],
  ])('as %s revokes the first one, also in other processes, and says whose it was', async (second, isOtherUser) => {
    const [first, other] = [open(), open()];
    await first.signIn(ANA);
    const before = await first.token();
    await other.signIn(second);
    expect(other.replaced()).toEqual([{ step: 'replaced', userName: ANA, isOtherUser, revoked: true }]);
    // It outlives its revocation, and is given out nowhere.
    expect(await ownerOf(stage, before)).toBe(ANA);
    expect([await owner(first), await owner(other)]).toEqual([second, second]);
  });

  it('as another user asks first; a no keeps the first one and revokes the second', async () => {
    await open().signIn(ANA);
    const asked: unknown[] = [];
    const second = open(async (change) => {
      asked.push(change);
      return false;
    });
    await expect(second.signIn(BEN)).rejects.toMatchObject({
      code: 'sign_in_cancelled',
      message: `Profile "user" stays signed in to ${stage.workspace.host} as ${ANA}. The new sign-in as ${BEN} was revoked.`,
    });
    expect(asked).toEqual([{ profile: 'user', from: ANA, to: BEN }]);
    expect(stage.workspace.requests.count({ path: '/oidc/v1/revoke' })).toBe(2);
    expect([await owner(second), await owner(open())]).toEqual([ANA, ANA]);
    expect(second.replaced()).toEqual([]);
    // The same user is not asked.
    await second.signIn(ANA);
    expect(asked).toHaveLength(1);
  });

  it('to a profile of the Databricks CLI takes the place of the first one in other processes, and so does a sign-out', async () => {
    const [auth, other] = [stage.open(), stage.open({ openBrowser: scriptedBrowser().open })];
    const profile = await auth.profile('cli');
    const ownerNow = async () => ownerOf(stage, await auth.tokens(profile).token());
    for (const user of [ANA, BEN]) {
      stage.workspace.approve({ as: user });
      await other.signIn(profile);
      expect(await ownerNow()).toBe(user);
    }
    await other.signOut(profile);
    await expect(ownerNow()).rejects.toMatchObject({ code: 'cli_unavailable' });
  });

  it('is an event in other processes, as a sign-out is', async () => {
    const [first, other] = [open(), open()];
    await first.signIn(ANA);
    await expect.poll(() => other.events).toContain('signed-in');
    expect(first.events.filter((type) => type === 'signed-in')).toHaveLength(1);
    await other.auth.signOut(await other.auth.profile('user'));
    await expect.poll(() => first.events).toContain('signed-out');
  });

  it('of the command is confirmed with --yes, and reported without a terminal', async () => {
    await installBrowser(stage.home);
    const login = async (as: string, ...more: string[]) => {
      stage.workspace.approve({ as });
      return runCauseway(stage.home, ['login', '--profile', 'user', ...more]);
    };
    await login(ANA);
    const line = (userName: string) =>
      `Profile user was signed in as ${userName} before. That sign-in has ended, and the workspace revoked its tokens.\n`;
    expect(await login(BEN, '--yes')).toMatchObject({ code: 0, stderr: expect.stringContaining(line(ANA)) });
    expect(await login(ANA)).toMatchObject({ code: 0, stderr: expect.stringContaining(line(BEN)) });
  });
});
