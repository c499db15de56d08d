import { describe, expect, test } from 'vitest';
import { type HostEnvironment, placesOf, type System } from '../../../main/clients/places.ts';
import { CLIENTS } from '../../../main/clients/table.ts';

const HOMES: Record<System, string> = { darwin: '/Users/ana', win32: 'C:\\Users\\Ana Müller', linux: '/home/ana' };

function filesOf(id: string, system: System, env: HostEnvironment['env'] = {}): string[] {
  const client = CLIENTS.find((one) => one.id === id);
  return (client?.files(placesOf({ system, home: HOMES[system], env })) ?? []).map(({ path }) => path);
}

/** The first file of each client, below the home folder: macOS, Windows, Linux. */
const FIRST: [string, string, string, string][] = [
  ['claude-code', '.claude.json', '.claude.json', '.claude.json'],
  ['cursor', '.cursor/mcp.json', '.cursor\\mcp.json', '.cursor/mcp.json'],
  [
    'vscode',
    'Library/Application Support/Code/User/mcp.json',
    'AppData\\Roaming\\Code\\User\\mcp.json',
    '.config/Code/User/mcp.json',
  ],
  [
    'vscode-insiders',
    'Library/Application Support/Code - Insiders/User/mcp.json',
    'AppData\\Roaming\\Code - Insiders\\User\\mcp.json',
    '.config/Code - Insiders/User/mcp.json',
  ],
  ['zed', '.config/zed/settings.json', 'AppData\\Roaming\\Zed\\settings.json', '.config/zed/settings.json'],
  ['lm-studio', '.lmstudio/mcp.json', '.lmstudio\\mcp.json', '.lmstudio/mcp.json'],
  ['warp', '.warp/.mcp.json', '.warp\\.mcp.json', '.warp/.mcp.json'],
  ['kiro', '.kiro/settings/mcp.json', '.kiro\\settings\\mcp.json', '.kiro/settings/mcp.json'],
  ['junie', '.junie/mcp/mcp.json', '.junie\\mcp\\mcp.json', '.junie/mcp/mcp.json'],
  [
    'copilot-jetbrains',
    '.config/github-copilot/intellij/mcp.json',
    'AppData\\Local\\github-copilot\\intellij\\mcp.json',
    '.config/github-copilot/intellij/mcp.json',
  ],
  ['visual-studio', '.mcp.json', '.mcp.json', '.mcp.json'],
  ['amazon-q', '.aws/amazonq/mcp.json', '.aws\\amazonq\\mcp.json', '.aws/amazonq/mcp.json'],
  ['amp', '.config/amp/settings.json', 'AppData\\Roaming\\amp\\settings.json', '.config/amp/settings.json'],
  [
    'antigravity',
    '.gemini/config/mcp_config.json',
    '.gemini\\config\\mcp_config.json',
    '.gemini/config/mcp_config.json',
  ],
  [
    'cline',
    '.cline/data/settings/cline_mcp_settings.json',
    '.cline\\data\\settings\\cline_mcp_settings.json',
    '.cline/data/settings/cline_mcp_settings.json',
  ],
  ['codex', '.codex/config.toml', '.codex\\config.toml', '.codex/config.toml'],
  ['continue', '.continue/config.yaml', '.continue\\config.yaml', '.continue/config.yaml'],
  ['copilot-cli', '.copilot/mcp-config.json', '.copilot\\mcp-config.json', '.copilot/mcp-config.json'],
  ['crush', '.config/crush/crush.json', '.config\\crush\\crush.json', '.config/crush/crush.json'],
  ['droid', '.factory/mcp.json', '.factory\\mcp.json', '.factory/mcp.json'],
  ['gemini', '.gemini/settings.json', '.gemini\\settings.json', '.gemini/settings.json'],
  [
    'goose',
    '.config/goose/config.yaml',
    'AppData\\Roaming\\Block\\goose\\config\\config.yaml',
    '.config/goose/config.yaml',
  ],
  ['qwen', '.qwen/settings.json', '.qwen\\settings.json', '.qwen/settings.json'],
];

describe('the first file', () => {
  test.each(FIRST)('is that of %s', (id, darwin, win32, linux) => {
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
  ])('%s has one as a Flatpak application, on Linux alone', (id, path) => {
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
  ])('%s has one also where a window on another computer is connected', (id, folder) => {
    expect(filesOf(id, 'linux')).toContain(`/home/ana/${folder}/data/User/mcp.json`);
  });

  test('opencode has .jsonc where it is, else .json', () => {
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

describe('variables of the environment move a file', () => {
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

test('every client has an id that can be typed, signs, files, and says what to do afterwards', () => {
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
