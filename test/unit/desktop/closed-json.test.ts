import fc from 'fast-check';
import { expect, it } from 'vitest';
import { closedJson } from '../../../main/desktop/activity/read-contents.ts';

it.each([
  ['{"a": "be', '{"a": "be"}'],
  ['{"a": "be\\', '{"a": "be"}'],
  ['{"a": "be\\u00e', '{"a": "be"}'],
  ['{"a": "be", "c', '{"a": "be"}'],
  ['{"a": "be", "c": 12', '{"a": "be"}'],
  ['{"a": [1, 2, tru', '{"a": [1, 2]}'],
  ['{"a": {"b": [', '{"a": {"b": []}}'],
  ['{"a": ["one", "two"', '{"a": ["one", "two"]}'],
])('%s becomes %s', (beginning, closed) => {
  expect(closedJson(beginning)).toBe(closed);
});

it('any prefix of an object is JSON once it is closed, and a complete object is unchanged', () => {
  const objects = fc.dictionary(fc.string({ unit: 'grapheme' }), fc.jsonValue());
  fc.assert(
    fc.property(objects, fc.boolean(), fc.double({ min: 0, max: 1, noNaN: true }), (value, isWide, share) => {
      const text = JSON.stringify(value, null, isWide ? 2 : 0);
      expect(closedJson(text)).toBe(text);
      const cut = text.slice(0, 1 + Math.floor(share * (text.length - 1)));
      expect(() => JSON.parse(closedJson(cut))).not.toThrow();
    }),
  );
});
