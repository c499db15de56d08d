import { access } from 'node:fs/promises';
import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { z } from 'zod';
import {
  isAppPath,
  type ManagedServerKind,
  pathOfRow,
  rowOf,
  type ServerRowName,
  serverAt,
} from '../../preload/contract/server-kinds.ts';
import { serverPathKey } from '../../preload/contract/server-path.ts';
import {
  checkServer,
  defaultValue,
  lockedValue,
  managedError,
  type Policy,
  type RequiredServer,
} from '../permissions/policy/policy.ts';
import { currentPolicy, systemPolicy } from '../permissions/policy/system-policy.ts';
import { CausewayError, sentences } from '../platform/errors.ts';
import { codeOf } from '../platform/file-errors.ts';
import { configFolder, serverListPath, stateFolder } from '../platform/paths.ts';
import { openSettings, type SettingsFile } from '../platform/settings.ts';
import { didYouMean, similarNames } from '../platform/similar-names.ts';
import { type Meta, metaArguments } from './server-arguments.ts';

/** Members of `_meta` in Causeway's files. */
export const metaSchema = z.record(z.string(), z.string());

/** A server in the list. A file for a team holds the same members, except `confirmed`. */
export const listedServerSchema = z.object({
  name: z
    .string()
    .regex(
      /^[a-z0-9]([a-z0-9-]*[a-z0-9])?$/,
      'a name has lower-case letters, digits and hyphens, and begins and ends with no hyphen',
    ),
  profile: z.string().min(1),
  /** For people who read the file: what the path says counts. */
  kind: z.string().optional(),
  path: z.string().startsWith('/'),
  /** The title of a Genie space when it was added. Its path holds only an id. */
  title: z.string().optional(),
  /** What each tool call carries in `_meta`, such as `warehouse_id`. */
  meta: metaSchema.optional(),
  /** The origin of a Databricks App that the user has confirmed. No token is sent to another one. */
  confirmed: z.string().optional(),
});

const listSchema = z.object({
  servers: z.array(listedServerSchema.transform((server) => ({ ...server, kind: serverAt(server.path).kind }))),
});

/** The list of servers. */
export type ServerList = z.infer<typeof listSchema>;

/** A managed server for clients to use. */
export type ManagedServer = ServerList['servers'][number];

/**
 * Opens the list of servers. Those that the organization requires are always in it; those that it only suggests, as long as
 * the user has no list. `change` throws `managed` where one that is required would go, or one that is not allowed would come.
 */
export async function openServers(env: NodeJS.ProcessEnv): Promise<SettingsFile<ServerList>> {
  const suggested = defaultValue(await currentPolicy(), 'requiredServers') ?? [];
  const file = await openSettings({
    folder: configFolder(env),
    name: 'servers',
    schema: listSchema,
    empty: { servers: suggested.map(asServer) },
    lockFolder: join(stateFolder(env), 'locks', 'servers'),
    damaged: 'refuse',
  });
  const managed = (list: ServerList) => withRequired(list, systemPolicy().current);
  return {
    path: file.path,
    initial: managed(file.initial),
    read: () => managed(file.read()),
    change: async (edit) => {
      const policy = await currentPolicy();
      return file.change((now) => {
        const before = withRequired(now, policy);
        const after = edit(before);
        checkChange(before, after, policy);
        return after === before ? now : after;
      });
    },
  };
}

function requiredIn(policy: Policy): ManagedServer[] {
  // If the policy is unusable, the code that uses a server reports it.
  return policy.problem ? [] : (lockedValue(policy, 'requiredServers') ?? []).map(asServer);
}

function asServer({ kind: _kind, meta, ...server }: RequiredServer): ManagedServer {
  return { ...server, kind: serverAt(server.path).kind, ...(meta ? { meta } : {}) };
}

