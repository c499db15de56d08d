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

/** What is not listed yet may turn out to only read. */
function isUnlistedBlock(decision: Decision): boolean {
  return decision.do === 'block' && decision.why === 'unlisted';
}

/**
 * What of a change has no effect, because the organization's locked permissions are stricter everywhere in its scope.
 * @param tools what the server says about its tools, where that is known
 */
export function ineffectiveUnder(
  policy: Policy,
  scope: PermissionScope,
  edit: PermissionEdit,
  tools: readonly ListedTool[],
): Ineffective[] {
  const loosest = loosestFor(policy, scope);
  const { readOnly } = policy.keys;
  const readOnlyKey = readOnly?.locked && readOnly.value ? 'readOnly' : 'rules';
  const found: Ineffective[] = [];
  if (edit.readOnly === false && loosest.isReadOnly) {
    found.push({ key: readOnlyKey, member: 'readOnly', what: 'read only stays on' });
  }
  // Nothing is stricter than off, so what an edit leaves out is read as that.
  if (isStricter(loosest.newTools, SWITCHED[edit.newTools ?? 'off'])) {
    found.push({ key: 'rules', member: 'newTools', what: `new tools ${STAYING[loosest.newTools]}` });
  }
  for (const { member, tool } of loosened(edit)) {
    const decision = loosest.tool(tools.find(({ name }) => name === tool) ?? { name: tool });
    if (isReadOnlyBlock(decision)) found.push({ key: readOnlyKey, member, tool, what: offByReadOnly(tool) });
    else if (isStricter(decision.do, SWITCHED[member]) && !isUnlistedBlock(decision))
      found.push({ key: 'rules', member, tool, what: `${tool} ${STAYS[decision.do]}` });
  }
  return found;
}

const SWITCHED = { on: 'allow', ask: 'ask', off: 'block' } as const;
const STAYING = { allow: 'stay on', ask: 'still ask first', block: 'stay off' } as const;
const STAYS = { allow: 'stays on', ask: 'still asks first', block: 'stays off' } as const;

function offByReadOnly(tool: string): string {
  return `${tool} stays off, because only tools that read are allowed`;
}

/** The tools that an edit switches to something else than off. */
function loosened(edit: PermissionEdit) {
  return (['on', 'ask'] as const).flatMap((member) => (edit[member] ?? []).map((tool) => ({ member, tool })));
}

/**
 * What of a user's permissions in a scope has no effect because of their own: read only has no exceptions where it is on for everything,
 * or for a client everywhere, and goes before lists of tools.
 */
export function ineffectiveByOwn(
  own: Permissions,
  scope: PermissionScope,
  edit: PermissionEdit,
  tools: readonly ListedTool[],
): Ineffective[] {
  const { server, client } = scope;
  const wider = edit.readOnly === false ? widerReadOnly(own, scope) : null;
  const found: Ineffective[] = wider === null ? [] : [{ member: 'readOnly', what: `read only is on for ${wider}` }];
  if (server === undefined) return found;
  for (const { member, tool } of loosened(edit)) {
    const hints = tools.find(({ name }) => name === tool)?.hints;
    const decision = decideBy('user', [own], { server, tool, client: client?.wireNames[0] ?? '', hints });
    if (isReadOnlyBlock(decision)) found.push({ member, tool, what: offByReadOnly(tool) });
  }
  return found;
}

/** Where read only is on that makes a scope read-only whatever is set in the scope, in words; null if it is not. */
export function widerReadOnly(own: Permissions, { server, client }: PermissionScope): string | null {
  if (own.all?.readOnly && (server !== undefined || client)) return 'all servers';
  if (server === undefined || !client) return null;
  if (ownMember(own.clients, client.id)?.readOnly) return `${client.name} on all servers`;
  const ofServer = ownMember(own.servers, server);
  return ofServer?.readOnly && ownMember(ofServer.clients, client.id)?.readOnly === undefined ? 'this server' : null;
}
