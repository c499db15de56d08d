import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
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
    // Codex would send `resource` twice.
    expect(codex).not.toContain('oauth_resource');
    expect(codex).toMatch(/client_id = "codex-cli"/);
    await causeway('clients', 'add', 'claude-code', 'codex');
    expect(await text('.claude.json')).not.toContain('oauth');
    expect(await text('.codex/config.toml')).not.toContain('oauth');
  });

  test('leaves an entry that works, and says what to do, if the workspace does not have it', async () => {
    await causeway('clients', 'add', 'cursor');
    const before = await text('.cursor/mcp.json');
    const run = await causeway('clients', 'add', 'cursor', '--http');
    expect(run.code).toBe(2);
    expect(run.stderr).toMatch(/does not have the application .*\(cursor-desktop\)\. Nothing was written\./);
    expect(run.stderr).toContain('--client-id');
    expect(run.stderr).toContain('"redirect_urls":["http://localhost:8787/callback"]');
    expect(await text('.cursor/mcp.json')).toBe(before);
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

describe('clients add --http never replaces an entry by one that cannot sign in', () => {
  const CLIENTS = {
    droid: [
      '.factory/mcp.json',
      /cannot sign in on its own: its file names no OAuth application\. Nothing was written\. Leave --http out\./,
    ],
    'copilot-cli': ['.copilot/mcp-config.json', /cannot sign in on its own/],
    'lm-studio': ['.lmstudio/mcp.json', /cannot sign in on its own/],
    opencode: [
      '.config/opencode/opencode.json',
      /"redirect_urls":\["http:\/\/127\.0\.0\.1:19876\/mcp\/oauth\/callback"\]/,
    ],
    kilo: ['.config/kilo/kilo.jsonc', /"redirect_urls":\["http:\/\/127\.0\.0\.1:19876\/mcp\/oauth\/callback"\]/],
    zed: ['.config/zed/settings.json', /with the redirect URL that Zed documents in place of REDIRECT-URL/],
  } as const;

  test.each(Object.entries(CLIENTS))('%s', async (client, [path, says]) => {
    await mkdir(dirname(join(home.folder, path)), { recursive: true });
    await writeFile(join(home.folder, path), '{}\n');
    await causeway('clients', 'add', client);
    const before = await text(path);
    expect(before).toContain('proxy');
    const options =
      client === 'droid' || client === 'lm-studio' ? ['--client-id', 'our-own'] : ['--callback-port', '8765'];
    const run = await causeway('clients', 'add', client, '--http', ...options);
    expect(run.code).toBe(2);
    if (says.source.includes('19876')) expect(run.stderr).toMatch(/127\.0\.0\.1:8765\/mcp\/oauth\/callback/);
    else expect(run.stderr).toMatch(says);
    if (says.source.includes('19876'))
      expect((await causeway('clients', 'add', client, '--http')).stderr).toMatch(says);
    expect(await text(path)).toBe(before);
  });

  test.each(['$'.concat('{CLIENT_ID}'), '<client-id>', 'a b'])('the client ID "%s" is refused', async (id) => {
    const run = await causeway('clients', 'add', 'claude-code', '--http', '--client-id', id);
    expect(run.code).toBe(2);
    expect(run.stderr).toMatch(/is not the client ID of an OAuth application\. Nothing was written\./);
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

describe('clients json --http', () => {
  test('prints the entry with the address, and writes nothing', async () => {
    const run = await causeway(
      'clients',
      'json',
      'claude-code',
      '--http',
      '--client-id',
      'our-own',
      '--callback-port',
      '8123',
    );
    expect(JSON.parse(run.stdout).entries.mcpServers['databricks-sql']).toEqual({
      type: 'http',
      url: url(),
      oauth: { clientId: 'our-own', callbackPort: 8123 },
    });
    expect(await text('.claude.json')).toBe('{}\n');
  });

  test.each([
    [['--http'], /--http needs the name of an AI client/],
    [['cursor', '--http'], /Cursor signs in on its own/],
    [['droid', '--http', '--client-id', 'x'], /cannot sign in on its own/],
    [['claude-desktop', '--http', '--client-id', 'x'], /does not support addresses/],
    [['claude-code', '--client-id', 'x'], /work only with --http/],
    [['claude-code', '--http', '--client-id', 'x', '--all-in-one'], /--all-in-one writes one entry for all servers/],
  ])('%j is refused', async (args, says) => {
    const run = await causeway('clients', 'json', ...args);
    expect([run.code, run.stdout]).toEqual([2, '']);
    expect(run.stderr).toMatch(says);
  });
});
