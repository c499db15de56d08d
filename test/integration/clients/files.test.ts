import { chmod, lstat, mkdir, readdir, rename, rm, stat, symlink, utimes, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import { listBackups } from '../../../main/clients/backups.ts';
import { problemFor } from '../../../main/desktop/failure.ts';
import { inOneLine } from '../../../main/words/failure.ts';
import { GENIE, ownClients, SQL } from './own-clients.ts';

const CURSOR = '.cursor/mcp.json';
const THEIRS = '{\n  // mine\n  "mcpServers": {\n    "files": { "command": "npx" }\n  }\n}\n';

describe('inspecting the clients', () => {
  test('says how a client was found, where its file is and what is in it, and writes nothing', async () => {
    await using own = await ownClients();
    await own.file(CURSOR, THEIRS);
    await mkdir(join(own.home, '.codex'));
    const before = await own.everything();
    const reports = await own.service().survey([SQL]);
    const cursor = reports.find(({ id }) => id === 'cursor');
    expect(cursor).toMatchObject({
      foundBy: `${join(own.home, '.cursor')} exists`,
      files: [{ path: join(own.home, CURSOR), exists: true, entries: { 'databricks-sql': 'absent' } }],
    });
    expect(reports.find(({ id }) => id === 'zed')).toMatchObject({ foundBy: null, files: [] });
    const outcomes = await own.service().add([], [SQL], { dryRun: true });
    expect(outcomes.map(({ client, result }) => [client, result])).toEqual([
      ['cursor', 'would-change'],
      ['codex', 'would-change'],
    ]);
    expect(outcomes[0]?.diff).toContain('+    "databricks-sql": {');
    expect(await own.everything()).toEqual(before);
  });

  test('finds a client by its command, too', async () => {
    await using own = await ownClients();
    await own.file('bin/codex', '#!/bin/sh\n', 0o755);
    own.env.PATH = join(own.home, 'bin');
    const reports = await own.service().survey([]);
    expect(reports.filter(({ foundBy }) => foundBy).map(({ id, foundBy }) => [id, foundBy])).toEqual([
      ['codex', `the command ${join(own.home, 'bin', 'codex')} exists`],
    ]);
  });
});

describe('writing', () => {
  test('never creates the folder of a client that is not installed', async () => {
    await using own = await ownClients();
    expect(await own.service().add([], [SQL])).toEqual([]);
    const [outcome] = await own.service().add(['cursor'], [SQL]);
    expect(outcome).toMatchObject({ result: 'failed', error: { code: 'not_found' } });
    expect(await readdir(own.home)).toEqual([]);
  });

  test('adds an entry, changes nothing the second time, and restores the bytes when it removes the entry', async () => {
    await using own = await ownClients();
    const path = await own.file(CURSOR, THEIRS, 0o640);
    const service = own.service();
    const [added] = await service.add(['cursor'], [SQL, GENIE]);
    expect(added).toMatchObject({ result: 'written', afterwards: expect.stringContaining('Restart Cursor') });
    const written = await stat(path);
    expect(written.mode & 0o777).toBe(0o640);
    expect(await service.add(['cursor'], [SQL, GENIE])).toMatchObject([{ result: 'unchanged' }]);
    expect((await stat(path)).ino).toBe(written.ino);
    await service.remove(['cursor'], await service.ownNames([]));
    expect(await own.read(CURSOR)).toBe(THEIRS);
    expect(await readdir(dirname(path))).toEqual(['mcp.json']);
  });

  test('a file that did not exist is removed with the last entry', async () => {
    await using own = await ownClients();
    await mkdir(join(own.home, '.cursor'));
    await own.service().add(['cursor'], [SQL]);
    expect((await stat(join(own.home, CURSOR))).mode & 0o777).toBe(0o600);
    await own.service().remove(['cursor'], ['databricks-sql']);
    expect(await readdir(join(own.home, '.cursor'))).toEqual([]);
  });

  test('a symbolic link remains one, and its target is written', async () => {
    await using own = await ownClients();
    const target = await own.file('dotfiles/cursor.json', THEIRS);
    await mkdir(join(own.home, '.cursor'));
    await symlink(target, join(own.home, CURSOR));
    await own.service().add(['cursor'], [SQL]);
    expect((await lstat(join(own.home, CURSOR))).isSymbolicLink()).toBe(true);
    expect(await own.read('dotfiles/cursor.json')).toContain('databricks-sql');
  });

  test('spaces and letters of any alphabet work in the path', async () => {
    await using own = await ownClients('Ана Müller 日本');
    await own.file(CURSOR, THEIRS);
    expect(await own.service().add([], [SQL])).toMatchObject([{ result: 'written' }]);
    expect((await own.service().survey([SQL])).find(({ id }) => id === 'cursor')?.files[0]?.entries).toEqual({
      'databricks-sql': 'current',
    });
  });

  test('a file of 20 MB is edited like any other', async () => {
    await using own = await ownClients();
    const history = JSON.stringify({ history: Array.from({ length: 20 }, () => 'x'.repeat(1024 * 1024)) });
    await own.file('.claude.json', history);
    expect(await own.service().add([], [SQL])).toMatchObject([{ result: 'written' }]);
    await own.service().remove([], ['databricks-sql']);
    expect((await own.read('.claude.json')) === history).toBe(true);
  });

  test('a client that writes repeatedly does not block the change, which restarts each time', async () => {
    await using own = await ownClients();
    const path = await own.file(CURSOR, '{}');
    let stop = false;
    const client = (async () => {
      for (let count = 1; !stop; count += 1) {
        // As clients do it: read, change, write, with nothing that keeps others out.
        const data = JSON.parse((await own.read(CURSOR)) || '{}');
        await writeFile(`${path}.new`, JSON.stringify({ ...data, count }));
        await rename(`${path}.new`, path);
        await sleep(20);
      }
    })();
    const services = [own.service(), own.service()];
    try {
      for (let round = 0; round < 10; round += 1) {
        const outcomes = await Promise.all(services.map((service, at) => service.add([], at === 0 ? [SQL] : [GENIE])));
        expect(outcomes.flat().map(({ error }) => error)).toEqual([undefined, undefined]);
      }
    } finally {
      stop = true;
      await client;
    }
    await own.service().add([], [SQL, GENIE]);
    const data = JSON.parse(await own.read(CURSOR));
    expect(Object.keys(data.mcpServers)).toEqual(expect.arrayContaining(['databricks-sql', 'genie-7191']));
    expect(data.count).toBeGreaterThan(0);
  });

  test("Cline's own lock is waited for, and acquired", async () => {
    await using own = await ownClients();
    const path = await own.file('.cline/data/settings/cline_mcp_settings.json', '{"mcpServers":{}}');
    const lock = `${path}.lock`;
    await mkdir(lock);
    await writeFile(join(lock, 'owner'), 'cline');
    const adding = own.service().add(['cline'], [SQL]);
    // Time enough to do it wrong: what was written now, the client's own writing would undo.
    await Promise.race([adding, sleep(300)]);
    await writeFile(path, '{"mcpServers":{"theirs":{}}}');
    await rm(lock, { recursive: true });
    expect(await adding).toMatchObject([{ result: 'written' }]);
    const { mcpServers } = JSON.parse(await own.read('.cline/data/settings/cline_mcp_settings.json'));
    expect(Object.keys(mcpServers)).toEqual(['theirs', 'databricks-sql']);
    expect(await readdir(dirname(path))).toEqual(['cline_mcp_settings.json']);
  });

  test("Cline's stale lock is acquired even if the clock was set back since", async () => {
    await using own = await ownClients();
    const path = await own.file('.cline/data/settings/cline_mcp_settings.json', '{"mcpServers":{}}');
    const lock = `${path}.lock`;
    await mkdir(lock);
    await utimes(lock, Date.now() / 1000 + 86_400, Date.now() / 1000 + 86_400);
    expect(await own.service().add(['cline'], [SQL])).toMatchObject([{ result: 'written' }]);
    expect(await readdir(dirname(path))).toEqual(['cline_mcp_settings.json']);
  });
});

describe('a file that cannot be written is left complete and reported', () => {
  test('with line, column and remedy if it cannot be parsed, and the other clients are written', async () => {
    await using own = await ownClients();
    const path = await own.file(CURSOR, '{\n  "mcpServers": {\n    "a": }\n}\n');
    await own.file('.codex/config.toml', 'model = = 1\n');
    await own.file('.config/goose/config.yaml', 'a: [1\nb: 2\n');
    await own.file('.qwen/settings.json', '{}');
    const outcomes = await own.service().add([], [SQL]);
    const messages = Object.fromEntries(outcomes.map(({ client, error }) => [client, inOneLine(error)]));
    expect(messages.cursor).toContain(`${path}, line 3, column 10`);
    expect(messages.cursor).toContain('Nothing was written. Correct the file there');
    expect(messages.codex).toContain('config.toml, line 1, column 9: this is not valid TOML');
    expect(messages.goose).toContain('config.yaml, line 2, column 1: this is not valid YAML');
    expect(outcomes.find(({ client }) => client === 'qwen')).toMatchObject({ result: 'written' });
    expect(await own.read(CURSOR)).toBe('{\n  "mcpServers": {\n    "a": }\n}\n');
  });

  test.each([
    [
      '.codex/config.toml',
      'model = "x"\n\n[[mcp_servers]]\nname = "a"\n',
      ', line 3, column 1: "mcp_servers" is not a table',
    ],
    ['.codex/config.toml', 'model = "x"\nmcp_servers = []\n', ', line 2, column 1: "mcp_servers" is not a table'],
    ['.config/goose/config.yaml', 'a: 1\n---\nb: 2\n', ', line 2, column 1: it contains several documents'],
  ])('with line and column if the entries of %s cannot be in %j', async (file, text, words) => {
    await using own = await ownClients();
    await own.file(file, text);
    const [outcome] = await own.service().add([], [SQL]);
    expect(inOneLine(outcome?.error)).toContain(`${file.split('/').at(-1)}${words}`);
    expect(await own.read(file)).toBe(text);
  });

  test.each<[string, (path: string) => Promise<unknown>, string, RegExp]>([
    ['a read-only file', (path) => chmod(path, 0o444), 'file_not_writable', /is read-only.*Nothing was changed/],
    [
      'text that is not UTF-8',
      (path) => writeFile(path, Buffer.from([0x7b, 0xff, 0x7d])),
      'invalid_file',
      /mcp\.json, line 1, column 2: the byte 0xFF is not UTF-8/,
    ],
    [
      'a text in UTF-16',
      (path) => writeFile(path, Buffer.from('\uFEFF{}', 'utf16le')),
      'invalid_file',
      /, line 1, column 1: .*UTF-16/,
    ],
    ['a list', (path) => writeFile(path, '[]'), 'invalid_file', /an object was expected/],
    ['servers that are a string', (path) => writeFile(path, '{"mcpServers":"no"}'), 'invalid_file', /not an object/],
  ])('%s', async (_what, make, code, words) => {
    await using own = await ownClients();
    const path = await own.file(CURSOR, THEIRS);
    await make(path);
    const before = await own.everything();
    const [outcome] = await own.service().add(['cursor'], [SQL]);
    expect(outcome).toMatchObject({ result: 'failed', error: { code } });
    expect(inOneLine(outcome?.error)).toMatch(words);
    expect(await own.everything()).toEqual(before);
  });

  test('if a folder is in its place', async () => {
    await using own = await ownClients();
    await mkdir(join(own.home, CURSOR), { recursive: true });
    const [outcome] = await own.service().add(['cursor'], [SQL]);
    expect(outcome).toMatchObject({ error: { code: 'invalid_file' } });
    expect(inOneLine(outcome?.error)).toMatch(/is a folder/);
  });

  test.skipIf(process.getuid?.() === 0)('if its folder is read-only', async () => {
    await using own = await ownClients();
    await own.file(CURSOR, THEIRS);
    await chmod(join(own.home, '.cursor'), 0o500);
    const [outcome] = await own.service().add(['cursor'], [SQL]);
    await chmod(join(own.home, '.cursor'), 0o700);
    expect(outcome).toMatchObject({ error: { code: 'file_not_writable' } });
    expect(inOneLine(outcome?.error)).toMatch(/permissions/);
    expect(await own.read(CURSOR)).toBe(THEIRS);
  });

  test('if the user wrote an entry of the same name', async () => {
    await using own = await ownClients();
    const theirs = '{"mcpServers":{"databricks-sql":{"command":"python","args":["server.py"]}}}';
    await own.file(CURSOR, theirs);
    const [refused] = await own.service().add([], [SQL]);
    expect(refused).toMatchObject({ error: { code: 'already_exists' } });
    expect(inOneLine(refused?.error)).toMatch(
      /Rename it in Cursor, give the server another name, or use --force to replace it\.$/,
    );
    expect(problemFor(refused?.error).remedy).toBe('Nothing was written. Rename it in Cursor, or replace it.');
    await own.service().remove([], ['databricks-sql']);
    expect(await own.read(CURSOR)).toBe(theirs);
    const [report] = (await own.service().survey([SQL])).filter(({ id }) => id === 'cursor');
    expect(report?.files[0]?.entries).toEqual({ 'databricks-sql': 'foreign' });
  });

  test('if its running client overwrites it', async () => {
    await using own = await ownClients();
    const path = await own.file('.config/Claude/claude_desktop_config.json', '{}');
    const running = own.service({ running: ['init', 'claude-desktop'] });
    const [refused] = await running.add([], [SQL]);
    expect(refused).toMatchObject({ error: { code: 'client_running' } });
    expect(inOneLine(refused?.error)).toMatch(/Quit Claude Desktop and try again, or use --force to write anyway\.$/);
    expect(problemFor(refused?.error).remedy).toBe('Nothing was written. Quit Claude Desktop, then try again.');
    expect(await own.read('.config/Claude/claude_desktop_config.json')).toBe('{}');
    // What is someone else's may be replaced, and the client still runs.
    expect(await running.add([], [SQL], { replace: true })).toMatchObject([{ error: { code: 'client_running' } }]);
    expect(await running.add([], [SQL], { whileRunning: true })).toMatchObject([{ file: path, result: 'written' }]);
    const [backup] = await listBackups(own.env);
    await expect(running.restore(backup?.id ?? '')).rejects.toMatchObject({
      code: 'client_running',
      action: { do: 'quit-client', client: 'Claude Desktop' },
    });
    expect(await running.restore(backup?.id ?? '', { dryRun: true })).toMatchObject({ result: 'would-restore' });
    expect(await running.restore(backup?.id ?? '', { whileRunning: true })).toMatchObject({ result: 'restored' });
    expect(await own.read('.config/Claude/claude_desktop_config.json')).toBe('{}');
  });
});
