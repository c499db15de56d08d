import { describe, expect, test } from 'vitest';
import {
  asTime,
  BearerToken,
  bearerHeaders,
  expiryFrom,
  isAlive,
  isFresh,
  sentWith,
} from '../../../main/auth/access-token.ts';
import { Secret } from '../../../main/platform/secret.ts';

const MINUTE = 60_000;
const issued = (lifeMinutes: number | undefined, issuedAt = 0) => ({
  token: new Secret('t'),
  issuedAt,
  expiresAt: lifeMinutes === undefined ? undefined : issuedAt + lifeMinutes * MINUTE,
});

describe('a token', () => {
  test.each<[string, number | undefined, number, number, boolean]>([
    ['not in the middle of its lifetime', 60, 30, 0, true],
    ['not six minutes before it expires', 60, 53.9, 0, true],
    ['five minutes before it expires', 60, 55, 0, false],
    ['up to a minute earlier, so that not all processes refresh at once', 60, 54.5, 1, false],
    ['a little later by other processes', 60, 54.5, 0, true],
    ['after most of its lifetime if it lives only a minute', 1, 0.7, 1, true],
    ['and not before', 1, 0.81, 0, false],
    ['never, if its expiry is unknown', undefined, 100_000, 1, true],
    ['when it expired while the computer slept', 60, 600, 0, false],
    ['not when the clock is a little behind', 60, -4, 0, true],
    ['not when the clock is behind by exactly the tolerance', 60, -5, 0, true],
    ['when the clock was set back to before the token was issued', 60, -30, 0, false],
  ])('is refreshed %s', (_, life, minutes, chance, fresh) => {
    expect(isFresh(issued(life), minutes * MINUTE, chance)).toBe(fresh);
  });

  test('with a short lifetime is refreshed after most of it, whenever it was issued', () => {
    const token = issued(1, 1000 * MINUTE);
    expect(isFresh(token, 1000.7 * MINUTE, 0)).toBe(true);
    expect(isFresh(token, 1000.9 * MINUTE, 0)).toBe(false);
  });

  test('that is due for a refresh still works until it expires', () => {
    expect(isAlive(issued(60), 59 * MINUTE)).toBe(true);
    expect(isAlive(issued(60), 60 * MINUTE)).toBe(false);
    expect(isAlive(issued(undefined), 60 * MINUTE)).toBe(true);
  });
});

test('a token’s expiry counts from when the request was sent, and is unknown if the server names none', () => {
  expect(expiryFrom(5 * MINUTE, 3600)).toBe(65 * MINUTE);
  expect(expiryFrom(5 * MINUTE, 0)).toBe(5 * MINUTE);
  expect(expiryFrom(5 * MINUTE, undefined)).toBeUndefined();
});

test.each([
  ['1e13', 1e13],
  ['1e300', 1e300],
  ['1.7e308', 1.7e308],
])('a token’s expiry of %s seconds from now can be stored and shown', (_, seconds) => {
  const expiresAt = expiryFrom(5 * MINUTE, seconds);
  expect(JSON.parse(JSON.stringify({ expiresAt }))).toEqual({ expiresAt });
  expect(new Date(expiresAt ?? Number.NaN).toISOString()).toBe('9999-01-01T00:00:00.000Z');
});

test('a time before 1970 becomes the start of 1970, and a value that is not a number is no time', () => {
  expect([-1e300, -1, 0, 1, Number.NaN].map(asTime)).toEqual([0, 0, 0, 1, undefined]);
});

describe('the headers that a token is sent with', () => {
  const plain = new Secret('dapi-1');
  const beside = new Secret('eyJ-2');
  const azure = new BearerToken('dapi-1', { 'x-databricks-azure-sp-management-token': beside });

  test('are the Authorization header alone, or further headers with it', () => {
    expect(bearerHeaders(plain)).toEqual({ authorization: 'Bearer dapi-1' });
    expect(bearerHeaders(azure)).toEqual({
      authorization: 'Bearer dapi-1',
      'x-databricks-azure-sp-management-token': 'eyJ-2',
    });
  });

  test.each(['a b', 'a\u200b', 'a\r\nx: y', 'ä', ''])('are refused for a value that cannot be a token: %j', (text) => {
    const refusal = expect.objectContaining({ code: 'unexpected_answer' });
    expect(() => bearerHeaders(new Secret(text))).toThrow(refusal);
    expect(() => bearerHeaders(new BearerToken('dapi-1', { x: new Secret(text) }))).toThrow(refusal);
  });

  test('are each known as secret', () => {
    expect(sentWith(plain)).toEqual([plain]);
    expect(sentWith(azure)).toEqual([azure, beside]);
    expect(sentWith(azure).map((secret) => secret.reveal())).toEqual(['dapi-1', 'eyJ-2']);
  });
});
