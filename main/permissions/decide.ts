import { isSqlServer } from '../../preload/contract/server-kinds.ts';
import { CausewayError } from '../platform/errors.ts';
import { ownMember } from '../platform/own-member.ts';
import { isWireName } from '../platform/wire-name.ts';
import type { Permissions, ToolPermissions } from './permissions.ts';
import { isNamedServer } from './policy/host-pattern.ts';
import type { Policy } from './policy/policy.ts';
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

/** Who decided, and for what. `name` is the client's, if the decision is one for a client. */
export interface DecidedBy {
  who: 'user' | 'organization';
  scope: 'everything' | 'client' | 'server' | 'client-of-server';
  name?: string;
}

/** Whether a tool may be used, and who decided it. */
export type Decision =
  | { do: 'allow' }
  | { do: 'ask'; by: DecidedBy }
  /** `new`: no list names the tool, and new tools are off. `unlisted`: it is not known whether the tool only reads. */
  | { do: 'block'; why: 'off' | 'new' | 'read-only' | 'unlisted'; by: DecidedBy }
  /** Nobody decided: what decides cannot be read. */
  | { do: 'block'; why: 'unreadable'; error: CausewayError };

/** What decides on a computer. */
export interface Deciding {
  /** The user's own permissions, or why they cannot be read. */
  own: Permissions | CausewayError;
  policy: Policy;
}

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

/** Whether nothing in the permissions restricts a server's tools. */
export function isUnrestricted(permissions: Permissions, server: string): boolean {
  return saidAbout(permissions, server).every(
    ({ readOnly, newTools = 'on', off = [], ask = [] }) =>
      !readOnly && newTools === 'on' && off.length + ask.length === 0,
  );
}

/** Whether the permissions do not even allow anything of a server's tools. */
export function isSilent(permissions: Permissions, server: string): boolean {
  return !saidAbout(permissions, server).some(saysSomething);
}

/** Whether permissions decide anything at all. */
export function saysSomething({ readOnly, newTools, on = [], off = [], ask = [] }: ToolPermissions): boolean {
  return readOnly !== undefined || newTools !== undefined || on.length + off.length + ask.length > 0;
}

/** What permissions say in every scope that a server is in. */
function saidAbout({ all = {}, clients, servers }: Permissions, server: string): ToolPermissions[] {
  const { clients: atServer, ...ofServer } = ownMember(servers, server) ?? {};
  const everywhere = Object.values(clients ?? {}).map(({ readOnly }) => ({ readOnly }));
  return [all, ...everywhere, ofServer, ...Object.values(atServer ?? {})];
}

/**
 * Decides about one use of a tool. Of the organization's locked permissions and the user's own, the stricter hold; the organization's
 * defaults hold for servers about which the user has decided nothing.
 */
export function decide({ own, policy }: Deciding, use: ToolUse): Decision {
  if (policy.problem) return { do: 'block', why: 'unreadable', error: policy.problem };
  const locked = decideBy('organization', setsOf(policy, use.server).locked, use);
  const byUser: Decision =
    own instanceof CausewayError
      ? { do: 'block', why: 'unreadable', error: own }
      : isSilent(own, use.server)
        ? decideBy('organization', setsOf(policy, use.server).byDefault, use)
        : decideBy('user', [own], use);
  return isStricter(byUser.do, locked.do) ? byUser : locked;
}

/** What the strictest of several sets decides about one use. If the client has not named itself, the strictest for any client counts. */
export function decideBy(who: DecidedBy['who'], sets: readonly Permissions[], use: ToolUse): Decision {
  const decisions = sets.flatMap((set) =>
    use.client === undefined
      ? [undefined, ...Object.keys(set.clients ?? {})].map((id) => decideFor(who, set, use, id))
      : [decideFor(who, set, use, clientIdOf(set, use.client))],
  );
  return (
    decisions.find((decision) => decision.do === 'block') ??
    decisions.find((decision) => decision.do === 'ask') ?? { do: 'allow' }
  );
}

const STRICTNESS = { block: 2, ask: 1, allow: 0 } as const;

