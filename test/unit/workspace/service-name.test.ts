import { describe, expect, it } from 'vitest';
import { serviceOf, serviceTitle } from '../../../main/workspace/service-name.ts';

describe('the service that a path names', () => {
  it.each([
    ['/ai-gateway/mcp-services/system.ai.github', 'system.ai.github'],
    ['/ai-gateway/mcp-services/main.support.tickets?v=2', 'main.support.tickets'],
    ['/ai-gateway/mcp-services/main.support.with%20space', 'main.support.with space'],
    ['/ai-gateway/mcp-services/system.ai', undefined],
    ['/ai-gateway/mcp-services/a.b.c.d', undefined],
    ['/ai-gateway/mcp-services/%E0%A4%A', undefined],
    ['/ai-gateway/skills/', undefined],
    ['/api/2.0/mcp/sql', undefined],
    ['/api/2.0/mcp/external/github', undefined],
  ])('of %s is %s', (path, service) => {
    expect(serviceOf(path)).toBe(service);
  });

  it('has the name of the server behind it if that is known, and otherwise its own', () => {
    expect(['system.ai.google_drive', 'main.support.tickets'].map(serviceTitle)).toEqual([
      'Google Drive',
      'main.support.tickets',
    ]);
  });
});
