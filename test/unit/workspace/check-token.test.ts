import { describe, expect, it } from 'vitest';
import { CausewayError } from '../../../main/platform/errors.ts';
import { checkToken } from '../../../main/workspace/check-token.ts';
import type { ErrorCode } from '../../../preload/contract/error-facts.ts';

/** What the workspace makes of a token, where asking for its user ends like this. */
function afterAsking(me: () => Promise<{ userName: string; displayName?: string }>) {
  return checkToken({
    me: async () => ({
      user: { id: '1', displayName: undefined, groups: undefined, ...(await me()) },
      workspaceId: undefined,
    }),
  });
}

const afterError = (error: unknown) => afterAsking(() => Promise.reject(error));

describe('a token whose user the workspace names', () => {
  it.each([
    ['ana@example.com', false],
    ['8f14e45f-ceea-467f-a0e6-0123456789ab', true],
    ['8F14E45F-CEEA-467F-A0E6-0123456789AB', true],
    ['8f14e45f-ceea-467f-a0e6-0123456789abc', false],
    ['x8f14e45f-ceea-467f-a0e6-0123456789ab', false],
    ['8f14e45f-ceea-467f-0123456789ab', false],
    ['8f14e45f-ceea-467f-a0e6-0123456789ab@example.com', false],
  ])('belongs to %s, a service principal: %s', async (userName, isServicePrincipal) => {
    expect(await afterAsking(async () => ({ userName, displayName: 'Ana' }))).toEqual({
      state: 'signed-in',
      userName,
      displayName: 'Ana',
      isServicePrincipal,
    });
  });
});

describe('a token whose user the workspace does not name', () => {
  it('is valid if only the scope for reading the user is missing', async () => {
    expect(await afterError(new CausewayError('missing_scope', 'no scope'))).toEqual({
      state: 'signed-in',
      userName: undefined,
      displayName: undefined,
      isServicePrincipal: undefined,
    });
  });

  it('is not valid if it allows nothing, because it may belong to another workspace', async () => {
    const cause = new CausewayError('permission_denied', 'The workspace answered 403: no.');
    const found = await afterError(cause);
    expect(found).toMatchObject({
      state: 'forbidden',
      error: {
        code: 'permission_denied',
        message: 'The workspace denied access. The workspace answered 403: no.',
        remedy: 'Check that the profile names the right workspace, or ask a workspace admin to add you to it.',
        cause,
      },
    });
  });

  it.each<[ErrorCode, string]>([
    ['unauthenticated', 'refused'],
    ['signed_out', 'refused'],
    ['cli_unavailable', 'refused'],
    ['ip_blocked', 'not-asked'],
    ['rate_limited', 'not-asked'],
    ['unavailable', 'not-asked'],
    ['unexpected_answer', 'not-asked'],
    ['invalid_argument', 'not-asked'],
    ['not_found', 'not-asked'],
    ['conflict', 'not-asked'],
    ['feature_unavailable', 'not-asked'],
    ['wrong_workspace', 'not-asked'],
    ['login_page', 'not-asked'],
    ['unreachable', 'not-asked'],
    ['tls', 'not-asked'],
    ['timeout', 'not-asked'],
  ])('is, after %s, %s', async (code, state) => {
    const error = new CausewayError(code, 'why');
    expect(await afterError(error)).toEqual({ state, error });
  });

  it.each([
    ['a locked keychain', new CausewayError('keychain_locked', 'locked')],
    ['a request that was canceled', new CausewayError('cancelled', 'stopped')],
    ['an error in the program', new TypeError('x is not a function')],
  ])('remains unverified after %s', async (_what, error) => {
    await expect(afterError(error)).rejects.toBe(error);
  });
});
