import { expect, it } from 'vitest';
import { type Ranked, rank } from './similarity.ts';

const TEXTS = ['the red kettle boils', 'the blue kettle', 'a train leaves', 'trains and trains'];

function scored(query: string): Ranked<string>[] {
  return rank(TEXTS, (text) => text, query);
}

function alike(query: string): string[] {
  return scored(query).flatMap(({ item, score }) => (score > 0 ? [item] : []));
}

it('the text with the rarer word in common comes first', () => {
  expect(alike('red kettle')).toEqual(['the red kettle boils', 'the blue kettle']);
  expect(alike('blue kettle')[0]).toBe('the blue kettle');
});

it('words match in their other forms', () => {
  expect(alike('train').toSorted()).toEqual(['a train leaves', 'trains and trains']);
});

it('texts with the same words have the score 1, and texts that share no word 0', () => {
  expect(scored('blue kettle')[0]?.score).toBeCloseTo(1);
  expect(alike('aeroplane')).toEqual([]);
  expect(alike('the and of')).toEqual([]);
  expect(scored('aeroplane').map(({ item }) => item)).toEqual(TEXTS);
});
