import { askedScope, serversByKey } from '../app/permissions.ts';
import { lastListedTools } from '../bridge/answer-store.ts';
import { findServer, openServers } from '../clients/servers.ts';
import { changePermissions, type NamedScope, readPermissions } from '../permissions/change.ts';
import type { ListedTool } from '../permissions/decide.ts';
import { type PermissionRow, permissionsInEffect } from '../permissions/in-effect.ts';
import { ineffectiveByOwn } from '../permissions/ineffective.ts';
import {
  formatPermissions,
  hasPermissions,
  type PermissionEdit,
  type Permissions,
  permissionsOf,
} from '../permissions/permissions.ts';
import { PermissionsFile } from '../permissions/permissions-file.ts';
import { isNamedServer } from '../permissions/policy/host-pattern.ts';
import { currentPolicy } from '../permissions/policy/system-policy.ts';
import type { Switch } from '../permissions/switches.ts';
import { CausewayError } from '../platform/errors.ts';
import type { CommandContext } from './command.ts';
import { permissionAnswer } from './permissions-list.ts';
import { writeAnswer, writeDone, writeNotice } from './terminal.ts';

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

/** A scope on the command line. */
interface Asked {
  scope: NamedScope;
  /** The server that it names. */
  server: string | null;
  /** The other names of that server, for another profile: permissions do not tell them apart. */
  others: string[];
  /** What the server has last said about its tools; undefined if that is not known. */
  tools: ListedTool[] | undefined;
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
  const asked = await askedOf(context, server, options);
  const { scope, tools } = asked;
  const names = tools?.map(({ name }) => name);
  const named = (option: 'on' | 'off' | 'ask') => toolsNamed(option, options[option], names);
  const edit: PermissionEdit = { readOnly, newTools, on: named('on'), off: named('off'), ask: named('ask') };
  const file = new PermissionsFile(context.env);
  const after = await changePermissions(file, scope, edit, { by: 'command', tools, dryRun: options.dryRun });
  const ineffective = ineffectiveByOwn(after, scope, edit, tools ?? []).map(({ what }) => what);
  const why = `This has no effect, because of your own permissions: ${ineffective.join('; ')}.`;
  const warnings = server === undefined ? [] : warningsFor(server, edit, names);
  await printChanged(context, asked, options, after, [...warnings, ...(ineffective.length === 0 ? [] : [why])]);
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
  const asked = await askedOf(context, server, options);
  const { scope } = asked;
  const file = new PermissionsFile(context.env);
  if (!hasPermissions(await readPermissions(file), scope)) {
    throw new CausewayError('not_found', `No permissions are set for ${scope.words}.`, {
      remedy: '`causeway permissions` lists all of them.',
    });
  }
  const after = await changePermissions(file, scope, 'remove', { by: 'command', dryRun: options.dryRun });
  await printChanged(context, asked, options, after, []);
}

async function printChanged(
  context: CommandContext,
  { scope, server, others }: Asked,
  { json, dryRun }: ScopeOptions,
  after: Permissions,
  warnings: string[],
): Promise<void> {
  const of = permissionsOf(after, scope);
  const isSame = `${others.join(' and ')} ${others.length === 1 ? 'leads' : 'lead'} to the same server. The permissions apply there too.`;
  const rows = permissionsInEffect(await currentPolicy(), after).filter(({ by }) => by === 'organization');
  const said = [...warnings, ...(others.length === 0 ? [] : [isSame]), ...organizationNotes(scope, rows)];
  if (json) {
    const permission = permissionAnswer(server === null ? null : [server, ...others], scope.client?.id, of);
    return writeAnswer(context, 'permissions set', { dryRun: dryRun === true, permission, warnings: said });
  }
  const now = formatPermissions(of);
  const line = `Permissions for ${scope.words}${dryRun ? ' would be' : ''}: ${now === '' ? 'not set' : now}`;
  await writeDone(context, line);
  for (const warning of said) await writeNotice(context, `causeway: ${warning}`);
}

/** What the organization's permissions say beside those of a scope; none if they are for other servers and clients. */
function organizationNotes({ server, client }: NamedScope, rows: PermissionRow[]): string[] {
  const isNear = (row: PermissionRow) =>
    (server === undefined || row.server === null || isNamedServer(row.server, server)) &&
    (client === undefined ||
      row.client === undefined ||
      row.client.wireNames.some((name) => client.wireNames.includes(name)));
  const texts = rows.filter(isNear).map((row) => {
    const where = [row.server ?? 'all servers', ...(row.client ? [row.client.name] : [])].join(', ');
    return `${formatPermissions(row.of)} (${where}${row.locked ? '' : ', until you decide'})`;
  });
  return texts.length === 0 ? [] : [`Your organization's permissions apply too: ${texts.join('; ')}.`];
}

/** Effects of a change that a user may not expect. */
function warningsFor(server: string, edit: PermissionEdit, tools: string[] | undefined): string[] {
  const { newTools, on = [], off = [], ask = [] } = edit;
  if (tools) {
    return [...on, ...off, ...ask]
      .filter((name) => !tools.includes(name))
      .map((name) => `${server} currently has no tool "${name}". It has ${tools.join(', ')}.`);
  }
  if (newTools === undefined || newTools === 'on') return [];
  return [
    `The tools of ${server} are not known yet and all count as new. \`causeway servers test ${server}\` lists them. Turn some on with --on.`,
  ];
}

/** An option that takes several tools takes a server that is behind it for one more. @throws {CausewayError} `usage` */
async function refuseServerAmongTools(context: CommandContext, { on, off, ask }: SetPermissionsOptions): Promise<void> {
  const { servers } = (await openServers(context.env)).initial;
  for (const [option, tools = []] of Object.entries({ on, off, ask })) {
    const name = tools.find((tool) => servers.some((server) => server.name === tool));
    if (name === undefined) continue;
    throw new CausewayError('usage', `"${name}" follows --${option} and counts as a tool.`, {
      remedy: `Put the server first: causeway permissions set ${name} --${option} ${tools.filter((tool) => tool !== name).join(' ')}`,
    });
  }
}

/** @throws {CausewayError} `usage`, `not_found` */
async function askedOf(
  context: CommandContext,
  name: string | undefined,
  { client, all }: ScopeOptions,
): Promise<Asked> {
  const isNamed = name !== undefined || client !== undefined;
  if ((all === true) === isNamed) {
    throw new CausewayError('usage', all ? '--all was given with a server or a client.' : 'No server was named.', {
      remedy: 'Name a server, a client with --client, or --all for everything.',
    });
  }
  const auth = await context.causeway().auth();
  const addressOf = async (server: string) => {
    const { profile, path } = findServer((await openServers(context.env)).initial, server);
    return { host: (await auth.profile(profile)).host, path };
  };
  const names = { server: name ?? null, client: client ?? null };
  const scope = await askedScope(names, new PermissionsFile(context.env), addressOf);
  const same = scope.server === undefined ? [] : ((await serversByKey(context.env, auth)).get(scope.server) ?? []);
  const server = same.find((each) => each.name === name);
  const tools = server && (await lastListedTools(context.env, server));
  return { scope, server: names.server, others: same.flatMap((each) => (each === server ? [] : [each.name])), tools };
}
