import { access } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import { CausewayError } from '../platform/errors.ts';
import { configFolder, stateFolder } from '../platform/paths.ts';
import { openSettings, type SettingsFile } from '../platform/settings.ts';
import { isAppPath, type ManagedServerKind, type Meta, SERVER_KINDS } from './server-arguments.ts';

/** Members of `_meta`, as files of Causeway hold them. */
export const metaSchema = z.record(z.string(), z.string());

const serverSchema = z.object({
  name: z.string().regex(/^[a-z0-9]([a-z0-9-]*[a-z0-9])?$/),
  profile: z.string().min(1),
  kind: z.enum(SERVER_KINDS),
  path: z.string().startsWith('/'),
  /** Of a Genie space, its title when it was added: its path holds only an id. */
  title: z.string().optional(),
  /** What each tool call carries in `_meta`, such as `warehouse_id`. */
  meta: metaSchema.optional(),
  /** Of a Databricks App, the origin that the user has confirmed: no token goes to another one. */
  confirmed: z.string().optional(),
});

const listSchema = z.object({ servers: z.array(serverSchema) });

/** A managed server that clients are to have. */
export type ManagedServer = z.infer<typeof serverSchema>;

/** The list of servers. */
export type ServerList = z.infer<typeof listSchema>;

/** Opens the list of servers. */
export function openServers(env: NodeJS.ProcessEnv): Promise<SettingsFile<ServerList>> {
  return openSettings({
    folder: configFolder(env),
    name: 'servers',
    schema: listSchema,
    empty: { servers: [] },
    lockFolder: join(stateFolder(env), 'locks', 'servers'),
  });
}

/**
 * The paths of the servers that are configured for a profile. Only looks, as `hasServerList`.
 * @throws {CausewayError} as `openServers` and reading the list
 */
export async function pathsOfProfile(env: NodeJS.ProcessEnv, profile: string): Promise<string[]> {
  if (!(await hasServerList(env))) return [];
  const { servers } = (await openServers(env)).atOpening;
  return servers.filter((server) => server.profile === profile).map(({ path }) => path);
}

/**
 * The origin that the user has confirmed for a Databricks App among the servers of a profile. Only looks, as `hasServerList`.
 * @throws {CausewayError} as `openServers` and reading the list
 */
export async function confirmedOrigin(
  env: NodeJS.ProcessEnv,
  profile: string,
  path: string,
): Promise<string | undefined> {
  if (!(await hasServerList(env))) return undefined;
  const { servers } = (await openServers(env)).atOpening;
  return servers.find((server) => server.profile === profile && server.path === path && server.confirmed)?.confirmed;
}

/** The list with the origin that the user has confirmed now, for all servers of a profile that are this app. */
export function withConfirmed({ servers }: ServerList, { profile, path, confirmed }: ManagedServer): ServerList {
  const isIt = (server: ManagedServer) => server.profile === profile && server.path === path;
  return { servers: servers.map((server) => (isIt(server) ? { ...server, confirmed } : server)) };
}

/** Whether there is a list of servers in that environment's home. Only looks, where opening it would make its folder. */
export async function hasServerList(env: NodeJS.ProcessEnv): Promise<boolean> {
  return access(join(configFolder(env), 'servers.json')).then(
    () => true,
    () => false,
  );
}

/** The longest name: with a client's own prefix it has to leave room for the tool's. */
const MAX_NAME_LENGTH = 40;

/** The list with one more server. @throws {CausewayError} `usage`, `already_exists` */
export function withServer({ servers }: ServerList, server: ManagedServer): ServerList {
  if (!serverSchema.shape.name.safeParse(server.name).success || server.name.length > MAX_NAME_LENGTH) {
    throw new CausewayError('usage', `"${server.name}" cannot name a server.`, {
      remedy: `Use up to ${MAX_NAME_LENGTH} of a-z, 0-9 and "-", a letter or digit first and last: every client takes those.`,
    });
  }
  if (servers.some(({ name }) => name === server.name)) {
    throw new CausewayError('already_exists', `There is already a server "${server.name}".`, {
      remedy: 'Choose another name, or remove that one first.',
    });
  }
  return { servers: [...servers, server] };
}

/** The list without a server. @throws {CausewayError} `not_found` */
export function withoutServer({ servers }: ServerList, name: string): ServerList {
  findServer({ servers }, name);
  return { servers: servers.filter((server) => server.name !== name) };
}

/** The list with another `_meta` for a server; with none where `meta` is empty. @throws {CausewayError} `not_found` */
export function withMeta({ servers }: ServerList, name: string, meta: Meta): ServerList {
  findServer({ servers }, name);
  const changed = ({ meta: _before, ...server }: ManagedServer): ManagedServer =>
    Object.keys(meta).length === 0 ? server : { ...server, meta };
  return { servers: servers.map((server) => (server.name === name ? changed(server) : server)) };
}

