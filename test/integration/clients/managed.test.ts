import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { GENIE, HTTP, type OwnClients, ownClients, SQL } from './own-clients.ts';

const CLAUDE_SETTINGS = 'etc/claude-code/managed-settings.json';
const CLAUDE_SERVERS = 'etc/claude-code/managed-mcp.json';
const CODEX_REQUIREMENTS = 'etc/codex/requirements.toml';
const CODEX_CONFIG = 'etc/codex/managed_config.toml';

/** A home with Claude Code and Codex, on a computer whose administrator has written these files. */
async function managed(files: Record<string, string | object>): Promise<OwnClients> {
  const own = await ownClients();
  onTestFinished(() => own[Symbol.asyncDispose]());
  await own.file('.claude.json', '{}');
  await own.file('.codex/config.toml', '');
  for (const [path, content] of Object.entries(files)) {
    await mkdir(dirname(join(own.root, path)), { recursive: true });
    await writeFile(join(own.root, path), typeof content === 'string' ? content : JSON.stringify(content));
  }
  return own;
}

const entryOf = (own: OwnClients, server: typeof SQL) => [
  own.command,
  'proxy',
  '--profile',
  server.profile,
  '--path',
  server.path,
];

/** The result of adding the SQL server to a client, and whether its file has it. */
async function add(own: OwnClients, id: string, choice = {}) {
  const [outcome] = await own.service().add([id], [SQL], choice);
  const file = id === 'codex' ? '.codex/config.toml' : '.claude.json';
  return { outcome, isWritten: (await own.read(file)).includes('databricks-sql') };
}

describe('Claude Code’s managed files', () => {
  test('with only their own servers: nothing is written, and the reason is reported', async () => {
    const own = await managed({ [CLAUDE_SERVERS]: { mcpServers: {} } });
    const { outcome, isWritten } = await add(own, 'claude-code', { replace: true });
    expect(isWritten).toBe(false);
    expect(outcome).toMatchObject({ result: 'failed', error: { code: 'managed' } });
    expect(outcome?.error?.message).toContain(`${join(own.root, CLAUDE_SERVERS)} alone decides`);
    const report = (await own.service().survey([SQL])).find(({ id }) => id === 'claude-code');
    expect(report?.managed).toEqual([expect.stringContaining('alone decides which servers Claude Code loads')]);
  });

  test.each([
    ['denies our command', (own: OwnClients) => ({ deniedMcpServers: [{ serverCommand: entryOf(own, SQL) }] }), false],
    ['denies our name', () => ({ deniedMcpServers: [{ serverName: 'databricks-sql' }] }), false],
    ['denies another name', () => ({ deniedMcpServers: [{ serverName: 'other' }] }), true],
    ['allows none', () => ({ allowedMcpServers: [] }), false],
    ['allows our name', () => ({ allowedMcpServers: [{ serverName: 'databricks-sql' }] }), true],
    ['allows our command', (own: OwnClients) => ({ allowedMcpServers: [{ serverCommand: entryOf(own, SQL) }] }), true],
    [
      'allows another command',
      (own: OwnClients) => ({ allowedMcpServers: [{ serverCommand: entryOf(own, GENIE) }] }),
      false,
    ],
    [
      'allows our name and another command, which takes precedence',
      () => ({ allowedMcpServers: [{ serverName: 'databricks-sql' }, { serverCommand: ['npx'] }] }),
      false,
    ],
    ['allows addresses alone', () => ({ allowedMcpServers: [{ serverUrl: 'https://*' }] }), false],
    [
      'already has the server',
      () => ({ managedMcpServers: { 'databricks-sql': { type: 'http', url: 'https://x' } } }),
      false,
    ],
    ['does not mention servers', () => ({ theme: 'dark' }), true],
  ])('whose list %s', async (_what, settings, isAllowed) => {
    const own = await managed({});
    await mkdir(dirname(join(own.root, CLAUDE_SETTINGS)), { recursive: true });
    await writeFile(join(own.root, CLAUDE_SETTINGS), JSON.stringify(settings(own)));
    const { outcome, isWritten } = await add(own, 'claude-code');
    expect(isWritten).toBe(isAllowed);
    expect(outcome?.error?.code).toBe(isAllowed ? undefined : 'managed');
  });

  test.each([
    ['https://w.example.com/*', true],
    ['https://W.EXAMPLE.com', true],
    ['https://*.example.com/api/*', true],
    ['https://w.example.com/API/*', false],
    ['https://other.example.com/*', false],
  ])('that allow the address %s: %s', async (serverUrl, isAllowed) => {
    const own = await managed({ [CLAUDE_SETTINGS]: { allowedMcpServers: [{ serverUrl }] } });
    expect((await add(own, 'claude-code', { http: HTTP })).isWritten).toBe(isAllowed);
  });

  test('let the user allow more, unless they forbid it', async () => {
    const none = { allowedMcpServers: [] };
    const own = await managed({ [CLAUDE_SETTINGS]: none });
    await own.file('.claude/settings.json', JSON.stringify({ allowedMcpServers: [{ serverName: 'databricks-sql' }] }));
    expect((await add(own, 'claude-code')).isWritten).toBe(true);
    const strict = await managed({ [CLAUDE_SETTINGS]: { ...none, allowManagedMcpServersOnly: true } });
    await strict.file(
      '.claude/settings.json',
      JSON.stringify({ allowedMcpServers: [{ serverName: 'databricks-sql' }] }),
    );
    expect((await add(strict, 'claude-code')).isWritten).toBe(false);
  });

  test('block an entry if they cannot be read', async () => {
    const own = await managed({ [CLAUDE_SETTINGS]: '{' });
    const { outcome, isWritten } = await add(own, 'claude-code');
    expect(isWritten).toBe(false);
    expect(outcome?.error?.message).toContain(CLAUDE_SETTINGS);
  });

  test('do not prevent the removal of our entries', async () => {
    const own = await managed({});
    await add(own, 'claude-code');
    await mkdir(dirname(join(own.root, CLAUDE_SERVERS)), { recursive: true });
    await writeFile(join(own.root, CLAUDE_SERVERS), '{"mcpServers":{}}');
    await own.service().remove(['claude-code'], ['databricks-sql']);
    expect(await own.read('.claude.json')).not.toContain('databricks-sql');
  });
});

