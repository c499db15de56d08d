import { type Call, type Route, ScimFault } from '../http.ts';
import type { User, WorkspaceState } from '../model.ts';
import { SMALL_PAGE } from './paging.ts';

/** SCIM 2.0 (RFC 7643, RFC 7644): who the caller is, and users by name. */

const BASE = '/api/2.0/preview/scim/v2';
const LIST_SCHEMA = 'urn:ietf:params:scim:api:messages:2.0:ListResponse';
const DEFAULT_COUNT = 100;
/** What those who are no admins get to see of others. */
const PUBLIC_ATTRIBUTES = ['id', 'userName', 'applicationId', 'displayName', 'active'];

/** RFC 7644 §3.4.2, §3.9. */
const ATTRIBUTES = ['attributes', 'excludedAttributes'];
const LIST = [...ATTRIBUTES, 'filter', 'startIndex', 'count', 'sortBy', 'sortOrder'];

export const scimRoutes: Route[] = [
  { method: 'GET', path: `${BASE}/Me`, query: ATTRIBUTES, scopes: 'any', handle: me },
  { method: 'GET', path: `${BASE}/Users`, query: LIST, scopes: ['scim'], handle: users },
  { method: 'GET', path: `${BASE}/Users/:id`, query: ATTRIBUTES, scopes: ['scim'], handle: userById },
  { method: 'GET', path: `${BASE}/ServicePrincipals`, query: LIST, scopes: ['scim'], handle: principals },
  { method: 'GET', path: `${BASE}/ServicePrincipals/:id`, query: ATTRIBUTES, scopes: ['scim'], handle: principalById },
  { method: 'GET', path: `${BASE}/Groups`, query: LIST, scopes: ['scim'], handle: groups },
  { method: 'GET', path: `${BASE}/Groups/:id`, query: ATTRIBUTES, scopes: ['scim'], handle: groupById },
];

function me(call: Call): unknown {
  return userRecord(call.principal.user, call.features.scimGroups);
}

function userById(call: Call): unknown {
  const user = call.state.users.find((candidate) => candidate.id === call.params.id && isPerson(candidate));
  if (!user) throw new ScimFault(404, 'noTarget', `User with id ${call.params.id} not found.`);
  return select(call, userRecord(user, call.features.scimGroups));
}

function users(call: Call): unknown {
  return page(
    call,
    call.state.users.filter(isPerson).map((user) => userRecord(user, call.features.scimGroups)),
  );
}

function principals(call: Call): unknown {
  const found = call.state.users.filter((user) => !isPerson(user));
  return page(
    call,
    found.map((user) => principalRecord(user, call.features.scimGroups)),
  );
}

function principalById(call: Call): unknown {
  const found = call.state.users.find((candidate) => candidate.id === call.params.id && !isPerson(candidate));
  if (!found) throw new ScimFault(404, 'noTarget', `Service principal with id ${call.params.id} not found.`);
  return select(call, principalRecord(found, call.features.scimGroups));
}

function groups(call: Call): unknown {
  return page(
    call,
    groupNames(call.state).map((name) => groupOf(call.state, name)),
  );
}

function groupById(call: Call): unknown {
  const name = groupNames(call.state).find((each) => groupId(each) === call.params.id);
  if (name === undefined) throw new ScimFault(404, 'noTarget', `Group with id ${call.params.id} not found.`);
  return select(call, groupOf(call.state, name));
}

function groupNames({ users: all, nestedGroups }: WorkspaceState): string[] {
  const named = [
    ...all.flatMap((user) => user.groups),
    ...[...nestedGroups].flatMap(([name, within]) => [name, ...within]),
  ];
  return [...new Set(named)];
}

function groupOf({ users: all, nestedGroups }: WorkspaceState, name: string): Record<string, unknown> {
  const people = all.filter((user) => user.groups.includes(name));
  return {
    schemas: ['urn:ietf:params:scim:schemas:core:2.0:Group'],
    id: groupId(name),
    displayName: name,
    members: [
      ...people.map((user) => {
        const $ref = `${isPerson(user) ? 'Users' : 'ServicePrincipals'}/${user.id}`;
        return { display: user.displayName, value: user.id, $ref };
      }),
      ...(nestedGroups.get(name) ?? []).map((within) => {
        const value = groupId(within);
        return { display: within, value, $ref: `Groups/${value}` };
      }),
    ],
  };
}

