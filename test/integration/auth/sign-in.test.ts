import { appendFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { describe, expect, test } from 'vitest';
import type { SignInProgress } from '../../../main/auth/auth.ts';
import { onNotedEvent } from '../../../main/platform/noted-events.ts';
import { scriptedBrowser } from './scripted-browser.ts';
import { ownerOf, setStage, signInOutcome } from './stage.ts';

const stage = setStage();

describe('signing in in the browser', () => {
  test('ends on a page that says so, with tokens for the user who signed in', async () => {
    const browser = scriptedBrowser();
    const auth = stage.open({ openBrowser: browser.open });
    const steps: SignInProgress[] = [];
    const state = await signInOutcome(auth, { onProgress: (progress) => steps.push(progress) });
    expect(state).toMatchObject({ state: 'signed-in', userName: 'ana@example.com', renewable: true });
    const page = await browser.page();
    expect(page.status).toBe(200);
    expect(page.text).toContain('You are signed in');
    expect(page.text).toContain('You can close this window.');
    expect(page.text).toContain('as ana@example.com (profile user)');
    expect(steps).toEqual([
      { step: 'waiting-for-browser', url: browser.opened[0], opened: true },
      { step: 'finishing' },
    ]);
    expect(await ownerOf(stage, await auth.tokens(await auth.profile('user')).token())).toBe('ana@example.com');
  });

  test('sends the parameters of RFC 7636 and RFC 8252, and never sends the verifier in the request', async () => {
    const browser = scriptedBrowser();
    await signInOutcome(stage.open({ openBrowser: browser.open }));
    const asked = new URL(browser.opened[0] ?? '');
    expect(Object.fromEntries(asked.searchParams)).toMatchObject({
      response_type: 'code',
      client_id: 'databricks-cli',
      scope: 'all-apis offline_access',
      code_challenge_method: 'S256',
    });
    expect(asked.searchParams.get('redirect_uri')).toMatch(/^http:\/\/localhost:80[234]\d$/);
    expect(asked.searchParams.get('code_challenge')).toMatch(/^[\w-]{43}$/);
    expect(asked.searchParams.get('state')).toMatch(/^[\w-]{43}$/);
    expect(asked.href).not.toContain('verifier');
  });

  test('opens one page however many windows and processes ask at once, and all share its outcome', async () => {
    const browser = scriptedBrowser();
    const services = [
      stage.open({ openBrowser: browser.open }),
      stage.open({ openBrowser: browser.open }),
      stage.open({ openBrowser: browser.open }),
    ];
    const steps: string[] = [];
    const heard: string[] = [];
    const end = onNotedEvent(({ event }, env) => {
      if (env.CAUSEWAY_HOME === stage.home.env.CAUSEWAY_HOME) heard.push(event);
    });
    const states = await Promise.all(
      services.flatMap((auth) =>
        [1, 2, 3].map(() => signInOutcome(auth, { onProgress: ({ step }) => steps.push(step) })),
      ),
    );
    for (const state of states) expect(state).toMatchObject({ state: 'signed-in', userName: 'ana@example.com' });
    expect(browser.opened).toHaveLength(1);
    expect(stage.workspace.requests.count({ grantType: 'authorization_code' })).toBe(1);
    expect(steps).toContain('waiting-for-other');
    end();
    // What is audited is one sign-in, too.
    expect(heard).toEqual(['sign-in']);
  });

  test('shares a refusal, too: no waiting request opens another page', async () => {
    stage.workspace.approve('deny');
    const browser = scriptedBrowser();
    const services = [
      stage.open({ openBrowser: browser.open }),
      stage.open({ openBrowser: browser.open }),
      stage.open({ openBrowser: browser.open }),
    ];
    const failures = await Promise.all(services.map((auth) => signInOutcome(auth)));
    for (const failure of failures) expect(failure).toMatchObject({ code: 'consent_denied' });
    expect(browser.opened).toHaveLength(1);
  });

  test('that is only wanted if needed does not ask a user who is signed in, has just refused, or has just signed out', async () => {
    const browser = scriptedBrowser();
    const ask = () => signInOutcome(stage.open({ openBrowser: browser.open }), { onlyIfNeeded: true });
    stage.workspace.approve('deny');
    expect(await ask()).toMatchObject({ code: 'consent_denied' });
    expect(await ask()).toMatchObject({ code: 'consent_denied' });
    expect(browser.opened).toHaveLength(1);

    stage.workspace.approve({ as: 'ana@example.com' });
    const auth = stage.open({ openBrowser: browser.open });
    expect(await signInOutcome(auth)).toMatchObject({ state: 'signed-in' });
    expect(await ask()).toMatchObject({ state: 'signed-in' });
    expect(browser.opened).toHaveLength(2);

    await auth.signOut(await auth.profile('user'));
    expect(await ask()).toMatchObject({ code: 'signed_out' });
    expect(browser.opened).toHaveLength(2);
  });

  test('shows the address to copy if the browser cannot be opened', async () => {
    const browser = scriptedBrowser();
    const auth = stage.open({ openBrowser: () => Promise.reject(new Error('no display')) });
    const state = await signInOutcome(auth, {
      onProgress: (progress) => {
        if (progress.step === 'waiting-for-browser' && !progress.opened) void browser.open(progress.url);
      },
    });
    expect(state).toMatchObject({ state: 'signed-in' });
  });

  test('fails instead if no user would see the address', async () => {
    const auth = stage.open({ openBrowser: () => Promise.reject(new Error('no display')) });
    expect(await signInOutcome(auth, { openBrowser: 'must' })).toMatchObject({
      code: 'signed_out',
      message: `Profile "user" is signed out of ${stage.workspace.host}. The browser could not be opened.`,
      action: { do: 'sign-in', profile: 'user' },
    });
  });

  test('is refused before the browser opens if it could not be stored', async () => {
    const browser = scriptedBrowser();
    const auth = stage.open({
      openBrowser: browser.open,
      env: { ...stage.home.env, CAUSEWAY_TOKEN_STORE: 'memory' },
    });
    expect(await signInOutcome(auth, { mustKeep: true })).toMatchObject({
      code: 'keychain_unavailable',
      message: 'A sign-in cannot be stored here. None was started.',
    });
    expect(browser.opened).toEqual([]);
    expect(await signInOutcome(auth)).toMatchObject({ state: 'signed-in' });
  });

  test.each(['one process', 'two processes'])(
    'of two profiles of a workspace at once in %s leaves each its own tokens',
    async (how) => {
      await appendFile(stage.home.configFile, `[second]\nhost = ${stage.workspace.host}\n`);
      const first = stage.open({ openBrowser: scriptedBrowser().open });
      const second = how === 'one process' ? first : stage.open({ openBrowser: scriptedBrowser().open });
      const [one, two] = [await first.profile('user'), await second.profile('second')];
      await Promise.all([first.signIn(one), second.signIn(two)]);
      expect(await ownerOf(stage, await first.tokens(one).token())).toBe('ana@example.com');
      await first.signOut(one);
      expect(await ownerOf(stage, await second.tokens(two).token())).toBe('ana@example.com');
    },
  );

  test('ends when it is canceled, and its port is released at once', async () => {
    const stop = new AbortController();
    const auth = stage.open({ openBrowser: async () => undefined });
    let port = 0;
    const failure = await signInOutcome(auth, {
      signal: stop.signal,
      onProgress: (progress) => {
        if (progress.step !== 'waiting-for-browser') return;
        port = Number(new URL(new URL(progress.url).searchParams.get('redirect_uri') ?? '').port);
        stop.abort();
      },
    });
    expect(failure).toMatchObject({
      code: 'sign_in_cancelled',
      message: `The sign-in to ${stage.workspace.host} was canceled.`,
    });
    const next = createServer();
    await new Promise<void>((resolve, reject) => {
      next.once('error', reject);
      next.listen(port, '127.0.0.1', resolve);
    });
    next.close();
  });
});
