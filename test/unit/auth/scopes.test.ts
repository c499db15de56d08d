import { describe, expect, test } from 'vitest';
import { missingScopes, scopeForPath, scopesToAsk } from '../../../main/auth/oauth/scopes.ts';

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
});
