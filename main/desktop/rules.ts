import type { rulesRequests } from '../../preload/contract/rules.ts';
import type { ConfiguredServer, PendingApprovalInfo, RulesOfScope, RulesScope } from '../../preload/contract.ts';
import { CLIENTS, clientOnWire, displayNameOf } from '../clients/table.ts';
import { displayText } from '../platform/display.ts';
import { CausewayError } from '../platform/errors.ts';
import { changeOwnRules, loosestFor } from '../policy/held-rules.ts';
import { isRuledServer } from '../policy/host-pattern.ts';
import { managedRules } from '../policy/managed-rules.ts';
import type { Policy } from '../policy/policy.ts';
import { rulesInEffect } from '../policy/rules-in-effect.ts';
import { systemPolicy } from '../policy/system-policy.ts';
import type { PendingApproval } from '../rules/approvals.ts';
import { type NamedScope, readRules, scopeOf } from '../rules/change.ts';
import { type DecidedBy, decide, isSilent, type ListedTool } from '../rules/decision.ts';
import { hasRules, type RuleClient, type RuleEdit, type Rules, rulesOf } from '../rules/rules.ts';
import type { ServerRules } from '../rules/rules-file.ts';
import { serverKey } from '../rules/server-key.ts';
import type { DesktopContext, HandlersOf } from './context.ts';

/** How long a call can wait if the client's own limit is unknown, in milliseconds: many clients give up after 60 s. */
const UNKNOWN_WAIT_MS = 45_000;
/** How much sooner than the client's own limit a call is refused, in milliseconds. */
const MARGIN_MS = 15_000;
const MAX_WAIT_MS = 240_000;

/** How long a call of the client that calls itself so may wait for the user, in milliseconds. */
export function approvalWaitMs(client: string | undefined): number {
  const patience = clientOnWire(client ?? '')?.patience;
  return patience ? Math.min(patience.ms - MARGIN_MS, MAX_WAIT_MS) : UNKNOWN_WAIT_MS;
}

/** The longest statement, and the longest other arguments, that the window receives, in characters. */
const MAX_SHOWN_LENGTH = 20_000;
/** The argument in which a tool of the SQL server takes its SQL; others spell it otherwise. */
const STATEMENT_ARGUMENTS = ['query', 'statement', 'sql'];

/** A call that waits, as tray and window show it. */
export function approvalForWindow(waiting: PendingApproval, servers: readonly ConfiguredServer[]): PendingApprovalInfo {
  const { id, client, tool, expiresAt } = waiting;
  const { profile, path } = waiting.server;
  const { statement, rest } = argumentsOf(waiting.arguments);
  const cutLength = (text: string | null) => Math.max(0, (text?.length ?? 0) - MAX_SHOWN_LENGTH);
  return {
    id,
    client: client === undefined ? null : displayNameOf(client),
    mark: clientOnWire(client ?? '')?.mark ?? null,
    server: nameOf({ profile, path }, servers),
    profile,
    tool,
    statement: statement?.slice(0, MAX_SHOWN_LENGTH) ?? null,
    arguments: rest?.slice(0, MAX_SHOWN_LENGTH) ?? null,
    cut: cutLength(statement) + cutLength(rest),
    expiresAt,
  };
}

/** The server's name in the list, or its path if it is not there. */
function nameOf({ profile, path }: { profile: string; path: string }, servers: readonly ConfiguredServer[]): string {
  return servers.find((server) => server.profile === profile && server.path === path)?.name ?? path;
}

function argumentsOf(json: string): { statement: string | null; rest: string | null } {
  const values = JSON.parse(json, numberAsWritten);
  if (typeof values !== 'object' || values === null || Array.isArray(values)) return { statement: null, rest: json };
  const entries = Object.entries(values);
  const statement = entries.find(([name, value]) => STATEMENT_ARGUMENTS.includes(name) && typeof value === 'string');
  const others = entries.filter((entry) => entry !== statement);
  return {
    statement: statement ? String(statement[1]) : null,
    rest: others.length > 0 ? JSON.stringify(Object.fromEntries(others), null, 2) : null,
  };
}

/** A number that a double cannot hold, such as an id beyond 2^53, as the client wrote it: the server may read all of it. */
function numberAsWritten(_key: string, value: unknown, { source }: { source?: string }): unknown {
  return typeof value === 'number' && source !== undefined && String(value) !== source ? JSON.rawJSON(source) : value;
}

