/** A client that npm has, and how it shows without any sign-in that it reached a server. */
export interface RealClient {
  /** Whose file the entry is written to, as `causeway clients` calls it. */
  id: string;
  /** The npm package. */
  install: string;
  command: string;
  args(home: string): string[];
  /** Frames that are written to its stdin, for those that are asked in JSON-RPC. */
  asks?: unknown[];
  /** The line in which it says that it connected. */
  connected: RegExp;
  /** Where the names of tools stand in its output, for those that print them. */
  tools?: RegExp;
  /** A second run, where the first does not list tools. It ends when they are listed. */
  afterwards?: string[];
  env?: Record<string, string>;
  /** A file that is there before, as a person would have it. */
  file?: { path: string; text: string };
}

const SERVER = 'databricks-sql';

export const REAL_CLIENTS: RealClient[] = [
  {
    // The Inspector reads Claude Desktop's file.
    id: 'claude-desktop',
    install: '@modelcontextprotocol/inspector',
    command: 'mcp-inspector',
    args: (home) => [
      '--cli',
      '--config',
      `${home}/.config/Claude/claude_desktop_config.json`,
      '--server',
      SERVER,
      '--method',
      'tools/list',
    ],
    connected: /"name": "execute_sql"/,
    tools: /"name": "(\w*sql\w*)"/g,
    file: { path: '.config/Claude/claude_desktop_config.json', text: '{}\n' },
  },
  {
    id: 'claude-code',
    install: '@anthropic-ai/claude-code',
    command: 'claude',
    args: () => ['mcp', 'list'],
    connected: /databricks-sql.*Connected/,
  },
  {
    id: 'codex',
    install: '@openai/codex',
    command: 'codex',
    args: () => ['app-server'],
    asks: [
      { id: 1, method: 'initialize', params: { clientInfo: { name: 'causeway-test', title: 'Test', version: '1' } } },
      { method: 'initialized' },
      { id: 2, method: 'mcpServerStatus/list', params: {} },
    ],
    connected: /"id":2,"result".*execute_sql/,
    tools: /"name":"(\w*sql\w*)"/g,
  },
  {
    id: 'gemini',
    install: '@google/gemini-cli',
    command: 'gemini',
    args: () => ['mcp', 'list'],
    connected: /databricks-sql.*Connected/,
    // Its list only connects. A session lists the tools before it asks a model; there is none at that address.
    afterwards: ['--skip-trust', '-p', 'hello'],
    file: { path: '.gemini/settings.json', text: '{ "security": { "auth": { "selectedType": "gemini-api-key" } } }\n' },
    env: { GEMINI_API_KEY: 'none', GOOGLE_GEMINI_BASE_URL: 'http://127.0.0.1:9' },
  },
  {
    id: 'opencode',
    install: 'opencode-ai',
    command: 'opencode',
    args: () => ['mcp', 'list'],
    connected: /databricks-sql.*connected/,
  },
];
