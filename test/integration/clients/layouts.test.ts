import { mkdir, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { GENIE, type OwnClients, ownClients, SQL } from './own-clients.ts';

const OPENCODE = '.config/opencode/opencode.json';

describe("opencode's two places for entries", () => {
  test('a file that has the newer one gets them there, and is restored afterwards', async () => {
    await using own = await ownClients();
    const original =
      '{\n  "mcp": {\n    "timeout": 1, // of all\n    "servers": {\n      "files": { "type": "local", "command": ["npx"] }\n    }\n  }\n}\n';
    await own.file(OPENCODE, original);
    await own.service().add([], [SQL, GENIE]);
    const { mcp } = JSON.parse((await own.read(OPENCODE)).replace('// of all', ''));
    expect(Object.keys(mcp)).toEqual(['timeout', 'servers']);
    expect(mcp.servers['databricks-sql']).toEqual({
      type: 'local',
      command: [own.command, 'proxy', '--profile', 'prod', '--path', '/api/2.0/mcp/sql'],
      timeout: { catalog: 300_000, execution: 300_000 },
    });
    expect(await own.service().add([], [SQL, GENIE])).toMatchObject([{ result: 'unchanged' }]);
    await own.service().remove([], ['databricks-sql', 'genie-7191']);
    expect(await own.read(OPENCODE)).toBe(original);
  });

  test.each([
    ['nothing yet', '{}'],
    ['the older one', '{ "mcp": { "files": { "type": "local", "command": ["npx"] } } }'],
    ['a server that is called "servers"', '{ "mcp": { "servers": { "type": "local", "command": ["npx"] } } }'],
  ])('a file that has %s gets them in the older one, which every version reads', async (_what, original) => {
    await using own = await ownClients();
    await own.file(OPENCODE, original);
    await own.service().add([], [SQL]);
    expect(JSON.parse(await own.read(OPENCODE)).mcp['databricks-sql']).toMatchObject({ type: 'local', enabled: true });
    await own.service().remove([], ['databricks-sql']);
    expect(await own.read(OPENCODE)).toBe(original);
  });

  test('an entry in the older one is not left behind once the file has the newer one', async () => {
    await using own = await ownClients();
    await own.file(OPENCODE, '{ "mcp": { "files": { "type": "local", "command": ["npx"] } } }');
    await own.service().add([], [SQL]);
    const { mcp } = JSON.parse(await own.read(OPENCODE));
    await own.file(OPENCODE, JSON.stringify({ mcp: { ...mcp, servers: {} } }));
    const [report] = (await own.service().survey([SQL])).filter(({ foundBy }) => foundBy);
    expect(report?.files[0]?.entries).toEqual({ 'databricks-sql': 'vanished' });
    await own.service().repair([], [SQL]);
    const repaired = JSON.parse(await own.read(OPENCODE)).mcp;
    expect(Object.keys(repaired)).toEqual(['files', 'servers']);
    expect(Object.keys(repaired.servers)).toEqual(['databricks-sql']);
  });
});

describe('Flatpak applications', () => {
  const FLATPAK = '.var/app/com.visualstudio.code/config/Code/User';

  test('are found by their folder and written there, and nothing is created for the other installation', async () => {
    await using own = await ownClients();
    await mkdir(join(own.home, FLATPAK), { recursive: true });
    const [report] = (await own.service().survey([])).filter(({ foundBy }) => foundBy);
    expect(report).toMatchObject({ id: 'vscode', foundBy: `${join(own.home, FLATPAK)} exists` });
    const [outcome] = await own.service().add([], [SQL]);
    expect(outcome).toMatchObject({ result: 'written', file: join(own.home, FLATPAK, 'mcp.json') });
    expect(outcome?.warnings.join()).toMatch(/Flatpak application.*flatpak override/);
    expect(await readdir(own.home)).toEqual(['.var']);
  });

  test('are written as well as an installation beside them', async () => {
    await using own = await ownClients();
    await own.file(join(FLATPAK, 'mcp.json'), '{}');
    await own.file('.config/Code/User/mcp.json', '{}');
    await own.file('.config/Code/User/profiles/-1a2b/mcp.json', '{}');
    const outcomes = await own.service().add([], [SQL]);
    expect(outcomes.map(({ file, result }) => [file?.slice(own.home.length + 1), result])).toEqual([
      ['.config/Code/User/mcp.json', 'written'],
      ['.config/Code/User/profiles/-1a2b/mcp.json', 'written'],
      [join(FLATPAK, 'mcp.json'), 'written'],
    ]);
  });
});

test('VS Code on this computer is written alone if it is the only one, and not for a window on another computer', async () => {
  await using own = await ownClients();
  await mkdir(join(own.home, '.vscode-server/data/User'), { recursive: true });
  const outcomes = await own.service().add([], [SQL]);
  expect(outcomes.map(({ file }) => file)).toEqual([join(own.home, '.vscode-server/data/User/mcp.json')]);
  expect(await readdir(own.home)).toEqual(['.vscode-server']);
});

describe("Continue's two files", () => {
  const OWN = '.continue/mcpServers/causeway.yaml';
  const CONFIG = '.continue/config.yaml';
  const THEIRS = '# Mine\nname: Mine\nversion: 1.0.0\nschema: v1\nmodels: [] # none yet\n';

  async function withCommand(own: OwnClients) {
    await own.file('bin/cn', '', 0o755);
    return own.service({ moreCommands: async () => [join(own.home, 'bin')] });
  }

  test('our own file is written if only the extension can be installed, and config.yaml is left alone', async () => {
    await using own = await ownClients();
    await own.file(CONFIG, THEIRS);
    expect(await own.service().add([], [SQL])).toMatchObject([{ client: 'continue', result: 'written' }]);
    expect(await own.read(OWN)).toContain('databricks-sql');
    expect(await own.read(CONFIG)).toBe(THEIRS);
  });

  test('config.yaml gets one entry for the extension and the command, with its comments kept', async () => {
    await using own = await ownClients();
    await own.file(CONFIG, THEIRS);
    const service = await withCommand(own);
    await service.add([], [SQL]);
    const text = await own.read(CONFIG);
    expect(text).toContain('# none yet');
    expect(text.match(/databricks-sql/g)).toHaveLength(1);
    expect(await readdir(join(own.home, '.continue'))).toEqual(['config.yaml']);
    await service.remove([], [SQL.name]);
    expect(await own.read(CONFIG)).toBe(THEIRS);
  });

  test('entries move from our own file to config.yaml once the command is installed', async () => {
    await using own = await ownClients();
    await own.file(CONFIG, THEIRS);
    await own.service().add([], [SQL]);
    const service = await withCommand(own);
    await service.add(['continue'], [SQL]);
    expect(await readdir(join(own.home, '.continue/mcpServers'))).toEqual([]);
    expect(await own.read(CONFIG)).toContain('databricks-sql');
  });

  test('entries are removed from our own file even if the command was installed since', async () => {
    await using own = await ownClients();
    await own.file(CONFIG, THEIRS);
    await own.service().add([], [SQL]);
    const service = await withCommand(own);
    await service.remove([], await service.ownNames([]));
    expect(await readdir(join(own.home, '.continue/mcpServers'))).toEqual([]);
    expect(await own.read(CONFIG)).toBe(THEIRS);
  });
});

describe('addresses in place of a command', () => {
  const http = {
    urlOf: () => 'https://w.example.com/api/2.0/mcp/sql',
    isPublished: async () => false,
    clientId: 'app-1',
    callbackPort: 8020,
  };

  test('are written if a client can sign in on its own, and refused if it could not', async () => {
    await using own = await ownClients();
    await own.file('.claude.json', '{}');
    await own.file('.cursor/mcp.json', '{}');
    await own.file('.lmstudio/mcp.json', '{}');
    await own.file('.config/Claude/claude_desktop_config.json', '{}');
    const outcomes = await own.service().add([], [SQL], { http });
    const said = Object.fromEntries(
      outcomes.map(({ client, warnings, error }) => [client, error?.message ?? warnings.join()]),
    );
    expect(said['claude-code']).toBe('');
    expect(said.cursor).toMatch(/chooses its own callback port\. --callback-port 8020 was ignored/);
    expect(said['lm-studio']).toMatch(/cannot sign in on its own/);
    expect(await own.read('.lmstudio/mcp.json')).toBe('{}');
    expect(said['claude-desktop']).toMatch(/does not support addresses in its file/);
  });

  test('are not written without an application, and the requirements for signing in are reported', async () => {
    await using own = await ownClients();
    await own.file('.claude.json', '{}');
    const [outcome] = await own.service().add([], [SQL], { http: { ...http, clientId: undefined } });
    expect(outcome?.error?.action).toMatchObject({
      do: 'name-application',
      redirectUrl: 'http://localhost:8020/callback',
    });
    expect(await own.read('.claude.json')).toBe('{}');
  });
});

describe('a client that keeps its entries where a user or another version has put them', () => {
  test.each([
    ['kilo', {}, '.config/kilo/kilo.jsonc'],
    ['kilo', { '.config/kilo/kilo.json': '{}' }, '.config/kilo/kilo.json'],
    ['kilo', { '.config/kilo/kilo.json': '{}', '.config/kilo/kilo.jsonc': '{}' }, '.config/kilo/kilo.jsonc'],
    ['kimi', { '.kimi-code/mcp.json': '{}' }, '.kimi-code/mcp.json'],
    ['grok', { '.grok/config.toml': '' }, '.grok/config.toml'],
    ['pi', { '.pi/agent/settings.json': '{}' }, '.pi/agent/mcp.json'],
    ['qoder', { '.config/Qoder/x': '' }, '.qoder/mcp.json'],
    ['qoder', { '.config/Qoder/SharedClientCache/x': '' }, '.config/Qoder/SharedClientCache/mcp.json'],
    ['qoder-cli', { '.qoder/settings.json': '{}' }, '.qoder/settings.json'],
    ['trae', { '.config/Trae CN/User/x': '' }, '.config/Trae CN/User/mcp.json'],
    ['vibe', { '.vibe/config.toml': 'mcp_servers = []\n' }, '.vibe/config.toml'],
  ])('%s with %j: %s', async (id, files: Record<string, string>, expected) => {
    await using own = await ownClients();
    await mkdir(join(own.home, '.config/kilo'), { recursive: true });
    for (const [path, text] of Object.entries(files)) await own.file(path, text);
    const [outcome] = await own.service().add([id], [SQL]);
    expect(outcome).toMatchObject({ result: 'written', file: join(own.home, expected) });
  });

  test.each(['chatgpt', 'ChatGPT Desktop', 'chatgpt-desktop', 'codex-app', 'OpenAI Codex', 'codex'])(
    '"%s" is Codex',
    async (name) => {
      await using own = await ownClients();
      expect(own.service().client(name).id).toBe('codex');
    },
  );

  test('a name that is nearly that of another program of the vendor suggests Codex', async () => {
    await using own = await ownClients();
    expect(() => own.service().client('chatgtp')).toThrow(
      expect.objectContaining({ remedy: expect.stringContaining('Did you mean "codex"') }),
    );
  });
});
