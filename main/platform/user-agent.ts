import { VERSION } from './version.ts';
import { isWireName } from './wire-name.ts';

/**
 * How Databricks' SDKs spell the agents that they know (databricks-sdk-go useragent/agent.go), by the name in `clientInfo`. The names
 * on the wire are those of the table of AI clients, which needs too long to load for a proxy's first request; a test compares them.
 */
export const AGENTS: readonly [wireName: string, agent: string][] = [
  ['claude-code', 'claude-code'],
  ['amp-mcp-client', 'amp'],
  ['augment-mcp-client', 'augment'],
  ['@cline/core', 'cline'],
  ['Cline', 'cline'],
  ['codex-mcp-client', 'codex'],
  ['copilot-cli', 'copilot-cli'],
  ['github-copilot-developer', 'copilot-cli'],
  ['cursor-vscode', 'cursor'],
  ['cursor', 'cursor'],
  ['gemini-cli-mcp-client', 'gemini-cli'],
  ['goose', 'goose'],
  ['opencode', 'opencode'],
  ['pi', 'pi'],
  ['Visual Studio Code', 'vscode-agent'],
  ['Visual Studio Code - Insiders', 'vscode-agent'],
  ['windsurf-client', 'windsurf'],
  ['windsurf', 'windsurf'],
];

/** The longest agent's name that the SDKs send, in characters. */
const MAX_AGENT_LENGTH = 64;

/** The client as the SDKs would call it: their name, or its own in their characters. Undefined if it has not named itself. */
export function agentOf(client: string | undefined): string | undefined {
  if (client === undefined || client.trim() === '') return undefined;
  const known = AGENTS.find(([wireName]) => isWireName(client, wireName));
  return known?.[1] ?? safeValue(client.trim()).slice(0, MAX_AGENT_LENGTH);
}

/** The systems as Go calls them, which the SDKs send. */
const SYSTEMS: Partial<Record<NodeJS.Platform, string>> = { win32: 'windows' };

/**
 * The header `User-Agent` in the spelling of Databricks' SDKs, pairs of name and value (databricks-sdk-go useragent/user_agent.go).
 * @param auth how the profile signs in
 * @param agent as `agentOf` names it
 */
export function userAgent(auth: string, agent?: string): string {
  const system = SYSTEMS[process.platform] ?? process.platform;
  const pairs: [name: string, value: string | undefined][] = [
    ['causeway', VERSION],
    ['node', process.versions.node],
    ['os', system],
    ['auth', auth],
    ['agent', agent],
  ];
  return pairs.flatMap(([name, value]) => (value === undefined ? [] : [`${name}/${safeValue(value)}`])).join(' ');
}

/** A value in the characters that the SDKs allow. */
function safeValue(text: string): string {
  return text.replaceAll(/[^\w.+-]/g, '-');
}
