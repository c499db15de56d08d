import { describe, expect, test } from 'vitest';
import { type HostEnvironment, placesOf, type System } from '../../../main/clients/places.ts';
import { CLIENTS } from '../../../main/clients/table.ts';
import { FIRST_FILES } from './first-files.ts';

const HOMES: Record<System, string> = { darwin: '/Users/ana', win32: 'C:\\Users\\Ana Müller', linux: '/home/ana' };

function filesOf(id: string, system: System, env: HostEnvironment['env'] = {}): string[] {
  const client = CLIENTS.find((one) => one.id === id);
  return (client?.files(placesOf({ system, home: HOMES[system], env })) ?? []).map(({ path }) => path);
}

describe('the first file', () => {
  test.each(FIRST_FILES)('is that of %s', (id, darwin, win32, linux) => {
    expect(filesOf(id, 'darwin')[0]).toBe(`/Users/ana/${darwin}`);
    expect(filesOf(id, 'win32')[0]).toBe(`C:\\Users\\Ana Müller\\${win32}`);
    expect(filesOf(id, 'linux')[0]).toBe(`/home/ana/${linux}`);
  });
});

describe('clients with several files', () => {
  test('Claude Desktop: the Store package comes before %APPDATA%', () => {
    expect(filesOf('claude-desktop', 'win32')).toEqual([
      'C:\\Users\\Ana Müller\\AppData\\Local\\Packages\\Claude_*\\LocalCache\\Roaming\\Claude\\claude_desktop_config.json',
      'C:\\Users\\Ana Müller\\AppData\\Roaming\\Claude\\claude_desktop_config.json',
    ]);
    expect(filesOf('claude-desktop', 'darwin')).toEqual([
      '/Users/ana/Library/Application Support/Claude/claude_desktop_config.json',
    ]);
    expect(filesOf('claude-desktop', 'linux')[0]).toBe('/home/ana/.config/Claude/claude_desktop_config.json');
  });

  test.each([
    ['claude-desktop', 'Claude/claude_desktop_config.json'],
    ['vscode', 'Code/User/mcp.json'],
    ['vscode-insiders', 'Code - Insiders/User/mcp.json'],
    ['zed', 'zed/settings.json'],
  ])('%s has another file as a Flatpak application, on Linux only', (id, path) => {
    expect(filesOf(id, 'linux')).toContain(`/home/ana/.var/app/*/config/${path}`);
    for (const system of ['darwin', 'win32'] as const) expect(filesOf(id, system).join()).not.toContain('.var');
  });

  test('Windsurf has the old one and the new one', () => {
    expect(filesOf('windsurf', 'darwin')).toEqual([
      '/Users/ana/.codeium/windsurf/mcp_config.json',
      '/Users/ana/.config/devin/mcp_config.json',
      '/Users/ana/.codeium/mcp_config.json',
    ]);
    expect(filesOf('windsurf', 'win32')[1]).toBe('C:\\Users\\Ana Müller\\AppData\\Roaming\\devin\\mcp_config.json');
  });

  test.each([
    ['vscode', '.vscode-server'],
    ['vscode-insiders', '.vscode-server-insiders'],
  ])('%s has another one if a window on another computer is connected', (id, folder) => {
    expect(filesOf(id, 'linux')).toContain(`/home/ana/${folder}/data/User/mcp.json`);
  });

  test('opencode has .jsonc if it exists, else .json', () => {
    expect(filesOf('opencode', 'linux')).toEqual([
      '/home/ana/.config/opencode/opencode.jsonc',
      '/home/ana/.config/opencode/opencode.json',
    ]);
  });

  test("Xcode has copies of Claude Code's and Codex's", () => {
    expect(filesOf('claude-code', 'darwin')[1]).toBe(
      '/Users/ana/Library/Developer/Xcode/CodingAssistant/ClaudeAgentConfig/.claude.json',
    );
    expect(filesOf('codex', 'darwin')[1]).toBe('/Users/ana/Library/Developer/Xcode/CodingAssistant/codex/config.toml');
    expect(filesOf('codex', 'linux')).toHaveLength(1);
  });
});

describe('environment variables move a file', () => {
  test.each([
    ['claude-code', 'CLAUDE_CONFIG_DIR', '/srv/c', '/srv/c/.claude.json'],
    ['codex', 'CODEX_HOME', '/srv/c', '/srv/c/config.toml'],
    ['copilot-cli', 'COPILOT_HOME', '/srv/c', '/srv/c/mcp-config.json'],
    ['cline', 'CLINE_MCP_SETTINGS_PATH', '/srv/c.json', '/srv/c.json'],
    ['cline', 'CLINE_DATA_DIR', '/srv/c', '/srv/c/settings/cline_mcp_settings.json'],
    ['cline', 'CLINE_DIR', '/srv/c', '/srv/c/data/settings/cline_mcp_settings.json'],
    ['zed', 'FLATPAK_XDG_CONFIG_HOME', '/srv/c', '/srv/c/zed/settings.json'],
    ['vscode', 'XDG_CONFIG_HOME', '/srv/c', '/srv/c/Code/User/mcp.json'],
    ['opencode', 'XDG_CONFIG_HOME', '/srv/c', '/srv/c/opencode/opencode.jsonc'],
  ])('%s by %s', (id, variable, value, path) => {
    expect(filesOf(id, 'linux', { [variable]: value })[0]).toBe(path);
  });

  test('XDG_CONFIG_HOME moves neither the Copilot CLI nor Zed on macOS', () => {
    const env = { XDG_CONFIG_HOME: '/srv/c' };
    expect(filesOf('copilot-cli', 'linux', env)[0]).toBe('/home/ana/.copilot/mcp-config.json');
    expect(filesOf('zed', 'darwin', env)[0]).toBe('/Users/ana/.config/zed/settings.json');
  });
});

test('every client has an id that can be typed, markers, files, and a hint about what to do afterwards', () => {
  for (const system of ['darwin', 'win32', 'linux'] as const) {
    const places = placesOf({ system, home: HOMES[system], env: {} });
    for (const { id, signs, files, afterwards } of CLIENTS) {
      expect(id).toMatch(/^[a-z0-9-]+$/);
      expect(files(places).length).toBeGreaterThan(0);
      expect(signs(places)).toBeInstanceOf(Array);
      expect(afterwards).toMatch(/\.$/);
    }
  }
  expect(new Set(CLIENTS.map(({ id }) => id)).size).toBe(CLIENTS.length);
});