/** Whether a decision leaves less than another one. */
export function isStricter(decision: Decision['do'], other: Decision['do']): boolean {
  return STRICTNESS[decision] > STRICTNESS[other];
}

/** What a policy decides about the tools of one server. */
interface PolicySets {
  /** What users cannot loosen. */
  locked: Permissions[];
  /** What holds until the user decides. */
  byDefault: Permissions[];
}

/** Cached, because every call looks at them, and each server that a policy names has to be compared. */
const knownSets = new WeakMap<Policy, Map<string | undefined, PolicySets>>();

/** What a policy decides about the tools of a server, or of every server. */
export function setsOf(policy: Policy, server?: string): PolicySets {
  const known = knownSets.get(policy) ?? new Map<string | undefined, PolicySets>();
  knownSets.set(policy, known);
  const sets = known.get(server) ?? { locked: setsIn(policy, server, true), byDefault: setsIn(policy, server, false) };
  known.set(server, sets);
  return sets;
}

/** A set for each name that the policy has for a server: its full address, and its path, which means that server in every workspace. */
function setsIn({ keys }: Policy, server: string | undefined, locked: boolean): Permissions[] {
  const { servers = {}, ...set } = keys.rules?.locked === locked ? keys.rules.value : {};
  const isReadOnly = keys.readOnly?.value === true && keys.readOnly.locked === locked;
  const general: Permissions = { version: 1, ...set, all: { ...set.all, ...(isReadOnly ? { readOnly: true } : {}) } };
  if (server === undefined) return [general];
  const named = Object.entries(servers).filter(([name]) => isNamedServer(name, server));
  return named.length === 0 ? [general] : named.map(([, of]) => ({ ...general, servers: { [server]: of } }));
}

/** The id of the permissions' client that calls itself so. */
export function clientIdOf(permissions: Permissions, wireName: string): string | undefined {
  return Object.entries(permissions.clients ?? {}).find(([, { wireNames }]) =>
    wireNames.some((known) => isWireName(wireName, known)),
  )?.[0];
}

function decideFor(
  who: DecidedBy['who'],
  permissions: Permissions,
  { server, tool, hints }: ToolUse,
  clientId: string | undefined,
): Decision {
  const { wide, narrow } = partsOf(who, permissions, server, clientId);
  // For everything, or for a client everywhere, it has no exceptions.
  const readOnly = wide.find(({ of }) => of.readOnly) ?? narrow.find(({ of }) => of.readOnly !== undefined);
  const reads = !readOnly?.of.readOnly || onlyReads(server, tool, hints);
  if (readOnly && !reads) return { do: 'block', why: reads === undefined ? 'unlisted' : 'read-only', by: readOnly.by };
  for (const { by, of } of narrow) {
    const state = switchIn(of, tool);
    if (state) return decisionOf(state, 'off', by);
  }
  const fallback = [...narrow, ...wide].find(({ of }) => of.newTools);
  return fallback ? decisionOf(fallback.of.newTools, 'new', fallback.by) : { do: 'allow' };
}

/** What a set says in one scope. */
interface Part {
  by: DecidedBy;
  of: ToolPermissions;
}

/** What a set says in each scope that a client's use of a server's tools is in; of the narrow ones, the first decides. */
function partsOf(
  who: DecidedBy['who'],
  { all = {}, clients, servers }: Permissions,
  server: string,
  clientId: string | undefined,
): { wide: Part[]; narrow: Part[] } {
  const client = ownMember(clients, clientId);
  const ofServer = ownMember(servers, server) ?? {};
  const name = client && { name: client.name };
  return {
    wide: [
      { by: { who, scope: 'everything' }, of: all },
      { by: { who, scope: 'client', ...name }, of: { readOnly: client?.readOnly } },
    ],
    narrow: [
      { by: { who, scope: 'client-of-server', ...name }, of: ownMember(ofServer.clients, clientId) ?? {} },
      { by: { who, scope: 'server' }, of: ofServer },
    ],
  };
}

function decisionOf(state: Switch | undefined, why: 'off' | 'new', by: DecidedBy): Decision {
  if (state === 'off') return { do: 'block', why, by };
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