/** The longest beginning of a call's arguments in a notification or a menu, in characters. */
const MAX_BEGINNING_LENGTH = 80;

/** The beginning of what a call would do, in one line; empty if it has no arguments. */
export function beginningOf({ statement, arguments: rest }: PendingApprovalInfo): string {
  return displayText((statement ?? rest ?? '').replace(/\s+/g, ' ').trim(), { maxLength: MAX_BEGINNING_LENGTH });
}

/** `Claude Code wants to use execute_sql`. */
export function questionOf({ client, tool }: PendingApprovalInfo): string {
  return `${client ?? 'An AI client'} wants to use ${tool}`;
}

/** Answers the requests about what AI clients may do. */
export function rulesHandlers(context: DesktopContext): HandlersOf<typeof rulesRequests> {
  const { approvals, model, rules, servers, emit, onClose } = context;
  onClose(rules.subscribe(() => emit('rulesChanged', {})));

  const askedScope = async ({ server, client }: RulesScope): Promise<NamedScope> => {
    const ofClient = client === null ? undefined : clientWithId(client, await readRules(rules));
    if (server === null) return scopeOf(ofClient);
    const { host, path } = await servers.addressOf(server);
    return scopeOf(ofClient, { key: serverKey(host, path), name: server });
  };

  return {
    answerCall: async ({ id, answer }) => {
      const call = approvals.find(id);
      if (answer === 'always') {
        const client = ruleClientOf(call.client);
        const scope = scopeOf(client, { key: call.server.key, name: nameOf(call.server, model.state.servers) });
        await changeOwnRules(rules, scope, { on: [call.tool] }, { by: 'window' });
      }
      // With the rule, the call may have gone on already.
      if (answer !== 'always' || approvals.pending.some((waiting) => waiting.id === id)) {
        approvals.answer(id, answer === 'refuse' ? 'refused' : 'allowed');
      }
    },
    getRules: async (request) => {
      const now = await readRules(rules);
      const scope = await askedScope(request);
      const tools = request.server === null ? [] : await servers.listedTools(request.server);
      const policy = systemPolicy();
      const combined =
        scope.server === undefined ? undefined : managedRules(rules.of(scope.server), scope.server, policy);
      return rulesForWindow(now, scope, tools, { policy: await policy.now(), combined });
    },
    changeRules: async ({ readOnly, newTools, tool, ...request }) => {
      const scope = await askedScope(request);
      const edit: RuleEdit = { readOnly, newTools, ...(tool ? { [tool.state]: [tool.name] } : {}) };
      const listed = request.server === null ? [] : await servers.listedTools(request.server);
      await changeOwnRules(rules, scope, edit, { by: 'window', tools: listed });
    },
    clearRules: async (request) => {
      await changeOwnRules(rules, await askedScope(request), 'remove', { by: 'window' });
    },
  };
}

interface Managed {
  policy: Policy;
  /** The user's rules for the scope's server with those of the organization; undefined if the scope has no server. */
  combined: ServerRules | undefined;
}

function rulesForWindow(
  rules: Rules,
  scope: NamedScope,
  tools: readonly ListedTool[],
  { policy, combined }: Managed,
): RulesOfScope {
  const { server, client } = scope;
  const loosest = loosestFor(policy, scope);
  const { readOnly: ownReadOnly, newTools = null } = rulesOf(rules, scope);
  const isDefault = ownReadOnly === undefined && isReadOnlyByDefault(policy, rules, scope);
  // A client without its own name represents every client that has no rules.
  const name = client?.wireNames[0] ?? '';
  return {
    readOnly: ownReadOnly ?? isDefault,
    isReadOnlyByDefault: isDefault,
    readOnlyBy: organizationReadOnly(policy, loosest.isReadOnly) ?? widerReadOnly(rules, scope),
    newTools,
    loosestNewTools: loosest.newTools,
    tools: tools.map((tool) => {
      const use = { server: server ?? '', tool: tool.name, client: name, hints: tool.hints };
      const decision = combined?.decide(tool.name, name, tool.hints) ?? decide(rules, use);
      return {
        name: tool.name,
        allowed: decision.do,
        decidedBy: 'by' in decision ? wordsFor(decision.by, client) : null,
        loosest: policy.problem ? ('refuse' as const) : loosest.tool(tool).do,
        isReadOnly: decision.do === 'refuse' && (decision.why === 'read-only' || decision.why === 'unlisted'),
      };
    }),
    isEmpty: !hasRules(rules, scope),
    clients: ruleClients(rules).map((one) => ({
      id: one.id,
      name: one.name,
      hasRules: hasRules(rules, { server, client: one }),
    })),
    changes: server === undefined && client === undefined ? latestChanges(rules) : [],
  };
}

