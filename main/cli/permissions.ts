import { lastListedTools } from '../bridge/answer-store.ts';
import { findServer, type ManagedServer, openServers } from '../clients/servers.ts';
import { CLIENTS } from '../clients/table.ts';
import { type NamedScope, readPermissions, scopeOf } from '../permissions/change.ts';
import {
  formatPermissions,
  hasPermissions,
  type PermissionClient,
  type PermissionEdit,
  type Permissions,
  permissionsOf,
} from '../permissions/permissions.ts';
import { PermissionsFile } from '../permissions/permissions-file.ts';
import { isNamedServer } from '../permissions/policy/host-pattern.ts';
import { ineffectiveByOwn, type PermissionRow, permissionsInEffect } from '../permissions/policy/in-effect.ts';
import { changeOwnPermissions } from '../permissions/policy/ineffective.ts';
import { currentPolicy } from '../permissions/policy/system-policy.ts';
import { serverKey } from '../permissions/server-key.ts';
import type { Switch } from '../permissions/switches.ts';
import { CausewayError } from '../platform/errors.ts';
import { ownMember } from '../platform/own-member.ts';
import type { CommandContext } from './command.ts';
import { serverNames } from './permissions-list.ts';
import { writeJson, writeLine } from './terminal.ts';

interface ScopeOptions {
  client?: string;
  all?: boolean;
  json?: boolean;
  dryRun?: boolean;
}

export interface SetPermissionsOptions extends ScopeOptions {
  readOnly?: boolean;
  new?: Switch;
  on?: string[];
  off?: string[];
  ask?: string[];
}

/** A scope, and the server that it names. */
interface AskedScope extends NamedScope {
  /** `others` are the names of servers that permissions do not tell from it: the same one, for another profile. */
  configured?: { server: ManagedServer; host: string; others: string[] };
}

/** `causeway permissions set [SERVER]`. */
export async function setPermissions(
  context: CommandContext,
  server: string | undefined,
  options: SetPermissionsOptions,
): Promise<void> {
  const { readOnly, new: newTools, on, off, ask } = options;
  if ([readOnly, newTools, on, off, ask].every((value) => value === undefined)) {
    throw new CausewayError('usage', 'No change was given.', {
      remedy: 'Use --read-only, --no-read-only, --new, --on, --off or --ask.',
    });
  }
  if (server === undefined) await refuseServerAmongTools(context, options);
  const scope = await askedScope(context, server, options);
  const tools =
    scope.configured &&
    (await lastListedTools(context.env, { ...scope.configured.server, host: scope.configured.host }));
  const names = tools?.map(({ name }) => name);
  const named = (option: 'on' | 'off' | 'ask') => toolsNamed(option, options[option], names);
  const edit: PermissionEdit = { readOnly, newTools, on: named('on'), off: named('off'), ask: named('ask') };
  const file = new PermissionsFile(context.env);
  const after = await changeOwnPermissions(file, scope, edit, { by: 'command', tools, dryRun: options.dryRun });
  const held = ineffectiveByOwn(after, scope, edit, tools ?? []).map(({ what }) => what);
  const warnings = [
    ...(scope.configured ? warningsFor(scope.configured.server, edit, names) : []),
    ...(held.length === 0 ? [] : [`This has no effect, because of your own permissions: ${held.join('; ')}.`]),
  ];
  await printChanged(context, scope, options, after, warnings);
}

/** The tools in an option's values, separated by spaces or commas. A comma in the name of a known tool is part of the name. */
function toolsNamed(option: string, texts: string[] | undefined, known: string[] = []): string[] | undefined {
  const tools = texts?.flatMap((text) => (known.includes(text) ? text : text.split(',')));
  const names = tools?.map((name) => name.trim()).filter(Boolean);
  if (names?.length === 0) {
    throw new CausewayError('usage', `--${option} was given without a tool.`, {
      remedy: 'Add a tool, or leave the option out.',
    });
  }
  return names;
}

/** `causeway permissions clear [SERVER]`. */
export async function clearPermissions(
  context: CommandContext,
  server: string | undefined,
  options: ScopeOptions,
): Promise<void> {
  const scope = await askedScope(context, server, options);
  const file = new PermissionsFile(context.env);
  if (!hasPermissions(await readPermissions(file), scope)) {
    throw new CausewayError('not_found', `No permissions are set for ${scope.words}.`, {
      remedy: '`causeway permissions` lists all of them.',
    });
  }
  const after = await changeOwnPermissions(file, scope, 'remove', { by: 'command', dryRun: options.dryRun });
  await printChanged(context, scope, options, after, []);
}

