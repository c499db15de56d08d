import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { COMPILED } from '../../compiled.ts';
import { scriptedBrowser } from './scripted-browser.ts';
import { ownerOf, setStage } from './stage.ts';

const WORKER = fileURLToPath(new URL('page-worker.ts', import.meta.url));
const MINUTE = 60_000;
const stage = setStage(({ host }) => `[second]\nhost = ${host}\n`);
let clock: number;
let workers: ChildProcessWithoutNullStreams[];

beforeEach(() => {
  clock = Date.now();
  workers = [];
});
afterEach(async () => {
  for (const worker of workers.filter(({ exitCode, signalCode }) => exitCode === null && signalCode === null)) {
    worker.kill('SIGKILL');
    await once(worker, 'close');
  }
});

const notes = () => join(stage.home.notes, 'pages');
/** The pages that processes have opened, in order. */
function pages(): string[] {
  try {
    return readFileSync(notes(), 'utf8').split('\n').filter(Boolean);
  } catch {
    return [];
  }
}

/** A process that an AI client starts; gives what it says in the end. */
function start(profile = 'user') {
  const worker = spawn(process.execPath, [...COMPILED, WORKER, profile, notes()], { env: stage.home.env });
  workers.push(worker);
  worker.stderr.resume();
  let said = '';
  worker.stdout.on('data', (chunk) => {
    said += chunk;
  });
  const ended = once(worker, 'close').then(() => said.trim());
  return { worker, ended };
}

async function startAndKillAtItsPage(): Promise<void> {
  const { worker, ended } = start();
  await expect.poll(() => pages().length).toBe(1);
  worker.kill('SIGKILL');
  await ended;
}

/** As a program that signs in by itself would; its browser goes nowhere. */
function unattended() {
  const opened: string[] = [];
  const openBrowser = async (url: string) => void opened.push(url);
  const auth = stage.open({ now: () => clock, openBrowser, signInWhenNeeded: true, signInTimeoutMs: 300 });
  return { auth, opened, token: async (name = 'user') => auth.tokens(await auth.profile(name)).token() };
}

/** As a user at the command line or in the window. */
const person = () => {
  const browser = scriptedBrowser();
  return { browser, auth: stage.open({ now: () => clock, openBrowser: browser.open }) };
};

