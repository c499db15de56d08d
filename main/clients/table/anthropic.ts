import type { ClientFacts } from '../client.ts';
import { addressedWithOauth, plain, typed } from '../entry.ts';
import { inFlatpak, seenInFlatpak } from '../places.ts';

/** Where the Microsoft Store's package system keeps `%APPDATA%\Claude` (anthropics/claude-code#26073, #25600). */
const STORE_PACKAGE = ['Packages', 'Claude_*'];
const CONFIG = 'claude_desktop_config.json';

/** Anthropic's clients. */
export const ANTHROPIC: ClientFacts[] = [
  {
    id: 'claude-desktop',
    name: 'Claude Desktop',
    wireNames: ['claude-ai'],
    start: { folder: 'home' },
    mark: { icon: 'siClaude' },
    signs: (places) => {
      const { applicationData, localData, bySystem } = places;
      return bySystem({
        darwin: [{ exists: '/Applications/Claude.app' }, { exists: applicationData('Claude') }],
        win32: [{ exists: localData(...STORE_PACKAGE) }, { exists: applicationData('Claude') }],
        linux: [
          { exists: applicationData('Claude') },
          ...seenInFlatpak(places, 'Claude'),
          { command: 'claude-desktop' },
        ],
      });
    },
    files: (places) => {
      const { applicationData, localData, bySystem } = places;
      return [
        ...bySystem({
          darwin: [],
          win32: [
            {
              role: 'main' as const,
              path: localData(...STORE_PACKAGE, 'LocalCache', 'Roaming', 'Claude', CONFIG),
              if: localData(...STORE_PACKAGE),
            },
          ],
          linux: [],
        }),
        { role: 'main', path: applicationData('Claude', CONFIG), if: applicationData('Claude') },
        ...inFlatpak(places, 'Claude', CONFIG),
      ];
    },
    format: 'json',
    key: ['mcpServers'],
    stdio: plain,
    afterwards: 'Quit and reopen Claude Desktop. Closing its window is not enough.',
    accepts: { comments: false, trailingCommas: false, byteOrderMark: false },
    // Entries that are added while it runs in the tray are lost (anthropics/claude-code#78226, #34359).
    overwritesWhileRunning: {
      names: ['Claude', 'Claude.exe', 'claude-desktop'],
      // Claude Code's executable may have the same name on Windows (anthropics/claude-code#77459).
      notIn: /[/\\](\.local[/\\]bin|\.local[/\\]share[/\\]claude|\.claude|node_modules|claude-code[^/\\]*)[/\\]/i,
    },
    // https://support.claude.com/en/articles/14729294-open-claude-desktop-with-a-link
    promptLink: (prompt) => `claude://claude.ai/new?q=${encodeURIComponent(prompt)}`,
    // The model's interface takes 64; that the application puts nothing before them is reported, not documented
    // (anthropics/claude-code#2412).
    toolNames: { prefix: () => '', limit: 64 },
  },
  {
    id: 'claude-code',
    name: 'Claude Code',
    wireNames: ['claude-code'],
    showsQuestions: true,
    // Seen in 2.1.329.
    start: { variables: 'all', answerMs: 27_000 },
    mark: { icon: 'siClaudecode' },
    signs: ({ inHome, env, join }) => [
      ...(env.CLAUDE_CONFIG_DIR ? [{ exists: env.CLAUDE_CONFIG_DIR }] : []),
      { exists: join(inHome('.claude.json')) },
      { exists: inHome('.claude') },
      { command: 'claude' },
    ],
    files: ({ inHome, env, join, bySystem }) => [
      {
        role: 'main',
        path: env.CLAUDE_CONFIG_DIR ? join(env.CLAUDE_CONFIG_DIR, '.claude.json') : inHome('.claude.json'),
      },
      ...bySystem({
        darwin: [
          xcodeCopy(inHome('Library', 'Developer', 'Xcode', 'CodingAssistant', 'ClaudeAgentConfig', '.claude.json')),
        ],
        win32: [],
        linux: [],
      }),
    ],
    managed: (places) => {
      const { bySystem, ofSystem, inHome, env, join } = places;
      const folder = bySystem({
        darwin: '/Library/Application Support/ClaudeCode',
        win32: String.raw`C:\Program Files\ClaudeCode`,
        linux: '/etc/claude-code',
      });
      const settings = { decides: 'lists', format: 'json', key: 'managedMcpServers' } as const;
      // https://code.claude.com/docs/en/managed-mcp
      return [
        { path: ofSystem(join(folder, 'managed-mcp.json')), decides: 'all', format: 'json', key: 'mcpServers' },
        ...bySystem({
          darwin: [
            {
              ...settings,
              path: ofSystem('/Library/Managed Preferences/com.anthropic.claudecode.plist'),
              isPropertyList: true as const,
            },
          ],
          win32: [],
          linux: [],
        }),
        { ...settings, path: ofSystem(join(folder, 'managed-settings.json')) },
        {
          ...settings,
          path: env.CLAUDE_CONFIG_DIR
            ? join(env.CLAUDE_CONFIG_DIR, 'settings.json')
            : inHome('.claude', 'settings.json'),
          isOwn: true,
        },
      ];
    },
    // Seen in 2.1.332: "Pending approval" until then.
    project: {
      path: ['.mcp.json'],
      trust: 'Claude Code asks each user to approve the file before it starts a server of it.',
    },
    format: 'json',
    key: ['mcpServers'],
    stdio: typed,
    http: addressedWithOauth('http', ['clientId', 'callbackPort']),
    // databricks/unity-gateway src/ucode/mcp_oauth.py: on the loopback interface any port is taken; its own tool uses this one.
    published: 'claude-code',
    redirect: { uri: 'http://localhost:3118/callback', port: 3118 },
    afterwards: 'Start a new session, or run /mcp in the current one.',
    accepts: { comments: false, trailingCommas: false, byteOrderMark: true },
    // https://code.claude.com/docs/en/deep-links, since 2.1.91
    promptLink: (prompt) => `claude-cli://open?q=${encodeURIComponent(prompt)}`,
    // anthropics/claude-code#2536
    toolNames: { prefix: (server) => `mcp__${server}__`, limit: 64 },
  },
];

function xcodeCopy(path: string) {
  return { role: 'also' as const, path, if: path };
}
