import type { ClientFacts } from '../client.ts';
import { addressed, addressedWithOauth, plain, typed } from '../entry.ts';

/** What plugs into JetBrains' and Apple's editors, and Visual Studio. */
export const JETBRAINS_AND_MICROSOFT: ClientFacts[] = [
  {
    id: 'junie',
    name: 'JetBrains Junie',
    wireNames: [],
    mark: { icon: 'siJetbrains' },
    signs: ({ inHome }) => [{ exists: inHome('.junie') }],
    // https://www.jetbrains.com/help/junie: every *.json in the folder is read; this is the one that its settings edit.
    files: ({ inHome }) => [{ role: 'main', path: inHome('.junie', 'mcp', 'mcp.json') }],
    project: { path: ['.junie', 'mcp', 'mcp.json'] },
    format: 'json',
    key: ['mcpServers'],
    stdio: plain,
    http: addressed('url'),
    afterwards: 'Reload the servers in the IDE under Settings › Tools › Junie › MCP Settings.',
  },
  {
    id: 'jetbrains-ai',
    name: 'JetBrains AI Assistant',
    wireNames: [],
    mark: { icon: 'siJetbrains' },
    // YouTrack LLM-22682: from 2025.3 on. It also has an XML file, which only holds names and states, and which only it writes.
    signs: ({ inHome }) => [{ exists: inHome('.ai', 'mcp') }],
    files: ({ inHome }) => [{ role: 'main', path: inHome('.ai', 'mcp', 'mcp.json') }],
    format: 'json',
    key: ['mcpServers'],
    stdio: plain,
    http: addressed('url'),
    afterwards: 'Restart the IDE. If the server is off, turn it on in Settings › Tools › AI Assistant › MCP.',
  },
  {
    id: 'copilot-jetbrains',
    name: 'GitHub Copilot in JetBrains',
    wireNames: [],
    mark: { icon: 'siGithubcopilot' },
    signs: (places) => [{ exists: copilotFolder(places, 'intellij') }],
    files: (places) => [{ role: 'main', path: places.join(copilotFolder(places, 'intellij'), 'mcp.json') }],
    format: 'json',
    key: ['servers'],
    stdio: typed,
    http: addressedWithOauth('http', ['clientId']),
    afterwards: 'The IDE picks it up right away.',
  },
  {
    id: 'copilot-xcode',
    name: 'GitHub Copilot in Xcode',
    wireNames: [],
    mark: { icon: 'siGithubcopilot' },
    signs: (places) => places.bySystem({ darwin: [{ exists: copilotFolder(places, 'xcode') }], win32: [], linux: [] }),
    files: (places) => [{ role: 'main', path: places.join(copilotFolder(places, 'xcode'), 'mcp.json') }],
    format: 'json',
    key: ['servers'],
    stdio: typed,
    http: addressedWithOauth('http', ['clientId']),
    afterwards: 'Restart GitHub Copilot for Xcode.',
  },
  {
    id: 'visual-studio',
    name: 'Visual Studio',
    wireNames: [],
    mark: { monogram: 'VS' },
    signs: ({ env, join, bySystem }) => {
      const programs = env.ProgramFiles || 'C:\\Program Files';
      return bySystem({
        darwin: [],
        win32: ['2022', '18'].map((version) => ({ exists: join(programs, 'Microsoft Visual Studio', version) })),
        linux: [],
      });
    },
    // The same name as Claude Code's project file, with another key.
    files: ({ inHome }) => [{ role: 'main', path: inHome('.mcp.json') }],
    format: 'json',
    key: ['servers'],
    stdio: typed,
    http: addressedWithOauth('http', ['clientId']),
    afterwards: 'Visual Studio picks it up right away.',
  },
];

type Roots = Parameters<ClientFacts['files']>[0];

/** https://github.com/github/github-mcp-server/tree/main/docs/installation-guides */
function copilotFolder({ inHome, localData, bySystem }: Roots, editor: string): string {
  const inConfig = () => inHome('.config', 'github-copilot', editor);
  return bySystem({ darwin: inConfig, win32: () => localData('github-copilot', editor), linux: inConfig })();
}
