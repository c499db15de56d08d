import { describe, expect, test } from 'vitest';
import { wholeEntry } from '../../../main/clients/entry.ts';
import { CLIENTS } from '../../../main/clients/table.ts';

const URL = 'https://w.example.com/api/2.0/mcp/sql';

/** What each client writes for a server by its address, with an application and a port where it takes them. */
const ENTRIES: Record<string, unknown> = {
  'claude-code': { type: 'http', url: URL, oauth: { clientId: 'app-1', callbackPort: 8020 } },
  cursor: { url: URL, auth: { CLIENT_ID: 'app-1' } },
  vscode: { type: 'http', url: URL, oauth: { clientId: 'app-1' } },
  'vscode-insiders': { type: 'http', url: URL, oauth: { clientId: 'app-1' } },
  windsurf: { url: URL },
  zed: { url: URL, oauth: { client_id: 'app-1' }, timeout: 300 },
  'lm-studio': { url: URL },
  warp: { url: URL },
  kiro: { url: URL, oauth: { clientId: 'app-1' } },
  junie: { url: URL },
  'copilot-jetbrains': { type: 'http', url: URL, oauth: { clientId: 'app-1' } },
  'copilot-xcode': { type: 'http', url: URL, oauth: { clientId: 'app-1' } },
  'visual-studio': { type: 'http', url: URL, oauth: { clientId: 'app-1' } },
  'amazon-q': { type: 'http', url: URL },
  amp: { url: URL },
  antigravity: { serverUrl: URL },
  cline: { type: 'streamableHttp', url: URL, oauthClient: { clientId: 'app-1' } },
  codex: { url: URL, oauth: { client_id: 'app-1' } },
  continue: { name: 'databricks-sql', type: 'streamable-http', url: URL },
  'continue-cli': { name: 'databricks-sql', type: 'streamable-http', url: URL },
  'jetbrains-ai': { url: URL },
  kilo: { type: 'remote', url: URL, oauth: { clientId: 'app-1', callbackPort: 8020 }, enabled: true },
  'copilot-cli': { type: 'http', url: URL, tools: ['*'] },
  crush: { type: 'http', url: URL, oauth: true, oauth_client_id: 'app-1', oauth_callback_port: 8020 },
  droid: { type: 'http', url: URL },
  grok: { url: URL },
  kimi: { url: URL },
  pi: { url: URL, oauth: { clientId: 'app-1', callbackPort: 8020 }, timeout: 300 },
  qoder: { url: URL },
  'qoder-cli': { type: 'http', url: URL },
  trae: { url: URL },
  vibe: { name: 'databricks-sql', transport: 'streamable-http', url: URL },
  gemini: { httpUrl: URL, oauth: { enabled: true, clientId: 'app-1' } },
  goose: { name: 'databricks-sql', type: 'streamable_http', uri: URL, enabled: true, timeout: 300 },
  opencode: { type: 'remote', url: URL, oauth: { clientId: 'app-1', callbackPort: 8020 }, enabled: true },
  qwen: { httpUrl: URL, oauth: { enabled: true, clientId: 'app-1' } },
};

describe('an entry with an address', () => {
  test.each(CLIENTS.map((client) => [client.id, client] as const))('has the form that %s reads', (id, { http }) => {
    const known = { name: 'databricks-sql', url: URL, clientId: 'app-1', callbackPort: 8020 };
    if (!http) return expect(['claude-desktop', 'auggie']).toContain(id);
    expect(wholeEntry(http(known))).toMatchObject(Object(ENTRIES[id]));
    const alone = JSON.stringify(http({ ...known, clientId: undefined, callbackPort: undefined }));
    expect(alone).toContain(URL);
    expect(alone).not.toMatch(/undefined|auth/);
  });
});

describe('a link that makes a client add an entry itself', () => {
  const entry = {
    command: '/opt/causeway/causeway',
    args: ['proxy', '--profile', 'a b', '--path', '/api/2.0/mcp/sql'],
  };
  const link = (id: string) => {
    const made = CLIENTS.find((client) => client.id === id)?.deepLink?.('databricks-sql', entry);
    return new globalThis.URL(made ?? '');
  };
  const fromBase64 = (text: string | null) => JSON.parse(Buffer.from(text ?? '', 'base64').toString('utf8'));

  test('exists for the clients that support one', () => {
    const able = CLIENTS.filter(({ deepLink }) => deepLink).map(({ id }) => id);
    expect(able.sort()).toEqual(['cursor', 'goose', 'kiro', 'lm-studio', 'vscode', 'vscode-insiders']);
  });

  test('contains the entry as the client reads it', () => {
    const cursor = link('cursor');
    expect(cursor.href).toMatch(/^cursor:\/\/anysphere\.cursor-deeplink\/mcp\/install\?/);
    expect(cursor.searchParams.get('name')).toBe('databricks-sql');
    expect(fromBase64(cursor.searchParams.get('config'))).toEqual(entry);
    expect(link('lm-studio').href).toMatch(/^lmstudio:\/\/add_mcp\?/);
    expect(fromBase64(link('lm-studio').searchParams.get('config'))).toEqual(entry);
    expect(JSON.parse(link('kiro').searchParams.get('config') ?? '')).toEqual(entry);
    for (const id of ['vscode', 'vscode-insiders']) {
      const { protocol, pathname, search } = link(id);
      expect(protocol + pathname).toBe(`${id}:mcp/install`);
      expect(JSON.parse(decodeURIComponent(search.slice(1)))).toEqual({ name: 'databricks-sql', ...entry });
    }
    const goose = CLIENTS.find(({ id }) => id === 'goose')?.deepLink?.('databricks-sql', {
      ...entry,
      cmd: entry.command,
    });
    const { searchParams } = new globalThis.URL(goose ?? '');
    expect(searchParams.get('cmd')).toBe(entry.command);
    expect(searchParams.getAll('arg')).toEqual(entry.args);
    expect(searchParams.get('name')).toBe('databricks-sql');
  });
});
