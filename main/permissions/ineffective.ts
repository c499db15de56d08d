import { ownMember } from '../platform/own-member.ts';
import { clientIdOf, type Decision, decideBy, isStricter, type ListedTool, setsOf, type ToolUse } from './decide.ts';
import type { PermissionEdit, PermissionScope, Permissions } from './permissions.ts';
import type { Policy, PolicyKey } from './policy/policy.ts';

/** Something that a change of the user's permissions allows and what is stricter does not, in the whole of a scope. */
export interface Ineffective {
  /** The key of the policy that is stricter; undefined if the user's own permissions are. */
  key?: PolicyKey;
  member: 'readOnly' | 'newTools' | 'on' | 'ask';
  /** One of the tools in that member. */
  tool?: string;
  /** What holds instead, as a clause without its full stop. */
  what: string;
}

/** A tool that has no name, with what a server could say about it at best and at worst. */
const ANY_TOOL = { best: { tool: '', hints: { readOnlyHint: true } }, worst: { tool: '', hints: {} } };

/** The loosest that a policy's locked permissions leave to the users in a scope. */
export function loosestFor(policy: Policy, scope: PermissionScope) {
  const { server = '', client } = scope;
  const sets = setsOf(policy, scope.server).locked;
  const wireNames = client?.wireNames ?? [];
  // The name by which the policy knows it. A client without a name of its own is every client that no permissions name.
  const name = wireNames.find((each) => sets.some((set) => clientIdOf(set, each) !== undefined)) ?? wireNames[0] ?? '';
  const decided = (use: Pick<ToolUse, 'tool' | 'hints'>, of = sets): Decision =>
    policy.problem
      ? { do: 'block', why: 'unreadable', error: policy.problem }
      : decideBy('organization', of, { server, client: name, ...use });
  return {
    isReadOnly: policy.problem !== null || sets.some((set) => isReadOnlyBlock(decided(ANY_TOOL.worst, [set]))),
    newTools: decided(ANY_TOOL.best).do,
    tool: ({ name: tool, hints }: Pick<ListedTool, 'name'> & Partial<ListedTool>) => decided({ tool, hints }),
  };
}

function isReadOnlyBlock(decision: Decision): boolean {
  return decision.do === 'block' && decision.why === 'read-only';
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
  const isByKey = policy.keys.readOnly?.locked === true && policy.keys.readOnly.value;
  const readOnlyKey = isByKey ? 'readOnly' : 'rules';
  const found: Ineffective[] = [];
  if (edit.readOnly === false && loosest.isReadOnly) {
    found.push({ key: readOnlyKey, member: 'readOnly', what: 'read only stays on' });
  }
  const { newTools } = edit;
  if (newTools !== undefined && isStricter(loosest.newTools, SWITCHED[newTools])) {
    found.push({ key: 'rules', member: 'newTools', what: `new tools ${STAYING[loosest.newTools]}` });
  }
  for (const state of ['on', 'ask'] as const) {
    for (const name of edit[state] ?? []) {
      const decision = loosest.tool(tools.find((tool) => tool.name === name) ?? { name });
      // What is not listed yet may turn out to only read.
      if (!isStricter(decision.do, SWITCHED[state]) || (decision.do === 'block' && decision.why === 'unlisted'))
        continue;
      const tool = { member: state, tool: name };
      found.push(
        isReadOnlyBlock(decision)
          ? { key: readOnlyKey, ...tool, what: offByReadOnly(name) }
          : { key: 'rules', ...tool, what: `${name} ${STAYS[decision.do]}` },
      );
    }
  }
  return found;
}

const SWITCHED = { on: 'allow', ask: 'ask', off: 'block' } as const;
const STAYING = { allow: 'stay on', ask: 'still ask first', block: 'stay off' } as const;
const STAYS = { allow: 'stays on', ask: 'still asks first', block: 'stays off' } as const;

function offByReadOnly(tool: string): string {
  return `${tool} stays off, because only tools that read are allowed`;
}

/**
 * What of a user's permissions in a scope has no effect because of their own: read only has no exceptions where it is on for everything,
 * or for a client everywhere, and goes before lists of tools.
 */
export function ineffectiveByOwn(
  own: Permissions,
  scope: PermissionScope,
  { readOnly, on = [], ask = [] }: PermissionEdit,
  tools: readonly ListedTool[],
): Ineffective[] {
  const { server, client } = scope;
  const wider = widerReadOnly(own, scope);
  const found: Ineffective[] =
    readOnly === false && wider !== null ? [{ member: 'readOnly', what: `read only is on for ${wider}` }] : [];
  if (server === undefined) return found;
  const lists = [
    ['on', on],
    ['ask', ask],
  ] as const;
  for (const [member, names] of lists) {
    for (const tool of names) {
      const hints = tools.find(({ name }) => name === tool)?.hints;
      const decision = decideBy('user', [own], { server, tool, client: client?.wireNames[0] ?? '', hints });
      if (isReadOnlyBlock(decision)) found.push({ member, tool, what: offByReadOnly(tool) });
    }
  }
  return found;
}

/** Where read only is on that makes a scope read-only whatever is set in the scope, in words; null if it is not. */
export function widerReadOnly(own: Permissions, { server, client }: PermissionScope): string | null {
  const isAll = server === undefined && client === undefined;
  if (own.all?.readOnly && !isAll) return 'all servers';
  if (server !== undefined && client && ownMember(own.clients, client.id)?.readOnly) {
    return `${client.name} on all servers`;
  }
  const ofServer = server === undefined ? undefined : ownMember(own.servers, server);
  if (client && ofServer?.readOnly) {
    return ownMember(ofServer.clients, client.id)?.readOnly === undefined ? 'this server' : null;
  }
  return null;
}
