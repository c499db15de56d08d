import type { PermissionsInfo } from '../../preload/contract.ts';
import type { NamedScope } from '../permissions/change.ts';
import { type DecidedBy, decide, isSilent, type ListedTool } from '../permissions/decide.ts';
import { permissionsInEffect } from '../permissions/in-effect.ts';
import { loosestFor, widerReadOnly } from '../permissions/ineffective.ts';
import { hasPermissions, type PermissionClient, type Permissions, permissionsOf } from '../permissions/permissions.ts';
import { isNamedServer } from '../permissions/policy/host-pattern.ts';
import type { Policy } from '../permissions/policy/policy.ts';
import { permissionClients } from './permissions.ts';

/** The permissions of a scope, as the window shows them. @param own the user's own @param tools of the scope's server */
export function permissionsInfo(
  policy: Policy,
  own: Permissions,
  scope: NamedScope,
  tools: readonly ListedTool[],
): PermissionsInfo {
  const { server, client } = scope;
  const loosest = loosestFor(policy, scope);
  const { readOnly: ownReadOnly, newTools = null } = permissionsOf(own, scope);
  const isDefault = ownReadOnly === undefined && isReadOnlyByDefault(policy, own, scope);
  const wider = widerReadOnly(own, scope);
  // A client without its own name represents every client that no permissions name.
  const name = client?.wireNames[0] ?? '';
  return {
    readOnly: ownReadOnly ?? isDefault,
    isReadOnlyByDefault: isDefault,
    readOnlyBy:
      organizationReadOnly(policy, loosest.isReadOnly) ?? (wider === null ? null : `Read only is on for ${wider}.`),
    newTools,
    loosestNewTools: loosest.newTools,
    tools: tools.map((tool) => {
      const decision = decide(
        { own, policy },
        { server: server ?? '', tool: tool.name, client: name, hints: tool.hints },
      );
      return {
        name: tool.name,
        allowed: decision.do,
        decidedBy: 'by' in decision ? deciderText(decision.by, client) : null,
        loosest: loosest.tool(tool).do,
        isReadOnly: decision.do === 'block' && (decision.why === 'read-only' || decision.why === 'unlisted'),
      };
    }),
    isEmpty: !hasPermissions(own, scope),
    clients: permissionClients(own).map((one) => ({
      id: one.id,
      name: one.name,
      hasPermissions: hasPermissions(own, { server, client: one }),
    })),
    changes: server === undefined && client === undefined ? latestChanges(own) : [],
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

/** Why the organization lets a scope have only tools that read, in words; null if it does not. */
function organizationReadOnly({ problem }: Policy, isReadOnly: boolean): string | null {
  if (problem) return 'Your organization’s policy cannot be used. Until it can, no tool may be used.';
  return isReadOnly ? 'Your organization allows only tools that read.' : null;
}

/** Whether the organization has a scope read-only until the user decides. */
function isReadOnlyByDefault(policy: Policy, own: Permissions, { server, client }: NamedScope): boolean {
  if (policy.problem || (server !== undefined && !isSilent(own, server))) return false;
  return permissionsInEffect(policy, own).some(
    (row) =>
      row.by === 'organization' &&
      !row.locked &&
      row.of.readOnly === true &&
      (row.server === null || (server !== undefined && isNamedServer(row.server, server))) &&
      (row.client === undefined || row.client.wireNames.some((name) => client?.wireNames.includes(name))),
  );
}

/** Who has decided, for the user. */
function deciderText({ scope, who }: DecidedBy, client: PermissionClient | undefined): string {
  if (who === 'organization') return 'Set by your organization';
  const name = client?.name ?? 'this client';
  return {
    everything: 'Set for all servers',
    client: `Set for ${name} on all servers`,
    server: 'Set for all AI clients',
    'client-of-server': `Set for ${name}`,
  }[scope];
}
