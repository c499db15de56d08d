import { CausewayError } from '../platform/errors.ts';
import type { ClientFacts } from './client.ts';
import type { LocatedFile } from './detect.ts';
import { type Entry, hasAddress, type Launch, otherKeys, plain, wholeEntry } from './entry.ts';
import type { Launcher } from './launcher.ts';
import { metaArguments } from './meta.ts';
import type { HttpChoice } from './outcome.ts';
import type { FileRecord } from './record.ts';
import type { ManagedServer } from './servers.ts';

/** How clients start a server on this computer. */
function launchOf({ command, prefix }: Launcher, { name, ...server }: ManagedServer): Launch {
  return { name, command, args: [...prefix, ...proxyArguments(server)] };
}

/** What a team can have in common: no path of this computer. */
function launchFromPath({ name, ...server }: ManagedServer): Launch {
  return { name, command: 'causeway', args: proxyArguments(server) };
}

function proxyArguments({ profile, path, meta }: Pick<ManagedServer, 'profile' | 'path' | 'meta'>): string[] {
  return ['proxy', '--profile', profile, '--path', path, ...metaArguments(meta)];
}

/**
 * A server's entry in a file of a client, with an address where `http` is given.
 * @throws {CausewayError} `usage` where the client takes no address
 */
export function entryOf(
  client: ClientFacts,
  file: LocatedFile,
  server: ManagedServer,
  launcher: Launcher,
  http?: HttpChoice,
): Entry {
  if (http && server.meta) {
    throw new CausewayError(
      'usage',
      `With an address, ${client.name} cannot send what ${server.name} is to have in _meta.`,
      {
        remedy: `Leave --http out, or take it away with "causeway servers set ${server.name} --no-meta".`,
      },
    );
  }
  const direct = entryWithAddress(client, file, server, http);
  const stdio = client.stdio(file.project === undefined ? launchOf(launcher, server) : launchFromPath(server));
  const entry = http ? direct : stdio;
  if (!entry) {
    throw new CausewayError('usage', `${client.name} takes no address in its file.`, { remedy: 'Leave --http out.' });
  }
  return { ...entry, obsolete: otherKeys(entry, http ? stdio : direct) };
}

/** The entry as it would be written now: one that was written with an address of its own, as that. */
export function entryToday(
  client: ClientFacts,
  file: LocatedFile,
  server: ManagedServer,
  launcher: Launcher,
  known: FileRecord | undefined,
): Entry {
  const written = known?.entries[server.name];
  if (!written || !hasAddress(written)) return entryOf(client, file, server, launcher);
  const { initial } = entryWithAddress(client, file, server) ?? {};
  const entry = { fixed: written, ...(initial ? { initial } : {}) };
  return { ...entry, obsolete: otherKeys(entry, client.stdio(launchOf(launcher, server))) };
}

/** With an address; for all that one can have where it was not chosen. */
function entryWithAddress(client: ClientFacts, file: LocatedFile, server: ManagedServer, http?: HttpChoice) {
  const { clientId, callbackPort, url } = http
    ? { ...http, url: http.urlOf(server) }
    : { clientId: 'any', callbackPort: 1, url: '' };
  return (file.http ?? client.http)?.({ name: server.name, url, clientId, callbackPort });
}

/** Entries to paste, and links to follow, by the server's name. */
export interface Pasteable {
  entries: unknown;
  links: Record<string, string>;
}

/** In the shape of one client, or in the one that nearly every client takes. */
export function entriesToPaste(servers: readonly ManagedServer[], launcher: Launcher, client?: ClientFacts): Pasteable {
  const { key, stdio, deepLink } = client ?? { key: ['mcpServers'], stdio: plain };
  const shown = servers.map((server) => [server.name, wholeEntry(stdio(launchOf(launcher, server)))] as const);
  const entries = key.reduceRight<unknown>((inner, part) => ({ [part]: inner }), Object.fromEntries(shown));
  const links = shown.flatMap(([name, entry]) => (deepLink ? [[name, deepLink(name, entry)]] : []));
  return { entries, links: Object.fromEntries(links) };
}
