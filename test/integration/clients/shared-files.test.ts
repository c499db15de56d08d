import { mkdir, readFile, readlink, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { inOneLine } from '../../../main/words/failure.ts';
import { CURSOR, fileOf, type OwnClients, ownClients, SQL } from './own-clients.ts';

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

  test('loses nothing of the other client unless the user agrees', async () => {
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
    expect(preview).toMatchObject({ result: 'would-change', sharedWith });
    const [done] = await own.service().remove(['cursor'], ['databricks-sql'], { evenShared: true });
    expect(done).toMatchObject({ result: 'written', sharedWith });
    expect(JSON.parse(await own.read('.claude.json'))).toEqual({});
  });

  test('needs no confirmation if both clients are named, or all', async () => {
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

  test('gets entries without a path of this computer, is listed, repaired, and removed again', async () => {
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
    const without = (await own.service().survey([SQL])).filter(({ foundBy }) => foundBy !== null);
    for (const { files } of without)
      expect(files).toMatchObject([{ entries: { 'databricks-sql': 'not-on-path' }, repairable: [] }]);
    const bin = join(own.home, 'bin');
    await mkdir(bin);
    await writeFile(join(bin, 'causeway'), '', { mode: 0o755 });
    own.env.PATH = bin;
    const reports = (await own.service().survey([SQL])).filter(({ foundBy }) => foundBy !== null);
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

  test("is left alone by what concerns the user's own files", async () => {
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
