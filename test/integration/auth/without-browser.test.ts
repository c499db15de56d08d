import { describe, expect, onTestFinished, test } from 'vitest';
import type { SignInOptions, SignInProgress } from '../../../main/auth/auth.ts';
import { ScriptedBrowser } from '../../workspace/scripted-browser.ts';
import { startWorkspace } from '../../workspace/workspace.ts';
import { HAS_TERMINALS, openTerminal, textOf } from '../cli/real-terminal.ts';
import { runCauseway } from './causeway-process.ts';
import { ownHome } from './own-home.ts';
import { ownerOf, setStage, signInOutcome } from './stage.ts';

/** Signing in where there is no browser: the address at which one on another computer ends, or a code on another device. */

/** The address at which a browser on another computer ends, which cannot come back to this one. */
async function endOf(address: string): Promise<string> {
  const end = await new ScriptedBrowser().open(address);
  if (end.kind !== 'departure') throw new Error(`The sign-in ended on a page: ${end.text}`);
  return end.url.href;
}

describe.each(['oidc-provider', 'plain'] as const)('with the issuer %s', (issuer) => {
  const stage = setStage(() => '', { issuer, deviceFlow: true });
  const paste = async (lines: (address: string) => Promise<string[]>) => {
    const refusals: (string | undefined)[] = [];
    let address = '';
    const outcome = await signInOutcome(stage.open(), {
      openBrowser: 'never',
      onProgress: (progress) => {
        if (progress.step === 'waiting-for-browser') address = progress.url;
      },
      paste: async ({ take }) => {
        for (const line of await lines(address)) refusals.push(take(line));
      },
    });
    return { outcome, refusals };
  };

  test('the pasted address signs in, once, and whatever else is pasted is refused in words', async () => {
    const { outcome, refusals } = await paste(async (address) => {
      const end = new URL(await endOf(address));
      const other = new URL(end);
      other.searchParams.set('state', 'of-another-sign-in');
      const elsewhere = new URL(end);
      elsewhere.port = '1';
      const code = end.searchParams.get('code') ?? '';
      const without = `${end.origin}/?state=${end.searchParams.get('state')}`;
      const lines = [
        address,
        code,
        'dapi0123456789',
        other.href,
        elsewhere.href,
        without,
        '',
        ` ${end.href} `,
        end.href,
      ];
      return lines;
    });
    expect(outcome).toMatchObject({ state: 'signed-in', userName: 'ana@example.com' });
    const notWhole = expect.stringMatching(
      /^This is not the whole address\. It begins with http:\/\/localhost:80\d\d\/\?/,
    );
    expect(refusals).toEqual([
      expect.stringContaining('This is an address of the workspace.'),
      notWhole,
      notWhole,
      expect.stringContaining('belongs to another sign-in'),
      notWhole,
      expect.stringContaining('has no answer of the sign-in page'),
      notWhole,
      undefined,
      'This sign-in is already finished.',
    ]);
    expect(stage.workspace.requests.count({ grantType: 'authorization_code' })).toBe(1);
  });

  test('the pasted address of a refusal says why', async () => {
    stage.workspace.approve('deny');
    const { outcome } = await paste(async (address) => [await endOf(address)]);
    expect(outcome).toMatchObject({ code: 'consent_denied', message: expect.stringContaining('The person did not') });
  });

  const withCode = async (options: Partial<SignInOptions> = {}) => {
    const steps: SignInProgress[] = [];
    const auth = stage.open();
    const outcome = signInOutcome(auth, { ...options, withCode: true, onProgress: (step) => steps.push(step) });
    await expect.poll(() => steps.length).toBe(1);
    const [shown] = steps;
    if (shown?.step !== 'waiting-for-device') throw new Error('No code was shown.');
    return { auth, outcome, shown };
  };

  test('a code that is typed on another device signs in whoever types it', async () => {
    const { auth, outcome, shown } = await withCode();
    expect(shown.code).toMatch(/^[A-Z\d]{4}-[A-Z\d]{4}$/);
    const page = await new ScriptedBrowser().open(shown.url, { user_code: shown.code });
    expect(page).toMatchObject({ status: 200 });
    expect(await outcome).toMatchObject({ state: 'signed-in', userName: 'ana@example.com', renewable: true });
    expect(await ownerOf(stage, await auth.tokens(await auth.profile('user')).token())).toBe('ana@example.com');
    expect(await auth.signOut(await auth.profile('user'))).toEqual({ revoked: true });
  });

  test('a code that is denied on the other device does not', async () => {
    stage.workspace.approve('deny');
    const { outcome, shown } = await withCode();
    await new ScriptedBrowser().open(shown.url, { user_code: shown.code });
    expect(await outcome).toMatchObject({ code: 'consent_denied' });
  });

  test('a sign-in with a code can be canceled', async () => {
    const work = new AbortController();
    const { outcome } = await withCode({ signal: work.signal });
    work.abort();
    expect(await outcome).toMatchObject({ code: 'sign_in_cancelled' });
  });
});

describe.runIf(HAS_TERMINALS)('causeway login in a terminal without a browser', () => {
  const computer = async (deviceFlow: boolean) => {
    const workspace = await startWorkspace({ autoApprove: 'ana@example.com', deviceFlow });
    const home = await ownHome('', { SSH_CONNECTION: '192.0.2.1 5000 192.0.2.2 22' });
    onTestFinished(async () => {
      await workspace.close();
      await home.remove();
    });
    return { workspace, home, args: ['login', '--host', workspace.host, '--profile', 'me'] };
  };

  test('takes the pasted address without showing it, and Ctrl+C ends it', async () => {
    const { home, args } = await computer(false);
    const asked = async () => {
      const terminal = openTerminal(home.env, 200, [...args, '--no-browser']);
      await expect.poll(() => textOf(terminal.shown())).toContain('It is not shown:');
      const [, address = ''] = /^(http:\S+)/m.exec(terminal.shown().replaceAll('\r', '')) ?? [];
      return { terminal, address };
    };
    const left = await asked();
    left.terminal.type('\u0003');
    expect(await left.terminal.ended).toBe(130);
    const { terminal, address } = await asked();
    const end = await endOf(address);
    const code = String(new URL(end).searchParams.get('code'));
    terminal.type(`${code}\r`);
    await expect.poll(() => textOf(terminal.shown())).toContain('A code or a token alone is not taken.');
    terminal.type(`${end}\r`);
    expect(await terminal.ended).toBe(0);
    expect(terminal.shown()).toContain('as ana@example.com (profile me)');
    expect(terminal.shown()).not.toContain(code);
  });

  test('--device-code shows the page and the code, and names the other way where the workspace has none', async () => {
    const { workspace, home, args } = await computer(true);
    const terminal = openTerminal(home.env, 80, [...args, '--device-code']);
    await expect.poll(() => textOf(terminal.shown())).toMatch(/Enter this code there: \S+ Waiting until/);
    const [, code = ''] = /Enter this code there: (\S+)/.exec(terminal.shown()) ?? [];
    await new ScriptedBrowser().open(`${workspace.host}/oidc/device/verification`, { user_code: code });
    expect(await terminal.ended).toBe(0);
    const other = await computer(false);
    const { code: exit, stderr } = await runCauseway(other.home, [...other.args, '--device-code']);
    expect([exit, stderr]).toEqual([
      1,
      expect.stringContaining('does not offer a sign-in with a code. Use --no-browser'),
    ]);
  });
});
