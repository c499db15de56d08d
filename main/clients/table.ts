import { isWireName } from '../platform/wire-name.ts';
import type { ClientFacts } from './client.ts';
import { ANTHROPIC } from './table/anthropic.ts';
import { COMMAND_LINES } from './table/command-lines.ts';
import { EDITORS } from './table/editors.ts';
import { JETBRAINS_AND_MICROSOFT } from './table/jetbrains-and-microsoft.ts';

/** Every client that Causeway knows, in the order in which they are shown. */
export const CLIENTS: readonly ClientFacts[] = [...ANTHROPIC, ...EDITORS, ...JETBRAINS_AND_MICROSOFT, ...COMMAND_LINES];

/**
 * The client that calls itself so in `clientInfo.name`: by a name in its row, or one that begins with it and a server's name
 * behind (`qwen-cli-mcp-client-databricks-sql`); `undefined` where no row has it. Case does not count.
 */
export function clientOnWire(name: string): ClientFacts | undefined {
  return CLIENTS.find(({ wireNames }) => wireNames.some((wireName) => isWireName(name, wireName)));
}

/** What a person calls the client that calls itself so: its name in the table, or what it sent. */
export function displayNameOf(wireName: string): string {
  return clientOnWire(wireName)?.name ?? wireName;
}
