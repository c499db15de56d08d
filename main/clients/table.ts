import { isWireName } from '../platform/wire-name.ts';
import type { ClientFacts } from './client.ts';
import { ANTHROPIC } from './table/anthropic.ts';
import { COMMAND_LINES_A_TO_G } from './table/command-lines-a-to-g.ts';
import { COMMAND_LINES_H_TO_Z } from './table/command-lines-h-to-z.ts';
import { EDITORS } from './table/editors.ts';
import { JETBRAINS_AND_MICROSOFT } from './table/jetbrains-and-microsoft.ts';

/** Every client that Causeway knows, in the order in which they are shown. */
export const CLIENTS: readonly ClientFacts[] = [
  ...ANTHROPIC,
  ...EDITORS,
  ...JETBRAINS_AND_MICROSOFT,
  ...COMMAND_LINES_A_TO_G,
  ...COMMAND_LINES_H_TO_Z,
];

/**
 * The client that calls itself so in `clientInfo.name`: by a name in its row, or one that begins with it and a server's name
 * behind (`qwen-cli-mcp-client-databricks-sql`); `undefined` if no row has it. Case does not count.
 */
export function clientOnWire(name: string): ClientFacts | undefined {
  return CLIENTS.find(({ wireNames }) => wireNames.some((wireName) => isWireName(name, wireName)));
}

/** The client's display name: its name in the table, or what it sent. */
export function displayNameOf(wireName: string): string {
  return clientOnWire(wireName)?.name ?? wireName;
}

/** A client's limit that a server's tools would exceed. */
export interface LongNames {
  /** The client's id. */
  client: string;
  /** The warning for the user, as a sentence. */
  warning: string;
}

/**
 * Tools of a server whose names are too long for a client once it has put its prefix before them. Most clients hand the names
 * to a model's interface that takes 64 characters; a longer one is refused there, cut, or left out by the client.
 */
export function longNamesByClient(server: string, tools: readonly string[]): LongNames[] {
  return CLIENTS.flatMap(({ id, name, toolNames }) => {
    if (!toolNames) return [];
    const prefix = toolNames.prefix(server).length;
    const long = tools.filter((tool) => tool.length > toolNames.limit - prefix);
    const own = prefix === 0 ? '' : ` (${prefix} for its own prefix)`;
    const limit = `${name} allows ${toolNames.limit} characters for a tool’s name${own}`;
    return long.length === 0 ? [] : [{ client: id, warning: `${limit}. Too long: ${long.join(', ')}.` }];
  });
}

/** Only the warnings. */
export function longNames(server: string, tools: readonly string[]): string[] {
  return longNamesByClient(server, tools).map(({ warning }) => warning);
}
