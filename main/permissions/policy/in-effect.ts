import { ownMember } from '../../platform/own-member.ts';
import { decide, isSilent, type ListedTool } from '../decision.ts';
import type {
  PermissionClient,
  PermissionEdit,
  PermissionScope,
  PermissionSet,
  Permissions,
  ToolPermissions,
} from '../permissions.ts';
import { widerReadOnly } from '../wider-read-only.ts';
import { isNamedServer } from './host-pattern.ts';
import { type Ineffective, ineffectiveUnder } from './ineffective.ts';
import type { Policy } from './policy.ts';

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
  held: Omit<Ineffective, 'key'>[];
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
  const readOnlyRows: PermissionRow[] = readOnly?.value
    ? [
        {
          server: null,
          client: undefined,
          of: { readOnly: true },
          by: 'organization',
          locked: readOnly.locked,
          held: [],
        },
      ]
    : [];
  const organization = [
    ...readOnlyRows,
    ...rowsOf(rules?.value ?? {}).map((row) => ({
      ...row,
      by: 'organization' as const,
      locked: rules?.locked === true,
      held: [],
    })),
  ];
  const ofUser = rowsOf(own).map((row) => {
    const tools = row.server === null ? [] : toolsOf(row.server);
    const scope = { server: row.server ?? undefined, client: row.client };
    const held = ineffectiveUnder(policy, scope, row.of, tools);
    const isNew = ({ member, tool }: Omit<Ineffective, 'key'>) =>
      !held.some((one) => one.member === member && one.tool === tool);
    const byOwn = ineffectiveByOwn(own, scope, row.of, tools).filter(isNew);
    return { ...row, by: 'user' as const, locked: false, held: [...held, ...byOwn] };
  });
  return [...organization.filter((row) => row.locked || isStillDefault(row, own)), ...ofUser];
}

/**
 * What of a user's permissions in a scope has no effect because of their own: read only has no exceptions where it is on for everything, or for
 * a client everywhere, and goes before lists of tools.
 */
export function ineffectiveByOwn(
  own: Permissions,
  scope: PermissionScope,
  { readOnly, on = [], ask = [] }: PermissionEdit,
  tools: readonly ListedTool[],
): Omit<Ineffective, 'key'>[] {
  const { server, client } = scope;
  const wider = widerReadOnly(own, scope);
  const held: Omit<Ineffective, 'key'>[] =
    readOnly === false && wider !== null ? [{ member: 'readOnly', what: `read only is on for ${wider}` }] : [];
  if (server === undefined) return held;
  const isOff = (tool: string) => {
    const { hints } = tools.find(({ name }) => name === tool) ?? {};
    const decision = decide(own, { server, tool, client: client?.wireNames[0] ?? '', hints });
    return decision.do === 'refuse' && decision.why === 'read-only';
  };
  const lists = [
    ['on', on],
    ['ask', ask],
  ] as const;
  return [
    ...held,
    ...lists.flatMap(([member, names]) =>
      names.filter(isOff).map((tool) => ({
        member,
        tool,
        what: `${tool} stays off, because only tools that read are allowed`,
      })),
    ),
  ];
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
  const clientOf = (id: string): PermissionClient => ({
    id,
    name: ownMember(clients, id)?.name ?? id,
    wireNames: ownMember(clients, id)?.wireNames ?? [],
  });
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

function saysSomething({ readOnly, newTools, on = [], off = [], ask = [] }: ToolPermissions): boolean {
  return readOnly !== undefined || newTools !== undefined || on.length + off.length + ask.length > 0;
}

/** The permissions of a row without what has no effect; undefined if nothing of them has. */
export function effectivePermissions({ of, held }: PermissionRow): ToolPermissions | undefined {
  const after: ToolPermissions = { ...of };
  for (const { member, tool } of held) {
    if (tool === undefined) {
      delete after[member];
      continue;
    }
    if (member === 'on' || member === 'ask') after[member] = after[member]?.filter((name) => name !== tool) ?? [];
  }
  return saysSomething(after) ? after : undefined;
}