/** The list with a server at another path, under its name and with its `_meta`. @throws {CausewayError} `not_found` */
export function withPath({ servers }: ServerList, name: string, kind: ManagedServerKind, path: string): ServerList {
  findServer({ servers }, name);
  return { servers: servers.map((server) => (server.name === name ? { ...server, kind, path } : server)) };
}

/** The server of that name. @throws {CausewayError} `not_found` */
export function findServer({ servers }: ServerList, name: string): ManagedServer {
  const found = servers.find((server) => server.name === name);
  if (found) return found;
  const known = servers.map((server) => server.name).join(', ');
  throw new CausewayError('not_found', `There is no server "${name}".`, {
    ...(known === '' ? { action: { do: 'add-server' } } : { remedy: `There are ${known}.` }),
    candidates: servers.map((server) => ({ name: server.name })),
  });
}

/** What a kind of server needs to know, and what its path is then. */
const TARGETS: Record<
  Exclude<ManagedServerKind, 'app' | 'other'>,
  { parts: [least: number, most: number]; words: string; prefix: string }
> = {
  sql: { parts: [0, 0], words: 'nothing more', prefix: 'sql' },
  genie: { parts: [1, 1], words: "the Genie space's id", prefix: 'genie' },
  'vector-search': { parts: [2, 3], words: 'CATALOG.SCHEMA or CATALOG.SCHEMA.INDEX', prefix: 'vector-search' },
  functions: { parts: [2, 3], words: 'CATALOG.SCHEMA or CATALOG.SCHEMA.FUNCTION', prefix: 'functions' },
};

/**
 * The path of a server by its kind and what it is to show (spec/managed-mcp-endpoints.md › Managed server).
 * @throws {CausewayError} `usage`
 */
export function serverPath(kind: Exclude<ManagedServerKind, 'other'>, target: string): string {
  if (kind === 'app') {
    const path = `/apps/${target}/mcp`;
    if (isAppPath(path) && !target.includes('/')) return path;
    throw new CausewayError('usage', `"${target}" cannot name an app.`, {
      remedy:
        'Names of Databricks Apps have a-z, 0-9 and "-". Where its MCP server is not at /mcp, give --path /apps/NAME/PATH.',
    });
  }
  const { parts, words, prefix } = TARGETS[kind];
  const given = target === '' ? [] : target.split(kind === 'genie' ? '/' : /[./]/);
  if (given.length < parts[0] || given.length > parts[1] || given.some((part) => part.trim() === '')) {
    throw new CausewayError('usage', `A ${kind} server takes ${words}${target === '' ? '' : `, not "${target}"`}.`, {
      remedy: 'For anything else, name the path with --path.',
    });
  }
  return ['/api/2.0/mcp', prefix, ...given.map(encodeURIComponent)].join('/');
}

/**
 * The longest name that is proposed for a Genie space. Clients put it before each tool's name, a space's tools have up to 46
 * characters, and the strictest client takes 63 of both and its own prefix.
 */
const MAX_SPACE_NAME_LENGTH = 10;

/** What is known of a server that has no name yet. */
export interface UnnamedServer {
  kind: ManagedServerKind;
  path: string;
  /** Of a Genie space. */
  title?: string | undefined;
}

/**
 * A short, unused name for a server. A Genie space is named after its title, or after the end of its id where the title has no
 * letter that a name takes.
 */
export function suggestName({ kind, path, title = '' }: UnnamedServer, usedNames: readonly string[]): string {
  const last = decodeURIComponent(path.split('/').at(-1) ?? '');
  const isSpace = kind === 'genie' && slugOf(title) !== '';
  const names: Record<ManagedServerKind, string> = {
    sql: 'databricks-sql',
    // Spaces that were made one after the other differ at the end of their ids.
    genie: isSpace ? title : `genie-${last.slice(-4)}`,
    'vector-search': `search-${last}`,
    functions: `functions-${last}`,
    app: path.split('/')[2] ?? '',
    other: last,
  };
  const slug = slugOf(names[kind]) || 'server';
  for (let number = 1; ; number += 1) {
    const suffix = number === 1 ? '' : `-${number}`;
    const room = isSpace ? MAX_SPACE_NAME_LENGTH - suffix.length : MAX_NAME_LENGTH - 3;
    const name = `${isSpace ? wholeWords(slug, room) : slug.slice(0, room).replace(/-+$/, '')}${suffix}`;
    if (!usedNames.includes(name)) return name;
  }
}

/** The letters and digits of a text that names take; accents are dropped. */
function slugOf(text: string): string {
  const plain = text.normalize('NFKD').replace(/\p{M}/gu, '').toLowerCase();
  return plain.replace(/[^a-z0-9]+/g, '-').replace(/^-+|-+$/g, '');
}

/** As many of the first words as fit, or the beginning of a long first one. */
function wholeWords(slug: string, room: number): string {
  if (slug.length <= room) return slug;
  const end = slug.lastIndexOf('-', room);
  return slug.slice(0, end > 0 ? end : room);
}
