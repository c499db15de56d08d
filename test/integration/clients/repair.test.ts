import { readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { listBackups } from '../../../main/clients/backups.ts';
import { locate } from '../../../main/clients/detect.ts';
import { GENIE, type OwnClients, ownClients, SQL } from './own-clients.ts';

const CURSOR = '.cursor/mcp.json';

async function stateIn(own: OwnClients): Promise<string | undefined> {
  const [report] = (await own.service().survey([SQL])).filter(({ id }) => id === 'cursor');
  return report?.files[0]?.entries['databricks-sql'];
}

describe('an entry that was written', () => {
  test.each<[string, string, (text: string) => string]>([
    ['vanished', 'vanished', () => '{}'],
    ['disappeared with its file', 'vanished', () => ''],
    ['was pointed elsewhere', 'edited', (text) => text.replace('/api/2.0/mcp/sql', '/api/2.0/mcp/other')],
    [
      'got another executable of ours',
      'broken',
      (text) => text.replace(/"command": "[^"]*"/, '"command": "/gone/causeway"'),
    ],
  ])('%s is reported, and repaired on request', async (_what, state, spoil) => {
    await using own = await ownClients();
    await own.file(CURSOR, '{"theirs": 1}');
    await own.service().add([], [SQL]);
    expect(await stateIn(own)).toBe('current');
    await own.file(CURSOR, spoil(await own.read(CURSOR)));
    expect(await stateIn(own)).toBe(state);
    expect(await own.service().repair([], [SQL])).toMatchObject([{ result: 'written' }]);
    expect(await stateIn(own)).toBe('current');
  });

  test('leads to an executable that is gone', async () => {
    await using own = await ownClients();
    await own.file(CURSOR, '{}');
    const gone = join(own.home, 'old version', 'causeway');
    await own.service({ command: gone }).add([], [SQL]);
    expect(await stateIn(own)).toBe('broken');
    await own.service().repair([], [SQL]);
    expect(await stateIn(own)).toBe('current');
    expect(await own.read(CURSOR)).toContain(own.command);
  });

  test('keeps what the user or the client added to it', async () => {
    await using own = await ownClients();
    await own.file(CURSOR, '{}');
    await own.service().add([], [SQL]);
    const data = JSON.parse(await own.read(CURSOR));
    Object.assign(data.mcpServers['databricks-sql'], { disabled: true, command: '/elsewhere/causeway' });
    await own.file(CURSOR, JSON.stringify(data));
    await own.service().repair([], [SQL]);
    expect(JSON.parse(await own.read(CURSOR)).mcpServers['databricks-sql']).toMatchObject({
      disabled: true,
      command: own.command,
    });
  });

  test('is not repaired if it was never written', async () => {
    await using own = await ownClients();
    await own.file(CURSOR, '{}');
    await own.service().repair([], [SQL]);
    expect(await own.read(CURSOR)).toBe('{}');
  });

  test('with its own address is correct, and is restored with it', async () => {
    await using own = await ownClients();
    await own.file('.claude.json', '{}');
    const http = {
      urlOf: () => 'https://w.example.com/api/2.0/mcp/sql',
      isPublished: async () => false,
      clientId: 'app-1',
      callbackPort: 8020,
    };
    await own.service().add([], [SQL], { http });
    const expected = {
      type: 'http',
      url: 'https://w.example.com/api/2.0/mcp/sql',
      oauth: { clientId: 'app-1', callbackPort: 8020 },
    };
    expect(JSON.parse(await own.read('.claude.json')).mcpServers['databricks-sql']).toEqual(expected);
    expect(await own.service().repair([], [SQL])).toMatchObject([{ result: 'unchanged' }]);
    await own.file('.claude.json', '{}');
    await own.service().repair([], [SQL]);
    expect(JSON.parse(await own.read('.claude.json')).mcpServers['databricks-sql']).toEqual(expected);
  });
});

describe('backups', () => {
  test('are made of each file before its first change; restoring one restores the bytes and can be undone', async () => {
    await using own = await ownClients();
    const original = '{ "theirs": [1,2] , }';
    const path = await own.file(CURSOR, original, 0o600);
    const [first] = await own.service().add([], [SQL]);
    const [second] = await own.service().add([], [GENIE]);
    expect(second).not.toHaveProperty('backup');
    expect(await listBackups(own.env)).toMatchObject([{ id: first?.backup, file: path, client: 'cursor' }]);
    const changed = await own.read(CURSOR);
    const { kept } = await own.service().restore(first?.backup ?? '');
    expect(await own.read(CURSOR)).toBe(original);
    expect(await stateIn(own)).toBe('absent');
    await own.service().restore(kept ?? '');
    expect(await own.read(CURSOR)).toBe(changed);
    await expect(own.service().restore('nope')).rejects.toMatchObject({ code: 'not_found' });
  });

  test('of a file that did not exist remove it when they are restored', async () => {
    await using own = await ownClients();
    const path = await own.file(CURSOR, '');
    await rm(path);
    const [outcome] = await own.service().add([], [SQL]);
    await own.service().restore(outcome?.backup ?? '');
    await expect(readFile(path)).rejects.toMatchObject({ code: 'ENOENT' });
  });

  test('the record of what was written is set aside if it is damaged, and nothing else is lost', async () => {
    await using own = await ownClients();
    await own.file(CURSOR, '{}');
    await own.service().add([], [SQL]);
    await writeFile(join(own.env.CAUSEWAY_HOME ?? '', 'state', 'client-files.json'), '{ half');
    expect(await stateIn(own)).toBe('current');
    expect(await own.service().remove([], ['databricks-sql'])).toMatchObject([{ result: 'written' }]);
    expect(JSON.parse(await own.read(CURSOR))).toEqual({ mcpServers: {} });
  });
});

describe("Claude Desktop's files on Windows", () => {
  const config = (id: string) => `AppData/Local/Packages/${id}/LocalCache/Roaming/Claude/claude_desktop_config.json`;

  test('are named and not written if there are several packages', async () => {
    await using own = await ownClients();
    await own.file(config('Claude_a'), '{}');
    await own.file(config('Claude_b'), '{}');
    // Windows' rules with this system's separator.
    const service = own.service();
    const row = service.client('claude-desktop');
    const slashed = {
      ...row,
      files: (places: Parameters<typeof row.files>[0]) =>
        row
          .files({
            ...places,
            system: 'win32',
            bySystem: (values) => values.win32,
            localData: (...parts) => join(own.home, 'AppData', 'Local', ...parts),
            join,
          })
          .map(({ path, if: condition, ...rest }) => ({
            ...rest,
            path: path.replaceAll('\\', '/'),
            ...(typeof condition === 'string' ? { if: condition.replaceAll('\\', '/') } : {}),
          })),
    };
    const environment = { system: 'linux' as const, home: own.home, env: own.env };
    await expect(locate(slashed, environment)).rejects.toMatchObject({ code: 'ambiguous' });
    await rm(join(own.home, 'AppData/Local/Packages/Claude_b'), { recursive: true });
    expect(await locate(slashed, environment)).toMatchObject([{ path: join(own.home, config('Claude_a')) }]);
  });
});
