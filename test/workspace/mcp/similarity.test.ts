import { expect, it } from 'vitest';
import { rank } from './similarity.ts';

const TEXTS = ['the red kettle boils', 'the blue kettle', 'a train leaves', 'trains and trains'];

function ranked(query: string): string[] {
  return rank(TEXTS, (text) => text, query).map(({ item }) => item);
}

it('puts the text with the rarer word in common first', () => {
  expect(ranked('red kettle')).toEqual(['the red kettle boils', 'the blue kettle']);
  expect(ranked('blue kettle')[0]).toBe('the blue kettle');
});

it('meets words in their other forms', () => {
  expect(ranked('train').toSorted()).toEqual(['a train leaves', 'trains and trains']);
});

it('gives 1 to the same words and nothing to those that share none', () => {
  expect(rank(TEXTS, (text) => text, 'blue kettle')[0]?.score).toBeCloseTo(1);
  expect(ranked('aeroplane')).toEqual([]);
  expect(ranked('the and of')).toEqual([]);
});
