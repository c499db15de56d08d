import { describe, expect, it } from 'vitest';
import {
  ERROR_FACTS,
  type ErrorCode,
  type ErrorFacts,
  endsByProfile,
  endsBySignIn,
  endsRun,
  isBeforeServer,
  isNoAnswer,
  isRefusedForNow,
} from '../../../preload/contract/error-facts.ts';

const CODES = Object.keys(ERROR_FACTS).filter((code): code is ErrorCode => code in ERROR_FACTS);

/** The codes for which a question is answered with yes. */
function codesOf(question: (code: ErrorCode, facts: ErrorFacts) => boolean): string {
  return CODES.filter((code) => question(code, ERROR_FACTS[code]))
    .sort()
    .join(' ');
}

const sorted = (codes: string) => codes.split(' ').sort().join(' ');

describe('each question about an error', () => {
  it.each<[string, (code: ErrorCode, facts: ErrorFacts) => boolean, string]>([
    [
      'does signing in end it?',
      endsBySignIn,
      'signed_out unauthenticated cli_unavailable consent_denied missing_scope sign_in_cancelled sign_in_failed sign_in_timeout wrong_workspace',
    ],
    ['does another profile end it?', endsByProfile, 'ambiguous profile_not_found profile_unusable'],
    ['is nobody signed in?', (_, { token }) => token === 'missing', 'signed_out cli_unavailable'],
    ['was the token refused?', (_, { token }) => token === 'refused', 'unauthenticated'],
    [
      'was the token accepted?',
      (_, { token }) => token === 'accepted',
      'missing_scope permission_denied feature_unavailable not_found no_grants already_exists',
    ],
    ['did no answer come?', isNoAnswer, 'unreachable timeout outcome_unknown'],
    ['was it refused only for now?', isRefusedForNow, 'unavailable rate_limited'],
    [
      'does it say nothing about the server?',
      isBeforeServer,
      'signed_out service_signed_out sign_in_failed sign_in_cancelled sign_in_timeout consent_denied wrong_workspace keychain_unavailable keychain_locked cli_unavailable unauthenticated tls unreachable timeout unavailable rate_limited login_page outcome_unknown',
    ],
    [
      'does it end a run over many records?',
      endsRun,
      'signed_out unauthenticated permission_denied missing_scope ip_blocked feature_unavailable login_page tls cancelled cli_unavailable consent_denied internal keychain_locked keychain_unavailable managed profile_not_found profile_unusable sign_in_cancelled sign_in_failed sign_in_timeout wrong_workspace',
    ],
    [
      'do all requests of the profile fail?',
      (_, { concerns }) => concerns === 'all',
      'signed_out unauthenticated ip_blocked login_page tls unreachable cancelled cli_unavailable consent_denied internal keychain_locked keychain_unavailable managed profile_not_found profile_unusable sign_in_cancelled sign_in_failed sign_in_timeout wrong_workspace',
    ],
    [
      'do all requests of its kind fail?',
      (_, { concerns }) => concerns === 'kind',
      'feature_unavailable missing_scope',
    ],
  ])('%s', (_, question, codes) => {
    expect(codesOf(question)).toBe(sorted(codes));
  });

  it.each<[ErrorFacts['exit'], string]>([
    [2, 'usage invalid_argument ambiguous profile_unusable'],
    [3, 'profile_not_found signed_out service_signed_out unauthenticated cli_unavailable'],
    [4, 'not_found'],
    [5, 'unreachable timeout tls login_page ip_blocked rate_limited unavailable'],
    [130, 'cancelled sign_in_cancelled'],
  ])('a command ends with %i', (exit, codes) => {
    expect(codesOf((_, facts) => facts.exit === exit)).toBe(sorted(codes));
  });

  it.each<[ErrorFacts['server'], string]>([
    [
      'signed-out',
      'signed_out unauthenticated cli_unavailable sign_in_failed sign_in_cancelled sign_in_timeout consent_denied',
    ],
    ['service-signed-out', 'service_signed_out'],
    ['forbidden', 'permission_denied missing_scope no_grants'],
    ['not-found', 'not_found feature_unavailable'],
    ['blocked-by-ip-list', 'ip_blocked'],
    ['login-page', 'login_page'],
    ['unreachable', 'unreachable timeout outcome_unknown'],
  ])('a server is then %s', (state, codes) => {
    expect(codesOf((_, facts) => facts.server === state)).toBe(sorted(codes));
  });
});

it('nothing passes by itself that only its user can end', () => {
  expect(codesOf((_, { ends, passes }) => ends !== undefined && passes === true)).toBe('');
});