/** The list with the servers that the organization requires, which replace others with the same names. */
function withRequired(list: ServerList, policy: Policy): ServerList {
  const missing = requiredIn(policy).filter((required) => !list.servers.some((server) => isSame(server, required)));
  if (missing.length === 0) return list;
  const others = list.servers.filter(({ name }) => !missing.some((required) => required.name === name));
  return { servers: [...others, ...missing] };
}

function isSame(server: ManagedServer, required: ManagedServer): boolean {
  return isDeepStrictEqual({ ...server, confirmed: undefined }, { ...required, confirmed: undefined });
}

/** @throws {CausewayError} `managed` */
function checkChange(before: ServerList, after: ServerList, policy: Policy): void {
  for (const required of requiredIn(policy)) {
    if (after.servers.some((server) => isSame(server, required))) continue;
    throw managedError(policy, 'requiredServers', `the server "${required.name}" must stay as it is`);
  }
  for (const server of after.servers) {
    if (!before.servers.includes(server)) checkServer(policy, server.path);
  }
}

/**
 * The paths of the servers that are configured for a profile. Only looks, as `hasServerList`.
 * @throws {CausewayError} as `openServers` and reading the list
 */
export async function pathsOfProfile(env: NodeJS.ProcessEnv, profile: string): Promise<string[]> {
  if (!(await hasServerList(env))) return [];
  const { servers } = (await openServers(env)).initial;
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
  const { servers } = (await openServers(env)).initial;
  return servers.find((server) => server.profile === profile && server.path === path && server.confirmed)?.confirmed;
}

/** The list with the origin that the user has confirmed now, for all servers of a profile that are this app. */
export function withConfirmed({ servers }: ServerList, { profile, path, confirmed }: ManagedServer): ServerList {
  const isIt = (server: ManagedServer) => server.profile === profile && server.path === path;
  return { servers: servers.map((server) => (isIt(server) ? { ...server, confirmed } : server)) };
}

/** Whether there is a list of servers in that environment's home, or the organization's. Only looks, where opening it would make its folder. */
export async function hasServerList(env: NodeJS.ProcessEnv): Promise<boolean> {
  if ((await currentPolicy()).keys.requiredServers) return true;
  return access(serverListPath(env)).then(
    () => true,
    // If the list cannot be accessed, opening it reports why.
    (error: unknown) => codeOf(error) !== 'ENOENT',
  );
}

/** The maximum length of a name. Together with a client's prefix, it must leave room for the tool's name. */
const MAX_NAME_LENGTH = 40;

/** The list with one more server. @throws {CausewayError} `usage`, `already_exists` */
export function withServer({ servers }: ServerList, server: ManagedServer): ServerList {
  if (!listedServerSchema.shape.name.safeParse(server.name).success || server.name.length > MAX_NAME_LENGTH) {
    throw new CausewayError('usage', `"${server.name}" cannot name a server.`, {
      remedy: `Use up to ${MAX_NAME_LENGTH} characters: a-z, 0-9 and "-". Begin and end with a letter or digit.`,
    });
  }
  if (servers.some(({ name }) => name === server.name)) {
    throw new CausewayError('already_exists', `There is already a server "${server.name}".`, {
      remedy: 'Choose another name, or remove that one first.',
    });
  }
  return { servers: [...servers, server] };
}

/** The server of the list that is the same one: every client would have its tools twice. */
export function sameServer(
  servers: readonly ManagedServer[],
  wanted: Pick<ManagedServer, 'profile' | 'path' | 'meta'>,
): ManagedServer | undefined {
  const keyOf = ({ profile, path, meta }: typeof wanted) =>
    JSON.stringify([profile, serverPathKey(path) ?? path, path.split('?')[1] ?? '', metaArguments(meta)]);
  return servers.find((server) => keyOf(server) === keyOf(wanted));
}

/** The list without a server. @throws {CausewayError} `not_found` */
export function withoutServer({ servers }: ServerList, name: string): ServerList {
  findServer({ servers }, name);
  return { servers: servers.filter((server) => server.name !== name) };
}

