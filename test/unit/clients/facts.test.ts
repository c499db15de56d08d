import { describe, expect, test } from 'vitest';
import { wholeEntry } from '../../../main/clients/entry.ts';
import { CLIENTS, clientOnWire, displayNameOf } from '../../../main/clients/table.ts';

describe('a client is known by the name that it sends', () => {
  test.each([
    ['claude-ai', 'Claude Desktop'],
    ['claude-code', 'Claude Code'],
    ['codex-mcp-client', 'OpenAI Codex'],
    ['@cline/core', 'Cline'],
    ['factory-cli', 'Factory droid'],
    ['qwen-cli-mcp-client-databricks-sql', 'Qwen Code'],
    ['gemini-cli-mcp-client', 'Gemini CLI'],
    ['gemini-cli-mcp-client-genie-7191', 'Gemini CLI'],
    ['Visual Studio Code', 'VS Code'],
    ['Visual Studio Code - Insiders', 'VS Code Insiders'],
    [' OpenCode ', 'opencode'],
  ])('%s is %s', (sent, name) => {
    expect(displayNameOf(sent)).toBe(name);
  });

  test.each(['mcp-test-client', 'claude', 'crush-fork', 'qwen-cli-mcp-clients', '', 'constructor'])(
    'a name that no row has is kept as it was sent: "%s"',
    (sent) => {
      expect(clientOnWire(sent)).toBeUndefined();
      expect(displayNameOf(sent)).toBe(sent);
    },
  );

  test('no two clients send the same name', () => {
    const sent = CLIENTS.flatMap(({ wireNames }) => wireNames.map((name) => name.toLowerCase()));
    expect(new Set(sent).size).toBe(sent.length);
  });
});

describe('a client whose entry has a key for its timeout', () => {
  const patient = CLIENTS.filter(({ patience }) => patience?.key !== undefined);

  test.each(patient.map((client) => [client.id, client] as const))(
    'waits as long in %s as the row says',
    (_id, { patience, stdio }) => {
      const { key = '', ms = 0 } = patience ?? {};
      const written = wholeEntry(stdio({ name: 'sql', command: '/opt/causeway', args: ['proxy'] }))[key];
      expect([ms, ms / 1000]).toContain(written);
      expect(ms).toBeGreaterThanOrEqual(300_000);
    },
  );

  test('is every client that otherwise gives up within a minute and has such a key', () => {
    const ids = patient.map(({ id }) => id);
    expect(ids).toEqual(expect.arrayContaining(['opencode', 'cline', 'codex', 'zed', 'gemini', 'qwen', 'goose']));
  });
});
