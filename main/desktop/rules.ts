import type { rulesRequests } from '../../preload/contract/rules.ts';
import type { RulesOfScope, RulesScope } from '../../preload/contract.ts';
import { CLIENTS } from '../clients/table.ts';
import { type NamedScope, readRules, scopeOf } from '../permissions/change.ts';
import { type DecidedBy, decide, isSilent, type ListedTool } from '../permissions/decision.ts';
import { changeOwnRules, loosestFor } from '../permissions/policy/held-rules.ts';
import { isRuledServer } from '../permissions/policy/host-pattern.ts';
import { managedRules } from '../permissions/policy/managed-rules.ts';
import type { Policy } from '../permissions/policy/policy.ts';
import { rulesInEffect } from '../permissions/policy/rules-in-effect.ts';
import { systemPolicy } from '../permissions/policy/system-policy.ts';
import { hasRules, type RuleClient, type RuleEdit, type Rules, rulesOf } from '../permissions/rules.ts';
import type { ServerRules } from '../permissions/rules-file.ts';
import { serverKey } from '../permissions/server-key.ts';
import { widerReadOnly } from '../permissions/wider-rule.ts';
import { CausewayError } from '../platform/errors.ts';
import type { DesktopContext, HandlersOf } from './context.ts';

/** Answers the requests about what AI clients may do. */
export function rulesHandlers(context: DesktopContext): HandlersOf<typeof rulesRequests> {
  const { rules, servers, emit, onClose } = context;
  onClose(rules.subscribe(() => emit('rulesChanged', {})));

  const askedScope = async ({ server, client }: RulesScope): Promise<NamedScope> => {
    const ofClient = client === null ? undefined : clientWithId(client, await readRules(rules));
    if (server === null) return scopeOf(ofClient);
    const { host, path } = await servers.addressOf(server);
    return scopeOf(ofClient, { key: serverKey(host, path), name: server });
  };

  return {
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
  const wider = widerReadOnly(rules, scope);
  // A client without its own name represents every client that has no rules.
  const name = client?.wireNames[0] ?? '';
  return {
    readOnly: ownReadOnly ?? isDefault,
    isReadOnlyByDefault: isDefault,
    readOnlyBy:
      organizationReadOnly(policy, loosest.isReadOnly) ?? (wider === null ? null : `Read only is on for ${wider}.`),
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
