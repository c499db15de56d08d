import { expect, it } from 'vitest';
import { INITIAL_STATE } from '../../../preload/initial-state.ts';
import { failureIn } from '../../../renderer/first-run/connection.ts';

const problem = { code: 'profile_not_found', message: 'There is no profile.', remedy: 'Add one.' } as const;
const unconfigured = { ...INITIAL_STATE, profile: null, warehouse: { status: 'unconfigured', problem } } as const;

it('a first run shows no failure from before its profile is opened, and the one of its profile', () => {
  // A fresh home has no profile, which the state says until the new one is opened.
  expect(failureIn(unconfigured, 'work')).toBeUndefined();
  const failure = { problem, next: 'sign-in' } as const;
  const failed = { ...INITIAL_STATE, warehouse: { status: 'failed', failure } } as const;
  expect(failureIn({ ...failed, profile: 'another' }, 'work')).toBeUndefined();
  expect(failureIn({ ...failed, profile: 'work' }, 'work')).toEqual({ problem, retry: 'Sign in' });
  expect(failureIn({ ...unconfigured, profile: 'work' }, 'work')).toMatchObject({ problem });
  expect(failureIn({ profile: 'work', warehouse: { status: 'loading' } }, 'work')).toBeUndefined();
});
