import type { ClientFacts } from '../client.ts';
import { addressed, addressedWithOauth, beginning, type Launch, plain } from '../entry.ts';

/** The shape of opencode and its relatives: the command is one array, and what an entry begins with goes into both forms. */
function local(initial: Record<string, unknown>, oauth: readonly [clientId: string, port: string]) {
  return {
    stdio: beginning(
      ({ command, args }: Launch) => ({ fixed: { type: 'local', command: [command, ...args] } }),
      initial,
    ),
    http: beginning(addressedWithOauth('remote', oauth), initial),
  };
}

/** Seen in opencode 1.18.33 and Kilo 7.7.9. */
const OPENCODE_REDIRECT = { uri: 'http://127.0.0.1:19876/mcp/oauth/callback' };

/** Clients of the terminal, from Grok Build to Vibe. */
export const COMMAND_LINES_H_TO_Z: ClientFacts[] = [
  {
    id: 'grok',
    name: 'Grok Build',
    wireNames: [],
    mark: { monogram: 'Gr' },
    // https://docs.x.ai/build/features/mcp-servers: in seconds, 30 for a start and 6000 for a call. Not run.
    start: { answerMs: 30_000 },
    patience: { ms: 6_000_000 },
    signs: ({ inHome }) => [{ exists: inHome('.grok') }],
    files: ({ inHome }) => [{ role: 'main', path: inHome('.grok', 'config.toml') }],
    format: 'toml',
    key: ['mcp_servers'],
    stdio: plain,
    http: addressed('url'),
    afterwards: 'Start a new session.',
    warnings: ['Entries for Grok Build follow its documentation. They were not tried with it.'],
  },
  {
    id: 'kilo',
    name: 'Kilo',
    wireNames: ['kilo'],
    mark: { monogram: 'Kl' },
    patience: { ms: 300_000, key: 'timeout' },
    // Seen in 7.7.9: it takes opencode's shape, and comes back where opencode does.
    redirect: OPENCODE_REDIRECT,
    signs: ({ xdgConfig }) => [{ exists: xdgConfig('kilo') }, { command: 'kilo' }],
    // Public installers write kilo.json (npm add-mcp 2.4.0); not run with it.
    files: ({ xdgConfig }) => [
      { role: 'main', path: xdgConfig('kilo', 'kilo.jsonc'), if: xdgConfig('kilo', 'kilo.jsonc') },
      { role: 'main', path: xdgConfig('kilo', 'kilo.json'), if: xdgConfig('kilo', 'kilo.json') },
      { role: 'main', path: xdgConfig('kilo', 'kilo.jsonc') },
    ],
    format: 'json',
    key: ['mcp'],
    ...local({ enabled: true, timeout: 300_000 }, ['clientId', 'callbackPort']),
    afterwards: 'Restart Kilo.',
    accepts: { comments: true, trailingCommas: true, byteOrderMark: true },
  },
  {
    id: 'kimi',
    name: 'Kimi Code',
    wireNames: [],
    mark: { monogram: 'Km' },
    // https://moonshotai.github.io/kimi-code/en/customization/mcp: in milliseconds, 30 000 for a start.
    start: { answerMs: 30_000 },
    patience: { ms: 300_000, key: 'toolTimeoutMs' },
    signs: ({ inHome, env }) => [
      ...(env.KIMI_CODE_HOME ? [{ exists: env.KIMI_CODE_HOME }] : []),
      { exists: inHome('.kimi-code') },
    ],
    // Seen in 2.1.0.
    files: ({ inHome, join, env }) => [
      { role: 'main', path: join(env.KIMI_CODE_HOME || inHome('.kimi-code'), 'mcp.json') },
    ],
    project: { path: ['.kimi-code', 'mcp.json'] },
    format: 'json',
    key: ['mcpServers'],
    stdio: beginning(plain, { toolTimeoutMs: 300_000 }),
    http: beginning(addressed('url'), { toolTimeoutMs: 300_000 }),
    afterwards: 'Start a new session.',
  },
  {
    id: 'opencode',
    name: 'opencode',
    wireNames: ['opencode'],
    mark: { icon: 'siOpencode' },
    patience: { ms: 300_000, key: 'timeout' },
    // Seen in 1.18.33.
    start: { variables: 'all', answerMs: 30_000 },
    redirect: OPENCODE_REDIRECT,
    signs: ({ xdgConfig }) => [{ exists: xdgConfig('opencode') }, { command: 'opencode' }],
    files: ({ xdgConfig }) => [
      { role: 'main', path: xdgConfig('opencode', 'opencode.jsonc'), if: xdgConfig('opencode', 'opencode.jsonc') },
      { role: 'main', path: xdgConfig('opencode', 'opencode.json') },
    ],
    project: { path: ['opencode.json'] },
    format: 'json',
    key: ['mcp'],
    ...local({ enabled: true, timeout: 300_000 }, ['clientId', 'callbackPort']),
    // https://opencode.ai/v2/docs/mcp-servers: version 2 and 1.18.33 read both places, older ones the older alone. Seen in
    // 1.18.33: where the times to list and to call are the same there, they are the one limit that it has.
    newer: {
      key: ['mcp', 'servers'],
      ...local({ timeout: { catalog: 300_000, execution: 300_000 } }, ['client_id', 'callback_port']),
    },
    afterwards: 'Restart opencode.',
    accepts: { comments: true, trailingCommas: true, byteOrderMark: true },
    // anomalyco/opencode#3523
    toolNames: { prefix: (server) => `${server}_`, limit: 64 },
  },
  {
    id: 'pi',
    name: 'Pi',
    wireNames: ['pi'],
    mark: { monogram: 'Pi' },
    // Seen in 1.6.0, which also documents the rest: in seconds, 60 for each request if it is left out.
    start: { variables: 'all', answerMs: 300_000 },
    patience: { ms: 300_000, key: 'timeout' },
    signs: ({ inHome, env }) => [
      ...(env.PI_CODING_AGENT_DIR ? [{ exists: env.PI_CODING_AGENT_DIR }] : []),
      { exists: inHome('.pi', 'agent') },
      { command: 'pi' },
    ],
    files: ({ inHome, join, env }) => [
      { role: 'main', path: join(env.PI_CODING_AGENT_DIR || inHome('.pi', 'agent'), 'mcp.json') },
    ],
    project: {
      path: ['.pi', 'mcp.json'],
      trust: 'Pi ignores the file until the project is trusted. Start pi in its folder and trust it.',
    },
    format: 'json',
    key: ['mcpServers'],
    stdio: beginning(plain, { timeout: 300 }),
    http: beginning(addressedWithOauth(undefined, ['clientId', 'callbackPort']), { timeout: 300 }),
    redirect: { uri: 'http://127.0.0.1/callback' },
    afterwards: 'Start a new session, or run /reload in the current one.',
    warnings: ['Older versions of Pi read MCP servers only with the package pi-mcp-adapter.'],
  },
  {
    id: 'qoder-cli',
    name: 'Qoder CLI',
    wireNames: [],
    mark: { monogram: 'Qd' },
    // Seen in 1.1.52: as Gemini CLI, of which it is a fork.
    start: { variables: { without: /TOKEN|SECRET|KEY|AUTH/i } },
    signs: ({ inHome, env }) => [
      ...(env.QODER_CONFIG_DIR ? [{ exists: env.QODER_CONFIG_DIR }] : []),
      { exists: inHome('.qoder', 'settings.json') },
      { command: 'qodercli' },
    ],
    // Seen in 1.1.52: what its own `mcp add` writes, for a user and for a project.
    files: ({ inHome, join, env }) => [
      { role: 'main', path: join(env.QODER_CONFIG_DIR || inHome('.qoder'), 'settings.json') },
    ],
    project: { path: ['.mcp.json'] },
    format: 'json',
    key: ['mcpServers'],
    // https://docs.qoder.com/cli/mcp-reference: in milliseconds.
    patience: { ms: 300_000, key: 'timeout' },
    stdio: beginning(plain, { timeout: 300_000 }),
    http: beginning(addressed('url', 'http'), { timeout: 300_000 }),
    afterwards: 'Start a new session, or run /mcp reload in the current one.',
  },
  {
    id: 'qwen',
    name: 'Qwen Code',
    wireNames: ['qwen-cli-mcp-client'],
    mark: { icon: 'siQwen' },
    patience: { ms: 600_000, key: 'timeout' },
    // Seen in 0.24.4: ten seconds for its list of servers.
    start: { variables: 'all', answerMs: 10_000 },
    signs: ({ inHome }) => [{ exists: inHome('.qwen') }, { command: 'qwen' }],
    files: ({ inHome }) => [{ role: 'main', path: inHome('.qwen', 'settings.json') }],
    // Seen in 0.24.4: "pending approval" until then.
    project: {
      path: ['.qwen', 'settings.json'],
      trust: 'Qwen Code asks each user to approve the file before it starts a server of it.',
    },
    format: 'json',
    key: ['mcpServers'],
    stdio: beginning(plain, { timeout: 600_000 }),
    http: ({ url, clientId }) => ({
      fixed: { httpUrl: url, ...(clientId === undefined ? {} : { oauth: { enabled: true, clientId } }) },
      initial: { timeout: 600_000 },
    }),
    afterwards: 'Restart Qwen Code.',
    accepts: { comments: true, trailingCommas: false, byteOrderMark: true },
    // Not verified: it is a fork of Gemini CLI, which has this rule.
    toolNames: { prefix: (server) => `mcp__${server}__`, limit: 63 },
  },
  {
    id: 'vibe',
    name: 'Mistral Vibe',
    wireNames: [],
    mark: { monogram: 'Vi' },
    // https://github.com/mistralai/mistral-vibe › MCP Server Configuration: in seconds, 10 for a start and 60 for a call if left out.
    start: { answerMs: 60_000 },
    patience: { ms: 300_000, key: 'tool_timeout_sec' },
    signs: ({ inHome, env }) => [
      ...(env.VIBE_HOME ? [{ exists: env.VIBE_HOME }] : []),
      { exists: inHome('.vibe') },
      { command: 'vibe' },
    ],
    files: ({ inHome, join, env }) => [{ role: 'main', path: join(env.VIBE_HOME || inHome('.vibe'), 'config.toml') }],
    project: {
      path: ['.vibe', 'config.toml'],
      trust: 'Mistral Vibe ignores the file until the folder is trusted. Start vibe in it and trust it.',
    },
    format: 'toml',
    key: ['mcp_servers'],
    list: true,
    stdio: ({ name, command, args }) => ({
      fixed: { name, transport: 'stdio', command, args },
      initial: { startup_timeout_sec: 60, tool_timeout_sec: 300 },
    }),
    http: ({ name, url }) => ({
      fixed: { name, transport: 'streamable-http', url },
      initial: { startup_timeout_sec: 60, tool_timeout_sec: 300 },
    }),
    afterwards: 'Start a new session.',
    warnings: ['Entries for Mistral Vibe follow its documentation. They were not tried with it.'],
  },
];
