import { ownMember } from '../../platform/own-member.ts';
import { changePermissions, type NamedScope, type PermissionChangeOptions } from '../change.ts';
import { clientIdOf, type ListedTool } from '../decision.ts';
import type { PermissionClient, PermissionEdit, PermissionScope, Permissions } from '../permissions.ts';
import type { PermissionsFile } from '../permissions-file.ts';
import { lockedPermissions, looserThan, strictest } from './managed-permissions.ts';
import { managedError, type Policy } from './policy.ts';
import { currentPolicy } from './system-policy.ts';

/** Something that a user's permissions allow and the organization's locked permissions do not, in the whole of a scope. */
export interface Ineffective {
  /** The key of the policy that holds it. */
  key: 'readOnly' | 'rules';
  member: 'readOnly' | 'newTools' | 'on' | 'ask';
  /** One of the tools in that member. */
  tool?: string;
  /** What the organization's permissions say there instead, as a clause without its full stop. */
  what: string;
}

/** The loosest that a policy's locked permissions leave to the users in a scope. */
export function loosestFor(policy: Policy, scope: PermissionScope) {
  const sets = lockedPermissions(policy, scope.server);
  const { server = '', client } = scope;
  // A client without a name of its own is every client for which there are no permissions.
  const name = client?.wireNames[0] ?? '';
  return {
    isReadOnly: policy.problem !== null || sets.some((permissions) => isReadOnlyIn(permissions, scope)),
    newTools: policy.problem
      ? ('refuse' as const)
      : strictest(sets.map(withoutReadOnly), { ...NO_TOOL, server, client: name }).do,
    tool: ({ name: tool, hints }: Pick<ListedTool, 'name'> & Partial<ListedTool>) =>
      strictest(sets, { server, tool, client: name, hints }),
  };
}

/** A tool whose name no list has. */
const NO_TOOL = { tool: '', hints: undefined };

function withoutReadOnly({ all, clients = {}, servers = {}, version }: Permissions): Permissions {
  const plainClients = Object.entries(clients).map(([id, { readOnly: _, ...client }]) => [id, client] as const);
  const plainServers = Object.entries(servers).map(([key, { readOnly: _, clients: ofClients = {}, ...of }]) => {
    const plain = Object.entries(ofClients).map(([id, { readOnly: _of, ...rest }]) => [id, rest] as const);
    return [key, { ...of, clients: Object.fromEntries(plain) }] as const;
  });
  return {
    version,
    ...(all?.newTools ? { all: { newTools: all.newTools } } : {}),
    clients: Object.fromEntries(plainClients),
    servers: Object.fromEntries(plainServers),
  };
}

function isReadOnlyIn(permissions: Permissions, { server, client }: PermissionScope): boolean {
  const id = client && namedClient(permissions, client);
  const ofServer = server === undefined ? undefined : ownMember(permissions.servers, server);
  const ofClient = id === undefined ? undefined : ownMember(permissions.clients, id);
  const ofBoth = id === undefined ? undefined : ownMember(ofServer?.clients, id);
  return (
    permissions.all?.readOnly === true ||
    ofClient?.readOnly === true ||
    (ofBoth?.readOnly ?? ofServer?.readOnly) === true
  );
}

/** The id that a set of permissions gives a client, which it knows by the names that the client sends. */
function namedClient(permissions: Permissions, { wireNames }: PermissionClient): string | undefined {
  return wireNames.map((name) => clientIdOf(permissions, name)).find((id) => id !== undefined);
}

/**
 * What of a change has no effect, because the organization's locked permissions are stricter everywhere in its scope.
 * @param tools what the server says about its tools, where that is known
 */
export function ineffectiveUnder(
  policy: Policy,
  scope: PermissionScope,
  edit: PermissionEdit,
  tools: readonly ListedTool[] = [],
): Ineffective[] {
  const loosest = loosestFor(policy, scope);
  const held: Ineffective[] = [];
  const isByKey = policy.keys.readOnly?.locked === true && policy.keys.readOnly.value;
  if (edit.readOnly === false && loosest.isReadOnly) {
    held.push({ key: isByKey ? 'readOnly' : 'rules', member: 'readOnly', what: 'read only stays on' });
  }
  const { newTools } = edit;
  if (newTools !== undefined && looserThan(loosest.newTools, SWITCHED[newTools])) {
    held.push({ key: 'rules', member: 'newTools', what: `new tools ${STAYING[loosest.newTools]}` });
  }
  for (const state of ['on', 'ask'] as const) {
    for (const name of edit[state] ?? []) {
      const known = tools.find((tool) => tool.name === name);
      const decision = loosest.tool(known ?? { name });
      if (!looserThan(decision.do, SWITCHED[state])) continue;
      const why = decision.do === 'refuse' ? decision.why : 'off';
      // What is not listed yet may turn out to only read.
      if (why === 'unlisted') continue;
      const isReadOnly = why === 'read-only';
      held.push({
        key: isReadOnly && isByKey ? 'readOnly' : 'rules',
        member: state,
        tool: name,
        what: isReadOnly
          ? `${name} stays off, because only tools that read are allowed`
          : `${name} ${STAYS[decision.do]}`,
      });
    }
  }
  return held;
}

const SWITCHED = { on: 'allow', ask: 'ask', off: 'refuse' } as const;
const STAYING = { allow: 'stay on', ask: 'still ask first', refuse: 'stay off' } as const;
const STAYS = { allow: 'stays on', ask: 'still asks first', refuse: 'stays off' } as const;

/** @throws {CausewayError} `managed` if a change would have no effect, or the policy cannot be used */
function checkChange(
  policy: Policy,
  scope: NamedScope,
  edit: PermissionEdit | 'remove',
  tools: readonly ListedTool[] = [],
): void {
  if (policy.problem) throw policy.problem;
  const held = edit === 'remove' ? [] : ineffectiveUnder(policy, scope, edit, tools);
  const [first] = held;
  if (!first) return;
  throw managedError(
    policy,
    first.key,
    `for ${scope.words}, ${held.map(({ what }) => what).join(', ')}. Nothing was changed`,
  );
}

/**
 * As `changePermissions`, for what a user decides. A change that the organization's permissions leave without effect is refused.
 * @throws {CausewayError} `managed`, and as `changePermissions`
 */
export async function changeOwnPermissions(
  file: PermissionsFile,
  scope: NamedScope,
  edit: PermissionEdit | 'remove',
  { tools = [], ...options }: Omit<PermissionChangeOptions, 'tools'> & { tools?: readonly ListedTool[] | undefined },
): Promise<Permissions> {
  checkChange(await currentPolicy(), scope, edit, tools);
  return changePermissions(file, scope, edit, { ...options, tools: tools.map(({ name }) => name) });
}