async function printChanged(
  context: CommandContext,
  scope: AskedScope,
  { json, dryRun }: ScopeOptions,
  after: Permissions,
  warnings: string[],
): Promise<void> {
  const { client, configured, words } = scope;
  const of = permissionsOf(after, scope);
  const others = configured?.others ?? [];
  const isSame = `${others.join(' and ')} ${others.length === 1 ? 'leads' : 'lead'} to the same server. The permissions apply there too.`;
  const rows = permissionsInEffect(await currentPolicy(), after).filter(({ by }) => by === 'organization');
  const managed = rows.length === 0 ? [] : [organizationNote(scope, rows)];
  const said = [...warnings, ...(others.length === 0 ? [] : [isSame]), ...managed.filter((note) => note !== undefined)];
  if (json) {
    return writeJson(context.stdout, {
      server: configured?.server.name ?? null,
      client: client?.id ?? null,
      ...of,
      warnings: said,
    });
  }
  const now = formatPermissions(of);
  const line = `Permissions for ${words}${dryRun ? ' would be' : ''}: ${now === '' ? 'not set' : now}`;
  await writeLine(context.stdout, line);
  for (const warning of said) await writeLine(context.stderr, `causeway: ${warning}`);
}

/** What the organization's permissions say beside those of a scope; undefined if they are for other servers and clients. */
function organizationNote({ server, client }: AskedScope, rows: PermissionRow[]): string | undefined {
  const isNear = (row: PermissionRow) =>
    (server === undefined || row.server === null || isNamedServer(row.server, server)) &&
    (client === undefined ||
      row.client === undefined ||
      row.client.wireNames.some((name) => client.wireNames.includes(name)));
  const texts = rows.filter(isNear).map((row) => {
    const where = [row.server ?? 'all servers', ...(row.client ? [row.client.name] : [])].join(', ');
    return `${formatPermissions(row.of)} (${where}${row.locked ? '' : ', until you decide'})`;
  });
  return texts.length === 0 ? undefined : `Your organization's permissions apply too: ${texts.join('; ')}.`;
}

/** Effects of a change that a user may not expect. */
function warningsFor(server: ManagedServer, edit: PermissionEdit, tools: string[] | undefined): string[] {
  const { newTools, on = [], off = [], ask = [] } = edit;
  if (tools) {
    return [...on, ...off, ...ask]
      .filter((name) => !tools.includes(name))
      .map((name) => `${server.name} currently has no tool "${name}". It has ${tools.join(', ')}.`);
  }
  if (newTools === undefined || newTools === 'on') return [];
  return [
    `The tools of ${server.name} are not known yet and all count as new. \`causeway servers test ${server.name}\` lists them. Turn some on with --on.`,
  ];
}

/** An option that takes several tools takes a server that is behind it for one more. @throws {CausewayError} `usage` */
async function refuseServerAmongTools(context: CommandContext, { on, off, ask }: SetPermissionsOptions): Promise<void> {
  const { servers } = (await openServers(context.env)).atOpening;
  for (const [option, tools = []] of Object.entries({ on, off, ask })) {
    const name = tools.find((tool) => servers.some((server) => server.name === tool));
    if (name === undefined) continue;
    throw new CausewayError('usage', `"${name}" follows --${option} and counts as a tool.`, {
      remedy: `Put the server first: causeway permissions set ${name} --${option} ${tools.filter((tool) => tool !== name).join(' ')}`,
    });
  }
}

/** @throws {CausewayError} `usage`, `not_found` */
async function askedScope(
  context: CommandContext,
  name: string | undefined,
  { client: clientId, all }: ScopeOptions,
): Promise<AskedScope> {
  const isNamed = name !== undefined || clientId !== undefined;
  if (all === isNamed || (!all && !isNamed)) {
    throw new CausewayError('usage', all ? '--all was given with a server or a client.' : 'No server was named.', {
      remedy: 'Name a server, a client with --client, or --all for everything.',
    });
  }
  const client = clientId === undefined ? undefined : await clientNamed(context, clientId);
  if (name === undefined) return scopeOf(client);
  const server = findServer((await openServers(context.env)).atOpening, name);
  const { host } = await (await context.causeway().auth()).profile(server.profile);
  const key = serverKey(host, server.path);
  const others = ((await serverNames(context)).get(key) ?? []).filter((other) => other !== server.name);
  return { ...scopeOf(client, { key, name: server.name }), configured: { server, host, others } };
}

/** A client by its id: a known client, or one that existing permissions name by the name it sends. */
async function clientNamed(context: CommandContext, id: string): Promise<PermissionClient> {
  const ruled = async () => ownMember((await readPermissions(new PermissionsFile(context.env))).clients, id);
  const found = CLIENTS.find((client) => client.id === id) ?? (await ruled());
  if (!found) {
    throw new CausewayError('not_found', `There is no client "${id}".`, {
      remedy: '`causeway clients --all` lists the clients that Causeway knows.',
      candidates: CLIENTS.map((client) => ({ name: client.id })),
    });
  }
  if (found.wireNames.length > 0) return { ...found, id };
  throw new CausewayError('usage', `${found.name} cannot be told apart from other clients.`, {
    remedy: 'The name it connects under is not known. Set the permission for the server, or for everything.',
  });
}
