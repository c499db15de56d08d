import { describe, expect, it } from 'vitest';
import { parseName, translate } from './dialect.ts';

describe('translate', () => {
  it.each([
    ['backticks', 'SELECT `a b` FROM `samples`.`nyctaxi`.`trips`', 'SELECT "a b" FROM "samples"."nyctaxi"."trips"'],
    ['a backtick inside backticks', 'SELECT `a``b`', 'SELECT "a`b"'],
    ['the catalog main', 'SELECT * FROM main.default.t', 'SELECT * FROM unity_main.default.t'],
    ['in any spelling', 'FROM `MAIN` . default . t', 'FROM unity_main.default.t'],
    ['but not an alias of that name', 'SELECT main.a FROM t main', 'SELECT main.a FROM t main'],
    ['nor a string', "SELECT 'main.default.t `x`'", "SELECT 'main.default.t `x`'"],
    ['nor a comment', '-- main.a.b\nSELECT 1 /* `x` */', '-- main.a.b\nSELECT 1 /* `x` */'],
    ['the caller', 'SELECT current_user(), CURRENT_USER', "SELECT 'o''hara@x', 'o''hara@x'"],
    ['but not a column of that name', 'SELECT t.current_user', 'SELECT t.current_user'],
    ['numbers stay', 'SELECT 1.5, 1e3, t.1', 'SELECT 1.5, 1e3, t.1'],
  ])('returns the form that DuckDB reads: %s', (_, query, sql) => {
    expect(translate(query, "o'hara@x").sql).toBe(sql);
  });

  it('finds every dotted name, wherever it is', () => {
    const { names } = translate('INSERT INTO a.b.c SELECT f(x.y), `p q`.r FROM /* d.e */ "g"."h"', '');
    expect(names).toEqual([
      ['a', 'b', 'c'],
      ['x', 'y'],
      ['p q', 'r'],
      ['g', 'h'],
    ]);
  });
});

describe('parseName', () => {
  it('removes the quotes and refuses what is not a name', () => {
    expect(parseName(' `a`.b."c d" ')).toEqual(['a', 'b', 'c d']);
    expect(parseName('')).toBeUndefined();
    expect(parseName('a b')).toBeUndefined();
    expect(parseName('a.b; drop')).toBeUndefined();
  });
});
