import { expect, test } from 'vitest';
import { didYouMean, similarNames } from '../../../main/platform/similar-names.ts';

test.each([
  ['sett', ['set', 'start', 'clear'], ['set']],
  ['DIAGNOSE', ['diagnose'], ['diagnose']],
  ['prod', ['production', 'staging'], ['production']],
  ['pro', ['production', 'staging'], ['production']],
  ['fernandes', ['Ana Fernandez', 'Ben Okafor'], ['Ana Fernandez']],
  ['fb', ['Finance BI', 'Shared analytics'], ['Finance BI']],
  ['a', ['Shared analytics'], []],
  ['', ['a'], []],
  ['quite another', ['set', 'start'], []],
  ['team', ['team 1', 'team 2', 'team 3', 'team 4'], ['team 1', 'team 2', 'team 3']],
])('"%s" among %j suggests %j', (name, known, similar) => {
  expect(similarNames(name, known)).toEqual(similar);
});

test('the question offers each name, and its id if it has one', () => {
  expect(didYouMean([])).toBeUndefined();
  expect(didYouMean(['set', { name: 'Shared', id: '8b' }])).toBe('Did you mean "set" or "Shared" (8b)?');
});
