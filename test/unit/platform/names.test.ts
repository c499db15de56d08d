import { describe, expect, test } from 'vitest';
import { chooseByName, filterByName } from '../../../main/platform/names.ts';

const all = [
  { id: '8baced1ff014912d', name: 'Shared analytics' },
  { id: '3f0c8a1d5e7b2946', name: 'Starter Warehouse' },
  { id: 'b2d94c07a61e83f5', name: 'Data science' },
  { id: 'd10f6b8e24a97c53', name: 'Data Science (old)' },
  { id: 'c7e5190b3d48f62a', name: 'finance BI' },
  { id: 'e93a7d52c0b614f8', name: 'Finance BI' },
  { id: 'a7e5190b3d48f62b', name: 'Reseau' },
];
const listOf = (some: typeof all) => some.map(({ name, id }) => `${name} (${id})`).join(', ');
const kind = 'warehouses';
const choose = (text: string) => chooseByName(all, text, { kind, remedy: 'List them.' });

/** The error for a text. */
function refusal(text: string): unknown {
  try {
    return choose(text);
  } catch (error) {
    return error;
  }
}

describe('chooseByName', () => {
  test.each([
    ['its id', 'b2d94c07a61e83f5', 'Data science'],
    ['its whole name, even if another one begins with it', 'Data science', 'Data science'],
    ['its name in the correct case, even if another differs only by case', 'Finance BI', 'Finance BI'],
    ['its name in a different case', 'SHARED ANALYTICS', 'Shared analytics'],
    ['the beginning of its name', 'sta', 'Starter Warehouse'],
    ['the beginning of a word', 'ware', 'Starter Warehouse'],
    ['a part of it', 'nalyt', 'Shared analytics'],
    ['its name without the accents', 'Réséau', 'Reseau'],
    ['spaces around it', '  starter  ', 'Starter Warehouse'],
  ])('finds a warehouse by %s', (_how, text, name) => {
    expect(choose(text).name).toBe(name);
  });

  test('several that match equally well are listed, with their ids, and none is chosen', () => {
    expect(() => choose('data')).toThrow(
      expect.objectContaining({
        code: 'ambiguous',
        remedy: 'Use a longer part of the name, or the id.',
        message: '"data" matches 2 warehouses: Data science (b2d94c07a61e83f5), Data Science (old) (d10f6b8e24a97c53).',
      }),
    );
  });

  test('many are counted rather than listed', () => {
    const many = Array.from({ length: 30 }, (_, at) => ({ id: `${at}`, name: `team ${at + 10}` }));
    expect(() => chooseByName(many, 'team', { kind, remedy: '' })).toThrow(
      expect.objectContaining({
        message: `"team" matches 30 warehouses: ${listOf(many.slice(0, 8))} and 22 more.`,
        candidates: many,
      }),
    );
  });

  test('a last resort is chosen only if nothing else matches', () => {
    const isOld = ({ name }: { name: string }) => name.endsWith('(old)');
    const chosen = (text: string) => chooseByName(all, text, { kind, remedy: '', isLastResort: isOld }).name;
    expect(chosen('data')).toBe('Data science');
    expect(chosen('old')).toBe('Data Science (old)');
    expect(chosen('Data Science (old)')).toBe('Data Science (old)');
    expect(() => chosen('fin')).toThrow('matches 2 warehouses');
  });

  test('as many as fit on a line are all listed', () => {
    const eight = Array.from({ length: 8 }, (_, at) => ({ id: `${at}`, name: `team ${at}` }));
    expect(() => chooseByName(eight, 'team', { kind, remedy: '' })).toThrow(
      `"team" matches 8 warehouses: ${listOf(eight)}.`,
    );
  });

  test.each([
    ['letters of it in order', 'sad', 'Did you mean "Shared analytics" (8baced1ff014912d)? List them.'],
    ['its initials', 'sw', 'Did you mean "Starter Warehouse" (3f0c8a1d5e7b2946)? List them.'],
    ['a mistake in a word', 'analitycs', 'Did you mean "Shared analytics" (8baced1ff014912d)? List them.'],
    [
      'an id that lacks a character',
      '8baced1ff01491d',
      'Did you mean "Shared analytics" (8baced1ff014912d)? List them.',
    ],
    ['the beginning of an id', '8baced1f', 'Did you mean "Shared analytics" (8baced1ff014912d)? List them.'],
  ])('%s only leads to a question', (_how, text, remedy) => {
    const id = expect.stringMatching(/^(8baced1ff014912d|3f0c8a1d5e7b2946)$/);
    expect(refusal(text)).toMatchObject({ code: 'not_found', remedy, candidates: [{ name: expect.any(String), id }] });
  });

  test('one or two letters do not choose, even if only one name has them', () => {
    expect(refusal('y')).toMatchObject({
      code: 'ambiguous',
      message: '"y" is too short to name Shared analytics (8baced1ff014912d).',
      remedy: 'Use at least 3 letters of the name, or the id.',
      candidates: [{ name: 'Shared analytics', id: '8baced1ff014912d' }],
    });
    expect(refusal('a')).toMatchObject({
      code: 'ambiguous',
      message: expect.stringContaining('"a" matches 7 warehouses'),
    });
  });

  test('a part that begins one name and stands in another does not choose', () => {
    const two = [
      { id: '1', name: 'data' },
      { id: '2', name: 'my databases' },
    ];
    expect(chooseByName(two, 'data', { kind, remedy: '' }).id).toBe('1');
    expect(() => chooseByName(two, 'dat', { kind, remedy: '' })).toThrow('matches 2 warehouses');
  });

  test('a whole name in another case chooses, even if another name contains it', () => {
    const two = [
      { id: '1', name: 'Data' },
      { id: '2', name: 'my databases' },
    ];
    expect(chooseByName(two, ' dATA ', { kind, remedy: '' }).id).toBe('1');
    expect(chooseByName([...two, { id: '3', name: ' data ' }], 'data', { kind, remedy: '' }).id).toBe('3');
  });

  test('spaces around an id do not count', () => {
    expect(choose(' b2d94c07a61e83f5 ').name).toBe('Data science');
  });

  test('an error without similar ones has no candidates', () => {
    expect(refusal('nothing like it')).toMatchObject({ candidates: undefined });
  });

  test('a few letters are not looked for in ids', () => {
    expect(refusal('fc7')).toMatchObject({ candidates: undefined });
  });

  test('a whole name of two letters chooses', () => {
    expect(chooseByName([{ id: '1', name: 'BI' }], 'bi', { kind, remedy: '' }).id).toBe('1');
  });

  test.each(['nothing like it', ''])('"%s" matches none', (text) => {
    const message = `"${text}" matches none of the 7 warehouses.`;
    expect(() => choose(text)).toThrow(expect.objectContaining({ code: 'not_found', message, remedy: 'List them.' }));
  });
});

test('filterByName finds by name or id, and returns everything for an empty filter', () => {
  expect(filterByName(all, 'DATA').map(({ id }) => id)).toEqual(['b2d94c07a61e83f5', 'd10f6b8e24a97c53']);
  expect(filterByName(all, '8bac')).toHaveLength(1);
  expect(filterByName(all, '  starter ').map(({ name }) => name)).toEqual(['Starter Warehouse']);
  expect(filterByName(all, 'shrdan')).toEqual([]);
  expect(filterByName(all, ' ')).toEqual(all);
  expect(filterByName(all, '')).not.toBe(all);
});