/** The list with another `_meta` for a server; with none if `meta` is empty. @throws {CausewayError} `not_found` */
export function withMeta({ servers }: ServerList, name: string, meta: Meta): ServerList {
  findServer({ servers }, name);
  const changed = ({ meta: _before, ...server }: ManagedServer): ManagedServer =>
    Object.keys(meta).length === 0 ? server : { ...server, meta };
  return { servers: servers.map((server) => (server.name === name ? changed(server) : server)) };
}

/** The list with a server at another path, under its name and with its `_meta`. @throws {CausewayError} `not_found` */
export function withPath({ servers }: ServerList, name: string, path: string): ServerList {
  findServer({ servers }, name);
  const { kind } = serverAt(path);
  return { servers: servers.map((server) => (server.name === name ? { ...server, kind, path } : server)) };
}

/** The server of that name. @throws {CausewayError} `not_found` */
export function findServer({ servers }: ServerList, name: string): ManagedServer {
  const found = servers.find((server) => server.name === name);
  if (found) return found;
  const known = servers.map((server) => server.name);
  const remedy = sentences(didYouMean(similarNames(name, known)), `Servers in the list: ${known.join(', ')}.`);
  throw new CausewayError('not_found', `There is no server "${name}".`, {
    ...(known.length === 0 ? { action: { do: 'add-server' } } : { remedy }),
    candidates: known.map((each) => ({ name: each })),
  });
}

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
        'Names of Databricks Apps have a-z, 0-9 and "-". If its MCP server is not at /mcp, use --path /apps/NAME/PATH.',
    });
  }
  return pathInRow(kind, target, kind);
}

/**
 * The path of a server of a row by what the user has typed for it: names with dots or slashes between them.
 * @param called what the user calls it
 * @throws {CausewayError} `usage`
 */
export function pathInRow(row: ServerRowName, target: string, called: string): string {
  const { names, takes } = rowOf(row);
  const given = target === '' ? [] : target.split(row === 'genie' ? '/' : /[./]/);
  if (given.length < names[0] || given.length > names[1] || given.some((part) => part.trim() === '')) {
    throw new CausewayError('usage', `A ${called} server takes ${takes}${target === '' ? '' : `, not "${target}"`}.`, {
      remedy: 'For anything else, use --path.',
    });
  }
  return pathOfRow(row, given);
}

/**
 * The longest name that is proposed for a Genie space. Clients put it before each tool's name, a space's tools have up to 46
 * characters, and the strictest client takes 63 of both and its own prefix.
 */
const MAX_SPACE_NAME_LENGTH = 10;

/**
 * A short, unused name for a server. A Genie space is named after its title, or after the end of its id where the title has no
 * letter that a name takes.
 */
export function suggestName(
  { path, title = '' }: Pick<ManagedServer, 'path' | 'title'>,
  usedNames: readonly string[],
): string {
  const { kind, named } = serverAt(path);
  const isSpace = kind === 'genie' && slugOf(title) !== '';
  const slug = slugOf(isSpace ? title : named) || 'server';
  for (let number = 1; ; number += 1) {
    const suffix = number === 1 ? '' : `-${number}`;
    const room = isSpace ? MAX_SPACE_NAME_LENGTH - suffix.length : MAX_NAME_LENGTH - 3;
    const name = `${isSpace ? wholeWords(slug, room) : slug.slice(0, room).replace(/-+$/, '')}${suffix}`;
    if (!usedNames.includes(name)) return name;
  }
}

/** The letters and digits of a text that are allowed in names. Accents are dropped. */
function slugOf(text: string): string {
  const plain = text.normalize('NFKD').replace(/\p{M}/gu, '').toLowerCase();
  return plain.replace(/[^a-z0-9]+/g, '-').replace(/^-+|-+$/g, '');
}

/** As many of the first words as fit, or the beginning of a long first word. */
function wholeWords(slug: string, room: number): string {
  if (slug.length <= room) return slug;
  const end = slug.lastIndexOf('-', room);
  return slug.slice(0, end > 0 ? end : room);
}
