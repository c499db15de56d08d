import { describe, expect, test } from 'vitest';
import { bindIdentity, identityOf, isSameUser, userKey } from '../../../main/auth/identity.ts';
import { Secret } from '../../../main/platform/secret.ts';

function jwt(claims: unknown): Secret {
  const part = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url');
  return new Secret(`${part({ alg: 'RS256' })}.${part(claims)}.signature`);
}

describe('as whom a token is used', () => {
  test.each([
    ['by its email', { email: 'ana@example.com', sub: '7' }, 'ana@example.com'],
    ['by its subject', { sub: '7' }, '7'],
    ['not by what is no text', { email: 7, sub: ['ana'] }, undefined],
    ['not by what is too long for a name', { sub: 'a'.repeat(321) }, undefined],
    ['not by claims that are no object', 'ana', undefined],
    ['not by claims that are null', null, undefined],
  ])('is known %s', (_, claims, userName) => {
    expect(identityOf(jwt(claims))).toEqual({ generation: undefined, userName });
  });

  test.each(['dapi0123', 'a.b', 'a.b.c', '..', ''])('is not known from %j', (text) => {
    expect(identityOf(new Secret(text)).userName).toBeUndefined();
  });

  test('is what its sign-in says, whatever it says itself', () => {
    const token = jwt({ sub: '7' });
    bindIdentity(token, { generation: 'g', userName: 'ana@example.com' });
    expect(identityOf(token)).toEqual({ generation: 'g', userName: 'ana@example.com' });
  });
});

describe('two tokens', () => {
  const of = (generation: string | undefined, userName: string | undefined) => ({ generation, userName });
  test.each([
    ['of one sign-in', of('g', 'ana'), of('g', 'ana'), true],
    ['of one sign-in whose user is not known', of('g', undefined), of('g', undefined), true],
    ['of two sign-ins of one user', of('g', 'ana'), of('h', 'ana'), true],
    ['of two sign-ins of two users', of('g', 'ana'), of('h', 'ben'), false],
    ['of two sign-ins whose users are not known', of('g', undefined), of('h', undefined), false],
    ['of two sign-ins, one of a user who is not known', of('g', 'ana'), of('h', undefined), false],
    ['that no sign-in gave and that name nobody', of(undefined, undefined), of(undefined, undefined), true],
    ['that no sign-in gave and that name two users', of(undefined, 'ana'), of(undefined, 'ben'), false],
    ['one of which a sign-in gave', of(undefined, undefined), of('g', undefined), false],
  ])('%s', (_, one, other, same) => {
    expect([isSameUser(one, other), isSameUser(other, one)]).toEqual([same, same]);
    if (one.generation && other.generation) expect(userKey(one) === userKey(other)).toBe(same);
  });
});
