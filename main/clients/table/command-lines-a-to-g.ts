import type { ClientFacts } from '../client.ts';
import { addressed, beginning, plain, typed } from '../entry.ts';

/** Clients of the terminal, from Amazon Q to Goose. */
export const COMMAND_LINES_A_TO_G: ClientFacts[] = [
  {
    id: 'amazon-q',
    name: 'Amazon Q',
    // aws/amazon-q-developer-cli crates/chat-cli/src/cli/chat/tools/custom_tool.rs
    wireNames: ['Q CLI Chat'],
    mark: { monogram: 'Q' },
    signs: ({ inHome }) => [{ exists: inHome('.aws', 'amazonq') }],
    files: ({ inHome }) => [{ role: 'main', path: inHome('.aws', 'amazonq', 'mcp.json') }],
    format: 'json',
    key: ['mcpServers'],
    stdio: plain,
    http: addressed('url', 'http'),
    afterwards: 'Restart Amazon Q.',
    warnings: ['Amazon Q is now Kiro, with its own file. Only agents with useLegacyMcpJson read this one.'],
  },
  {
    id: 'amp',
    name: 'Amp',
    wireNames: ['amp-mcp-client'],
    mark: { monogram: 'Am' },
    signs: (places) => [{ exists: ampFolder(places) }, { command: 'amp' }],
    files: (places) => [{ role: 'main', path: places.join(ampFolder(places), 'settings.json') }],
    project: { path: ['.amp', 'settings.json'] },
    format: 'json',
    // One key with a dot in it.
    key: ['amp.mcpServers'],
    stdio: plain,
    http: addressed('url'),
    afterwards: 'Restart Amp.',
    accepts: { comments: true, trailingCommas: true, byteOrderMark: false },
  },
  {
    id: 'antigravity',
    name: 'Antigravity',
    wireNames: [],
    mark: { monogram: 'Ag' },
    signs: ({ inHome }) => [
      { exists: inHome('.gemini', 'config') },
      { exists: inHome('.gemini', 'antigravity') },
      { command: 'agy' },
    ],
    files: ({ inHome }) => {
      const older = inHome('.gemini', 'antigravity');
      return [
        { role: 'main', path: inHome('.gemini', 'config', 'mcp_config.json') },
        { role: 'also', path: inHome('.gemini', 'antigravity', 'mcp_config.json'), if: older },
      ];
    },
    project: { path: ['.agents', 'mcp_config.json'] },
    format: 'json',
    key: ['mcpServers'],
    stdio: plain,
    http: addressed('serverUrl'),
    afterwards: 'Restart Antigravity, or select Refresh in its list of MCP servers.',
  },
  {
    id: 'auggie',
    name: 'Auggie',
    wireNames: ['augment-mcp-client'],
    mark: { monogram: 'Au' },
    signs: ({ inHome }) => [{ exists: inHome('.augment') }, { command: 'auggie' }],
    files: ({ inHome }) => [{ role: 'main', path: inHome('.augment', 'settings.json') }],
    format: 'json',
    key: ['mcpServers'],
    stdio: plain,
    afterwards: 'Start a new session.',
  },
  {
    id: 'cline',
    name: 'Cline',
    wireNames: ['@cline/core', 'Cline'],
    mark: { icon: 'siCline' },
    patience: { ms: 300_000, key: 'timeout' },
    // Seen in 3.0.65: 3 s, unless the entry has a timeout.
    start: { variables: 'all', answerMs: 300_000 },
    signs: ({ inHome }) => [
      { exists: inHome('.cline') },
      { exists: inHome('.vscode', 'extensions', 'saoudrizwan.claude-dev-*') },
      { command: 'cline' },
    ],
    // cline/cline sdk/packages/shared/src/storage/paths.ts: the file in VS Code's globalStorage is no longer read.
    files: ({ inHome, join, env }) => [
      {
        role: 'main',
        path:
          env.CLINE_MCP_SETTINGS_PATH ||
          join(
            env.CLINE_DATA_DIR || join(env.CLINE_DIR || inHome('.cline'), 'data'),
            'settings',
            'cline_mcp_settings.json',
          ),
      },
    ],
    format: 'json',
    key: ['mcpServers'],
    // In seconds; 60 if it is left out, and progress does not make it wait longer.
    stdio: beginning(plain, { timeout: 300 }),
    http: ({ url, clientId }) => ({
      fixed: { type: 'streamableHttp', url, ...(clientId === undefined ? {} : { oauthClient: { clientId } }) },
      initial: { timeout: 300 },
    }),
    afterwards: 'Cline picks it up right away.',
    accepts: { comments: false, trailingCommas: false, byteOrderMark: false },
    lock: 'folder',
  },
  {
    id: 'codex',
    name: 'OpenAI Codex',
    // The application for the desktop is part of ChatGPT's since 9 July 2026; both read this file (https://www.mcpbundles.com/guides/codex).
    also: ['ChatGPT', 'Codex App'],
    wireNames: ['codex-mcp-client'],
    showsQuestions: true,
    // Seen in 0.169.0.
    start: {
      variables: { only: ['HOME', 'LOGNAME', 'PATH', 'SHELL', 'USER', 'LANG', 'LC_ALL', 'TERM', 'TMPDIR', 'TZ'] },
      answerMs: 30_000,
    },
    mark: { monogram: 'Cx' },
    patience: { ms: 600_000, key: 'tool_timeout_sec' },
    signs: ({ inHome, env, bySystem }) => [
      ...(env.CODEX_HOME ? [{ exists: env.CODEX_HOME }] : []),
      { exists: inHome('.codex') },
      ...bySystem({
        darwin: [{ exists: '/Applications/Codex.app' }, { exists: '/Applications/ChatGPT.app' }],
        win32: [],
        linux: [],
      }),
      { command: 'codex' },
    ],
    files: ({ inHome, env, join, bySystem }) => {
      const xcode = inHome('Library', 'Developer', 'Xcode', 'CodingAssistant', 'codex');
      return [
        { role: 'main', path: join(env.CODEX_HOME || inHome('.codex'), 'config.toml') },
        ...bySystem({
          darwin: [{ role: 'also' as const, path: join(xcode, 'config.toml'), if: xcode }],
          win32: [],
          linux: [],
        }),
      ];
    },
    managed: ({ bySystem, ofSystem }) =>
      bySystem({
        darwin: ['/etc/codex'],
        win32: [],
        linux: ['/etc/codex'],
      }).flatMap((folder) => [
        {
          path: ofSystem(`${folder}/requirements.toml`),
          decides: 'identities' as const,
          format: 'toml' as const,
          key: 'mcp_servers',
        },
        {
          path: ofSystem(`${folder}/managed_config.toml`),
          decides: 'more' as const,
          format: 'toml' as const,
          key: 'mcp_servers',
        },
      ]),
    // Seen in 0.169.0: `codex mcp list` shows the user's servers only.
    project: {
      path: ['.codex', 'config.toml'],
      trust: 'Codex ignores the file until the project is trusted. Start codex in its folder and trust it.',
    },
    format: 'toml',
    key: ['mcp_servers'],
    // Seen in 0.169.0, on a busy machine: it waits one second for servers before its first turn, and leaves later ones out of it in
    // silence, three times of eleven; with this never. With `required` in the entry, it would not start where our executable is gone.
    setting: {
      key: 'mcp_optional_startup_grace_ms',
      value: 20_000,
      reason:
        'Codex begins its first turn one second after it starts, without servers that need longer. The setting mcp_optional_startup_grace_ms = 20000 lets it wait, up to 20 s. It goes with the last entry of Causeway.',
    },
    // 300 if it is left out.
    stdio: beginning(plain, { tool_timeout_sec: 600 }),
    http: ({ url, clientId }) => ({
      fixed: {
        url,
        // Without `oauth_resource`: with it, `resource` stands twice in the request (seen in 0.169.0).
        ...(clientId === undefined ? {} : { oauth: { client_id: clientId } }),
      },
      initial: { tool_timeout_sec: 600 },
    }),
    // databricks/unity-gateway src/ucode/agents/codex.py: below /callback, a path for each server.
    published: 'codex-cli',
    redirect: { uri: 'http://localhost/callback' },
    // Seen in 0.169.0: "env is not supported for streamable_http", and nothing starts.
    refuses: {
      besideCommand: ['bearer_token_env_var', 'http_headers', 'env_http_headers', 'oauth', 'oauth_resource'],
      besideAddress: ['env', 'env_vars', 'cwd'],
    },
    afterwards: 'Start a new session.',
    // Not verified: the model's API allows 64 characters, and Codex shortens longer names.
    toolNames: { prefix: (server) => `mcp__${server}__`, limit: 64 },
  },
  {
    id: 'continue',
    name: 'Continue',
    wireNames: ['continue-client'],
    mark: { monogram: 'Co' },
    patience: { ms: 60_000 },
    signs: ({ inHome }) => [{ exists: inHome('.continue') }],
    // A file of ours beside theirs, so that nothing of config.yaml is touched; but where its command is, which reads that alone,
    // an entry in both would be there twice.
    files: ({ inHome }) => [
      { role: 'main', path: inHome('.continue', 'config.yaml'), if: { command: 'cn' } },
      { role: 'main', path: inHome('.continue', 'mcpServers', 'causeway.yaml') },
    ],
    format: 'yaml',
    key: ['mcpServers'],
    list: true,
    preamble: { name: 'Causeway', version: '1.0.0', schema: 'v1' },
    stdio: ({ name, command, args }) => ({ fixed: { name, command, args } }),
    http: ({ name, url }) => ({ fixed: { name, type: 'streamable-http', url } }),
    afterwards: 'Continue picks it up right away.',
  },
  {
    id: 'continue-cli',
    name: 'Continue CLI',
    wireNames: ['continue-cli-client'],
    mark: { monogram: 'Co' },
    patience: { ms: 60_000 },
    // Seen in 1.5.47.
    start: { answerMs: 60_000 },
    signs: () => [{ command: 'cn' }],
    // Seen in 1.5.47: it reads this file alone (continuedev/continue#12254).
    files: ({ inHome }) => [{ role: 'main', path: inHome('.continue', 'config.yaml') }],
    format: 'yaml',
    key: ['mcpServers'],
    list: true,
    preamble: { name: 'Local Config', version: '1.0.0', schema: 'v1' },
    stdio: ({ name, command, args }) => ({ fixed: { name, command, args } }),
    http: ({ name, url }) => ({ fixed: { name, type: 'streamable-http', url } }),
    afterwards: 'Start a new session.',
  },
  {
    id: 'copilot-cli',
    name: 'GitHub Copilot CLI',
    wireNames: ['copilot-cli', 'github-copilot-developer'],
    // Seen in 1.0.102: it keeps what it signs in with itself.
    start: { variables: { without: /^COPILOT_(PROVIDER_BASE_URL|PROVIDER_API_KEY|OFFLINE)$/ }, answerMs: 65_000 },
    mark: { icon: 'siGithubcopilot' },
    signs: ({ inHome, env }) => [
      ...(env.COPILOT_HOME ? [{ exists: env.COPILOT_HOME }] : []),
      { exists: inHome('.copilot') },
      { command: 'copilot' },
    ],
    files: ({ inHome, join, env }) => [
      { role: 'main', path: join(env.COPILOT_HOME || inHome('.copilot'), 'mcp-config.json') },
    ],
    // Seen in 1.0.102.
    project: {
      path: ['.github', 'mcp.json'],
      trust: 'GitHub Copilot CLI ignores the file until the folder is trusted. Start copilot in it and trust it.',
    },
    format: 'json',
    key: ['mcpServers'],
    stdio: ({ command, args }) => ({ fixed: { type: 'local', command, args }, initial: { tools: ['*'] } }),
    http: ({ url }) => ({ fixed: { type: 'http', url }, initial: { tools: ['*'] } }),
    afterwards: 'Start a new session, or run /mcp in the current one.',
    accepts: { comments: true, trailingCommas: true, byteOrderMark: true },
    // microsoft/mcp#842
    toolNames: { prefix: (server) => `${server}-`, limit: 64 },
  },
  {
    id: 'crush',
    name: 'Crush',
    wireNames: ['crush'],
    mark: { monogram: 'Cr' },
    // charmbracelet/crush internal/config/load.go
    signs: (places) => [{ exists: crushFolder(places) }, { command: 'crush' }],
    files: (places) => [{ role: 'main', path: places.join(crushFolder(places), 'crush.json') }],
    format: 'json',
    key: ['mcp'],
    stdio: typed,
    http: ({ url, clientId, callbackPort }) => ({
      fixed: {
        type: 'http',
        url,
        ...(clientId === undefined ? {} : { oauth: true, oauth_client_id: clientId }),
        ...(callbackPort === undefined ? {} : { oauth_callback_port: callbackPort }),
      },
    }),
    afterwards: 'Restart Crush.',
    warnings: ['If you have a crushrc file, Crush reads it first, then this one.'],
  },
  {
    id: 'droid',
    name: 'Factory droid',
    wireNames: ['factory-cli'],
    // Seen in 0.225.2.
    start: { variables: 'all', answerMs: 12_000 },
    // Seen in 0.215.0: in milliseconds, 180 000 if it is left out.
    patience: { ms: 300_000, key: 'timeout' },
    mark: { monogram: 'Fd' },
    signs: ({ inHome }) => [{ exists: inHome('.factory') }, { command: 'droid' }],
    files: ({ inHome }) => [{ role: 'main', path: inHome('.factory', 'mcp.json') }],
    project: { path: ['.factory', 'mcp.json'] },
    format: 'json',
    key: ['mcpServers'],
    stdio: beginning(typed, { timeout: 300_000 }),
    http: beginning(addressed('url', 'http'), { timeout: 300_000 }),
    afterwards: 'Start a new session.',
    accepts: { comments: true, trailingCommas: false, byteOrderMark: false },
  },
  {
    id: 'gemini',
    name: 'Gemini CLI',
    wireNames: ['gemini-cli-mcp-client'],
    mark: { icon: 'siGooglegemini' },
    patience: { ms: 600_000, key: 'timeout' },
    // Seen in 0.61.0.
    start: { variables: { without: /TOKEN|SECRET|KEY|AUTH/i }, answerMs: 600_000 },
    signs: ({ inHome }) => [{ exists: inHome('.gemini', 'settings.json') }, { command: 'gemini' }],
    files: ({ inHome }) => [{ role: 'main', path: inHome('.gemini', 'settings.json') }],
    project: {
      path: ['.gemini', 'settings.json'],
      trust: 'Gemini CLI ignores the file until the folder is trusted. Start gemini in it and trust it.',
    },
    format: 'json',
    key: ['mcpServers'],
    // google-gemini/gemini-cli docs/tools/mcp-server.md: in milliseconds.
    stdio: beginning(plain, { timeout: 600_000 }),
    http: ({ url, clientId }) => ({
      fixed: { httpUrl: url, ...(clientId === undefined ? {} : { oauth: { enabled: true, clientId } }) },
      initial: { timeout: 600_000 },
    }),
    afterwards: 'Start a new session, or run /mcp refresh in the current one.',
    warnings: ['Gemini CLI starts no servers in folders you have not trusted.'],
    accepts: { comments: true, trailingCommas: false, byteOrderMark: false },
    // Seen in 0.61.0 (google-gemini/gemini-cli#20987): longer ones are cut in the middle, after which two may be the same.
    toolNames: { prefix: (server) => `mcp_${server}_`, limit: 63 },
  },
  {
    id: 'goose',
    name: 'Goose',
    wireNames: ['goose'],
    mark: { monogram: 'Go' },
    patience: { ms: 300_000, key: 'timeout' },
    signs: (places) => [
      { exists: gooseFolder(places) },
      ...places.bySystem({ darwin: [{ exists: '/Applications/Goose.app' }], win32: [], linux: [] }),
      { command: 'goose' },
    ],
    files: (places) => [{ role: 'main', path: places.join(gooseFolder(places), 'config.yaml') }],
    format: 'yaml',
    key: ['extensions'],
    stdio: ({ name, command, args }) => ({
      fixed: { name, type: 'stdio', cmd: command, args },
      initial: { enabled: true, envs: {}, env_keys: [], timeout: 300, bundled: null, description: ABOUT },
    }),
    http: ({ name, url }) => ({
      fixed: { name, type: 'streamable_http', uri: url },
      initial: { enabled: true, envs: {}, env_keys: [], headers: {}, timeout: 300, bundled: null, description: ABOUT },
    }),
    afterwards: 'Start a new session.',
    deepLink: (name, entry) => {
      const args = Array.isArray(entry.args) ? entry.args.map((arg) => `&arg=${encodeURIComponent(String(arg))}`) : [];
      const rest = new URLSearchParams({ id: name, name, description: ABOUT });
      return `goose://extension?cmd=${encodeURIComponent(String(entry.cmd))}${args.join('')}&${rest}`;
    },
  },
];

const ABOUT = 'A managed MCP server of your Databricks workspace, through Causeway';

type Roots = Parameters<ClientFacts['files']>[0];

function ampFolder({ xdgConfig, inHome, applicationData, bySystem }: Roots): string {
  return bySystem({
    darwin: () => inHome('.config', 'amp'),
    win32: () => applicationData('amp'),
    linux: () => xdgConfig('amp'),
  })();
}

function crushFolder({ xdgConfig }: Roots): string {
  return xdgConfig('crush');
}

function gooseFolder({ inHome, applicationData, xdgConfig, bySystem }: Roots): string {
  return bySystem({
    darwin: () => inHome('.config', 'goose'),
    win32: () => applicationData('Block', 'goose', 'config'),
    linux: () => xdgConfig('goose'),
  })();
}
