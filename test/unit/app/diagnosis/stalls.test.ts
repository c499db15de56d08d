import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, onTestFinished, test, vi } from 'vitest';
import { rememberStalls, stallsFinding } from '../../../../main/app/diagnosis/stalls.ts';
import { makeFolder, writeWholeFile } from '../../../../main/platform/replace-file.ts';
import { type Stall, watchStalls } from '../../../../main/platform/stall-watch.ts';

let home: string;
let env: NodeJS.ProcessEnv;
beforeEach(async () => {
  home = await mkdtemp(join(tmpdir(), 'causeway-stalls-'));
  env = { CAUSEWAY_HOME: home };
});
afterEach(() => rm(home, { recursive: true, force: true }));

/** Holds this thread up without using the processor. */
function standStill(ms: number): void {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms);
}

async function remembered(stalls: Stall[]): Promise<void> {
  const folder = join(home, 'state');
  await makeFolder(folder);
  await writeWholeFile(join(folder, 'stalls.json'), JSON.stringify({ stalls }));
}

test('a thread that does one thing alone is reported with at least most of the time, and one that does not is not', async () => {
  const stalls: Stall[] = [];
  onTestFinished(watchStalls((stall) => stalls.push(stall)));
  standStill(1_200);
  await expect.poll(() => Math.max(0, ...stalls.map(({ ms }) => ms))).toBeGreaterThanOrEqual(1_000);
});

test('a computer that slept did not stand still', async () => {
  vi.useFakeTimers();
  onTestFinished(() => void vi.useRealTimers());
  const stalls: Stall[] = [];
  onTestFinished(watchStalls((stall) => stalls.push(stall)));
  const clock = vi.spyOn(performance, 'now');
  clock.mockReturnValue(8 * 60 * 60_000);
  await vi.advanceTimersByTimeAsync(200);
  expect(stalls).toEqual([]);
  clock.mockReturnValue(8 * 60 * 60_000 + 3_200);
  await vi.advanceTimersByTimeAsync(200);
  expect(stalls).toMatchObject([{ ms: 3_000 }]);
});

test('the application remembers its stalls for the diagnosis of any process', async () => {
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval', 'setTimeout', 'clearTimeout', 'performance'] });
  onTestFinished(() => void vi.useRealTimers());
  const reported = vi.fn();
  onTestFinished(rememberStalls(env, reported));
  const clock = vi.spyOn(performance, 'now').mockReturnValue(2_200);
  vi.advanceTimersByTime(200);
  clock.mockRestore();
  expect(reported).toHaveBeenCalledOnce();
  vi.advanceTimersByTime(10_000);
  vi.useRealTimers();
  await expect.poll(async () => (await stallsFinding(env)).status).toBe('warning');
});

describe('the finding', () => {
  const now = Date.UTC(2026, 10, 26, 12);
  const hour = 60 * 60_000;

  test('is good where nothing is remembered', async () => {
    expect(await stallsFinding(env, now)).toEqual({
      status: 'pass',
      words: 'The application has not stood still in the last day.',
    });
  });

  test('is good where stalls were short, and says how short', async () => {
    await remembered([{ at: now - hour, ms: 430 }]);
    expect(await stallsFinding(env, now)).toEqual({
      status: 'pass',
      words: 'The application has stood still for 0.4 s at most in the last day.',
    });
  });

  test('warns of stalls that were noticed, and counts only those of the last day', async () => {
    await remembered([
      { at: now - 30 * hour, ms: 9_000 },
      { at: now - 2 * hour, ms: 1_300 },
      { at: now - hour, ms: 1_100 },
      { at: now - hour, ms: 300 },
    ]);
    expect(await stallsFinding(env, now)).toMatchObject({
      status: 'warning',
      words:
        'The application stood still 2 times in the last day, for 1.3 s at most, last at 2026-11-26T11:00:00.000Z. AI clients waited meanwhile.',
      advice: expect.stringContaining('send a support report'),
      screen: 'log',
    });
  });
});
