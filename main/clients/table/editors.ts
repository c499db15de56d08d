import type { ClientFacts } from '../client.ts';
import { addressed, addressedWithOauth, beginning, plain, typed } from '../entry.ts';
import type { Places } from '../places.ts';
import { inFlatpak, seenInFlatpak } from '../places.ts';

/** Editors with their own window. */
export const EDITORS: ClientFacts[] = [
  {
    id: 'cursor',
    name: 'Cursor',
    wireNames: ['cursor-vscode', 'cursor'],
    mark: { icon: 'siCursor' },
    signs: ({ inHome, applicationData, bySystem }) => [
      { exists: inHome('.cursor') },
      ...bySystem({
        darwin: [{ exists: '/Applications/Cursor.app' }],
        win32: [{ exists: applicationData('Cursor') }],
        linux: [{ command: 'cursor' }],
      }),
      { command: 'cursor-agent' },
    ],
    files: ({ inHome }) => [{ role: 'main', path: inHome('.cursor', 'mcp.json') }],
    project: { path: ['.cursor', 'mcp.json'] },
    format: 'json',
    key: ['mcpServers'],
    stdio: plain,
    http: ({ url, clientId }) => ({
      fixed: { url, ...(clientId === undefined ? {} : { auth: { CLIENT_ID: clientId } }) },
    }),
    // databricks/unity-gateway src/ucode/agents/cursor.py
    published: 'cursor-desktop',
    redirect: { uri: 'http://localhost:8787/callback' },
    afterwards: 'Restart Cursor. If the server is off, turn it on in Settings › MCP.',
    // https://cursor.com/docs/mcp/install-links
    deepLink: (name, entry) =>
      `cursor://anysphere.cursor-deeplink/mcp/install?name=${encodeURIComponent(name)}&config=${inBase64(entry)}`,
    // https://cursor.com/docs/integrations/deeplinks
    promptLink: (prompt) => `cursor://anysphere.cursor-deeplink/prompt?text=${encodeURIComponent(prompt)}`,
    // A tool whose name together with the server's has 60 characters or more is left out (ComposioHQ/composio#2788).
    toolNames: { prefix: (server) => `${server}_`, limit: 60 },
  },
  visualStudioCode('vscode', 'VS Code', 'Code', 'code', 'vscode'),
  visualStudioCode('vscode-insiders', 'VS Code Insiders', 'Code - Insiders', 'code-insiders', 'vscode-insiders'),
  {
    id: 'windsurf',
    name: 'Devin Desktop / Windsurf',
    wireNames: ['windsurf-client', 'windsurf'],
    mark: { icon: 'siWindsurf' },
    signs: (places) => [
      { exists: devinFolder(places) },
      { exists: places.inHome('.codeium', 'windsurf') },
      { exists: places.inHome('.codeium', 'mcp_config.json') },
    ],
    // The vendor's pages name both files, so both are written where both folders exist.
    files: (places) => {
      const legacy = places.inHome('.codeium', 'windsurf');
      const plugin = places.inHome('.codeium', 'mcp_config.json');
      return [
        { role: 'also', path: places.join(legacy, 'mcp_config.json'), if: legacy, http: addressed('serverUrl') },
        { role: 'also', path: places.join(devinFolder(places), 'mcp_config.json'), if: devinFolder(places) },
        // Its plugin for JetBrains' editors.
        { role: 'also', path: plugin, if: plugin, http: addressed('serverUrl') },
      ];
    },
    format: 'json',
    key: ['mcpServers'],
    stdio: plain,
    http: addressed('url'),
    afterwards: 'Select Refresh in the MCP panel, or restart the app.',
    warnings: ['It allows 100 tools in total. Your administrator may have to allow MCP servers.'],
  },
  {
    id: 'zed',
    name: 'Zed',
    wireNames: ['Zed'],
    mark: { icon: 'siZedindustries' },
    patience: { ms: 300_000, key: 'timeout' },
    signs: (places) => [
      { exists: zedFolder(places) },
      ...seenInFlatpak(places, 'zed'),
      ...places.bySystem({ darwin: [{ exists: '/Applications/Zed.app' }], win32: [], linux: [] }),
      { command: 'zed' },
    ],
    files: (places) => [
      { role: 'main', path: places.join(zedFolder(places), 'settings.json'), if: zedFolder(places) },
      ...inFlatpak(places, 'zed', 'settings.json'),
    ],
    format: 'json',
    key: ['context_servers'],
    // zed-industries/zed crates/settings_content/src/project.rs: in seconds, 60 if it is left out.
    stdio: beginning(plain, { timeout: 300 }),
    http: beginning(addressedWithOauth(undefined, ['client_id']), { timeout: 300 }),
    afterwards: 'Zed picks it up right away.',
    accepts: { comments: true, trailingCommas: true, byteOrderMark: false },
  },
  {
    id: 'lm-studio',
    name: 'LM Studio',
    wireNames: [],
    mark: { icon: 'siLmstudio' },
    signs: ({ inHome }) => [{ exists: inHome('.lmstudio') }, { exists: inHome('.cache', 'lm-studio') }],
    files: ({ inHome }) => [
      { role: 'main', path: inHome('.lmstudio', 'mcp.json'), if: inHome('.lmstudio') },
      { role: 'main', path: inHome('.cache', 'lm-studio', 'mcp.json'), if: inHome('.cache', 'lm-studio') },
      { role: 'main', path: inHome('.lmstudio', 'mcp.json') },
    ],
    format: 'json',
    key: ['mcpServers'],
    stdio: plain,
    http: addressed('url'),
    afterwards: 'Restart LM Studio.',
    // https://lmstudio.ai/docs/app/mcp/deeplink
    deepLink: (name, entry) => `lmstudio://add_mcp?name=${encodeURIComponent(name)}&config=${inBase64(entry)}`,
  },
  {
    id: 'warp',
    name: 'Warp',
    wireNames: [],
    mark: { icon: 'siWarp' },
    signs: ({ inHome, bySystem }) => [
      { exists: inHome('.warp') },
      ...bySystem({ darwin: [{ exists: '/Applications/Warp.app' }], win32: [], linux: [] }),
    ],
    files: ({ inHome }) => [{ role: 'main', path: inHome('.warp', '.mcp.json') }],
    project: { path: ['.warp', '.mcp.json'] },
    format: 'json',
    key: ['mcpServers'],
    stdio: plain,
    http: addressed('url'),
    afterwards: 'Restart Warp.',
  },
  {
    id: 'trae',
    name: 'Trae',
    wireNames: [],
    mark: { monogram: 'Tr' },
    signs: ({ applicationData }) => [{ exists: applicationData('Trae') }, { exists: applicationData('Trae CN') }],
    // https://docs.trae.ai/ide/model-context-protocol has form and project file; the path is that of public installers
    // (https://github.com/pathintegral-institute/mcpm.sh/issues/92).
    files: ({ applicationData }) => [
      { role: 'also', path: applicationData('Trae', 'User', 'mcp.json'), if: applicationData('Trae') },
      { role: 'also', path: applicationData('Trae CN', 'User', 'mcp.json'), if: applicationData('Trae CN') },
    ],
    project: {
      path: ['.trae', 'mcp.json'],
      trust: 'Trae reads the file only if project MCP is turned on in its settings.',
    },
    format: 'json',
    key: ['mcpServers'],
    stdio: plain,
    http: addressed('url'),
    afterwards: 'Restart Trae.',
    warnings: ['Entries for Trae follow its documentation and public installers. They were not tried with it.'],
  },
  {
    id: 'qoder',
    name: 'Qoder',
    wireNames: [],
    mark: { monogram: 'Qd' },
    signs: ({ applicationData }) => [{ exists: applicationData('Qoder') }],
    // https://docs.qoder.com/user-guide/chat/model-context-protocol has the form. Public installers name either file, so both are
    // written where both are possible.
    files: ({ inHome, applicationData }) => {
      const shared = applicationData('Qoder', 'SharedClientCache');
      return [
        { role: 'also', path: applicationData('Qoder', 'SharedClientCache', 'mcp.json'), if: shared },
        { role: 'main', path: inHome('.qoder', 'mcp.json'), if: inHome('.qoder') },
      ];
    },
    format: 'json',
    key: ['mcpServers'],
    stdio: plain,
    http: addressed('url'),
    afterwards: 'Restart Qoder.',
    warnings: [
      'Entries for Qoder follow its documentation and public installers. They were not tried with it.',
      'It runs at most 10 servers at a time.',
    ],
  },
  {
    id: 'kiro',
    name: 'Kiro',
    wireNames: [],
    mark: { monogram: 'Ki' },
    patience: { ms: 300_000, key: 'timeout' },
    signs: ({ inHome }) => [{ exists: inHome('.kiro') }, { command: 'kiro' }, { command: 'kiro-cli' }],
    files: ({ inHome }) => [{ role: 'main', path: inHome('.kiro', 'settings', 'mcp.json') }],
    project: { path: ['.kiro', 'settings', 'mcp.json'] },
    format: 'json',
    key: ['mcpServers'],
    // aws/amazon-q-developer-cli crates/chat-cli/src/cli/chat/tools/custom_tool.rs: in milliseconds, 120 000 where it is
    // left out. It became the command of Kiro; whether the editor reads the key, nobody has measured.
    stdio: beginning(plain, { timeout: 300_000 }),
    // https://kiro.dev/docs/mcp/configuration
    http: addressedWithOauth(undefined, ['clientId']),
    afterwards: 'Turn the server off and on in the MCP panel, or restart Kiro.',
    deepLink: (name, entry) =>
      `https://kiro.dev/launch/mcp/add?name=${encodeURIComponent(name)}&config=${encodeURIComponent(JSON.stringify(entry))}`,
  },
];

