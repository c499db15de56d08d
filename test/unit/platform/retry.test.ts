import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  ASKED_WAIT_MS,
  backoffMs,
  retryAfterMs,
  retryDelayMs,
  systemClock,
  withinAskedWait,
} from '../../../main/platform/retry.ts';

const NOW = Date.parse('2026-11-21T10:00:00Z');
const { floor, ceiling } = ASKED_WAIT_MS;

describe('retryAfterMs', () => {
  test.each([
    ['7', 7000],
    [' 7\t', 7000],
    ['1.5', 1500],
    ['0.75', 750],
    ['0', floor],
    ['0.0', floor],
    ['3600', ceiling],
    ['3601', ceiling],
    ['99999999999999999999999999', ceiling],
    ['9'.repeat(400), ceiling],
    ['Sat, 21 Nov 2026 10:00:30 GMT', 30_000],
    ['Saturday, 21-Nov-26 10:00:30 GMT', 30_000],
    ['Sat Nov 21 10:00:30 2026', 30_000],
    ['Sat, 21 Nov 2026 09:00:00 GMT', floor],
    ['Fri, 31 Dec 9999 23:59:59 GMT', ceiling],
    ['on Sat, 21 Nov 2026 10:00:30 GMT', undefined],
    ['Sat, 21 Nov 2026 10:00:30 GMT+0100', undefined],
    ['on Saturday, 21-Nov-26 10:00:30 GMT', undefined],
    ['Saturday, 21-Nov-26 10:00:30 GMT+0100', undefined],
    ['on Sat Nov 21 10:00:30 2026', undefined],
    ['Sat Nov 21 10:00:30 2026 +0100', undefined],
    ['-5', undefined],
    ['+5', undefined],
    ['1e3', undefined],
    ['0x10', undefined],
    ['5s', undefined],
    ['5, 10', undefined],
    ['.5', undefined],
    ['NaN', undefined],
    ['Infinity', undefined],
    ['soon', undefined],
    ['2026', 2_026_000],
    ['2026-11-21', undefined],
    ['Sat, 99 Nov 2026 10:00:30 GMT', undefined],
    ['', undefined],
    [undefined, undefined],
  ])('reads %s as %s ms', (header, ms) => {
    expect(retryAfterMs(header, NOW)).toBe(ms);
  });

  test('returns a delay between minimum and maximum, or none, for any header', () => {
    const headers = fc.oneof(fc.string(), fc.double().map(String), fc.date().map(String), fc.bigInt().map(String));
    fc.assert(
      fc.property(headers, fc.integer(), (header, now) => {
        const ms = retryAfterMs(header, now);
        return ms === undefined || (ms >= floor && ms <= ceiling);
      }),
    );
  });
});

test('withinAskedWait keeps a delay between minimum and maximum', () => {
  expect([0, -1, 250, 3000, Number.POSITIVE_INFINITY].map(withinAskedWait)).toEqual([floor, floor, 250, 3000, ceiling]);
});

test('backoffMs doubles to ten seconds, between half of it and all of it', () => {
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 40 }), fc.double({ min: 0, max: 0.999, noNaN: true }), (attempt, random) => {
      const longest = Math.min(10_000, 500 * 2 ** (attempt - 1));
      const wait = backoffMs(attempt, random);
      expect(wait).toBeGreaterThanOrEqual(longest / 2);
      expect(wait).toBeLessThanOrEqual(longest);
    }),
  );
});

test('backoffMs accepts its own range', () => {
  const range = { firstMs: 100, longestMs: 300 };
  expect([1, 2, 3, 9].map((attempt) => backoffMs(attempt, 1, range))).toEqual([100, 200, 300, 300]);
});

test('the system clock counts from 1970, and its sleep ends early if it is canceled', async () => {
  expect(new Date(systemClock.now()).getUTCFullYear()).toBeGreaterThan(2025);
  expect(Math.floor(systemClock.random())).toBe(0);
  await expect(systemClock.sleep(1, undefined)).resolves.toBeUndefined();
  const cancelled = new AbortController();
  const pause = systemClock.sleep(60 * 60_000, cancelled.signal);
  cancelled.abort();
  await expect(pause).rejects.toThrow();
});

describe('retryDelayMs', () => {
  const clock = (random: number) => ({ now: () => NOW, random: () => random });

  test('waits at least as long as the server asks', () => {
    expect(retryDelayMs(1, '2', clock(0))).toBe(2000);
    expect(retryDelayMs(4, '2', clock(1))).toBe(2250);
  });

  test('backs off if the server sends no valid Retry-After', () => {
    expect(retryDelayMs(3, undefined, clock(1))).toBe(2000);
    expect(retryDelayMs(3, '-1', clock(0))).toBe(1000);
  });
});
