import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { backoffMillis, retryAfterMillis } from '../../../main/workspace/retry.ts';

const NOW = Date.parse('2026-11-21T10:00:00Z');

describe('retryAfterMillis', () => {
  test.each([
    ['7', 7000],
    ['0', 0],
    [' 1.5 ', 1500],
    ['Sat, 21 Nov 2026 10:00:30 GMT', 30_000],
    ['Sat, 21 Nov 2026 09:00:00 GMT', 0],
    ['soon', undefined],
    ['', undefined],
    [undefined, undefined],
  ])('%s → %s ms', (header, millis) => {
    expect(retryAfterMillis(header, NOW)).toBe(millis);
  });
});

test('backoffMillis doubles to ten seconds, between half of it and all of it', () => {
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 40 }), fc.double({ min: 0, max: 0.999, noNaN: true }), (attempt, random) => {
      const ceiling = Math.min(10_000, 500 * 2 ** (attempt - 1));
      const wait = backoffMillis(attempt, random);
      expect(wait).toBeGreaterThanOrEqual(ceiling / 2);
      expect(wait).toBeLessThanOrEqual(ceiling);
    }),
  );
});
