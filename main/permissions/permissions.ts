import { isDeepStrictEqual } from 'node:util';
import { z } from 'zod';
import { CausewayError } from '../platform/errors.ts';
import { type JsonFault, parseJson } from '../platform/json-faults.ts';
import { jsonSchemaOf } from '../platform/json-schema.ts';
import { ownMember } from '../platform/own-member.ts';
import { findNotUtf8 } from '../platform/utf8.ts';
import { keyOfAddress } from './server-key.ts';
import { SWITCHES, type Switch } from './switches.ts';
import { unreadablePermissions } from './unreadable.ts';

const switchSchema = z.enum(SWITCHES);
const readOnly = z.boolean().meta({ description: 'Only tools that read.', examples: [true] });
const newTools = switchSchema.meta({ description: 'The state of tools that no list names.', examples: ['ask'] });
const tools = (what: string, example: string) =>
  z.array(z.string()).meta({ description: `Tools that ${what}, by their names.`, examples: [[example]] });
const toolPermissionsSchema = z.strictObject({
  readOnly: readOnly.optional(),
  newTools: newTools.optional(),
  on: tools('may be used', 'execute_sql_read_only').optional(),
  off: tools('may not be used and are not listed', 'execute_sql').optional(),
  ask: tools('wait for the user at each call', 'create_issue').optional(),
});
/** A stored scope holds more than its permissions: the clients of a server, or the names of a client. */
const ownPermissionsSchema = z.object(toolPermissionsSchema.shape);
const changeSchema = z.strictObject({
  at: z.string().meta({ description: 'When, in ISO 8601.', examples: ['2026-01-02T03:04:05.678Z'] }),
  by: z.enum(['command', 'window']).meta({ description: 'Where the user made it.', examples: ['command'] }),
  what: z.string().meta({ description: 'What was changed, in words.', examples: ['Everything: read only'] }),
});
const permissionSetMembers = {
  all: z
    .strictObject({ readOnly: readOnly.optional(), newTools: newTools.optional() })
    .meta({ description: 'Permissions for every server and AI client.' })
    .optional(),
  clients: z
    .record(
      z.string(),
      z.strictObject({
        name: z.string().meta({ description: 'Its name for users.', examples: ['Codex'] }),
        wireNames: z
          .array(z.string())
          .min(1)
          .meta({ description: 'The names that it gives itself in `clientInfo`.', examples: [['codex-mcp-client']] }),
        readOnly: readOnly.optional(),
      }),
    )
    .meta({
      description: 'AI clients that permissions name, by their ids; with permissions for a client on every server.',
    })
    .optional(),
  servers: z
    .record(
      z.string(),
      z.strictObject({
        ...toolPermissionsSchema.shape,
        clients: z
          .record(z.string(), toolPermissionsSchema)
          .meta({ description: 'Permissions for a client at this server, by the ids of `clients`.' })
          .optional(),
      }),
    )
    .meta({ description: 'Permissions for single servers, by their addresses.' })
    .optional(),
};
/** Permissions in a policy, or in a file for a team. */
export const permissionSetSchema = z.strictObject(permissionSetMembers).superRefine(checkClients);
const permissionsSchema = z
  .strictObject({
    version: z.literal(1).meta({ description: 'The version of this format.', examples: [1] }),
    ...permissionSetMembers,
    history: z.array(changeSchema).meta({ description: 'The latest 200 changes, the newest last.' }).optional(),
  })
  .superRefine(checkClients)
  .superRefine(checkServers);

/** The JSON Schema of a permissions file. Some of what the reader refuses cannot be said in it, such as a path without a host. */
export function permissionsJsonSchema(): z.core.JSONSchema.BaseSchema {
  return jsonSchemaOf(permissionsSchema);
}

type PermissionSetMembers = z.infer<z.ZodObject<typeof permissionSetMembers>>;

/** A permission for a client that the file does not describe would apply to nobody. */
function checkClients({ clients = {}, servers = {} }: PermissionSetMembers, context: z.RefinementCtx): void {
  for (const [server, { clients: named = {} }] of Object.entries(servers)) {
    const unknown = Object.keys(named).find((id) => !Object.hasOwn(clients, id));
    if (unknown === undefined) continue;
    const message = `the file does not describe this client. Add "${unknown}" with its "name" and "wireNames" to "clients"`;
    context.addIssue({ code: 'custom', path: ['servers', server, 'clients', unknown], message });
  }
}