describe('Codex’s managed files', () => {
  const required = (own: OwnClients, command = own.command) =>
    `[mcp_servers.databricks-sql.identity]\ncommand = ${JSON.stringify(command)}\n`;

  test('block an entry if they require other servers', async () => {
    const own = await managed({
      [CODEX_REQUIREMENTS]: '[mcp_servers.docs.identity]\nurl = "https://docs.example.com"\n',
    });
    const { outcome, isWritten } = await add(own, 'codex');
    expect(isWritten).toBe(false);
    expect(outcome?.error?.message).toContain('does not allow OpenAI Codex this server');
  });

  test('allow an entry if they require its name and command', async () => {
    const own = await managed({});
    await mkdir(dirname(join(own.root, CODEX_REQUIREMENTS)), { recursive: true });
    await writeFile(join(own.root, CODEX_REQUIREMENTS), required(own));
    expect((await add(own, 'codex')).isWritten).toBe(true);
    await writeFile(join(own.root, CODEX_REQUIREMENTS), required(own, '/usr/bin/other'));
    const [outcome] = await own.service().add(['codex'], [GENIE]);
    expect(outcome?.error?.code).toBe('managed');
  });

  test('allow an entry if they do not mention servers', async () => {
    const own = await managed({ [CODEX_REQUIREMENTS]: 'allowed_approval_policies = ["on-request"]\n' });
    expect((await add(own, 'codex')).isWritten).toBe(true);
  });

  test('block an entry for a server that they already provide', async () => {
    const own = await managed({ [CODEX_CONFIG]: '[mcp_servers.databricks-sql]\nurl = "https://x.example.com"\n' });
    const { outcome, isWritten } = await add(own, 'codex');
    expect(isWritten).toBe(false);
    expect(outcome?.error?.message).toContain('already gives OpenAI Codex the server "databricks-sql"');
    expect(await readFile(join(own.root, CODEX_CONFIG), 'utf8')).toContain('x.example.com');
  });
});
