import { isSqlServer } from '../../preload/contract/server-kinds.ts';
import { ownMember } from '../platform/own-member.ts';
import { isWireName } from '../platform/wire-name.ts';
import type { Permissions, ToolPermissions } from './permissions.ts';
import type { Switch } from './switches.ts';

/** What a server says about a tool (MCP › ToolAnnotations). These are hints: a server may be wrong, or lie. */
export interface ToolHints {
  readOnlyHint?: boolean | undefined;
  destructiveHint?: boolean | undefined;
}

/** A tool as a server lists it. */
export interface ListedTool {
  name: string;
  hints: ToolHints;
}

/** A tool that a client wants to use. */
export interface ToolUse {
  /** The `serverKey` of the tool's server. */
  server: string;
  tool: string;
  /** As the client names itself in `clientInfo`; undefined if it has not. */
  client: string | undefined;
  /** Undefined if the server has not listed the tool. */
  hints: ToolHints | undefined;
}

/** What decided. `name` is the client's, if the permission is one for a client. */
export interface DecidedBy {
  scope: 'everything' | 'client' | 'server' | 'client-of-server';
  name?: string;
  /** Whether the permission is the organization's, which the user cannot change. */
  isManaged?: boolean;
}

/** Whether a tool may be used. */
export type Decision =
  | { do: 'allow' }
  | { do: 'ask'; by: DecidedBy }
  /** `new`: no list names the tool, and new tools are off. `unlisted`: it is not known whether the tool only reads. */
  | { do: 'refuse'; why: 'off' | 'new' | 'read-only' | 'unlisted'; by: DecidedBy };

/** The SQL server's tools that change nothing. Its `execute_sql` runs any statement, even if its hints say otherwise. */
const SQL_READ_TOOLS = new Set(['execute_sql_read_only', 'poll_sql_result']);

/** Every tool of the SQL server. */
export const SQL_TOOLS: readonly string[] = ['execute_sql', ...SQL_READ_TOOLS];

/** Whether a tool is known to only read; undefined if the server has not listed it. */
export function onlyReads(server: string, tool: string, hints: ToolHints | undefined): boolean | undefined {
  if (isSqlServer(server.slice(server.indexOf('/', 'https://'.length)))) {
    if (SQL_READ_TOOLS.has(tool)) return true;
    if (folded(tool) === 'execute_sql') return false;
  }
  return hints && hints.readOnlyHint === true && hints.destructiveHint !== true;
}

/** Whether no permission says anything about a server's tools. */
export function isUnrestricted(permissions: Permissions, server: string): boolean {
  const says = (of: ToolPermissions) => of.readOnly === true || SWITCHES_OFF.has(of.newTools) || hasNames(of);
  const { clients = {}, ...ofServer } = ownMember(permissions.servers, server) ?? {};
  return ![
    permissions.all ?? {},
    ofServer,
    ...Object.values(clients),
    ...Object.values(permissions.clients ?? {}),
  ].some((of) => says('wireNames' in of ? { readOnly: of.readOnly } : of));
}

/** Whether the permissions do not even allow anything of a server's tools. */
export function isSilent(permissions: Permissions, server: string): boolean {
  const { clients = {}, ...ofServer } = ownMember(permissions.servers, server) ?? {};
  const says = ({ readOnly, newTools, on = [] }: ToolPermissions) =>
    readOnly !== undefined || newTools !== undefined || on.length > 0;
  const wider = [
    permissions.all ?? {},
    ...Object.values(permissions.clients ?? {}).map(({ readOnly }) => ({ readOnly })),
  ];
  return isUnrestricted(permissions, server) && ![...wider, ofServer, ...Object.values(clients)].some(says);
}

const SWITCHES_OFF: ReadonlySet<Switch | undefined> = new Set<Switch>(['off', 'ask']);

function hasNames({ off = [], ask = [] }: ToolPermissions): boolean {
  return off.length + ask.length > 0;
}

/** Decides about one use of a tool. If the client has not named itself, the strictest permission for any client applies. */
export function decide(permissions: Permissions, use: ToolUse): Decision {
  if (use.client !== undefined) return decideFor(permissions, use, clientIdOf(permissions, use.client));
  const decisions = [undefined, ...Object.keys(permissions.clients ?? {})].map((id) => decideFor(permissions, use, id));
  return (
    decisions.find((decision) => decision.do === 'refuse') ??
    decisions.find((decision) => decision.do === 'ask') ?? { do: 'allow' }
  );
}

