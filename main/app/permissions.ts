import type { AuthService } from '../auth/open.ts';
import { lastListedTools } from '../bridge/answer-store.ts';
import { noSuchClient } from '../clients/no-such-client.ts';
import { openServers } from '../clients/servers.ts';
import { CLIENTS, clientOnWire } from '../clients/table.ts';
import { type NamedScope, readPermissions, scopeOf } from '../permissions/change.ts';
import type { ListedTool } from '../permissions/decide.ts';
import { type PermissionRow, permissionsInEffect } from '../permissions/in-effect.ts';
import type { PermissionClient, Permissions } from '../permissions/permissions.ts';
import { PermissionsFile } from '../permissions/permissions-file.ts';
import { isNamedServer } from '../permissions/policy/host-pattern.ts';
import type { Policy } from '../permissions/policy/policy.ts';
import { currentPolicy } from '../permissions/policy/system-policy.ts';
import { serverKey } from '../permissions/server-key.ts';
import { CausewayError } from '../platform/errors.ts';
import { UNUSABLE_NAME } from '../platform/own-member.ts';

/** A scope as a user names it: a server of the list by its name, a client by its id; null for every one. */
export interface ScopeNames {
  server: string | null;
  client: string | null;
}

/**
 * The scope that a user names.
 * @param addressOf of a server in the list
 * @throws {CausewayError} `not_found`, `usage`, `invalid_file`, and as `addressOf`
 */
export async function askedScope(
  { server, client }: ScopeNames,
  file: PermissionsFile,
  addressOf: (server: string) => Promise<{ host: string; path: string }>,
): Promise<NamedScope> {
  const known = client === null ? undefined : clientWithId(client, await readPermissions(file));
  if (server === null) return scopeOf(known);
  const { host, path } = await addressOf(server);
  return scopeOf(known, { key: serverKey(host, path), name: server });
}

/** The clients for which there can be permissions, and those that are not in the table for which there are some. */
export function permissionClients({ clients = {} }: Permissions): PermissionClient[] {
  const others = Object.entries(clients).filter(([id]) => !CLIENTS.some((client) => client.id === id));
  return [
    ...CLIENTS.filter(({ wireNames }) => wireNames.length > 0),
    ...others.map(([id, { name, wireNames }]) => ({ id, name, wireNames })),
  ];
}

/** @throws {CausewayError} `not_found`, or `usage` if the client sends no name of its own */
function clientWithId(id: string, own: Permissions): PermissionClient {
  const found = permissionClients(own).find((client) => client.id === id);
  if (found) return found;
  const nameless = CLIENTS.find((client) => client.id === id);
  if (nameless) {
    throw new CausewayError('usage', `${nameless.name} cannot be told apart from other clients.`, {
      remedy: 'The name it connects under is not known. Set permissions for the server, or for everything.',
    });
  }
  throw noSuchClient(id, CLIENTS);
}

/**
 * The client that permissions name for the one that has made a call; one that is not in the table is named as it names itself. It may
 * call itself like another client's id, whose permissions it must not change.
 * @throws {CausewayError} `usage` if it has not named itself
 */
export function clientOfCall(wireName: string | undefined): PermissionClient {
  if (wireName === undefined) {
    throw new CausewayError('usage', 'This client did not give its name.', {
      remedy: 'Allow the call once, or allow the tool for all AI clients.',
    });
  }
  const isTaken = wireName === UNUSABLE_NAME || CLIENTS.some(({ id }) => id === wireName);
  return (
    clientOnWire(wireName) ?? { id: isTaken ? `name:${wireName}` : wireName, name: wireName, wireNames: [wireName] }
  );
}

/** What decides about tools on this computer. */
export interface PermissionsHere {
  policy: Policy;
  own: Permissions;
  rows: PermissionRow[];
  /** The names of a row's servers; null for every server. */
  serversOf(row: PermissionRow): string[] | null;
}

/** Reads the organization's permissions and the user's own. @throws {CausewayError} `invalid_file` */
export async function permissionsHere(env: NodeJS.ProcessEnv, auth: AuthService): Promise<PermissionsHere> {
  const own = await readPermissions(new PermissionsFile(env));
  const [policy, servers] = await Promise.all([currentPolicy(), serversByKey(env, auth)]);
  const tools = new Map<string, ListedTool[]>();
  for (const [key, named] of servers) {
    const listed = await Promise.all(named.map((server) => lastListedTools(env, server)));
    tools.set(
      key,
      listed.flatMap((each) => each ?? []),
    );
  }
  const rows = permissionsInEffect(policy, own, (server) => tools.get(server) ?? []);
  const namesOf = (key: string) => servers.get(key)?.map(({ name }) => name) ?? [];
  const serversOf = ({ server, by }: PermissionRow) => {
    if (server === null) return null;
    const keys = by === 'user' ? [server] : [...servers.keys()].filter((key) => isNamedServer(server, key));
    const names = keys.flatMap(namesOf);
    return names.length > 0 ? names : [server];
  };
  return { policy, own, rows, serversOf };
}

/** The servers of the list by their `serverKey`. Those of a profile that is gone have no host, and are left out. */
export async function serversByKey(env: NodeJS.ProcessEnv, auth: AuthService) {
  const profiles = await auth.profiles().catch(() => []);
  const { servers } = (await openServers(env)).initial;
  const found = new Map<string, { name: string; profile: string; path: string; host: string }[]>();
  for (const { name, profile, path } of servers) {
    const entry = profiles.find((each) => each.name === profile);
    const host = entry?.usable ? entry.profile.host : entry?.host;
    if (!host || !URL.canParse(host)) continue;
    const key = serverKey(host, path);
    found.set(key, [...(found.get(key) ?? []), { name, profile, path, host }]);
  }
  return found;
}
