import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { type EmbeddedWorkspace, startWorkspace } from '../../workspace/workspace.ts';
import { runCauseway } from '../auth/causeway-process.ts';
import { type OwnHome, ownHome } from '../auth/own-home.ts';

/** `clients add --http` without an application of one's own: two of the three published ones are in this workspace. */

let workspace: EmbeddedWorkspace;
let home: OwnHome;

beforeAll(async () => {
  workspace = await startWorkspace({
    oauthClients: [
      { clientId: 'claude-code', redirectUris: ['http://localhost/callback', 'http://127.0.0.1/callback'] },
      { clientId: 'codex-cli', redirectUris: ['http://localhost/callback', 'http://127.0.0.1/callback'] },
    ],
  });
  home = await ownHome(await readFile(workspace.profileFile, 'utf8'));
  await causeway('servers', 'add', '--path', '/api/2.0/mcp/sql', '--profile', 'ana');
});
beforeEach(async () => {
  await writeFile(join(home.folder, '.claude.json'), '{}\n');
  for (const [folder, file] of [
    ['.codex', 'config.toml'],
    ['.cursor', 'mcp.json'],
  ] as const) {
    await mkdir(join(home.folder, folder), { recursive: true });
    await writeFile(join(home.folder, folder, file), '');
  }
});
afterAll(async () => {
  await workspace.close();
  await home.remove();
});

const causeway = (...args: string[]) => runCauseway(home, args);
const text = (path: string) => readFile(join(home.folder, path), 'utf8');
const url = () => `${workspace.host}/api/2.0/mcp/sql`;

describe('clients add --http without --client-id', () => {
  test('uses the published application if the workspace has it', async () => {
    const run = await causeway('clients', 'add', 'claude-code', 'codex', '--http');
    expect(run.code).toBe(0);
    expect(run.stdout).not.toContain('--client-id');
    expect(JSON.parse(await text('.claude.json')).mcpServers['databricks-sql']).toEqual({
      type: 'http',
      url: url(),
      oauth: { clientId: 'claude-code', callbackPort: 3118 },
    });
    const codex = await text('.codex/config.toml');
    expect(codex).toContain(`oauth_resource = "${url()}"`);
    expect(codex).toMatch(/client_id = "codex-cli"/);
    await causeway('clients', 'add', 'claude-code', 'codex');
    expect(await text('.claude.json')).not.toContain('oauth');
    expect(await text('.codex/config.toml')).not.toContain('oauth');
  });

  test('says what to do if the workspace does not have it', async () => {
    const run = await causeway('clients', 'add', 'cursor', '--http');
    expect(run.stdout).toMatch(/does not have the application .*\(cursor-desktop\)\. Use --client-id/);
    expect(run.stdout).toContain('"redirect_urls":["http://localhost:8787/callback"]');
    expect(await text('.cursor/mcp.json')).not.toContain('CLIENT_ID');
  });

  test('uses the port that was chosen', async () => {
    await causeway('clients', 'add', 'claude-code', '--http', '--callback-port', '4321');
    expect(await text('.claude.json')).toMatch(/"callbackPort": 4321/);
  });

  test('writes nothing if the workspace does not report whether it has the application', async () => {
    workspace.faults.add({ path: '/oidc/v1/token', method: 'POST', effect: { kind: 'unavailable' } });
    const run = await causeway('clients', 'add', 'claude-code', '--http');
    expect(run.stderr).toMatch(/Claude Code: .* could not confirm the application "claude-code" \(HTTP 503\)/);
    expect(run.code).toBe(5);
    expect(await text('.claude.json')).toBe('{}\n');
  });
});

test('clients add --http with --client-id does not look for the published application', async () => {
  const asked = () => workspace.requests.list({ path: '/oidc/*' }).length;
  const before = asked();
  await causeway('clients', 'add', 'claude-code', '--http', '--client-id', 'our-own');
  expect(await text('.claude.json')).toMatch(/"clientId": "our-own"/);
  expect(asked()).toBe(before);
});