/** The id of the permissions' client that calls itself so. */
export function clientIdOf(permissions: Permissions, wireName: string): string | undefined {
  return Object.entries(permissions.clients ?? {}).find(([, { wireNames }]) =>
    wireNames.some((known) => isWireName(wireName, known)),
  )?.[0];
}

function decideFor(permissions: Permissions, { server, tool, hints }: ToolUse, clientId: string | undefined): Decision {
  const client = clientId === undefined ? undefined : ownMember(permissions.clients, clientId);
  const ruled = ownMember(permissions.servers, server);
  const ofServer: ToolPermissions = ruled ?? {};
  const ofBoth: ToolPermissions = (clientId === undefined ? undefined : ownMember(ruled?.clients, clientId)) ?? {};
  const byBoth: DecidedBy = { scope: 'client-of-server', ...(client ? { name: client.name } : {}) };
  const readOnly = readOnlyBy(permissions, client, ofServer, ofBoth, byBoth);
  if (readOnly) {
    const reads = onlyReads(server, tool, hints);
    if (reads === undefined) return { do: 'refuse', why: 'unlisted', by: readOnly };
    if (!reads) return { do: 'refuse', why: 'read-only', by: readOnly };
  }
  const listed = [
    { by: byBoth, state: switchIn(ofBoth, tool) },
    { by: { scope: 'server' } as const, state: switchIn(ofServer, tool) },
  ].find(({ state }) => state !== undefined);
  if (listed) return decisionOf(listed.state, 'off', listed.by);
  const fallback = [
    { by: byBoth, state: ofBoth.newTools },
    { by: { scope: 'server' } as const, state: ofServer.newTools },
    { by: { scope: 'everything' } as const, state: permissions.all?.newTools },
  ].find(({ state }) => state !== undefined);
  return fallback ? decisionOf(fallback.state, 'new', fallback.by) : { do: 'allow' };
}

/** The permission that makes a use read-only, if any. Such a permission for everything, or for a client everywhere, has no exceptions. */
function readOnlyBy(
  permissions: Permissions,
  client: { name: string; readOnly?: boolean | undefined } | undefined,
  ofServer: ToolPermissions,
  ofBoth: ToolPermissions,
  byBoth: DecidedBy,
): DecidedBy | undefined {
  if (permissions.all?.readOnly) return { scope: 'everything' };
  if (client?.readOnly) return { scope: 'client', name: client.name };
  if (ofBoth.readOnly !== undefined) return ofBoth.readOnly ? byBoth : undefined;
  return ofServer.readOnly ? { scope: 'server' } : undefined;
}

function decisionOf(state: Switch | undefined, why: 'off' | 'new', by: DecidedBy): Decision {
  if (state === 'off') return { do: 'refuse', why, by };
  return state === 'ask' ? { do: 'ask', by } : { do: 'allow' };
}

/** The strictest that the lists say about a tool. A list that forbids also matches other spellings of the name. */
function switchIn({ on = NONE, off = NONE, ask = NONE }: ToolPermissions, tool: string): Switch | undefined {
  const name = folded(tool);
  if (foldedNames(off).has(name)) return 'off';
  if (foldedNames(ask).has(name)) return 'ask';
  return on.includes(tool) ? 'on' : undefined;
}

const NONE: string[] = [];

/** The folded names of each list, cached because every call searches them. */
const foldedLists = new WeakMap<readonly string[], ReadonlySet<string>>();

function foldedNames(list: readonly string[]): ReadonlySet<string> {
  const known = foldedLists.get(list);
  if (known) return known;
  const names = new Set(list.map(folded));
  foldedLists.set(list, names);
  return names;
}

/** A name without case and invisible characters: a server may accept it for the tool that it looks like. */
function folded(name: string): string {
  if (PLAIN.test(name)) return name.trim().toLowerCase();
  // In both directions: `ß` is `SS` in capitals, and an `s` at the end of a Greek word has a small letter of its own.
  const visible = name.replace(INVISIBLE, '').normalize('NFKC').toUpperCase().toLowerCase();
  return visible.normalize('NFKC').trim();
}

const PLAIN = /^[ -~]*$/;
const INVISIBLE = /[\p{Cc}\p{Cf}\p{Cs}\p{Default_Ignorable_Code_Point}\ufffd]/gu;
