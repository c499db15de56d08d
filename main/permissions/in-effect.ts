import { ownMember } from '../platform/own-member.ts';
import { isSilent, type ListedTool, saysSomething } from './decide.ts';
import { type Ineffective, ineffectiveByOwn, ineffectiveUnder } from './ineffective.ts';
import type { PermissionClient, PermissionSet, Permissions, ToolPermissions } from './permissions.ts';
import { isNamedServer } from './policy/host-pattern.ts';
import type { Policy } from './policy/policy.ts';

/** The permissions of one scope, by whoever has decided them. */
export interface PermissionRow {
  /** A `serverKey`, or the name that the policy has for a server; null for every server. */
  server: string | null;
  /** Undefined for every client. */
  client: PermissionClient | undefined;
  of: ToolPermissions;
  by: 'organization' | 'user';
  /** Whether users cannot change them. An organization's permissions that are not locked are those of servers of which users have decided nothing. */
  locked: boolean;
  /** What of them has no effect, because the organization's locked permissions, or wider ones of the user, are stricter there. */
  ineffective: Ineffective[];
}

/**
 * The permissions that decide on this computer: those of the organization, then the user's own.
 * @param toolsOf what a server says about its tools, where that is known
 */
export function permissionsInEffect(
  policy: Policy,
  own: Permissions,
  toolsOf: (server: string) => readonly ListedTool[] = () => [],
): PermissionRow[] {
  const { rules, readOnly } = policy.keys;
  const organization: PermissionRow[] = [
    ...(readOnly?.value ? [{ server: null, client: undefined, of: { readOnly: true }, locked: readOnly.locked }] : []),
    ...rowsOf(rules?.value ?? {}).map((row) => ({ ...row, locked: rules?.locked === true })),
  ].map((row) => ({ ...row, by: 'organization', ineffective: [] }));
  const ofUser = rowsOf(own).map((row) => {
    const tools = row.server === null ? [] : toolsOf(row.server);
    const scope = { server: row.server ?? undefined, client: row.client };
    const byPolicy = ineffectiveUnder(policy, scope, row.of, tools);
    const isNew = ({ member, tool }: Ineffective) =>
      !byPolicy.some((one) => one.member === member && one.tool === tool);
    const byOwn = ineffectiveByOwn(own, scope, row.of, tools).filter(isNew);
    return { ...row, by: 'user' as const, locked: false, ineffective: [...byPolicy, ...byOwn] };
  });
  return [...organization.filter((row) => row.locked || isStillDefault(row, own)), ...ofUser];
}

/** Whether a default of the organization decides anything beside what the user has decided. */
function isStillDefault({ server }: PermissionRow, own: Permissions): boolean {
  if (!isSilent(own, '')) return false;
  if (server === null) return true;
  return !Object.keys(own.servers ?? {}).some((key) => isNamedServer(server, key) && !isSilent(own, key));
}

/** The permissions of a set by scope; scopes without any are left out. */
function rowsOf({
  all = {},
  clients = {},
  servers = {},
}: PermissionSet): Pick<PermissionRow, 'server' | 'client' | 'of'>[] {
  const clientOf = (id: string): PermissionClient => {
    const { name = id, wireNames = [] } = ownMember(clients, id) ?? {};
    return { id, name, wireNames };
  };
  const rows = [
    { server: null, client: undefined, of: all },
    ...Object.entries(clients).map(([id, { readOnly }]) => ({
      server: null,
      client: clientOf(id),
      of: readOnly === undefined ? {} : { readOnly },
    })),
    ...Object.entries(servers).flatMap(([server, { clients: ofClients = {}, ...of }]) => [
      { server, client: undefined, of },
      ...Object.entries(ofClients).map(([id, ofBoth]) => ({ server, client: clientOf(id), of: ofBoth })),
    ]),
  ];
  return rows.filter(({ of }) => saysSomething(of));
}

/** The permissions of a row without what has no effect; undefined if nothing of them has. */
export function effectivePermissions({ of, ineffective }: PermissionRow): ToolPermissions | undefined {
  const after: ToolPermissions = { ...of };
  for (const { member, tool } of ineffective) {
    if (tool === undefined) {
      delete after[member];
      continue;
    }
    if (member === 'on' || member === 'ask') after[member] = after[member]?.filter((name) => name !== tool) ?? [];
  }
  return saysSomething(after) ? after : undefined;
}
