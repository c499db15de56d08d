import { ownMember } from '../platform/own-member.ts';
import { commandLineOf, isOurs } from './entry.ts';
import { type FileRecord, writtenAs } from './record.ts';
import { type Meta, metaForServer, withMetaForServer } from './server-arguments.ts';
import type { ManagedServer } from './servers.ts';

/** A single entry for all servers in the list, or for those of one profile (`causeway proxy --all`). */
export interface AllServers {
  /** The entry's name. */
  name: string;
  all: true;
  profile: string | undefined;
  meta?: Meta | undefined;
}

/** What an entry connects to. */
export type EntryTarget = ManagedServer | AllServers;

/** The entry for all servers, with a name that none of them has. */
export function allServers(servers: readonly ManagedServer[], profile?: string): AllServers {
  const isTaken = servers.some(({ name }) => name === 'causeway');
  return { name: isTaken ? 'causeway-all' : 'causeway', all: true, profile };
}

/** The entries of that kind in a file, even those that were written to it and have disappeared. */
export function allServersIn(entries: ReadonlyMap<string, unknown>, known: FileRecord | undefined): AllServers[] {
  return [...new Set([...entries.keys(), ...Object.keys(known?.entries ?? {})])].flatMap((name) => {
    const present = entries.get(name);
    const written = writtenAs(known, name);
    // One that was replaced by another program's stays in view.
    const ours = isOurs(present, written) ? present : written[0];
    const commandLine = commandLineOf(ours);
    if (!commandLine.includes('--all')) return [];
    const at = commandLine.indexOf('--profile');
    return [{ name, all: true, profile: at === -1 ? undefined : commandLine[at + 1] }];
  });
}

/**
 * What a client's file says about the calls of an entry beside what the servers say themselves, whether it has an entry for each
 * server or one for all: so it holds when one takes the place of the other.
 */
export function ownMetaOf(known: FileRecord | undefined, target: EntryTarget): Meta {
  const alls = new Set(allServersIn(new Map(), known).map(({ name }) => name));
  const entries = Object.entries(known?.meta ?? {});
  const ofAll: Meta = Object.assign({}, ...entries.flatMap(([name, meta]) => (alls.has(name) ? [meta] : [])));
  if ('all' in target) {
    const ofServers = entries.filter(([name]) => !alls.has(name));
    return Object.assign({}, ...ofServers.map(([name, meta]) => withMetaForServer({}, name, meta)), ofAll);
  }
  const hasOwnEntry = Object.hasOwn(known?.entries ?? {}, target.name);
  return hasOwnEntry ? (ownMember(known?.meta, target.name) ?? {}) : metaForServer(ofAll, target.name);
}
