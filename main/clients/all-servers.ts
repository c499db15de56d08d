import { commandLineOf, isOurs } from './entry.ts';
import { type FileRecord, writtenAs } from './record.ts';
import type { Meta } from './server-arguments.ts';
import type { ManagedServer } from './servers.ts';

/** The one entry that leads to all servers in the list, or to those of one profile (`causeway proxy --all`). */
export interface AllServers {
  /** The entry's name. */
  name: string;
  all: true;
  profile: string | undefined;
  meta?: Meta | undefined;
}

/** What an entry leads to. */
export type EntryTarget = ManagedServer | AllServers;

/** The entry for all servers, under a name that none of them has. */
export function allServers(servers: readonly ManagedServer[], profile?: string): AllServers {
  const isTaken = servers.some(({ name }) => name === 'causeway');
  return { name: isTaken ? 'causeway-all' : 'causeway', all: true, profile };
}

/** The entries of that kind in a file, also those that were written to it and have vanished. */
export function allServersIn(entries: ReadonlyMap<string, unknown>, known: FileRecord | undefined): AllServers[] {
  return [...new Set([...entries.keys(), ...Object.keys(known?.entries ?? {})])].flatMap((name) => {
    const present = entries.get(name);
    const written = writtenAs(known, name);
    const ours = present === undefined ? written[0] : isOurs(present, written) && present;
    const words = commandLineOf(ours);
    if (!words.includes('--all')) return [];
    const at = words.indexOf('--profile');
    return [{ name, all: true, profile: at === -1 ? undefined : words[at + 1] }];
  });
}