/** One page of a list; `startIndex` counts from one (RFC 7644 §3.4.2.4). */
function page(call: Call, all: Record<string, unknown>[]): unknown {
  const matching = all.filter(filterOf(call.query.get('filter')));
  const startIndex = Math.max(numberOf(call, 'startIndex', 1), 1);
  const asked = numberOf(call, 'count', DEFAULT_COUNT);
  const count = call.behaviors.has('smallPages') ? Math.min(asked, SMALL_PAGE) : asked;
  const shown = matching.slice(startIndex - 1, startIndex - 1 + count);
  return {
    schemas: [LIST_SCHEMA],
    totalResults: matching.length,
    startIndex,
    itemsPerPage: shown.length,
    Resources: shown.map((record) => select(call, record)),
  };
}

function isPerson(user: User): boolean {
  return !user.servicePrincipal;
}

/** `userName eq "a"`, `displayName co "a"` and the like; text compares without regard to case (RFC 7643 §2.1). */
function filterOf(filter: string | null): (record: Record<string, unknown>) => boolean {
  if (!filter) return () => true;
  const match = /^\s*(userName|displayName|applicationId|id)\s+(eq|co|sw)\s+"((?:[^"\\]|\\.)*)"\s*$/i.exec(filter);
  if (!match) throw new ScimFault(400, 'invalidFilter', `Given filter operator is not supported: ${filter}`);
  const [, attribute = '', operator = '', quoted = ''] = match;
  const wanted = quoted.replace(/\\(.)/g, '$1').toLowerCase();
  return (record) => {
    const name = Object.keys(record).find((each) => each.toLowerCase() === attribute.toLowerCase());
    const held = String(name === undefined ? '' : record[name]).toLowerCase();
    if (operator.toLowerCase() === 'eq') return held === wanted;
    return operator.toLowerCase() === 'co' ? held.includes(wanted) : held.startsWith(wanted);
  };
}

function numberOf(call: Call, name: string, absent: number): number {
  const text = call.query.get(name);
  if (text === null) return absent;
  if (!/^-?\d+$/.test(text)) throw new ScimFault(400, 'invalidValue', `${name} must be a whole number, not ${text}.`);
  return Math.max(Number(text), 0);
}

function select(call: Call, record: Record<string, unknown>): Record<string, unknown> {
  const asked = call.query.get('attributes')?.split(',');
  const allowed = call.principal.user.admin ? Object.keys(record) : PUBLIC_ATTRIBUTES;
  const kept = allowed.filter((name) => !asked || name === 'id' || name === 'schemas' || asked.includes(name));
  return Object.fromEntries(kept.map((name) => [name, record[name]]));
}

function userRecord(user: User, withGroups: boolean): Record<string, unknown> {
  const [givenName = '', ...rest] = user.displayName.split(' ');
  return {
    schemas: ['urn:ietf:params:scim:schemas:core:2.0:User'],
    id: user.id,
    userName: user.userName,
    displayName: user.displayName,
    active: user.active,
    name: { givenName, familyName: rest.join(' ') },
    ...(!user.servicePrincipal && { emails: [{ value: user.userName, type: 'work', primary: true }] }),
    ...(withGroups && { groups: user.groups.map(groupRecord) }),
    entitlements: [{ value: 'databricks-sql-access' }, { value: 'workspace-access' }],
    roles: [],
  };
}

function principalRecord(user: User, withGroups: boolean): Record<string, unknown> {
  return {
    schemas: ['urn:ietf:params:scim:schemas:core:2.0:ServicePrincipal'],
    id: user.id,
    applicationId: user.userName,
    displayName: user.displayName,
    active: user.active,
    ...(withGroups && { groups: user.groups.map(groupRecord) }),
  };
}

function groupRecord(name: string): unknown {
  const value = groupId(name);
  return { display: name, value, type: 'direct', $ref: `Groups/${value}` };
}

function groupId(name: string): string {
  return String([...name].reduce((sum, letter) => sum * 31n + BigInt(letter.codePointAt(0) ?? 0), 7n));
}
