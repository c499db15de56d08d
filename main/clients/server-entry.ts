import { isAppPath } from '../../preload/contract/server-kinds.ts';
import { CausewayError } from '../platform/errors.ts';
import { ownMember } from '../platform/own-member.ts';
import type { EntryTarget } from './all-servers.ts';
import type { ClientFacts, PublishedApplication } from './client.ts';
import type { LocatedFile } from './detect.ts';
import {
  commandLineOf,
  type DataTable,
  type Entry,
  hasAddress,
  isDataTable,
  type Launch,
  otherKeys,
  plain,
  sameData,
  wholeEntry,
  withCommandLine,
  wrapperOf,
} from './entry.ts';
import type { Launcher } from './launcher.ts';
import { type FileRecord, writtenAs } from './record.ts';
import { type Meta, metaArguments } from './server-arguments.ts';
import type { ManagedServer } from './servers.ts';

/** The OAuth application that a client signs in as. */
export interface OwnApplication {
  /** Left out for the one that Databricks publishes for the client, if the workspace has it. */
  clientId: string | undefined;
  callbackPort: number | undefined;
}

/** A server by its URL, for a client that connects directly. */
export interface HttpChoice extends OwnApplication {
  urlOf(server: ManagedServer): string;
  /** Whether the server's workspace has an application that Databricks publishes. @throws {CausewayError} if it cannot be told */
  isPublished(server: ManagedServer, application: PublishedApplication): Promise<boolean>;
}

/** How clients start a server on this computer. */
function launchOf({ command, prefix, environment }: Launcher, { name, ...server }: EntryTarget): Launch {
  const record = environment === undefined ? [] : ['--environment', environment];
  return { name, command, args: [...prefix, 'proxy', ...record, ...proxyArguments(server)] };
}

/** What the entries of a project's file start. */
export const SHARED_COMMAND = 'causeway';

/** An entry that a team can share: it contains no path of this computer. */
function launchFromPath({ name, ...server }: EntryTarget): Launch {
  return { name, command: SHARED_COMMAND, args: ['proxy', ...proxyArguments(server)] };
}

function proxyArguments(target: DistributiveOmit<EntryTarget, 'name'>): string[] {
  if (!('all' in target)) return ['--profile', target.profile, '--path', target.path, ...metaArguments(target.meta)];
  const profile = target.profile === undefined ? [] : ['--profile', target.profile];
  return ['--all', ...profile, ...metaArguments(target.meta)];
}

type DistributiveOmit<T, Key extends PropertyKey> = T extends unknown ? Omit<T, Key> : never;

/**
 * A server's entry in a file of a client, with an address where `http` is given.
 * @throws {CausewayError} `usage` if the client takes no address
 */
export function entryOf(
  client: ClientFacts,
  file: LocatedFile,
  server: EntryTarget,
  launcher: Launcher,
  http?: HttpChoice,
): Entry {
  if (http) checkAddress(client, server);
  const direct = entryWithAddress(client, file, server, http);
  const stdio = client.stdio(file.project === undefined ? launchOf(launcher, server) : launchFromPath(server));
  const entry = http ? direct : stdio;
  if (!entry) {
    throw new CausewayError('usage', `${client.name} does not support addresses in its file.`, {
      remedy: 'Leave --http out.',
    });
  }
  return { ...entry, obsolete: otherKeys(entry, http ? stdio : direct) };
}

/** Refuses a server that no entry with an address can lead to. @throws {CausewayError} `usage` */
function checkAddress(client: ClientFacts, server: EntryTarget): void {
  if ('all' in server) {
    throw new CausewayError('usage', 'An address leads to only one server.', { remedy: 'Leave --http out.' });
  }
  const { name, path, meta } = server;
  if (isAppPath(path)) {
    throw new CausewayError('usage', `${name} is a Databricks App. ${client.name} cannot connect to it by address.`, {
      remedy: 'Leave --http out. Causeway checks the address before it sends a token there.',
    });
  }
  if (meta) throw noMetaWithAddress(client, server, `servers set ${name}`);
}

function noMetaWithAddress({ name }: ClientFacts, server: EntryTarget, command: string): CausewayError {
  return new CausewayError('usage', `With an address, ${name} cannot send the _meta of ${server.name}.`, {
    remedy: `Leave --http out, or remove it with \`causeway ${command} --no-meta\`.`,
  });
}

/** An entry with what it carries in `_meta` beside its server's own. @throws {CausewayError} as `entryOf` */
export function entryWithMeta(
  [client, file, server, launcher, http]: Parameters<typeof entryOf>,
  own: Meta | undefined,
): Entry {
  if (!own || Object.keys(own).length === 0) return entryOf(client, file, server, launcher, http);
  if (http) throw noMetaWithAddress(client, server, `clients add ${client.id} --server ${server.name}`);
  const entry = entryOf(client, file, { ...server, meta: { ...server.meta, ...own } }, launcher, http);
  return { ...entry, meta: own };
}

/** The entry as it would be written now; one that was written with a URL keeps that form. */
export function entryToday(
  client: ClientFacts,
  file: LocatedFile,
  server: EntryTarget,
  launcher: Launcher,
  known: FileRecord | undefined,
): Entry {
  const written = ownMember(known?.entries, server.name);
  if (!written || !hasAddress(written))
    return entryWithMeta([client, file, server, launcher], ownMember(known?.meta, server.name));
  const { initial } = entryWithAddress(client, file, server) ?? {};
  const entry = { fixed: written, ...(initial ? { initial } : {}) };
  return { ...entry, obsolete: otherKeys(entry, client.stdio(launchOf(launcher, server))) };
}

