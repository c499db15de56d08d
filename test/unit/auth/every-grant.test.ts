import { describe, expect, it } from 'vitest';
import { type AccessToken, unsendablePart } from '../../../main/auth/access-token.ts';
import type { Profile } from '../../../main/auth/auth.ts';
import { judgeSettings } from '../../../main/auth/profiles/profile-settings.ts';
import { requestClientToken } from '../../../main/auth/sources/client-credentials.ts';
import { requestFederatedToken } from '../../../main/auth/sources/federation.ts';
import { CausewayError } from '../../../main/platform/errors.ts';
import { Secret } from '../../../main/platform/secret.ts';

const HOST = 'https://acme.cloud.databricks.com';
const NOW = Date.UTC(2026, 0, 2);
const PROFILE: Profile = { name: 'agent', host: HOST, method: 'env-oidc', workspaceId: undefined };
const METADATA = { issuer: `${HOST}/oidc`, token_endpoint: `${HOST}/oidc/v1/token` };

/** A workspace whose token endpoint answers like this. */
const workspace = (body: unknown) => async (url: string) =>
  new Response(JSON.stringify(url.includes('.well-known') ? METADATA : body), {
    status: url.endsWith('databricks-config') ? 404 : 200,
    headers: { 'content-type': 'application/json' },
  });

const GRANTS: Record<string, (body: unknown) => Promise<AccessToken>> = {
  'client credentials': (body) =>
    requestClientToken(
      { host: HOST, metadata: METADATA, fetch: workspace(body) },
      { clientId: 'agent', clientSecret: new Secret('purple-monkey'), scopes: undefined },
      () => NOW,
    ),
  'a token exchange': (body) => {
    const judged = judgeSettings(new Map(Object.entries({ host: HOST, client_id: 'agent', auth_type: 'env-oidc' })));
    if (!judged.usable) throw new Error(judged.message);
    const { settings } = judged;
    return requestFederatedToken(
      'env-oidc',
      settings,
      {
        profile: PROFILE,
        federation: settings.federation,
        env: { DATABRICKS_OIDC_TOKEN: 'an-id-token' },
        to: () => workspace(body),
      },
      () => NOW,
    );
  },
};

describe.each(Object.entries(GRANTS))('the answer to %s', (_grant, ask) => {
  it.each([
    ['nothing else', {}, undefined],
    ['null for all that may be absent', { token_type: null, expires_in: null, scope: null, id_token: null }, undefined],
    ['a negative lifetime', { expires_in: -3600 }, undefined],
    ['a lifetime as text and an unknown type', { expires_in: '60', token_type: 'mac' }, NOW + 60_000],
  ])('is good with %s beside the access token', async (_what, more, expiresAt) => {
    const { token, ...times } = await ask({ access_token: 'abc.def', ...more });
    expect(token.reveal()).toBe('abc.def');
    expect(times).toEqual({ issuedAt: NOW, expiresAt });
  });

  it('is refused in words if its token cannot be sent', async () => {
    const outcome = await ask({ access_token: 'abc\ndef' }).catch((error: unknown) => error);
    expect(outcome).toBeInstanceOf(CausewayError);
    expect(String(outcome)).toMatch(/returned an access token with a line break in it\. That cannot be sent/);
  });
});

describe('a text that cannot be sent', () => {
  it.each([
    ['abc.DEF-_~+/=', undefined],
    ['a\nb', 'a line break'],
    ['a b', 'a space'],
    ['a\tb', 'a control character'],
    ['ä', 'a character outside ASCII'],
  ])('is explained: %j', (text, part) => {
    expect(unsendablePart(text)).toBe(part);
  });
});