/** How many of the latest changes the window shows. */
const SHOWN_CHANGES = 10;

/** The latest changes of any rules, the newest first. */
function latestChanges({ history = [] }: Rules): RulesOfScope['changes'] {
  const changes = history.map(({ at, by, what }) => ({ at: Date.parse(at), by, what }));
  return changes
    .filter(({ at }) => !Number.isNaN(at))
    .slice(-SHOWN_CHANGES)
    .toReversed();
}

/** The clients for which there can be rules, and those that are not in the table for which there are some. */
function ruleClients({ clients = {} }: Rules): RuleClient[] {
  const known = CLIENTS.filter(({ wireNames }) => wireNames.length > 0);
  const others = Object.entries(clients).filter(([id]) => !CLIENTS.some((client) => client.id === id));
  return [...known, ...others.map(([id, { name, wireNames }]) => ({ id, name, wireNames }))];
}

/** Why the organization lets a scope have only tools that read, in words; null if it does not. */
function organizationReadOnly({ problem }: Policy, isReadOnly: boolean): string | null {
  if (problem) return 'Your organization’s policy cannot be used. Until it can, no tool may be used.';
  return isReadOnly ? 'Your organization allows only tools that read.' : null;
}

/** Whether the organization has a scope read-only until the user decides. */
function isReadOnlyByDefault(policy: Policy, rules: Rules, { server, client }: NamedScope): boolean {
  if (policy.problem || (server !== undefined && !isSilent(rules, server))) return false;
  return rulesInEffect(policy, rules).some(
    (row) =>
      row.by === 'organization' &&
      !row.locked &&
      row.of.readOnly === true &&
      (row.server === null || (server !== undefined && isRuledServer(row.server, server))) &&
      (row.client === undefined || row.client.wireNames.some((name) => client?.wireNames.includes(name))),
  );
}

/** The wider rule of the user that makes a scope read-only, in words. */
function widerReadOnly(rules: Rules, { server, client }: NamedScope): string | null {
  const isAll = server === undefined && client === undefined;
  if (rules.all?.readOnly && !isAll) return 'Read only is on for all servers.';
  if (server !== undefined && client && rules.clients?.[client.id]?.readOnly) {
    return `Read only is on for ${client.name} on all servers.`;
  }
  if (server !== undefined && client && rules.servers?.[server]?.readOnly) {
    return rules.servers[server]?.clients?.[client.id]?.readOnly === undefined
      ? 'Read only is on for this server.'
      : null;
  }
  return null;
}

/** Which rule decides, for the user. */
function wordsFor({ scope, isManaged }: DecidedBy, client: RuleClient | undefined): string {
  if (isManaged) return 'Set by your organization';
  const who = client?.name ?? 'this client';
  return {
    everything: 'Set for all servers',
    client: `Set for ${who} on all servers`,
    server: 'Set for all AI clients',
    'client-of-server': `Set for ${who}`,
  }[scope];
}

/** @throws {CausewayError} `not_found` */
function clientWithId(id: string, rules: Rules): RuleClient {
  const found = ruleClients(rules).find((client) => client.id === id);
  if (found) return found;
  throw new CausewayError('not_found', `There is no client "${id}".`);
}

/**
 * The client that rules name for the one that has made a call; one that is not in the table is named as it names itself. It may
 * call itself like another client's id, whose rules it must not change.
 */
export function ruleClientOf(wireName: string | undefined): RuleClient {
  if (wireName === undefined) {
    throw new CausewayError('usage', 'This client did not give its name.', {
      remedy: 'Allow the call once, or allow the tool for all AI clients.',
    });
  }
  const isTaken = wireName === '__proto__' || CLIENTS.some(({ id }) => id === wireName);
  return (
    clientOnWire(wireName) ?? {
      id: isTaken ? `name:${wireName}` : wireName,
      name: wireName,
      wireNames: [wireName],
    }
  );
}
