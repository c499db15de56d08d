import type { permissionRequests } from '../../preload/contract/permissions.ts';
import type { PermissionScopeInfo, PermissionsInfo } from '../../preload/contract.ts';
import { CLIENTS } from '../clients/table.ts';
import { type NamedScope, readPermissions, scopeOf } from '../permissions/change.ts';
import { type DecidedBy, decide, isSilent, type ListedTool } from '../permissions/decision.ts';
import {
  hasPermissions,
  type PermissionClient,
  type PermissionEdit,
  type Permissions,
  permissionsOf,
} from '../permissions/permissions.ts';
import type { ServerPermissions } from '../permissions/permissions-file.ts';
import { isNamedServer } from '../permissions/policy/host-pattern.ts';
import { permissionsInEffect } from '../permissions/policy/in-effect.ts';
import { changeOwnPermissions, loosestFor } from '../permissions/policy/ineffective.ts';
import { managedPermissions } from '../permissions/policy/managed-permissions.ts';
import type { Policy } from '../permissions/policy/policy.ts';
import { systemPolicy } from '../permissions/policy/system-policy.ts';
import { serverKey } from '../permissions/server-key.ts';
import { widerReadOnly } from '../permissions/wider-read-only.ts';
import { CausewayError } from '../platform/errors.ts';
import type { DesktopContext, HandlersOf } from './context.ts';

/** Answers the requests about what AI clients may do. */
export function permissionHandlers(context: DesktopContext): HandlersOf<typeof permissionRequests> {
  const { permissions, servers, emit, onClose } = context;
  onClose(permissions.subscribe(() => emit('permissionsChanged', {})));

  const askedScope = async ({ server, client }: PermissionScopeInfo): Promise<NamedScope> => {
    const ofClient = client === null ? undefined : clientWithId(client, await readPermissions(permissions));
    if (server === null) return scopeOf(ofClient);
    const { host, path } = await servers.addressOf(server);
    return scopeOf(ofClient, { key: serverKey(host, path), name: server });
  };

  return {
    getPermissions: async (request) => {
      const now = await readPermissions(permissions);
      const scope = await askedScope(request);
      const tools = request.server === null ? [] : await servers.listedTools(request.server);
      const policy = systemPolicy();
      const combined =
        scope.server === undefined ? undefined : managedPermissions(permissions.of(scope.server), scope.server, policy);
      return permissionsForWindow(now, scope, tools, { policy: await policy.now(), combined });
    },
    changePermissions: async ({ readOnly, newTools, tool, ...request }) => {
      const scope = await askedScope(request);
      const edit: PermissionEdit = { readOnly, newTools, ...(tool ? { [tool.state]: [tool.name] } : {}) };
      const listed = request.server === null ? [] : await servers.listedTools(request.server);
      await changeOwnPermissions(permissions, scope, edit, { by: 'window', tools: listed });
    },
    clearPermissions: async (request) => {
      await changeOwnPermissions(permissions, await askedScope(request), 'remove', { by: 'window' });
    },
  };
}

interface Managed {
  policy: Policy;
  /** The user's permissions for the scope's server with those of the organization; undefined if the scope has no server. */
  combined: ServerPermissions | undefined;
}

function permissionsForWindow(
  permissions: Permissions,
  scope: NamedScope,
  tools: readonly ListedTool[],
  { policy, combined }: Managed,
): PermissionsInfo {
  const { server, client } = scope;
  const loosest = loosestFor(policy, scope);
  const { readOnly: ownReadOnly, newTools = null } = permissionsOf(permissions, scope);
  const isDefault = ownReadOnly === undefined && isReadOnlyByDefault(policy, permissions, scope);
  const wider = widerReadOnly(permissions, scope);
  // A client without its own name represents every client that has no permissions.
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
      const decision = combined?.decide(tool.name, name, tool.hints) ?? decide(permissions, use);
      return {
        name: tool.name,
        allowed: decision.do,
        decidedBy: 'by' in decision ? wordsFor(decision.by, client) : null,
        loosest: policy.problem ? ('refuse' as const) : loosest.tool(tool).do,
        isReadOnly: decision.do === 'refuse' && (decision.why === 'read-only' || decision.why === 'unlisted'),
      };
    }),
    isEmpty: !hasPermissions(permissions, scope),
    clients: permissionClients(permissions).map((one) => ({
      id: one.id,
      name: one.name,
      hasPermissions: hasPermissions(permissions, { server, client: one }),
    })),
    changes: server === undefined && client === undefined ? latestChanges(permissions) : [],
  };
}

/** How many of the latest changes the window shows. */
const SHOWN_CHANGES = 10;

/** The latest changes of any permissions, the newest first. */
function latestChanges({ history = [] }: Permissions): PermissionsInfo['changes'] {
  const changes = history.map(({ at, by, what }) => ({ at: Date.parse(at), by, what }));
  return changes
    .filter(({ at }) => !Number.isNaN(at))
    .slice(-SHOWN_CHANGES)
    .toReversed();
}

/** The clients for which there can be permissions, and those that are not in the table for which there are some. */
function permissionClients({ clients = {} }: Permissions): PermissionClient[] {
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
function isReadOnlyByDefault(policy: Policy, permissions: Permissions, { server, client }: NamedScope): boolean {
  if (policy.problem || (server !== undefined && !isSilent(permissions, server))) return false;
  return permissionsInEffect(policy, permissions).some(
    (row) =>
      row.by === 'organization' &&
      !row.locked &&
      row.of.readOnly === true &&
      (row.server === null || (server !== undefined && isNamedServer(row.server, server))) &&
      (row.client === undefined || row.client.wireNames.some((name) => client?.wireNames.includes(name))),
  );
}

/** Which permission decides, for the user. */
function wordsFor({ scope, isManaged }: DecidedBy, client: PermissionClient | undefined): string {
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
function clientWithId(id: string, permissions: Permissions): PermissionClient {
  const found = permissionClients(permissions).find((client) => client.id === id);
  if (found) return found;
  throw new CausewayError('not_found', `There is no client "${id}".`);
}