describe('one browser page for a workspace', () => {
  test('is opened by one of three processes that start together, and the others share its result', async () => {
    const all = [start(), start(), start()];
    await expect.poll(() => pages().length).toBe(1);
    await scriptedBrowser().open(pages()[0] ?? '');
    expect(await Promise.all(all.map(({ ended }) => ended))).toEqual(['token', 'token', 'token']);
    expect(pages()).toHaveLength(1);
  });

  // Nine processes that each compile what they run: on a busy computer they take long to start.
  test('is opened once by eight processes that start together without a keychain, and again once the one that signed in is gone', {
    timeout: 240_000,
  }, async () => {
    stage.home.env.CAUSEWAY_TOKEN_STORE = 'memory';
    const together = Array.from({ length: 8 }, () => start());
    await expect.poll(() => pages().length, { timeout: 120_000 }).toBe(1);
    await scriptedBrowser().open(pages()[0] ?? '');
    const said = await Promise.all(together.map(({ ended }) => ended));
    const elsewhere = `Another program signed in to ${stage.workspace.host}, but there is no keychain to share the sign-in.`;
    expect(said.toSorted()).toEqual([...Array(7).fill(elsewhere), 'token']);
    expect(pages()).toHaveLength(1);
    const next = start('second');
    await expect.poll(() => pages().length, { timeout: 120_000 }).toBe(2);
    await scriptedBrowser().open(pages()[1] ?? '');
    expect(await next.ended).toBe('token');
  });

  test('is opened again at once if the user asks, and automatically after ten minutes, if it signed in only one process', async () => {
    stage.home.env.CAUSEWAY_TOKEN_STORE = 'memory';
    const first = person();
    await first.auth.signIn(await first.auth.profile('user'));
    expect(await first.auth.signInPage(await first.auth.profile('user'))).toMatchObject({ state: 'not-shared' });
    clock += 9 * MINUTE;
    const soon = unattended();
    await expect(soon.token()).rejects.toMatchObject({ code: 'signed_out' });
    expect(soon.opened).toEqual([]);
    clock += 2 * MINUTE;
    // The same program: that another one had signed in was no answer to it.
    await expect(soon.token()).rejects.toMatchObject({ code: 'sign_in_timeout' });
    expect(soon.opened).toHaveLength(1);
    const second = person();
    await second.auth.signIn(await second.auth.profile('user'));
    expect(second.browser.opened).toHaveLength(1);
  });

  test('is not opened again by processes that start after the first one was killed at its page', async () => {
    await startAndKillAtItsPage();
    for (const profile of ['user', 'user', 'second']) {
      expect(await start(profile).ended).toBe(
        `Profile "${profile}" is signed out of ${stage.workspace.host}. The sign-in page opened just now timed out.`,
      );
    }
    expect(pages()).toHaveLength(1);
    const { auth } = person();
    const found = await auth.signInPage(await auth.profile('user'));
    expect(found).toMatchObject({ state: 'abandoned', profile: 'user' });
  });

  test('is opened by the user at any time, and then everything works', async () => {
    await startAndKillAtItsPage();
    const { auth, browser } = person();
    const profile = await auth.profile('user');
    await auth.signIn(profile);
    expect(browser.opened).toHaveLength(1);
    expect(await auth.signInPage(profile)).toBeUndefined();
    expect(await start().ended).toBe('token');
    expect(pages()).toHaveLength(1);
  });

  test('is opened once more for the user if another process has it open, and shared', async () => {
    const { ended } = start();
    await expect.poll(() => pages().length).toBe(1);
    const { auth, browser } = person();
    const profile = await auth.profile('user');
    expect(await auth.signInPage(profile)).toMatchObject({ state: 'open', url: pages()[0] });
    const steps: unknown[] = [];
    const signingIn = auth.signIn(profile, { onProgress: (progress) => steps.push(progress) });
    // By the time at which it is found to wait, the page has been open for long.
    clock += MINUTE;
    expect(await signingIn).toMatchObject({ state: 'signed-in' });
    expect(browser.opened).toEqual(pages());
    expect(steps).toContainEqual({ step: 'waiting-for-other', url: pages()[0] });
    expect(await ended).toBe('token');
  });

  test.each<[string, () => void, string]>([
    ['refused', () => stage.workspace.approve('deny'), 'refused'],
    ['abandoned', () => {}, 'abandoned'],
  ])('is reopened automatically only ten minutes after it was %s', async (what, arrange, state) => {
    arrange();
    const first = unattended();
    const refusing = what === 'refused' ? scriptedBrowser() : undefined;
    const asking = stage.open({
      now: () => clock,
      openBrowser: async (url) => {
        first.opened.push(url);
        await refusing?.open(url);
      },
      signInWhenNeeded: true,
      // Who refuses does so in time, however busy the computer is.
      ...(refusing ? {} : { signInTimeoutMs: 300 }),
    });
    const profile = await asking.profile('user');
    const code = what === 'refused' ? 'consent_denied' : 'sign_in_timeout';
    await expect(asking.tokens(profile).token()).rejects.toMatchObject({ code });
    expect(await asking.signInPage(profile)).toMatchObject({ state, profile: 'user' });

    clock += 9 * MINUTE;
    const soon = unattended();
    await expect(soon.token()).rejects.toMatchObject({ code });
    await expect(soon.token('second')).rejects.toMatchObject({
      code: 'signed_out',
      message: expect.stringMatching(/opened 9 minutes ago (was denied|timed out)\.$/),
    });
    expect(soon.opened).toEqual([]);

    clock += 2 * MINUTE;
    expect(await asking.signInPage(profile)).toBeUndefined();
    const later = unattended();
    await expect(later.token()).rejects.toMatchObject({ code: 'sign_in_timeout' });
    expect(later.opened).toHaveLength(1);
  });

  test('does not block the next one after its sign-in has ended', async () => {
    const { auth } = person();
    await auth.signIn(await auth.profile('user'));
    stage.workspace.faults.revokeRefreshTokens();
    clock += 61 * MINUTE;
    const { opened, token } = unattended();
    await expect(token()).rejects.toMatchObject({ code: 'sign_in_timeout' });
    expect(opened).toHaveLength(1);
  });

  test('does not count if there is no browser to open it', async () => {
    const openBrowser = async () => Promise.reject(new Error('no browser'));
    const auth = stage.open({ now: () => clock, openBrowser, signInWhenNeeded: true });
    const profile = await auth.profile('user');
    await expect(auth.tokens(profile).token()).rejects.toMatchObject({ code: 'signed_out' });
    expect(await auth.signInPage(profile)).toBeUndefined();
  });

  test('counts as unknown if its record is damaged, and a clock that is set back by a day does not block it', async () => {
    await startAndKillAtItsPage();
    clock -= 24 * 60 * MINUTE;
    const { auth, browser } = person();
    const profile = await auth.profile('user');
    expect(await auth.signInPage(profile)).toBeUndefined();
    await auth.signIn(profile);
    expect(browser.opened).toHaveLength(1);
    expect(await ownerOf(stage, await auth.tokens(profile).token())).toBe('ana@example.com');
  });
});
