import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import type { Profile } from '../../../main/auth/auth.ts';
import type { AuthService } from '../../../main/auth/open.ts';
import { CausewayError } from '../../../main/platform/errors.ts';
import { COMPILED } from '../../compiled.ts';
import { scriptedBrowser } from './scripted-browser.ts';
import { ownerOf, setStage } from './stage.ts';

const WORKER = fileURLToPath(new URL('token-worker.ts', import.meta.url));
const HOUR = 60 * 60_000;
const TIMES = Number(process.env.CAUSEWAY_KILLS ?? 8);
const stage = setStage();

async function next(now = Date.now): Promise<{ auth: AuthService; profile: Profile }> {
  const auth = stage.open({ openBrowser: scriptedBrowser().open, now });
  return { auth, profile: await auth.profile('user') };
}

/** Starts a process that does it, and kills it so many milliseconds in; gives how long it took if it came to its end. */
async function interrupted(what: 'sign-in' | 'renewal', afterMs: number): Promise<number | undefined> {
  const child = spawn(process.execPath, [...COMPILED, WORKER, what, 'user'], {
    env: stage.home.env,
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  await once(child.stdout, 'data');
  const ended = once(child, 'close');
  const done = once(child.stdout, 'data').then(
    () => performance.now(),
    () => undefined,
  );
  const begun = performance.now();
  child.stdin.write('\n');
  const finished = await Promise.race([done, sleep(afterMs)]);
  child.kill('SIGKILL');
  await ended;
  return finished === undefined ? undefined : finished - begun;
}

/** So many moments from the beginning of the work to a little beyond its end. */
function moments(wholeMs: number): number[] {
  return Array.from({ length: TIMES }, (_, index) => (index / TIMES) * wholeMs * 1.1);
}

/** Works, or says that it is signed out; of a renewal that was cut off, also that. */
async function state(auth: AuthService, profile: Profile): Promise<string> {
  try {
    return await ownerOf(stage, await auth.tokens(profile).token());
  } catch (error) {
    if (!(error instanceof CausewayError)) return String(error);
    return error.message.includes(': a renewal at ') ? 'cut off' : error.code;
  }
}

describe('killed at any moment', { timeout: 60_000 + TIMES * 6_000 }, () => {
  test('a refresh leaves a profile that works or says why it does not, and no lock', async () => {
    const signInLongAgo = async () => {
      const { auth, profile } = await next(() => Date.now() - 2 * HOUR);
      await auth.signIn(profile);
    };
    await signInLongAgo();
    const wholeMs = (await interrupted('renewal', 30_000)) ?? 0;
    expect(wholeMs).toBeGreaterThan(0);
    const seen = new Set<string>();
    for (const moment of moments(wholeMs)) {
      await signInLongAgo();
      await interrupted('renewal', moment);
      const { auth, profile } = await next();
      seen.add(await state(auth, profile));
    }
    expect([...seen].filter((each) => each !== 'cut off')).toEqual(['ana@example.com']);
  });

  test('a sign-in leaves a profile that works or is signed out, no lock and no taken port', async () => {
    const wholeMs = (await interrupted('sign-in', 30_000)) ?? 0;
    expect(wholeMs).toBeGreaterThan(0);
    for (const moment of moments(wholeMs)) {
      const before = await next();
      if ((await before.auth.signInState(before.profile)).state === 'signed-in')
        await before.auth.signOut(before.profile);
      await interrupted('sign-in', moment);
      const { auth, profile } = await next();
      expect(['ana@example.com', 'signed_out']).toContain(await state(auth, profile));
      expect(await auth.signIn(profile)).toMatchObject({ state: 'signed-in', userName: 'ana@example.com' });
    }
  });
});
