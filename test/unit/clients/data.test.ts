import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { covers, isDataTable, merged, sameData } from '../../../main/clients/entry.ts';

const bare = (properties: object) => Object.assign(Object.create(null), properties);
const DAY = new Date('2026-01-02T03:04:05Z');

describe('a table', () => {
  it.each<[string, unknown, boolean]>([
    ['an object', {}, true],
    ['an object without a prototype', bare({ a: 1 }), true],
    ['a list', [], false],
    ['a date', DAY, false],
    ['null', null, false],
    ['nothing', undefined, false],
    ['a text', 'a', false],
  ])('is %s: %s', (_what, value, expected) => {
    expect(isDataTable(value)).toBe(expected);
  });
});

describe('equal data', () => {
  it.each<[string, unknown, unknown]>([
    ['in objects with other prototypes', { a: { b: [1] } }, bare({ a: bare({ b: [1] }) })],
    ['in another order of properties', { a: 1, b: 2 }, { b: 2, a: 1 }],
    ['in lists', [1, 'a', null, [true]], [1, 'a', null, [true]]],
    ['in dates', DAY, new Date(DAY)],
    ['that is not a number', Number.NaN, Number.NaN],
    ['that is nothing', undefined, undefined],
    ['negative zero, which JSON does not keep', -0, 0],
  ])('is recognized: %s', (_what, one, other) => {
    expect(sameData(one, other)).toBe(true);
    expect(sameData(other, one)).toBe(true);
  });

  it.each<[string, unknown, unknown]>([
    ['a property more', { a: 1 }, { a: 1, b: undefined }],
    ['another property', { a: 1, b: undefined }, { a: 1, c: undefined }],
    ['another value', { a: { b: 1 } }, { a: { b: 2 } }],
    ['an element more', [1], [1, 2]],
    ['another element', [1, 2], [1, 3]],
    ['different order of elements', [1, 2], [2, 1]],
    ['a list and an object', [], {}],
    ['a list and its string', ['a'], 'a'],
    ['an object with indexes and a list', { 0: 'a', length: 1 }, ['a']],
    ['another date', DAY, new Date(0)],
    ['a date and an empty object', DAY, {}],
    ['a number and its string', 1, '1'],
    ['null and nothing', null, undefined],
  ])('is not %s', (_what, one, other) => {
    expect(sameData(one, other)).toBe(false);
    expect(sameData(other, one)).toBe(false);
  });

  it('is what a copy through JSON is', () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => sameData(JSON.parse(JSON.stringify({ value })), { value: copy(value) })),
    );
  });
});

describe('data covers what is wanted', () => {
  it.each<[string, unknown, unknown, boolean]>([
    ['an object that holds more', { a: 1, b: 2 }, { a: 1 }, true],
    ['a nested object that holds more', { a: { b: 1, c: 2 } }, { a: { b: 1 } }, true],
    ['an object that holds less', { a: 1 }, { a: 1, b: 2 }, false],
    ['a property that is undefined', { a: undefined }, { a: undefined }, true],
    ['no property where undefined is wanted', {}, { a: undefined }, false],
    ['a property that every object inherits', {}, { toString: Object.prototype.toString }, false],
    ['a list that holds more', { a: [1, 2] }, { a: [1] }, false],
    ['a list of objects that hold more', [{ a: 1, b: 2 }], [{ a: 1 }], false],
    ['a string where an object is wanted', 'a', {}, false],
    ['a list where an object is wanted', [], {}, false],
    ['undefined where an object is wanted', undefined, { a: 1 }, false],
  ])('%s', (_what, present, wanted, expected) => {
    expect(covers(present, wanted)).toBe(expected);
  });
});

describe('data that is merged over other data', () => {
  it.each<[string, unknown, unknown, unknown]>([
    ['keeps what is not overwritten', { a: 1, b: { c: 2, d: 3 } }, { b: { c: 4 } }, { a: 1, b: { c: 4, d: 3 } }],
    ['takes the new lists', { a: [1, 2] }, { a: [3] }, { a: [3] }],
    ['has an object in place of a string', { a: 'x' }, { a: { b: 1 } }, { a: { b: 1 } }],
    ['has a string in place of an object', { a: { b: 1 } }, { a: 'x' }, { a: 'x' }],
    ['is the new data if there was none', undefined, { a: 1 }, { a: 1 }],
    [
      'takes nothing from properties that every object inherits',
      {},
      { constructor: { a: 1 } },
      { constructor: { a: 1 } },
    ],
  ])('%s', (_what, present, wanted, expected) => {
    expect(merged(present, wanted)).toEqual(expected);
  });

  it('leaves the original unchanged', () => {
    const present = { a: { b: 1 } };
    merged(present, { a: { b: 2 } });
    expect(present).toEqual({ a: { b: 1 } });
  });
});

/** The same data in objects without a prototype. */
function copy(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(copy);
  return isDataTable(value)
    ? bare(Object.fromEntries(Object.entries(value).map(([key, each]) => [key, copy(each)])))
    : value;
}