/** The entry with a URL, or with example values if `http` is left out; undefined if the client has no such entries. */
function entryWithAddress(client: ClientFacts, file: LocatedFile, server: EntryTarget, http?: HttpChoice) {
  const { clientId, callbackPort, url } =
    http && !('all' in server) ? { ...http, url: http.urlOf(server) } : { clientId: 'any', callbackPort: 1, url: '' };
  return (file.http ?? client.http)?.({ name: server.name, url, clientId, callbackPort });
}

/** Entries to paste, and links to follow, by the server's name. */
export interface Pasteable {
  entries: Record<string, unknown>;
  links: Record<string, string>;
}

/** In the shape of one client, or in the one that nearly every client takes; with an address where `http` gives the choice for it. */
export function entriesToPaste(
  servers: readonly EntryTarget[],
  launcher: Launcher,
  client?: ClientFacts,
  http: ReadonlyMap<EntryTarget, HttpChoice | undefined> = new Map(),
): Pasteable {
  const { key, stdio, deepLink } = client ?? { key: ['mcpServers'], stdio: plain };
  const shown = servers.map((server) => {
    const direct = http.get(server);
    const entry =
      client && direct ? entryOf(client, NO_FILE, server, launcher, direct) : stdio(launchOf(launcher, server));
    return [server.name, wholeEntry(entry)] as const;
  });
  const entries = key.reduceRight<Record<string, unknown>>(
    (inner, part) => ({ [part]: inner }),
    Object.fromEntries(shown),
  );
  const links = shown.flatMap(([name, entry]) => (deepLink ? [[name, deepLink(name, entry)]] : []));
  return { entries, links: Object.fromEntries(links) };
}

/** For an entry that goes to no file. */
const NO_FILE = { path: '' };

/**
 * What an entry of ours that is there is to be corrected to: what is fixed today, without what we wrote before and what
 * belongs to the entry's other form. What the user added, changed or took out of what it began with stays so.
 */
export function correctionOf(
  { id, patience }: ClientFacts,
  entry: Entry,
  name: string,
  present: unknown,
  known: FileRecord | undefined,
): Entry {
  if (!isDataTable(present)) return entry;
  const { fixed, initial = {}, obsolete = [] } = entry;
  const began = ownMember(known?.initial, name) ?? {};
  const changesForm = hasAddress(present) !== hasAddress(fixed);
  // Of the initial fields, only the timeout is missing in entries of earlier versions. A user who removed a field wanted that.
  const missing = Object.entries(initial).filter(
    ([key]) => !Object.hasOwn(present, key) && !Object.hasOwn(began, key) && (changesForm || key === patience?.key),
  );
  const isWanted = (key: string) => Object.hasOwn(fixed, key) || Object.hasOwn(initial, key);
  // Keys of another client of the same file, in that client's shape, are not obsolete.
  const written = changesForm || known?.client === id ? writtenAs(known, name).flatMap((one) => Object.keys(one)) : [];
  const begun = Object.keys(began).filter((key) => sameData(present[key], began[key]));
  const nested = nestedIn(present);
  return {
    fixed: { ...nested, ...Object.fromEntries(missing), ...(changesForm ? fixed : asWrapped(fixed, present)) },
    obsolete: [
      ...new Set([
        ...obsolete,
        ...[...written, ...begun].filter((key) => !isWanted(key)),
        ...(nested ? ['transport'] : []),
      ]),
    ].filter((key) => !Object.hasOwn(fixed, key)),
  };
}

/** Our command, with what the user has wrapped that in the entry with. */
function asWrapped(fixed: DataTable, present: DataTable): DataTable {
  const wrapper = wrapperOf(commandLineOf(present));
  return wrapper.length === 0 ? fixed : withCommandLine(fixed, [...wrapper, ...commandLineOf(fixed)]);
}

/** What Cline keeps in `transport` beside the command or the address, if the user created the entry that way. */
function nestedIn({ transport, ...others }: DataTable): DataTable | undefined {
  if (!isDataTable(transport) || !(hasAddress(transport) || commandLineOf(transport).length > 0)) return undefined;
  const { type: _type, command: _command, args: _args, url: _url, ...rest } = transport;
  return Object.fromEntries(Object.entries(rest).filter(([key]) => !Object.hasOwn(others, key)));
}

/** Refuses a correction after which the client would not start. @throws {CausewayError} `conflict` */
export function checkStarts(
  client: ClientFacts,
  file: string,
  name: string,
  present: unknown,
  { fixed, obsolete = [] }: Entry,
): void {
  const { besideAddress = [], besideCommand = [] } = client.refuses ?? {};
  const goesDirectly = hasAddress(fixed);
  const inTheWay = (goesDirectly ? besideAddress : besideCommand).filter(
    (key) =>
      isDataTable(present) && Object.hasOwn(present, key) && !Object.hasOwn(fixed, key) && !obsolete.includes(key),
  );
  if (inTheWay.length === 0) return;
  const keys = inTheWay.join(', ');
  throw new CausewayError(
    'conflict',
    `${file}: the entry "${name}" has ${keys}. ${client.name} does not start with ${keys} next to ${goesDirectly ? 'an address' : 'a command'}.`,
    { remedy: `Nothing was written. Remove ${keys} from the entry, then try again.` },
  );
}
