import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { startTestHost, type TestHost } from './test-host.ts';

const BEN = 'ben@example.com';
const LIST = { jsonrpc: '2.0', id: 1, method: 'tools/list' };

let host: TestHost;
beforeEach(async () => {
  host = await startTestHost({}, { sessions: 'none' });
});
afterEach(() => host.close());

describe('the scopes of a token', () => {
  const PATHS: [string, string[]][] = [
    ['sql', ['sql']],
    ['genie/01ef2b7c5a9d1e3f8c4b6a0d2e5f7191', ['genie']],
    ['vector-search/main/support', ['vector-search', 'ai-search']],
    ['ai-search/main/support', ['vector-search', 'ai-search']],
    ['functions/main/default', ['unity-catalog']],
    ['external/issue_tracker', ['unity-catalog']],
  ];
  const SCOPES = ['sql', 'genie', 'vector-search', 'ai-search', 'unity-catalog', 'offline_access', 'all-apis'];
  const CASES = PATHS.flatMap(([path, enough]) =>
    SCOPES.map((scope): [string, string, string | undefined] => [
      path,
      scope,
      enough.includes(scope) || scope === 'all-apis' ? undefined : enough[0],
    ]),
  );

  it.each(CASES)('decide whether %s answers a token with the scope %s', async (path, scope, missing) => {
    host.scopes.clear();
    host.scopes.add(scope);
    const answer = await host.post(`/api/2.0/mcp/${path}`, BEN, LIST);
    expect(answer.status).toBe(missing === undefined ? 200 : 403);
    if (missing === undefined) return;
    expect(await answer.json()).toMatchObject({
      error_code: 'PERMISSION_DENIED',
      message: `Provided OAuth token does not have required scopes: ${missing}`,
    });
    expect(host.state.mcpCalls).toEqual([]);
  });
});

describe('paths', () => {
  it.each([
    '/api/2.0/mcp/sql/8baced1ff014912d',
    '/api/2.0/mcp/sql/',
    '/api/2.0/mcp/',
    '/api/2.0/mcp/genie',
    '/api/2.0/mcp/functions/main',
    '/api/2.0/mcp/functions/main/default/initials/more',
    '/api/2.0/mcp/vector-search',
    '/api/2.0/mcp/external',
    '/ai-gateway/mcp-services/system.ai',
    '/ai-gateway/skills/',
    '/api/2.0/mcp/python',
  ])('%s is unknown', async (path) => {
    const answer = await host.post(path, BEN, LIST);
    expect(answer.status).toBe(404);
    expect(await answer.json()).toMatchObject({
      error_code: 'ENDPOINT_NOT_FOUND',
      message: `Endpoint not found for ${path.replace('/api', '')}`,
    });
  });

  it('can contain encoded names', async () => {
    const answer = await host.post('/api/2.0/mcp/functions/%6Dain/default', BEN, LIST);
    expect(await answer.json()).toMatchObject({ result: { tools: { length: 3 } } });
  });
});

describe('loading', () => {
  it('leaves DuckDB out until the first query', async () => {
    const script = `
      const loaded = () => {
        process.report.excludeNetwork = true;
        return process.report.getReport().sharedObjects.some((file) => file.includes('duckdb'));
      };
      const { createState } = await import('./state.ts');
      const { createManagedServers } = await import('./mcp/index.ts');
      const { Engine } = await import('./mcp/engine.ts');
      const servers = createManagedServers({ state: createState() });
      const before = loaded();
      const engine = new Engine(createState());
      await engine.run('SELECT 1');
      console.log(JSON.stringify([before, loaded()]));
      await Promise.all([engine.close(), servers.close()]);`;
    const cwd = new URL('..', import.meta.url);
    const run = promisify(execFile)(process.execPath, ['--input-type=module', '-e', script], { cwd });
    expect(JSON.parse((await run).stdout)).toEqual([false, true]);
  });
});
