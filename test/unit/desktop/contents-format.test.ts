import { describe, expect, it } from 'vitest';
import { chunks } from '../../../renderer/activity/recorded-contents.tsx';
import { timeLeft } from '../../../renderer/activity/recording-format.ts';

describe('a search in the recorded contents', () => {
  const found = (texts: string[], wanted: string) =>
    chunks(texts, wanted).pieces.map((pieces) =>
      pieces.map(({ text, found }) => (found === null ? text : `<${found}:${text}>`)).join(''),
    );

  it('finds a text anywhere, in lowercase or capitals, and as it is written', () => {
    expect(found(['Select one, select two', 'no', 'SELECT'], 'select')).toEqual([
      '<0:Select> one, <1:select> two',
      'no',
      '<2:SELECT>',
    ]);
    expect(found(['a.b axb (c) [d] \\e'], 'a.b')).toEqual(['<0:a.b> axb (c) [d] \\e']);
    expect(found(['(c) [d] \\e'], '[d] \\')).toEqual(['(c) <0:[d] \\>e']);
    expect(found(['anything'], '')).toEqual(['anything']);
  });

  it('marks no more matches than a page can hold', () => {
    const { pieces, count } = chunks(['x'.repeat(100_000)], 'x');
    expect(count).toBe(500);
    expect(pieces[0]?.map(({ text }) => text).join('')).toHaveLength(100_000);
  });
});

it.each([
  [null, 'Until Causeway quits.'],
  [15 * 60_000, '15 minutes left.'],
  [119_000, '1 minute left.'],
  [20_000, 'Less than a minute left.'],
  [-5, 'Less than a minute left.'],
])('a recording until %s shows: %s', (until, words) => {
  expect(timeLeft(until, 0)).toBe(words);
});
