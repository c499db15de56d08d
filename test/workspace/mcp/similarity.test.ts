import { expect, it } from 'vitest';
import { type Ranked, rank } from './similarity.ts';

const TEXTS = ['the red kettle boils', 'the blue kettle', 'a train leaves', 'trains and trains'];

function scored(query: string): Ranked<string>[] {
  return rank(TEXTS, (text) => text, query);
}

function alike(query: string): string[] {
  return scored(query).flatMap(({ item, score }) => (score > 0 ? [item] : []));
}

it('puts the text with the rarer word in common first', () => {
  expect(alike('red kettle')).toEqual(['the red kettle boils', 'the blue kettle']);
  expect(alike('blue kettle')[0]).toBe('the blue kettle');
});

it('meets words in their other forms', () => {
  expect(alike('train').toSorted()).toEqual(['a train leaves', 'trains and trains']);
});

it('gives 1 to the same words and 0 to those that share none', () => {
  expect(scored('blue kettle')[0]?.score).toBeCloseTo(1);
  expect(alike('aeroplane')).toEqual([]);
  expect(alike('the and of')).toEqual([]);
  expect(scored('aeroplane').map(({ item }) => item)).toEqual(TEXTS);
});
