import { execFile } from 'node:child_process';
import { lstat, mkdir, readdir, readlink, symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { describe, expect, test } from 'vitest';
import { inOneLine } from '../../../main/words/failure.ts';
import { COMPILED } from '../../compiled.ts';
import { GENIE, ownClients, SQL } from './own-clients.ts';

const WRITER = fileURLToPath(new URL('writer.ts', import.meta.url));
const CURSOR = '.cursor/mcp.json';
const MARK = '\ufeff';
const CONTINUE = 'name: Mine\nversion: 1.0.0\nschema: v1\n';
const windows = (text: string) => text.replaceAll('\n', '\r\n');

/** Files as people have them: what is in them, the client, where it keeps it, the text. */
const FILES: [what: string, client: string, path: string, text: string][] = [
  ['null for no servers', 'cursor', CURSOR, '{\n  "theme": 1,\n  "mcpServers": null,\n  "z": 2\n}\n'],
  ['null in a file without spaces', 'cursor', CURSOR, '{"mcpServers":null}'],
  ['null between comments', 'cursor', CURSOR, '{ "mcpServers": /* none */ null // yet\n}'],
  ['null behind a key that stands there twice', 'cursor', CURSOR, '{"mcpServers":{"a":{}},"mcpServers":null}'],
  ['null with Windows line ends', 'vscode', '.config/Code/User/mcp.json', windows('{\n\t"servers": null\n}')],
  ['null under a key with a dot', 'amp', '.config/amp/settings.json', '{\n  "amp.mcpServers": null,\n}\n'],
  ['null where two layouts have the key', 'opencode', '.config/opencode/opencode.json', '{\n  "mcp": null\n}\n'],
  ['a byte order mark alone', 'cursor', CURSOR, MARK],
  ['line breaks alone', 'cursor', CURSOR, '\n\n'],
  [
    'a byte order mark, Windows line ends, comments, trailing commas',
    'cursor',
    CURSOR,
    MARK + windows('{\n\t// mine\n\t"mcpServers": {\n\t\t"files": { "command": "npx", }, // last\n\t},\n}\n'),
  ],
  ['mixed line ends', 'cursor', CURSOR, '{\r\n  "a": 1,\n  "b": 2\r\n}\n'],
  ['servers that are commented out', 'cursor', CURSOR, '{\n  "mcpServers": {\n    // "old": {}\n  }\n}\n'],
  ['a key with nothing behind it', 'continue-cli', '.continue/config.yaml', `${CONTINUE}mcpServers:\n`],
  ['a key with a comment behind it', 'continue-cli', '.continue/config.yaml', `${CONTINUE}mcpServers: # none yet\n`],
  ['a tilde for null', 'continue-cli', '.continue/config.yaml', `${CONTINUE}mcpServers: ~\n`],
  ['null in flow style', 'goose', '.config/goose/config.yaml', '{ a: 1, extensions: null }\n'],
  ['nothing behind a key in flow style', 'goose', '.config/goose/config.yaml', '{ a: 1, extensions: }\n'],
  ['an empty list', 'continue-cli', '.continue/config.yaml', `${CONTINUE}mcpServers: [ ]\n`],
  [
    'a list in flow style',
    'continue-cli',
    '.continue/config.yaml',
    `${CONTINUE}mcpServers: [\n  {name: a, command: npx},\n]\n`,
  ],
  [
    'a list that is not indented',
    'continue-cli',
    '.continue/config.yaml',
    `${CONTINUE}mcpServers:\n- name: a\n  command: npx`,
  ],
  [
    'a list with comments, anchors and blocks',
    'continue-cli',
    '.continue/config.yaml',
    `---\n${CONTINUE}mcpServers:\n  - &a # first\n    name: a\n    env:\n      X: |\n        long\n  # about b\n  - <<: *a\n    name: b\n  - uses: c/d\n\n# tail\n`,
  ],
  [
    'a list with a byte order mark and Windows line ends',
    'continue-cli',
    '.continue/config.yaml',
    MARK + windows(`${CONTINUE}mcpServers:\n  - name: a\n    command: npx\nmodels: []\n`),
  ],
  ['an empty table', 'codex', '.codex/config.toml', 'model = "x"\n[mcp_servers]\n[other]\na=1'],
  ['an inline table', 'codex', '.codex/config.toml', 'mcp_servers = { a = { command = "x" } }\n'],
  ['keys with dots', 'codex', '.codex/config.toml', 'mcp_servers.a.command = "x"\n'],
];

describe("a client's file that has", () => {
  test.each(FILES)(
    '%s gets entries and is restored byte for byte when they are removed (%s)',
    async (_what, id, path, text) => {
      await using own = await ownClients();
      const file = await own.file(path, text);
      await own.file('bin/cn', '#!/bin/sh\n', 0o755);
      own.env.PATH = join(own.home, 'bin');
      const service = own.service();
      expect(await service.add([id], [SQL, GENIE])).toMatchObject([{ file, result: 'written' }]);
      const report = (await service.survey([SQL, GENIE])).find((each) => each.id === id);
      expect(report?.files[0]?.entries).toEqual({ 'databricks-sql': 'current', 'genie-7191': 'current' });
      await service.remove([id], [SQL.name, GENIE.name], { evenShared: true });
      expect(await own.read(path)).toBe(text);
    },
  );
});

describe('a chain of symbolic links', () => {
  test('stays as it is, and the file at its end is restored byte for byte by the removal', async () => {
    await using own = await ownClients();
    const text = windows('{\n  "mcpServers": null\n}\n');
    await own.file('dotfiles/real/cursor.json', text, 0o640);
    await symlink('real', join(own.home, 'dotfiles', 'current'));
    await symlink(join('current', 'cursor.json'), join(own.home, 'dotfiles', 'mcp.json'));
    await mkdir(join(own.home, 'config'));
    await symlink(join('..', 'dotfiles', 'mcp.json'), join(own.home, 'config', 'mcp.json'));
    await symlink('config', join(own.home, '.cursor'));
    const links = ['.cursor', 'config/mcp.json', 'dotfiles/mcp.json', 'dotfiles/current'];
    const led = () => Promise.all(links.map((link) => readlink(join(own.home, link))));
    const before = await led();
    await own.service().add(['cursor'], [SQL, GENIE]);
    expect(await own.read('dotfiles/real/cursor.json')).toContain('databricks-sql');
    expect((await lstat(join(own.home, 'dotfiles/real/cursor.json'))).mode & 0o777).toBe(0o640);
    await own.service().remove(['cursor'], [SQL.name, GENIE.name]);
    expect(await led()).toEqual(before);
    expect(await own.read('dotfiles/real/cursor.json')).toBe(text);
    expect(await readdir(join(own.home, 'dotfiles/real'))).toEqual(['cursor.json']);
  });

  test('is refused if it ends in a read-only file, and nothing is changed', async () => {
    await using own = await ownClients();
    await own.file('dotfiles/cursor.json', '{}', 0o444);
    await mkdir(join(own.home, '.cursor'));
    await symlink(join('..', 'dotfiles', 'cursor.json'), join(own.home, CURSOR));
    const before = await own.everything();
    const [outcome] = await own.service().add(['cursor'], [SQL]);
    expect(outcome).toMatchObject({ result: 'failed', error: { code: 'file_not_writable' } });
    expect(inOneLine(outcome?.error)).toMatch(/is read-only.*Nothing was changed/);
    expect(await own.everything()).toEqual(before);
  });

  test('is refused if it is circular', async () => {
    await using own = await ownClients();
    await mkdir(join(own.home, '.cursor'));
    await symlink('other.json', join(own.home, CURSOR));
    await symlink('mcp.json', join(own.home, '.cursor/other.json'));
    const [outcome] = await own.service().add(['cursor'], [SQL]);
    expect(outcome).toMatchObject({ result: 'failed' });
    expect(inOneLine(outcome?.error)).toMatch(/link/);
    expect(await readlink(join(own.home, CURSOR))).toBe('other.json');
  });
});

test('two processes that add entries at once, and remove them at once, leave the bytes as they were', async () => {
  await using own = await ownClients();
  const text = '{\n  "mcpServers": null,\n  "theirs": 1\n}\n';
  await own.file(CURSOR, text);
  const run = (name: string) =>
    promisify(execFile)(process.execPath, [...COMPILED, WRITER, own.home, own.command, '1', name], { env: own.env });
  const both = async () => {
    for (const { stderr } of await Promise.all([run(SQL.name), run(GENIE.name)])) expect(stderr).toBe('');
  };
  await both();
  const { mcpServers } = JSON.parse(await own.read(CURSOR));
  expect(Object.keys(mcpServers).toSorted()).toEqual(['databricks-sql', 'genie-7191']);
  await both();
  expect(await own.read(CURSOR)).toBe(text);
});

test('a client that has rewritten its file meanwhile keeps what it wrote after the removal', async () => {
  await using own = await ownClients();
  const path = await own.file('.claude.json', '{"mcpServers":null,"projects":{}}');
  await own.service().add(['claude-code'], [SQL, GENIE]);
  const { projects, mcpServers } = JSON.parse(await own.read('.claude.json'));
  const theirs = { command: 'npx', args: ['other'] };
  // Another order, another indentation, its own server between ours, no line end.
  const anew = {
    numStartups: 3,
    mcpServers: { [GENIE.name]: mcpServers[GENIE.name], theirs, [SQL.name]: mcpServers[SQL.name] },
    projects,
  };
  await own.file('.claude.json', JSON.stringify(anew, null, '\t'));
  expect(await own.service().remove(['claude-code'], [SQL.name, GENIE.name])).toMatchObject([
    { file: path, result: 'written' },
  ]);
  const left = { numStartups: 3, mcpServers: { theirs }, projects };
  expect(await own.read('.claude.json')).toBe(JSON.stringify(left, null, '\t'));
});
