import { type ManagedServer, openServers, type ServerList } from '../../clients/servers.ts';
import type { Settings } from '../../platform/settings.ts';
import type { CommandContext } from '../command.ts';
import { printable, writeLine } from '../print.ts';

/** Opens the list of servers, and says so if it was damaged. */
export async function openServerList(context: CommandContext): Promise<Settings<ServerList>> {
  const servers = await openServers(context.env);
  if (servers.setAside !== undefined) {
    await writeLine(
      context.stderr,
      printable(`causeway: ${servers.path} was damaged and is now ${servers.setAside}; the list begins empty.`),
    );
  }
  return servers;
}

/** A server as one line says it. */
export function describeServer({ name, profile, path }: ManagedServer): string {
  return printable(`${name}: ${path} as ${profile}`);
}
