import { mkdir, readFile, readlink, rm, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { listBackups } from '../../../main/clients/backups.ts';
import { locate } from '../../../main/clients/detect.ts';
import type { HttpChoice } from '../../../main/clients/outcome.ts';
import { inOneLine } from '../../../main/platform/errors.ts';
import { GENIE, type OwnClients, ownClients, SQL } from './own-clients.ts';

const CURSOR = '.cursor/mcp.json';
const HTTP: HttpChoice = {
  urlOf: ({ path }) => `https://w.example.com${path}`,
  isPublished: async () => false,
  clientId: 'app-1',
  callbackPort: 8020,
};

async function fileOf(own: OwnClients, id: string, name = 'databricks-sql') {
  const report = (await own.service().survey([SQL])).find((each) => each.id === id);
  const [file] = report?.files ?? [];
  return { ...file, state: file?.entries[name] };
}

describe('an entry that the user wrote', () => {
  const THEIRS = `{
  "mcpServers": {
    "databricks-sql": {
      "url": "https://acme.cloud.databricks.com/api/2.0/mcp/sql",
      "headers": { "Authorization": "Bearer dapi-theirs" }
    },
    "our-genie": { "url": "https://acme.cloud.databricks.com/api/2.0/mcp/genie/01ef", "headers": {} },
    "vendor": { "url": "https://mcp.vendor.example/api/2.0/mcp/things" },
    "remote": { "command": "ssh", "args": ["host", "causeway", "proxy"] },
    "boxed": { "command": "docker", "args": ["run", "causeway", "proxy"] }
  }
}
`;

  test('is not ours, whatever server it leads to', async () => {
    await using own = await ownClients();
    await own.file(CURSOR, THEIRS);
    const file = await fileOf(own, 'cursor');
    expect(file).toMatchObject({ state: 'foreign', leftOver: [], repairable: [], known: false });
    expect(await own.service().ownNames([])).toEqual([]);
  });

  test('survives every command', async () => {
    await using own = await ownClients();
    await own.file(CURSOR, THEIRS);
    const names = ['databricks-sql', 'our-genie', 'vendor', 'remote', 'boxed'];
    await own.service().remove([], names);
    await own.service().remove(['cursor'], names);
    await own.service().repair([], [SQL]);
    for (const choice of [{}, { http: HTTP }, { dryRun: true }]) {
      const [refused, ...others] = await own.service().add(['cursor'], [SQL], choice);
      expect(others).toEqual([]);
      expect(refused).toMatchObject({ result: 'failed', error: { code: 'already_exists' } });
      expect(inOneLine(refused?.error)).toMatch(/an entry "databricks-sql" that Causeway did not write.*Rename it/);
    }
    expect(await own.read(CURSOR)).toBe(THEIRS);
  });

  test('keeps its name, and the other servers are added beside it', async () => {
    await using own = await ownClients();
    await own.file(CURSOR, THEIRS);
    const outcomes = await own.service().add([], [SQL, GENIE]);
    expect(outcomes).toMatchObject([{ result: 'written' }, { result: 'failed', error: { code: 'already_exists' } }]);
    expect(inOneLine(outcomes[1]?.error)).toContain('It was left alone.');
    const { mcpServers } = JSON.parse(await own.read(CURSOR));
    expect(mcpServers['databricks-sql']).toEqual(JSON.parse(THEIRS).mcpServers['databricks-sql']);
    expect(mcpServers['genie-7191'].args).toContain('proxy');
    await own.service().remove([], ['databricks-sql', 'genie-7191']);
    expect(await own.read(CURSOR)).toBe(THEIRS);
  });

  test('makes room whole where the user says so, and a backup has it', async () => {
    await using own = await ownClients();
    await own.file(CURSOR, THEIRS);
    await own.service().add([], [GENIE]);
    const before = await own.read(CURSOR);
    await own.service().add([], [SQL], { replace: true });
    const entry = JSON.parse(await own.read(CURSOR)).mcpServers['databricks-sql'];
    expect(Object.keys(entry)).toEqual(['command', 'args']);
    const [backup] = await listBackups(own.env);
    await own.service().restore(backup?.id ?? '');
    expect(await own.read(CURSOR)).toBe(before);
  });

  test.each([
    ['a program', '{"command":"python","args":["server.py"]}', undefined],
    [
      'an address',
      '{"url":"https://acme.cloud.databricks.com/api/2.0/mcp/sql","headers":{"Authorization":"x"}}',
      undefined,
    ],
    ['an address in place of ours', '{"url":"https://other.example.com/api/2.0/mcp/sql","headers":{}}', HTTP],
    [
      'our address, signed in to by a header',
      '{"url":"https://w.example.com/api/2.0/mcp/sql","headers":{"Authorization":"x"}}',
      HTTP,
    ],
  ])('in place of ours is theirs: %s', async (_what, theirs, http) => {
    await using own = await ownClients();
    await own.file(CURSOR, '{}');
    await own.service().add([], [SQL], { http });
    const text = `{"mcpServers":{"databricks-sql":${theirs}}}`;
    await own.file(CURSOR, text);
    expect(await fileOf(own, 'cursor')).toMatchObject({ state: 'foreign', repairable: [] });
    await own.service().repair([], [SQL]);
    await own.service().remove([], await own.service().ownNames([]));
    expect(await own.read(CURSOR)).toBe(text);
    // What is forgotten is not missed later.
    await own.file(CURSOR, '{}');
    expect(await fileOf(own, 'cursor')).toMatchObject({ state: 'absent' });
  });

  test('is not taken for ours because we wrote one like it to another file', async () => {
    await using own = await ownClients();
    await own.file('.claude.json', '{}');
    await own.service().add(['claude-code'], [SQL], { http: HTTP });
    const text = await own.read('.claude.json');
    await own.file(CURSOR, text);
    expect((await own.service().survey([SQL])).find(({ id }) => id === 'cursor')?.files[0]).toMatchObject({
      entries: { 'databricks-sql': 'foreign' },
    });
  });
});

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
];

