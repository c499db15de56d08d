import { QUERY } from './fake-model.ts';

/** Where a client runs: its own home folder, and a model on the loopback interface. */
export interface Where {
  home: string;
  /** The fake model's address, without a path. */
  model: string;
}

/** A command line. */
export interface Command {
  command: string;
  args: string[];
}

/** A client that npm has, and how it is driven without its vendor's service. */
export interface RealClient {
  /** As `causeway clients` calls it. */
  id: string;
  /** What the table calls it, where one client is in it twice. */
  as?: string;
  /** The npm package, with a version where the newest cannot be installed. */
  install: string;
  /** Files that are there before, as a user would have them. The first is the one that the entry goes to. */
  files(where: Where): { path: string; text: string }[];
  env?(where: Where): Record<string, string>;
  /** One session: with a model, that asks it once; without one, that connects to the servers and says so. */
  session(where: Where): Command;
  /** Only for a client whose own command calls a tool: the call, and the one that polls for its rows. */
  calls?: { call(where: Where): Command; poll(where: Where, statement: string): Command };
  /** Why no model can be put in its vendor's place; undefined if one is. */
  withoutModel?: string;
  /** What it prints when the server is connected; for those without a model. */
  connected?: RegExp;
  /** Without a model, its command connects under a name that is not its own, and does not list. */
  onlyConnects?: true;
  /** It reads that client's file and is another, so that what it calls itself is not in that client's row. */
  standsIn?: true;
  /** Only for a client whose own command signs in to a server that its entry gives the address of. */
  signsIn?: SignInCommand;
  /** It declares that it opens pages for its user, and declines each by itself where there is no terminal. */
  declinesPages?: true;
  /** Where it has to be told that a project's file may start servers. */
  trust?: Trust;
  /** Why one of the cases cannot pass with it. */
  notPossible?: Partial<Record<CaseName, Impossible>>;
}

/** A case that fails for a reason of the client's. It is run all the same: once it passes, or fails in another way, the row is wrong. */
interface Impossible {
  why: string;
  /** What the case says as it fails. */
  seen: RegExp;
}

/** How a user lets a client start the servers of a project. */
interface Trust {
  /** Variables without which it would trust every folder. */
  before?: Record<string, string>;
  /** A command of its own that says that it waits for the user's trust; where left out, a session has no tools until then. */
  asks?: { command: Command; says: RegExp };
  /** What it keeps then, with the file that it keeps it in as it was; below the home folder. */
  files?: { path: string; text(before: string, folder: string): string }[];
  /** Its own command for it. */
  command?: Command;
}

/** A client's own command that signs in to a server at an address. */
export interface SignInCommand {
  command: Command;
  /** Where it lets the browser come back to; left out where that depends on the server's address and is seen at a first attempt. */
  redirectUri?: string;
  /** It prints the page's address for the user to open, where it finds no browser that it knows. */
  printsAddress?: true;
  /** What the entry says besides, as options of `causeway clients add`. */
  options?: string[];
}

export type CaseName =
  | 'entry'
  | 'row'
  | 'signed out, new'
  | 'signed out, used'
  | 'http'
  | 'service'
  | 'all in one'
  | 'another user'
  | 'bare environment'
  | 'no keychain'
  | 'project'
  | 'long call'
  | 'busy machine';

const PROMPT = 'Ask the warehouse with your SQL tool.';
const json = (value: unknown) => `${JSON.stringify(value, null, 2)}\n`;
const OTHER_SERVER = { command: 'node', args: ['-e', 'process.exit(1)'] };