/** Microsoft's `mcp.json` (https://code.visualstudio.com/docs/copilot/reference/mcp-configuration). */
function visualStudioCode(id: string, name: string, folder: string, command: string, scheme: string): ClientFacts {
  const server = `.${scheme.replace('vscode', 'vscode-server')}`;
  return {
    id,
    name,
    // microsoft/vscode mcpServerRequestHandler.ts: the product's own long name.
    wireNames: [name.replace('VS Code', 'Visual Studio Code').replace(' Insiders', ' - Insiders')],
    mark: { monogram: 'VS' },
    signs: (places) => [
      { exists: places.applicationData(folder, 'User') },
      { exists: places.inHome(server, 'data', 'User') },
      ...seenInFlatpak(places, folder, 'User'),
      { command },
    ],
    files: (places) => {
      const user = places.applicationData(folder, 'User');
      const ownFile = places.join(user, 'profiles', '*', 'mcp.json');
      return [
        { role: 'main', path: places.join(user, 'mcp.json'), if: user },
        // A profile with its own list does not read the shared one.
        { role: 'also', path: ownFile, if: ownFile },
        ...inFlatpak(places, folder, 'User', 'mcp.json'),
        // Read by a window that is connected to this computer from another one.
        {
          role: 'also',
          path: places.inHome(server, 'data', 'User', 'mcp.json'),
          if: places.inHome(server, 'data', 'User'),
        },
      ];
    },
    project: { path: ['.vscode', 'mcp.json'], trust: `${name} asks each user whether to trust the server.` },
    format: 'json',
    key: ['servers'],
    stdio: typed,
    http: addressedWithOauth('http', ['clientId']),
    afterwards: `${name} picks it up right away and asks whether to trust the server.`,
    warnings: [
      'With chat.mcp.discovery.enabled, it also imports the entries of Claude Desktop, Cursor and Windsurf. Each server then appears twice.',
    ],
    accepts: { comments: true, trailingCommas: true, byteOrderMark: true },
    deepLink: (server, entry) =>
      `${scheme}:mcp/install?${encodeURIComponent(JSON.stringify({ name: server, ...entry }))}`,
  };
}

function devinFolder({ inHome, applicationData, bySystem }: Places): string {
  const inConfig = () => inHome('.config', 'devin');
  return bySystem({ darwin: inConfig, win32: () => applicationData('devin'), linux: inConfig })();
}

/** zed-industries/zed `crates/paths/src/paths.rs`. */
function zedFolder({ inHome, applicationData, xdgConfig, join, env, bySystem }: Places): string {
  return bySystem({
    darwin: () => inHome('.config', 'zed'),
    win32: () => applicationData('Zed'),
    linux: () => (env.FLATPAK_XDG_CONFIG_HOME ? join(env.FLATPAK_XDG_CONFIG_HOME, 'zed') : xdgConfig('zed')),
  })();
}

function inBase64(entry: Record<string, unknown>): string {
  return encodeURIComponent(Buffer.from(JSON.stringify(entry)).toString('base64'));
}
