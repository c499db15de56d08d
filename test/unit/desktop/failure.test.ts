import { describe, expect, it } from 'vitest';
import type { AuthMethod } from '../../../main/auth/auth.ts';
import { failureFor } from '../../../main/desktop/failure.ts';
import { refreshAfterMs } from '../../../main/desktop/warehouse/warehouse.ts';
import { CausewayError } from '../../../main/platform/errors.ts';
import type { ErrorCode } from '../../../preload/contract/error-facts.ts';
import type { Failure } from '../../../preload/contract.ts';
import { failure, known, stateOf, warehouse } from './states.ts';

describe('the next step after a failure', () => {
  const cases: [ErrorCode, AuthMethod | undefined, string[], Failure['next']][] = [
    ['signed_out', 'oauth-user', ['a'], 'sign-in'],
    ['signed_out', 'databricks-cli', ['a'], 'sign-in'],
    ['cli_unavailable', 'databricks-cli', ['a'], 'sign-in'],
    ['sign_in_cancelled', 'oauth-user', ['a'], 'sign-in'],
    ['unauthenticated', 'pat', ['a'], 'try-again'],
    ['unauthenticated', 'oauth-m2m', ['a'], 'try-again'],
    ['ambiguous', undefined, ['a', 'b'], 'choose-profile'],
    ['profile_not_found', undefined, ['a'], 'choose-profile'],
    ['profile_unusable', undefined, ['a'], 'choose-profile'],
    ['profile_not_found', undefined, [], 'try-again'],
    ['unreachable', 'oauth-user', ['a'], 'try-again'],
    ['internal', 'pat', ['a'], 'try-again'],
  ];

  it.each(cases)('of %s with %s and the profiles %j is to %4$s', (code, method, profiles, next) => {
    expect(failureFor(new CausewayError(code, 'It went wrong.'), method, profiles).next).toBe(next);
  });

  it('is named in the window’s words, not in the terminal’s', () => {
    const error = new CausewayError('signed_out', 'You are signed out.', { remedy: 'Sign in with: causeway login.' });
    expect(failureFor(error, 'oauth-user', ['a']).problem.remedy).toBe('Sign in with your browser.');
    expect(failureFor(error, 'pat', ['a']).problem.remedy).toBe('Sign in with: causeway login.');
  });
});

describe('the effective warehouse is read again', () => {
  it.each([
    ['soon while it starts', known({ warehouse: warehouse({ state: 'STARTING' }) }), false, 3000],
    ['soon while it stops', known({ warehouse: warehouse({ state: 'STOPPING' }) }), true, 3000],
    ['occasionally while the user looks at it', known(), true, 30_000],
    ['rarely while nobody does', known(), false, 300_000],
    [
      'after a failure, while the user looks at it',
      stateOf({ status: 'failed', failure: failure('unreachable') }),
      true,
      30_000,
    ],
    ['not while it is being read', stateOf({ status: 'loading' }), true, undefined],
    [
      'not while the user signs in',
      stateOf({ status: 'signing-in', step: 'starting', host: 'https://acme.example.com', user: null, address: null }),
      true,
      undefined,
    ],
  ])('%s', (_name, state, watched, expected) => {
    expect(refreshAfterMs(state, watched)).toBe(expected);
  });
});