/** A permission for a server that is not written as permissions name it would apply to none. */
function checkServers({ servers = {} }: PermissionSetMembers, context: z.RefinementCtx): void {
  for (const server of Object.keys(servers)) {
    const key = keyOfAddress(server);
    if (key === server) continue;
    const message = `write it as ${key === undefined ? 'the full address of a server' : JSON.stringify(key)}`;
    context.addIssue({ code: 'custom', path: ['servers', server], message });
  }
}

/** Permissions for the tools of one server, or of one client at one server. Lists hold tools' names. */
export type ToolPermissions = z.infer<typeof toolPermissionsSchema>;

/** What `rules.json` holds. A member that this version does not know makes the whole file unreadable. */
export type Permissions = z.infer<typeof permissionsSchema>;

/** Permissions without the history of their changes. */
export type PermissionSet = z.infer<typeof permissionSetSchema>;

export type PermissionChange = z.infer<typeof changeSchema>;

/** A client as permissions name it. */
export interface PermissionClient {
  id: string;
  name: string;
  wireNames: readonly string[];
}

/** What a set of permissions is for: everything, a client everywhere, a server, or a client at a server. */
export interface PermissionScope {
  /** A `serverKey`. */
  server?: string | undefined;
  client?: PermissionClient | undefined;
}

/** How many changes the file remembers. */
const MAX_HISTORY = 200;

/**
 * Reads a permissions file.
 * @throws {CausewayError} `invalid_file` with line and column if it is not JSON in UTF-8, or this version does not know its content
 */
export async function parsePermissions(path: string, bytes: Buffer): Promise<Permissions> {
  const invalid = ({ line, column, what }: JsonFault, cause?: unknown) =>
    unreadablePermissions(path, `line ${line}, column ${column}: ${what}`, INVALID_REMEDY, cause);
  // A name in another encoding would be read as a name that no tool has, and so forbid nothing.
  for (const fault of findNotUtf8(bytes)) throw invalid(fault);
  return parseJson(bytes.toString('utf8'), permissionsSchema, invalid);
}

const INVALID_REMEDY = 'Correct the file, or delete it to remove all restrictions.';

/** The permissions of a scope alone, without those of the clients in it. */
export function permissionsOf(permissions: Permissions, { server, client }: PermissionScope): ToolPermissions {
  const { all, clients, servers } = permissions;
  const within: WithClients | undefined = server === undefined ? { ...all, clients } : ownMember(servers, server);
  return ownPermissionsSchema.parse((client ? ownMember(within?.clients, client.id) : within) ?? {});
}

type WithClients = ToolPermissions & { clients?: Readonly<Record<string, ToolPermissions>> | undefined };

/** Whether there is anything for `withoutScope` to remove. */
export function hasPermissions(permissions: Permissions, scope: PermissionScope): boolean {
  const { server, client } = scope;
  const inside = client ? {} : (ownMember(permissions.servers, server)?.clients ?? {});
  return [permissionsOf(permissions, scope), ...Object.values(inside)].some((of) => Object.keys(of).length > 0);
}

/** The changes that `permissions set` can make to a scope. Members that are left out stay as they are. */
export interface PermissionEdit {
  readOnly?: boolean | undefined;
  newTools?: Switch | undefined;
  on?: readonly string[] | undefined;
  off?: readonly string[] | undefined;
  ask?: readonly string[] | undefined;
}

/**
 * The permissions with one scope changed. A tool is in one list at a time: the last one that it was put in.
 * @throws {CausewayError} `usage` if tools are named without a server, or one tool in two lists
 */
export function withEdit(permissions: Permissions, scope: PermissionScope, edit: PermissionEdit): Permissions {
  const named = namedTools(scope, edit);
  const after = permissionsOf(permissions, scope);
  if (edit.readOnly !== undefined) after.readOnly = edit.readOnly;
  if (edit.newTools !== undefined) after.newTools = edit.newTools;
  for (const which of SWITCHES) {
    const kept = (after[which] ?? []).filter((tool) => !named.includes(tool));
    const list = [...kept, ...(edit[which] ?? [])];
    if (list.length > 0) after[which] = list;
    else delete after[which];
  }
  return withPermissionsOf(permissions, scope, after);
}

