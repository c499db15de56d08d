import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { createCauseway } from '../../main/app/causeway.ts';
import { setStage } from './stage.ts';

/** Files as Windows' own programs write them: Notepad, PowerShell 5, Excel. */

const MARK = '\uFEFF';
const PROFILE = '[work]\r\nhost = https://acme.cloud.databricks.com\r\ntoken = dapi-acme\r\n';

const stage = setStage();
const profileFile = () => join(stage.home, '.databrickscfg');

/** As `>` of PowerShell 5 writes it. */
const utf16 = (text: string) => Buffer.from(MARK + text, 'utf16le');

async function openAuth() {
  const causeway = createCauseway({ env: stage.env });
  stage.atEnd(() => causeway.close());
  return causeway.auth();
}

test('profiles with a byte order mark and CRLF are read, and a new one gets the same line breaks', async () => {
  await stage.file(profileFile(), `${MARK}; Jürgens\r\n${PROFILE}`);
  const auth = await openAuth();
  assert.equal((await auth.profile('work')).host, 'https://acme.cloud.databricks.com');
  await auth.addProfile('new', 'https://other.cloud.databricks.com');
  assert.equal(
    await readFile(profileFile(), 'utf8'),
    `${MARK}; Jürgens\r\n${PROFILE}\r\n[new]\r\nhost = https://other.cloud.databricks.com\r\n`,
  );
});

test('profiles in UTF-16 are reported as UTF-16, and stay unchanged', async () => {
  const bytes = utf16(PROFILE);
  await stage.file(profileFile(), bytes);
  const { code, stderr } = await stage.causeway('whoami', '--profile', 'work');
  assert.notEqual(code, 0);
  assert.match(stderr, /UTF-16, not UTF-8/);
  const auth = await openAuth();
  await assert.rejects(auth.addProfile('new', 'https://other.cloud.databricks.com'), /UTF-16/);
  assert.deepEqual(await readFile(profileFile()), bytes);
});

/** Files of three formats, as a client's user has written them. */
const FILES: [format: string, client: string, path: () => string, text: string][] = [
  [
    'JSON with a byte order mark',
    'cursor',
    () => join(stage.home, '.cursor', 'mcp.json'),
    `${MARK}{\r\n\t// für mich\r\n\t"mcpServers": {\r\n\t\t"files": { "command": "C:\\\\Program Files\\\\files.exe" }\r\n\t}\r\n}\r\n`,
  ],
  [
    'TOML',
    'codex',
    () => join(stage.home, '.codex', 'config.toml'),
    "# für mich\r\nmodel = 'x'\r\n\r\n[mcp_servers.files]\r\ncommand = 'C:\\files.exe'\r\n",
  ],
  [
    'YAML',
    'goose',
    () => join(stage.roaming, 'Block', 'goose', 'config', 'config.yaml'),
    '# für mich\r\nGOOSE_PROVIDER: databricks\r\n',
  ],
];

async function addServer(): Promise<void> {
  await stage.file(profileFile(), PROFILE);
  assert.equal(
    (await stage.causeway('servers', 'add', '--path', '/api/2.0/mcp/sql', '--no-check', '--profile', 'work')).code,
    0,
  );
}

for (const [format, client, path, text] of FILES) {
  test(`a client's file in ${format} keeps its CRLF with an entry of ours, and every byte once that is gone`, async () => {
    await addServer();
    const file = await stage.file(path(), text);
    const added = await stage.causeway('clients', 'add', client, '--force');
    assert.equal(added.code, 0, added.stderr);
    const changed = await readFile(file, 'utf8');
    assert.match(changed, /proxy/);
    assert.doesNotMatch(changed, /[^\r]\n/);
    const removed = await stage.causeway('clients', 'remove', client, '--force');
    assert.equal(removed.code, 0, removed.stderr);
    assert.equal(await readFile(file, 'utf8'), text);
  });
}

test("a client's file in UTF-16 is reported as UTF-16, and stays unchanged", async () => {
  await addServer();
  const bytes = utf16('{\r\n}\r\n');
  const file = await stage.file(join(stage.home, '.cursor', 'mcp.json'), bytes);
  const { code, stdout, stderr } = await stage.causeway('clients', 'add', 'cursor', '--force');
  assert.notEqual(code, 0);
  assert.match(stdout + stderr, /UTF-16, not UTF-8/);
  assert.deepEqual(await readFile(file), bytes);
});

test('an import in UTF-16 or a code page is reported as such before the workspace is contacted', async () => {
  const lines = 'user;warehouse\r\nJürgen;x\r\n';
  const files = [
    ['unicode.csv', utf16(lines), /UTF-16, not UTF-8/],
    ['ansi.csv', Buffer.from(lines, 'latin1'), /line 2, column 2.*0xFC is not UTF-8/],
  ] as const;
  await stage.file(profileFile(), PROFILE);
  for (const [name, bytes, words] of files) {
    const file = await stage.file(join(stage.home, name), bytes);
    const { code, stderr } = await stage.causeway('warehouse', 'import', file, '--dry-run', '--profile', 'work');
    assert.notEqual(code, 0);
    assert.match(stderr, words);
  }
});