describe.each(EDITED)('an entry of %s that becomes the other form', (id, path, original, add, kept) => {
  test('has the keys of that form alone, and all that the user added', async () => {
    await using own = await ownClients();
    await own.file(path, original);
    const [stdio] = [await own.service().add([id], [SQL])];
    expect(stdio).toMatchObject([{ result: 'written' }]);
    const fresh = await own.read(path);
    await own.file(path, add(fresh));
    await own.service().add([id], [SQL], { http: HTTP });
    const direct = await own.read(path);
    expect(direct).toContain('https://w.example.com/api/2.0/mcp/sql');
    expect(direct).not.toMatch(/proxy|command|cmd|"local"/);
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
    await using own = await ownClients();
    await own.file(path, original);
    for (const http of [undefined, HTTP, undefined, HTTP]) await own.service().add([id], [SQL], { http });
    await own.service().remove([id], ['databricks-sql']);
    expect(await own.read(path).catch(() => '')).toBe(original);
  });
});

test('an entry that starts a program and has an address too, from an earlier version, is put right', async () => {
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

test.each([
  'claude-code',
  'codex',
  'gemini',
  'qwen',
  'opencode',
  'cline',
  'cursor',
  'zed',
  'goose',
  'copilot-cli',
  'crush',
])('a fresh entry with an address is as it was written: %s', async (id) => {
  await using own = await ownClients();
  const service = own.service();
  const [place] = await locate(service.client(id), { system: 'linux', home: own.home, env: own.env });
  await own.file((place?.path ?? '').slice(own.home.length + 1), '');
  expect(await service.add([id], [SQL], { http: HTTP })).toMatchObject([{ result: 'written' }]);
  expect(await fileOf(own, id)).toMatchObject({ state: 'current', repairable: [] });
  expect(await service.repair([id], [SQL])).toMatchObject([{ result: 'unchanged' }]);
});

test('Codex is not given an entry with which it does not start', async () => {
  await using own = await ownClients();
  await own.file('.codex/config.toml', '');
  await own.service().add(['codex'], [SQL]);
  const text = `${await own.read('.codex/config.toml')}\n[mcp_servers.databricks-sql.env]\nA = "1"\n`;
  await own.file('.codex/config.toml', text);
  const [refused] = await own.service().add(['codex'], [SQL], { http: HTTP });
  expect(refused).toMatchObject({ result: 'failed', error: { code: 'conflict' } });
  expect(inOneLine(refused?.error)).toMatch(
    /"databricks-sql" has env, with which OpenAI Codex does not start.*Take env out/,
  );
  expect(await own.read('.codex/config.toml')).toBe(text);
});

describe('the state of an entry', () => {
  test('is told from what was written: another launcher of today is no change by the user', async () => {
    await using own = await ownClients();
    await own.file(CURSOR, '{}');
    const other = join(own.home, 'elsewhere', 'causeway');
    await mkdir(join(own.home, 'elsewhere'));
    await writeFile(other, '');
    await own.service({ command: other }).add([], [SQL]);
    expect(await fileOf(own, 'cursor')).toMatchObject({ state: 'outdated', repairable: ['databricks-sql'] });
    await own.service().repair([], [SQL]);
    expect(await fileOf(own, 'cursor')).toMatchObject({ state: 'current', repairable: [] });
  });

  test('offers no repair where that would write the same', async () => {
    await using own = await ownClients();
    await own.file(CURSOR, '{}');
    const gone = own.service({ command: '/nowhere/causeway' });
    await gone.add([], [SQL]);
    const report = (await gone.survey([SQL])).find(({ id }) => id === 'cursor');
    expect(report?.files[0]).toMatchObject({ entries: { 'databricks-sql': 'broken' }, repairable: [] });
  });

  test('is another one where the PATH does not lead to its command than where its program is gone', async () => {
    await using own = await ownClients();
    await own.file(CURSOR, '{}');
    await own.service().add([], [SQL]);
    await own.file(CURSOR, (await own.read(CURSOR)).replace(own.command, 'causeway'));
    expect(await fileOf(own, 'cursor')).toMatchObject({ state: 'not-on-path', repairable: ['databricks-sql'] });
    await own.service().repair([], [SQL]);
    expect(await fileOf(own, 'cursor')).toMatchObject({ state: 'current', repairable: [] });
    await rm(own.command);
    expect(await fileOf(own, 'cursor')).toMatchObject({ state: 'broken', repairable: [] });
  });

  test.each([
    ['cursor', CURSOR],
    ['opencode', '.config/opencode/opencode.json'],
  ])('is current in %s where another Node that is there runs the same script', async (id, path) => {
    await using own = await ownClients();
    await own.file(path, '{}');
    const [one, other] = [await own.file('one/node', '', 0o755), await own.file('other/node', '', 0o755)];
    const script = await own.file('causeway.js', '');
    await own.service({ command: one, script }).add([], [SQL]);
    const states = async (options: { command: string; script: string }) => {
      const report = (await own.service(options).survey([SQL])).find((each) => each.id === id);
      return report?.files.map(({ entries, repairable }) => [entries[SQL.name], repairable]);
    };
    expect(await states({ command: other, script })).toEqual([['current', []]]);
    const elsewhere = await own.file('elsewhere/causeway.js', '');
    expect(await states({ command: other, script: elsewhere })).toEqual([['outdated', [SQL.name]]]);
    await rm(one);
    expect(await states({ command: other, script })).toEqual([['broken', [SQL.name]]]);
  });

  test('is out of date where the client has since got a key for its timeout, but not where the user took it out', async () => {
    await using own = await ownClients();
    const path = '.config/opencode/opencode.json';
    await own.file(path, '{}');
    await own.service().add([], [SQL]);
    const record = join(own.env.CAUSEWAY_HOME ?? '', 'state', 'client-files.json');
    const without = (await own.read(path)).replace(/,\s*"timeout": 300000/, '');
    await own.file(path, without);
    expect(await fileOf(own, 'opencode')).toMatchObject({ state: 'current' });
    const files = JSON.parse(await readFile(record, 'utf8'));
    for (const file of Object.values<Record<string, unknown>>(files.files)) delete file.initial;
    await writeFile(record, JSON.stringify(files));
    expect(await fileOf(own, 'opencode')).toMatchObject({ state: 'outdated', repairable: ['databricks-sql'] });
    await own.service().repair([], [SQL]);
    expect(await own.read(path)).toContain('"timeout": 300000');
  });

  test('outlives a backup that is put back', async () => {
    await using own = await ownClients();
    await own.file(CURSOR, '{}');
    const [added] = await own.service().add([], [SQL], { http: HTTP });
    const { kept } = await own.service().restore(added?.backup ?? '');
    expect(await fileOf(own, 'cursor')).toMatchObject({ state: 'absent' });
    await own.service().restore(kept ?? '');
    expect(await fileOf(own, 'cursor')).toMatchObject({ state: 'current' });
    await own.service().remove([], ['databricks-sql']);
    expect(await own.read(CURSOR)).toBe('{}');
  });
});

test('a link that led nowhere leads nowhere again, and keeps no entry behind it', async () => {
  await using own = await ownClients();
  await mkdir(join(own.home, '.cursor'));
  const target = join(own.home, 'dotfiles.json');
  await symlink(target, join(own.home, CURSOR));
  await own.service().add([], [SQL]);
  expect(await readFile(target, 'utf8')).toContain('databricks-sql');
  await own.service().remove([], ['databricks-sql']);
  await expect(readFile(target)).rejects.toMatchObject({ code: 'ENOENT' });
  expect(await readlink(join(own.home, CURSOR))).toBe(target);
});

describe('a file that two clients read', () => {
  async function sharedFile(own: OwnClients) {
    await own.file('.claude.json', '{}');
    await mkdir(join(own.home, '.cursor'));
    await symlink(join(own.home, '.claude.json'), join(own.home, CURSOR));
    await own.service().add(['claude-code'], [SQL]);
    return own.read('.claude.json');
  }

  test('is known as such', async () => {
    await using own = await ownClients();
    await sharedFile(own);
    expect(await fileOf(own, 'cursor')).toMatchObject({
      state: 'current',
      sharedWith: [{ id: 'claude-code', name: 'Claude Code' }],
    });
    expect((await fileOf(own, 'claude-code')).sharedWith).toEqual([{ id: 'cursor', name: 'Cursor' }]);
  });

  test('loses nothing of the other client unless that is agreed to', async () => {
    await using own = await ownClients();
    const before = await sharedFile(own);
    const [refused] = await own.service().remove(['cursor'], ['databricks-sql']);
    const sharedWith = [{ id: 'claude-code', name: 'Claude Code' }];
    expect(refused).toMatchObject({ result: 'failed', error: { code: 'shared_file' }, sharedWith });
    expect(inOneLine(refused?.error)).toMatch(
      /^Claude Code would lose the same entries: .*--yes removes it from Cursor and Claude Code\.$/,
    );
    expect(await own.read('.claude.json')).toBe(before);
    const [preview] = await own.service().remove(['cursor'], ['databricks-sql'], { dryRun: true });
    expect(preview).toMatchObject({ result: 'would change', sharedWith });
    const [done] = await own.service().remove(['cursor'], ['databricks-sql'], { evenShared: true });
    expect(done).toMatchObject({ result: 'written', sharedWith });
    expect(JSON.parse(await own.read('.claude.json'))).toEqual({});
  });

  test('is not asked about where both clients are named, or all', async () => {
    await using own = await ownClients();
    await sharedFile(own);
    const outcomes = await own.service().remove([], ['databricks-sql']);
    expect(outcomes.map(({ result }) => result)).not.toContain('failed');
    expect(JSON.parse(await own.read('.claude.json'))).toEqual({});
  });
});

describe('the file of a project', () => {
  const IDS = ['claude-code', 'cursor', 'vscode', 'codex', 'gemini'];
  const FILES = ['.mcp.json', '.cursor/mcp.json', '.vscode/mcp.json', '.codex/config.toml', '.gemini/settings.json'];

  test('gets entries without a path of this computer, is listed, repaired, and goes again', async () => {
    await using own = await ownClients();
    const project = join(own.home, 'work', 'app');
    await mkdir(project, { recursive: true });
    const outcomes = await own.service().add(IDS, [SQL], { project });
    expect(outcomes.map(({ result, file }) => [result, file])).toEqual(
      FILES.map((file) => ['written', join(project, file)]),
    );
    for (const file of FILES) {
      const text = await readFile(join(project, file), 'utf8');
      expect(text).not.toContain(own.home);
      expect(text).not.toContain(own.command);
      expect(text).toMatch(/"causeway"/);
      expect(text).toMatch(/"--profile",\s+"prod"/);
    }
    const without = (await own.service().survey([SQL])).filter(({ because }) => because !== null);
    for (const { files } of without)
      expect(files).toMatchObject([{ entries: { 'databricks-sql': 'not-on-path' }, repairable: [] }]);
    const bin = join(own.home, 'bin');
    await mkdir(bin);
    await writeFile(join(bin, 'causeway'), '', { mode: 0o755 });
    own.env.PATH = bin;
    const reports = (await own.service().survey([SQL])).filter(({ because }) => because !== null);
    expect(reports.map(({ id }) => id).sort()).toEqual([...IDS].sort());
    for (const { files } of reports)
      expect(files).toMatchObject([{ project, entries: { 'databricks-sql': 'current' } }]);
    await writeFile(join(project, '.mcp.json'), '{}');
    expect(await own.service().repair(['claude-code'], [SQL], { project })).toMatchObject([{ result: 'written' }]);
    expect(await own.service().projects()).toEqual([project]);
    const names = await own.service().ownNames([], project);
    await own.service().remove([], names, { project });
    for (const file of FILES.slice(1))
      await expect(readFile(join(project, file))).rejects.toMatchObject({ code: 'ENOENT' });
    expect(await own.service().projects()).toEqual([]);
  });

  test('is left alone by what concerns the own files', async () => {
    await using own = await ownClients();
    const project = join(own.home, 'app');
    await mkdir(project);
    await own.file(CURSOR, '{}');
    await own.service().add(['cursor'], [SQL], { project });
    await own.service().add(['cursor'], [SQL]);
    const before = await readFile(join(project, CURSOR), 'utf8');
    await own.service().remove([], await own.service().ownNames([]));
    expect(await readFile(join(project, CURSOR), 'utf8')).toBe(before);
    expect(await own.read(CURSOR)).toBe('{}');
  });

  test('is refused for a client that has none', async () => {
    await using own = await ownClients();
    const [refused] = await own.service().add(['claude-desktop'], [SQL], { project: own.home });
    expect(refused).toMatchObject({ error: { code: 'usage' } });
    expect(inOneLine(refused?.error)).toMatch(/Claude Desktop has no file for a project.*claude-code/);
  });
});