/** The tools that an edit names, if it is one that its scope can have. @throws {CausewayError} `usage` */
function namedTools({ server, client }: PermissionScope, { newTools, ...edit }: PermissionEdit): string[] {
  const named = SWITCHES.flatMap((which) => edit[which] ?? []);
  if (server === undefined && named.length > 0) {
    throw new CausewayError('usage', 'Permissions for tools need a server.', {
      remedy: 'Name the server that has these tools.',
    });
  }
  if (server === undefined && client && newTools) {
    throw new CausewayError(
      'usage',
      'A permission for new tools applies to everything, to a server, or to a client of a server.',
      { remedy: 'Name the server, or leave the client out.' },
    );
  }
  const twice = named.find((tool, index) => named.indexOf(tool) !== index);
  if (twice === undefined) return named;
  throw new CausewayError('usage', `The tool "${twice}" is named twice.`, { remedy: 'Name it once.' });
}

/** The permissions without those of a scope; for a server, those of its clients go too. */
export function withoutScope(permissions: Permissions, scope: PermissionScope): Permissions {
  return withPermissionsOf(permissions, scope, undefined);
}

/**
 * The permissions with those of a server copied to another server; the same object if it has none. They also stay where they are,
 * for sessions that are open.
 * @param from, to `serverKey`s
 * @throws {CausewayError} `already_exists` if the other server has its own permissions
 */
export function withPermissionsCopied(
  permissions: Permissions,
  from: string,
  to: string,
  change: PermissionChange,
): Permissions {
  const copied = ownMember(permissions.servers, from);
  const present = ownMember(permissions.servers, to);
  if (copied === undefined || isDeepStrictEqual(copied, present)) return permissions;
  if (present !== undefined) {
    throw new CausewayError('already_exists', `There are already permissions for ${to}.`, {
      remedy: 'Remove one of the two with `causeway permissions clear` first.',
    });
  }
  return withChange({ ...permissions, servers: { ...permissions.servers, [to]: copied } }, change);
}

function withPermissionsOf(
  permissions: Permissions,
  { server, client }: PermissionScope,
  after: ToolPermissions | undefined,
): Permissions {
  const { clients, servers } = permissions;
  if (server === undefined) {
    if (!client) return { ...permissions, all: { ...after } };
    return { ...permissions, clients: { ...clients, [client.id]: { ...described(client), ...after } } };
  }
  const { [server]: ofServer, ...otherServers } = servers ?? {};
  if (!client) {
    const next = after && { ...after, ...(ofServer?.clients && { clients: ofServer.clients }) };
    return { ...permissions, servers: { ...otherServers, ...(next && { [server]: next }) } };
  }
  const { [client.id]: _, ...otherClients } = ofServer?.clients ?? {};
  const known = { ...ownMember(clients, client.id), ...described(client) };
  const atServer = { ...otherClients, ...(after && { [client.id]: after }) };
  return {
    ...permissions,
    clients: { ...clients, [client.id]: known },
    servers: { ...otherServers, [server]: { ...ofServer, clients: atServer } },
  };
}

function described({ name, wireNames }: PermissionClient): { name: string; wireNames: string[] } {
  return { name, wireNames: [...wireNames] };
}

/** The permissions with one more change in their history. */
export function withChange(permissions: Permissions, change: PermissionChange): Permissions {
  return { ...permissions, history: [...(permissions.history ?? []), change].slice(-MAX_HISTORY) };
}

/**
 * An edit that decides about new tools, with the server's current tools named in it, so that those keep their state.
 * @param tools the server's tools as it lists them
 */
export function withKnownTools(
  edit: PermissionEdit,
  before: ToolPermissions,
  tools: readonly string[],
): PermissionEdit {
  const { newTools } = edit;
  const wasOn = (before.newTools ?? 'on') === 'on';
  if (newTools === undefined || newTools === 'on' || !wasOn) return edit;
  const lists = [edit.on, edit.off, edit.ask, before.on, before.off, before.ask];
  const isListed = (tool: string) => lists.some((list) => list?.includes(tool));
  return { ...edit, on: [...(edit.on ?? []), ...tools.filter((tool) => !isListed(tool))] };
}

/** Permissions, or changes of permissions, as a short text; empty for none. */
export function formatPermissions({ readOnly, newTools, on, off, ask }: PermissionEdit): string {
  const list = (state: string, tools: readonly string[] | undefined) =>
    tools && tools.length > 0 ? [`${state}: ${tools.join(', ')}`] : [];
  return [
    ...(readOnly === undefined ? [] : [readOnly ? 'read only' : 'not read only']),
    ...list('off', off),
    ...list('ask first', ask),
    ...list('on', on),
    ...(newTools === undefined ? [] : [`new tools ${newTools === 'ask' ? 'ask first' : newTools}`]),
  ].join('; ');
}