export const REAL_CLIENTS: RealClient[] = [
  {
    // The Inspector reads Claude Desktop's file.
    id: 'claude-desktop',
    standsIn: true,
    install: '@modelcontextprotocol/inspector',
    files: () => [{ path: '.config/Claude/claude_desktop_config.json', text: json({ globalShortcut: 'Alt+Space' }) }],
    session: (where) => inspect(where, 'tools/list'),
    calls: {
      call: (where) => inspect(where, 'tools/call', '--tool-name', 'execute_sql', '--tool-arg', `query=${QUERY}`),
      poll: (where, statement) =>
        inspect(where, 'tools/call', '--tool-name', 'poll_sql_result', '--tool-arg', `statement_id=${statement}`),
    },
    withoutModel: 'it has none, and its own command calls the tool',
    connected: /"name": "(?:execute_sql|sign_in|connection_status)"/,
    notPossible: {
      http: { why: 'its file takes no address', seen: /^not written/ },
      'long call': { why: 'stops waiting after 60 s; nothing in an entry changes that', seen: /^no row/ },
    },
  },
  {
    id: 'claude-code',
    install: '@anthropic-ai/claude-code',
    declinesPages: true,
    files: () => [
      { path: '.claude.json', text: json({ hasCompletedOnboarding: true, mcpServers: { other: OTHER_SERVER } }) },
    ],
    env: ({ model }) => ({
      ANTHROPIC_BASE_URL: model,
      ANTHROPIC_API_KEY: 'sk-none',
      DISABLE_AUTOUPDATER: '1',
      CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1',
    }),
    session: () => ({ command: 'claude', args: ['-p', PROMPT, '--allowedTools', 'mcp__databricks-sql,mcp__causeway'] }),
    // It signs in at a terminal only, which `script` gives it.
    signsIn: {
      command: { command: 'script', args: ['-qec', 'claude mcp login databricks-sql', '/dev/null'] },
      redirectUri: 'http://localhost:8123/callback',
      options: ['--callback-port', '8123'],
      printsAddress: true,
    },
    // A session with -p takes each folder as trusted.
    trust: {
      asks: { command: { command: 'claude', args: ['mcp', 'list'] }, says: /databricks-sql: .*Pending approval/ },
      files: [
        {
          path: '.claude.json',
          text: (before, folder) =>
            json({
              ...JSON.parse(before),
              projects: { [folder]: { hasTrustDialogAccepted: true, enabledMcpjsonServers: ['databricks-sql'] } },
            }),
        },
      ],
    },
  },
  {
    id: 'codex',
    install: '@openai/codex',
    declinesPages: true,
    files: ({ model }) => [
      {
        path: '.codex/config.toml',
        text: [
          '# My Codex',
          'model = "fake"',
          'model_provider = "fake"',
          'approval_policy = "never"',
          '',
          '[model_providers.fake]',
          'name = "Fake"',
          `base_url = "${model}/v1"`,
          'wire_api = "responses"',
          'env_key = "FAKE_KEY"',
          '',
        ].join('\n'),
      },
    ],
    env: () => ({ FAKE_KEY: 'none' }),
    session: () => ({
      command: 'codex',
      args: ['exec', '--skip-git-repo-check', '--dangerously-bypass-approvals-and-sandbox', PROMPT],
    }),
    signsIn: { command: { command: 'codex', args: ['mcp', 'login', 'databricks-sql'] }, printsAddress: true },
    trust: {
      files: [
        {
          path: '.codex/config.toml',
          text: (before, folder) => `${before}\n[projects."${folder}"]\ntrust_level = "trusted"\n`,
        },
      ],
    },
  },
  {
    id: 'gemini',
    install: '@google/gemini-cli',
    files: () => [
      {
        path: '.gemini/settings.json',
        text: '{\n  // How I sign in\n  "security": { "auth": { "selectedType": "gemini-api-key" } }\n}\n',
      },
    ],
    env: ({ model }) => ({
      GEMINI_API_KEY: 'none',
      GOOGLE_GEMINI_BASE_URL: model,
      GEMINI_CLI_TRUST_WORKSPACE: 'true',
    }),
    session: () => ({ command: 'gemini', args: ['-y', '-m', 'gemini-2.5-flash', '-p', PROMPT] }),
    trust: { before: { GEMINI_CLI_TRUST_WORKSPACE: 'false' } },
    notPossible: {
      http: {
        why: 'signs in at its prompt alone (/mcp auth): with -p it goes on without the server, and opens no page',
        seen: /^no row, 0 pages/,
      },
    },
  },
  {
    id: 'qwen',
    install: '@qwen-code/qwen-code',
    // It offers a model the tools of servers at once only without its search for tools.
    files: () => [{ path: '.qwen/settings.json', text: json({ tools: { toolSearch: { enabled: false } } }) }],
    env: ({ model }) => ({ OPENAI_BASE_URL: `${model}/v1`, OPENAI_API_KEY: 'none', OPENAI_MODEL: 'fake' }),
    session: () => ({ command: 'qwen', args: ['--auth-type', 'openai', '-y', '-p', PROMPT] }),
    // A session with -y takes each folder as trusted.
    trust: {
      asks: { command: { command: 'qwen', args: ['mcp', 'list'] }, says: /databricks-sql: .*pending/i },
      command: { command: 'qwen', args: ['mcp', 'approve', 'databricks-sql'] },
    },
    notPossible: {
      http: {
        why: 'has no command that signs in: with -p it goes on without the server, and opens no page',
        seen: /^no row, 0 pages/,
      },
    },
  },
  {
    id: 'opencode',
    install: 'opencode-ai',
    files: ({ model }) => [{ path: '.config/opencode/opencode.json', text: openAiCompatible(model) }],
    session: () => ({ command: 'opencode', args: ['run', '-m', 'fake/fake', '--auto', PROMPT] }),
    signsIn: {
      command: { command: 'opencode', args: ['mcp', 'auth', 'databricks-sql'] },
      redirectUri: 'http://127.0.0.1:19876/mcp/oauth/callback',
    },
  },
  {
    id: 'opencode',
    as: 'opencode, newer layout',
    install: 'opencode-ai',
    files: ({ model }) => [{ path: '.config/opencode/opencode.json', text: openAiCompatible(model, { servers: {} }) }],
    session: () => ({ command: 'opencode', args: ['run', '-m', 'fake/fake', '--auto', PROMPT] }),
    signsIn: {
      command: { command: 'opencode', args: ['mcp', 'auth', 'databricks-sql'] },
      redirectUri: 'http://127.0.0.1:19876/mcp/oauth/callback',
    },
  },
  {
    id: 'kilo',
    install: '@kilocode/cli@7.7.7',
    files: ({ model }) => [{ path: '.config/kilo/kilo.jsonc', text: `// My Kilo\n${openAiCompatible(model)}` }],
    session: () => ({ command: 'kilo', args: ['run', '-m', 'fake/fake', '--auto', PROMPT] }),
    signsIn: {
      command: { command: 'kilo', args: ['mcp', 'auth', 'databricks-sql'] },
      redirectUri: 'http://127.0.0.1:19876/mcp/oauth/callback',
    },
  },
  {
    id: 'droid',
    install: 'droid',
    files: ({ model }) => [
      { path: '.factory/mcp.json', text: json({ mcpServers: {} }) },
      {
        path: '.factory/settings.json',
        text: json({
          customModels: [
            {
              model: 'fake',
              displayName: 'Fake',
              baseUrl: `${model}/v1`,
              apiKey: 'none',
              provider: 'generic-chat-completion-api',
              maxOutputTokens: 1000,
            },
          ],
        }),
      },
    ],
    env: () => ({ FACTORY_API_KEY: 'fk-none' }),
    session: () => ({
      command: 'droid',
      args: ['exec', '--skip-permissions-unsafe', '-m', 'custom:fake', PROMPT],
    }),
    notPossible: {
      http: { why: 'its entry names no application', seen: /^not written/ },
    },
  },
  {
    id: 'copilot-cli',
    install: '@github/copilot',
    files: () => [{ path: '.copilot/mcp-config.json', text: json({ mcpServers: {} }) }],
    env: ({ model }) => ({
      COPILOT_PROVIDER_BASE_URL: `${model}/v1`,
      COPILOT_PROVIDER_API_KEY: 'none',
      COPILOT_MODEL: 'fake',
      COPILOT_OFFLINE: 'true',
    }),
    session: () => ({ command: 'copilot', args: ['--allow-all-tools', '-p', PROMPT] }),
    trust: {
      files: [{ path: '.copilot/config.json', text: (_before, folder) => json({ trusted_folders: [folder] }) }],
    },
    notPossible: {
      http: { why: 'its entry names no application', seen: /^not written/ },
    },
  },
  {
    id: 'cline',
    install: 'cline',
    files: ({ model }) => [
      { path: '.cline/data/settings/cline_mcp_settings.json', text: json({ mcpServers: {} }) },
      {
        path: '.cline/data/settings/providers.json',
        text: json({
          version: 1,
          lastUsedProvider: 'openai-compatible',
          providers: {
            'openai-compatible': {
              settings: {
                provider: 'openai-compatible',
                apiKey: 'none',
                baseUrl: `${model}/v1`,
                model: 'fake',
              },
              updatedAt: '2026-01-01T00:00:00.000Z',
              tokenSource: 'manual',
            },
          },
        }),
      },
    ],
    session: () => ({ command: 'cline', args: ['--auto-approve', 'true', '--json', PROMPT] }),
    notPossible: {
      http: {
        why: 'has no command that signs in: it goes on without the server, and opens no page',
        seen: /^no row, 0 pages/,
      },
    },
  },
  {
    id: 'continue-cli',
    install: '@continuedev/cli',
    files: ({ model }) => [
      {
        path: '.continue/config.yaml',
        text: [
          '# My Continue',
          'name: Mine',
          'version: 1.0.0',
          'schema: v1',
          'models:',
          '  - name: Fake',
          '    provider: openai',
          '    model: gpt-4o',
          '    apiKey: none',
          `    apiBase: ${model}/v1`,
          '    capabilities: [tool_use]',
          '',
        ].join('\n'),
      },
    ],
    session: ({ home }) => ({
      command: 'cn',
      args: ['--config', `${home}/.continue/config.yaml`, '--auto', '-p', PROMPT],
    }),
    notPossible: {
      http: { why: 'its entry names no application', seen: /^not written/ },
      'long call': { why: 'stops waiting after 60 s; nothing in an entry changes that', seen: /^no row/ },
    },
  },
  {
    id: 'pi',
    install: '@earendil-works/pi-coding-agent',
    files: ({ model }) => [
      { path: '.pi/agent/mcp.json', text: json({ mcpServers: {} }) },
      {
        path: '.pi/agent/models.json',
        text: json({
          providers: {
            fake: { baseUrl: `${model}/v1`, api: 'openai-completions', apiKey: 'none', models: [{ id: 'fake' }] },
          },
        }),
      },
      // It lets a model reach tools by scripts alone, unless a project says otherwise.
      {
        path: '.pi/mcp.json',
        text: json({ mcpServers: { 'databricks-sql': { exposure: 'direct' }, causeway: { exposure: 'direct' } } }),
      },
    ],
    env: () => ({ PI_OFFLINE: '1' }),
    session: () => ({ command: 'pi', args: ['-a', '--provider', 'fake', '--model', 'fake', '-p', PROMPT] }),
    signsIn: {
      command: { command: 'pi', args: ['mcp', 'login', 'databricks-sql'] },
      redirectUri: 'http://127.0.0.1:8123/callback',
      options: ['--callback-port', '8123'],
    },
  },
  {
    id: 'qoder-cli',
    install: '@qoder-ai/qodercli',
    files: () => [{ path: '.qoder/settings.json', text: json({ mcpServers: { other: OTHER_SERVER } }) }],
    session: () => ({ command: 'qodercli', args: ['mcp', 'list'] }),
    withoutModel: 'it starts no session before its user has signed in to its vendor',
    connected: /✓ databricks-sql: /,
    onlyConnects: true,
    notPossible: { http: { why: 'its entry names no application', seen: /^not written/ } },
  },
  {
    id: 'amp',
    install: '@sourcegraph/amp',
    files: () => [{ path: '.config/amp/settings.json', text: '{\n  // Mine\n  "amp.showCosts": true,\n}\n' }],
    env: ({ model }) => ({ AMP_API_KEY: 'sgamp_none', AMP_URL: model }),
    session: () => ({ command: 'amp', args: ['mcp', 'doctor'] }),
    withoutModel: 'its models answer in a format of their vendor alone',
    connected: /databricks-sql.*connected \(\d+ tools/,
    notPossible: {
      http: { why: 'its entry names no application', seen: /^not written/ },
    },
  },
  {
    id: 'auggie',
    install: '@augmentcode/auggie',
    files: () => [{ path: '.augment/settings.json', text: json({ autoUpdate: false }) }],
    env: ({ model }) => ({
      AUGMENT_SESSION_AUTH: JSON.stringify({ accessToken: 'none', tenantURL: `${model}/`, scopes: ['email'] }),
    }),
    session: () => ({ command: 'auggie', args: ['-p', PROMPT] }),
    withoutModel: 'its models answer in a format of their vendor alone',
    connected: /✅ databricks-sql/,
    notPossible: { http: { why: 'its file takes no address', seen: /^not written/ } },
  },
];

function inspect({ home }: Where, method: string, ...rest: string[]): Command {
  const file = `${home}/.config/Claude/claude_desktop_config.json`;
  const server = ['--cli', '--config', file, '--server', 'databricks-sql'];
  return { command: 'mcp-inspector', args: [...server, '--method', method, ...rest] };
}

/** The configuration of opencode and its relatives, with a model of one's own. */
function openAiCompatible(model: string, mcp?: object): string {
  return json({
    ...(mcp && { mcp }),
    autoupdate: false,
    share: 'disabled',
    provider: {
      fake: {
        npm: '@ai-sdk/openai-compatible',
        name: 'Fake',
        options: { baseURL: `${model}/v1`, apiKey: 'none' },
        models: { fake: { name: 'Fake', tool_call: true } },
      },
    },
  });
}
