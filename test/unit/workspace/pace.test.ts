import { describe, expect, it } from 'vitest';
import { WorkspaceError } from '../../../main/workspace/errors.ts';
import { Pacer, type Pass, StillRefused } from '../../../main/workspace/pace.ts';

/** A clock whose sleeps end at once, and are counted. */
function fakeClock() {
  let now = 1_000_000;
  const slept: number[] = [];
  return {
    slept,
    clock: {
      now: () => now,
      random: () => 1,
      sleep: async (ms: number, signal: AbortSignal | undefined) => {
        signal?.throwIfAborted();
        slept.push(ms);
        now += ms;
      },
    },
  };
}

const refusal = (retryAfter?: string) => ({
  error: new WorkspaceError('rate_limited', 'The workspace answered 429: slow down.', { status: 429 }),
  retryAfter,
});

/** How many can enter without waiting. */
async function roomOf(pacer: Pacer): Promise<number> {
  const passes: Pass[] = [];
  const stop = new AbortController();
  for (;;) {
    let isIn = false;
    const entering = pacer.enter(stop.signal).then(
      (pass) => {
        isIn = true;
        passes.push(pass);
      },
      () => {},
    );
    for (let turn = 0; turn < 5; turn += 1) await Promise.resolve();
    if (isIn) continue;
    stop.abort();
    await entering;
    break;
  }
  for (const pass of passes) pacer.leave(pass, undefined);
  return passes.length;
}

describe('the pace of many requests', () => {
  it('begins with four at a time, and grows to eight while the workspace takes them', async () => {
    const pacer = new Pacer(fakeClock().clock);
    expect(await roomOf(pacer)).toBe(4);
    expect(await roomOf(pacer)).toBe(8);
    expect(await roomOf(pacer)).toBe(8);
  });

  it('pauses everybody once for refusals that come together, as long as the longest asks, and goes on with one', async () => {
    const { clock, slept } = fakeClock();
    const pacer = new Pacer(clock);
    const passes = await Promise.all([1, 2, 3].map(() => pacer.enter(undefined)));
    for (const [at, pass] of passes.entries()) pacer.leave(pass, refusal(String(5 + at)));
    const next = await pacer.enter(undefined);
    expect(slept.reduce((sum, ms) => sum + ms, 0)).toBe(7000);
    expect(await roomOf(pacer)).toBe(0);
    pacer.leave(next, undefined);
    expect(await roomOf(pacer)).toBe(2);
  });

  it('gives up after five pauses without a success between them', async () => {
    const { clock, slept } = fakeClock();
    const pacer = new Pacer(clock);
    let sent = 0;
    const endless = async () => {
      for (;;) {
        const pass = await pacer.enter(undefined);
        sent += 1;
        pacer.leave(pass, refusal());
      }
    };
    await expect(endless()).rejects.toThrow(StillRefused);
    await expect(pacer.enter(undefined)).rejects.toThrow('The workspace keeps refusing requests.');
    expect(sent).toBe(6);
    expect(slept.reduce((sum, ms) => sum + ms, 0)).toBeLessThan(30_000);
  });

  it('gives up at once if the workspace asks for more than two minutes, and says for how long', async () => {
    const pacer = new Pacer(fakeClock().clock);
    pacer.leave(await pacer.enter(undefined), refusal('3600'));
    await expect(pacer.enter(undefined)).rejects.toThrow('It asks to wait 3600 s.');
  });

  it('lets one who waits go when the work is cancelled', async () => {
    const pacer = new Pacer(fakeClock().clock);
    await Promise.all([1, 2, 3, 4].map(() => pacer.enter(undefined)));
    const stop = new AbortController();
    const waiting = pacer.enter(stop.signal);
    stop.abort(new Error('over'));
    await expect(waiting).rejects.toThrow('over');
  });
});
