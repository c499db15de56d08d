import type { CommandContext } from '../command.ts';
import { columns, printable, writeJson, writeLine } from '../print.ts';
import { openServerList } from './options.ts';

/** `causeway servers`: the servers that clients are to have. */
export async function list(context: CommandContext, options: { json?: boolean }): Promise<void> {
  const { servers } = (await openServerList(context)).read();
  if (options.json) return writeJson(context.stdout, servers);
  if (servers.length === 0) {
    return writeLine(context.stderr, 'There are no servers yet. Add one with: causeway servers add sql');
  }
  const rows = servers.map(({ name, kind, profile, path }) => [name, kind, profile, path].map(printable));
  for (const line of columns([['NAME', 'KIND', 'PROFILE', 'PATH'], ...rows])) await writeLine(context.stdout, line);
}
