import { describe, expect, test } from 'vitest';
import type { ClientFacts } from '../../../main/clients/client.ts';
import { locate } from '../../../main/clients/detect.ts';
import { CLIENTS } from '../../../main/clients/table.ts';
import { inOneLine } from '../../../main/words/failure.ts';
import { fileOf, HTTP, ownClients, SQL } from './own-clients.ts';

/** Each with what the user adds to our entry, in the words of its format. */
const EDITED: [id: string, path: string, original: string, add: (text: string) => string, kept: string[]][] = [
  [
    'claude-code',
    '.claude.json',
    '{\n  "theirs": 1\n}\n',
    (text) => text.replace('"args"', '"env": { "A": "1" },\n      "args"'),
    ['"env": { "A": "1" }'],
  ],
  [
    'cline',
    '.cline/data/settings/cline_mcp_settings.json',
    '{"mcpServers":{}}',
    (text) => text.replace('"args"', '"disabled":true,"autoApprove":["execute_sql"],"args"'),
    ['"disabled":true', '"autoApprove":["execute_sql"]'],
  ],
  [
    'opencode',
    '.config/opencode/opencode.jsonc',
    '{\n  // theirs\n  "mcp": {},\n}\n',
    (text) =>
      text
        .replace('"type"', '// about it\n      "environment": { "A": "1" }, // behind\n      "type"')
        .replace('300000', '5000'),
    ['// about it', '"environment": { "A": "1" }, // behind', '"timeout": 5000'],
  ],
  [
    'codex',
    '.codex/config.toml',
    'model = "gpt-5" # theirs\n',
    (text) =>
      text.replace('command =', '# about it\ncommand =').replace('600', '45 # seconds').concat('enabled = false\n'),
    ['# about it', 'tool_timeout_sec = 45 # seconds', 'enabled = false'],
  ],
  [
    'goose',
    '.config/goose/config.yaml',
    '# theirs\nGOOSE_MODEL: x\n',
    (text) =>
      text
        .replace('    cmd:', '    # about it\n    available_tools: [execute_sql] # one\n    cmd:')
        .replace('timeout: 300', 'timeout: 45'),
    ['# about it', 'available_tools: [execute_sql] # one', 'timeout: 45'],
  ],
  [
    'continue',
    '.continue/mcpServers/causeway.yaml',
    '',
    (text) => text.replace('    command:', '    connectionTimeout: 9 # ms\n    command:'),
    ['connectionTimeout: 9 # ms'],
  ],
  [
    'vibe',
    '.vibe/config.toml',
    '# theirs\n[[mcp_servers]]\nname = "other"\nurl = "http://other.example"\n',
    (text) => text.replace('command =', '# about it\ncommand =').concat('[mcp_servers.env]\nA = "1"\n'),
    ['# about it', '[mcp_servers.env]\nA = "1"\n'],
  ],
];

/** No client that keeps a list has a place for an application today, without which an address is refused. Here they all do. */
const TABLE = CLIENTS.map(({ http, ...client }): ClientFacts => {
  if (!http) return client;
  if (!client.list && client.format !== 'yaml') return { ...client, http };
  return {
    ...client,
    http: (direct) => {
      const entry = http(direct);
      return { ...entry, fixed: { ...entry.fixed, oauth: { client_id: direct.clientId } } };
    },
  };
});

describe.each(EDITED)('an entry of %s that changes to the other form', (id, path, original, add, kept) => {
  test('has only the keys of that form, and everything that the user added', async () => {
    await using own = await ownClients('home', TABLE);
    await own.file(path, original);
    const [stdio] = [await own.service().add([id], [SQL])];
    expect(stdio).toMatchObject([{ result: 'written' }]);
    const fresh = await own.read(path);
    await own.file(path, add(fresh));
    await own.service().add([id], [SQL], { http: HTTP });
    const direct = await own.read(path);
    expect(direct).toContain('https://w.example.com/api/2.0/mcp/sql');
    expect(direct).not.toMatch(/proxy|command|cmd|"local"|stdio/);
    for (const text of kept) expect(direct).toContain(text);
    expect(await fileOf(own, id)).toMatchObject({ state: 'current', repairable: [] });
    expect(await own.service().repair([id], [SQL])).toMatchObject([{ result: 'unchanged' }]);
    await own.service().add([id], [SQL]);
    const back = await own.read(path);
    expect(back).not.toMatch(/https:|oauth|app-1|"remote"|streamable/);
    for (const text of kept) expect(back).toContain(text);
    expect(await fileOf(own, id)).toMatchObject({ state: 'current' });
    await own.service().remove([id], ['databricks-sql']);
    expect(await own.service().ownNames([])).toEqual([]);
  });

  test('is removed without a trace', async () => {
    await using own = await ownClients('home', TABLE);
    await own.file(path, original);
    for (const http of [undefined, HTTP, undefined, HTTP]) await own.service().add([id], [SQL], { http });
    await own.service().remove([id], ['databricks-sql']);
    expect(await own.read(path).catch(() => '')).toBe(original);
  });
});

test('an entry from an earlier version that starts a program and also has an address is corrected', async () => {
  await using own = await ownClients();
  const both = {
    type: 'http',
    command: own.command,
    args: ['proxy'],
    url: 'https://w.example.com/api/2.0/mcp/sql',
    mine: 1,
  };
  await own.file('.claude.json', JSON.stringify({ mcpServers: { 'databricks-sql': both } }));
  expect(await fileOf(own, 'claude-code')).toMatchObject({ state: 'outdated', repairable: ['databricks-sql'] });
  await own.service().repair([], [SQL]);
  const entry = JSON.parse(await own.read('.claude.json')).mcpServers['databricks-sql'];
  expect(Object.keys(entry).sort()).toEqual(['args', 'command', 'mine', 'type']);
});

test.each(['claude-code', 'codex', 'gemini', 'qwen', 'opencode', 'cline', 'cursor', 'zed', 'crush', 'kiro', 'kilo'])(
  'a new entry with an address is unchanged: %s',
  async (id) => {
    await using own = await ownClients();
    const service = own.service();
    const [place] = await locate(service.client(id), { system: 'linux', home: own.home, env: own.env });
    await own.file((place?.path ?? '').slice(own.home.length + 1), '');
    expect(await service.add([id], [SQL], { http: HTTP })).toMatchObject([{ result: 'written' }]);
    expect(await fileOf(own, id)).toMatchObject({ state: 'current', repairable: [] });
    expect(await service.repair([id], [SQL])).toMatchObject([{ result: 'unchanged' }]);
  },
);

test('Codex does not get an entry that prevents it from starting', async () => {
  await using own = await ownClients();
  await own.file('.codex/config.toml', '');
  await own.service().add(['codex'], [SQL]);
  const text = `${await own.read('.codex/config.toml')}\n[mcp_servers.databricks-sql.env]\nA = "1"\n`;
  await own.file('.codex/config.toml', text);
  const [refused] = await own.service().add(['codex'], [SQL], { http: HTTP });
  expect(refused).toMatchObject({ result: 'failed', error: { code: 'conflict' } });
  expect(inOneLine(refused?.error)).toMatch(
    /"databricks-sql" has env\. OpenAI Codex does not start with env.*Remove env from/,
  );
  expect(await own.read('.codex/config.toml')).toBe(text);
});
