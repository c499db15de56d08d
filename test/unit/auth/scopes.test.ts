import { describe, expect, test } from 'vitest';
import { missingScopeRemedy, missingScopes, scopeForPath, scopesToAsk } from '../../../main/auth/oauth/scopes.ts';
import { NO_POLICY, type Policy } from '../../../main/permissions/policy/policy.ts';

describe('OAuth scopes', () => {
  test.each([
    ['/api/2.0/mcp/sql', 'sql'],
    ['/api/2.0/mcp/genie/0123', 'genie'],
    ['/api/2.0/mcp/vector-search/main/docs/idx', 'vector-search'],
    ['/api/2.0/mcp/ai-search/main/docs', 'ai-search'],
    ['/api/2.0/mcp/functions/main/tools', 'unity-catalog'],
    ['/api/2.0/mcp/external/github', 'unity-catalog'],
    ['/ai-gateway/mcp-services/system.ai.dbsql', 'ai-gateway'],
    ['/api/2.0/mcp/sqlite', undefined],
  ])('%s needs %s', (path, scope) => {
    expect(scopeForPath(path)).toBe(scope);
  });

  test('are named once each if they are missing', () => {
    const servers = ['/api/2.0/mcp/sql', '/api/2.0/mcp/genie/1', '/api/2.0/mcp/genie/2', '/somewhere/else'];
    expect(missingScopes(['sql', 'offline_access'], servers)).toEqual(['genie']);
    expect(missingScopes(['all-apis'], servers)).toEqual([]);
  });

  test('are requested for the application, the servers and the refresh', () => {
    expect(scopesToAsk()).toEqual(['all-apis', 'offline_access']);
    expect(scopesToAsk(undefined, ['sql'])).toEqual(['all-apis', 'offline_access']);
    expect(scopesToAsk(['sql'], ['genie', 'sql'])).toEqual(['sql', 'genie', 'offline_access']);
  });

  describe('that a sign-in lacks', () => {
    const profile = { name: 'acme', method: 'oauth-user' } as const;
    const signIn = { action: { do: 'grant-scope', profile: 'acme' } };
    const acme: Policy = {
      ...NO_POLICY,
      source: '/etc/causeway/policy.json',
      organization: 'Acme',
      contact: 'it@acme.example',
    };
    const withScopes = (scopes: string[] | undefined, locked: boolean): Policy => ({
      ...acme,
      keys: { oauthApplication: { value: { clientId: 'acme', scopes }, locked } },
    });

    test.each([
      ['there is no policy', NO_POLICY],
      ['the organization decides the application only', withScopes(undefined, true)],
      ['the organization only suggests scopes', withScopes(['sql'], false)],
      ['the organization allows all of them', withScopes(['all-apis'], true)],
    ])('are granted by another one where %s', (_, policy) => {
      expect(missingScopeRemedy(profile, policy)).toEqual(signIn);
    });

    test('are for the administrator to allow where the organization decides the scopes', () => {
      expect(missingScopeRemedy(profile, withScopes(['sql', 'genie'], true))).toEqual({
        remedy:
          'Your organization (Acme) allows sign-ins to request only these scopes: sql, genie. Ask your administrator (it@acme.example). The policy is /etc/causeway/policy.json, key "oauthApplication".',
      });
    });
  });
});
