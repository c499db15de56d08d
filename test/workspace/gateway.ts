import { connectionOf, fullNameOf, needsSignIn, serviceNamed } from './connections.ts';
import { type CatalogConnection, type McpService, RestFault, type User } from './model.ts';
import type { ReplaceableState } from './state.ts';

/** What tests change about services: who may use one, and who has signed in to what is behind it. */
export interface Gateway {
  /** People by the first part of their user name or the whole of it; services as `catalog.schema.service`. */
  grant(person: string, service: string): void;
  revoke(person: string, service: string): void;
  /** As though the user had been at the service's sign-in page. */
  signIn(person: string, service: string): void;
  /** The credential is gone, as after `DELETE …/user-credentials`. */
  signOut(person: string, service: string): void;
  isSignedIn(person: string, service: string): boolean;
}

/** Each of these throws a `RestFault` for a user or a service that there is not. */
export function createGateway(state: ReplaceableState): Gateway {
  return {
    grant: (person, name) => holders(state, name).add(userNamed(state, person).userName),
    revoke: (person, name) => {
      const { userName, groups } = userNamed(state, person);
      const grantedTo = holders(state, name);
      // A grant of a group is taken from its other members no less: those keep theirs one by one.
      const others = state.users.filter((user) => user.userName !== userName && state.isGranted(user, grantedTo));
      for (const held of [userName, 'users', ...groups]) grantedTo.delete(held);
      for (const other of others) grantedTo.add(other.userName);
    },
    signIn: (person, name) => state.credentials.add(userNamed(state, person).id, connection(state, name).name),
    signOut: (person, name) => {
      state.credentials.remove(userNamed(state, person).id, connection(state, name).name);
    },
    isSignedIn: (person, name) =>
      state.credentials.stateOf(userNamed(state, person).id, connection(state, name).name) === 'ACTIVE',
  };
}

/** Who holds EXECUTE: from here on a set of the service's own. */
function holders(state: ReplaceableState, name: string): Set<string> {
  const found = service(state, name);
  found.grantedTo ??= new Set(['users']);
  // A service that is made when it is asked for stays as it is now.
  if (!state.mcpServices.includes(found)) state.mcpServices.push(found);
  return found.grantedTo;
}

function userNamed(state: ReplaceableState, person: string): User {
  const user = state.users.find(({ userName }) => userName === person || userName.startsWith(`${person}@`));
  if (!user) throw new RestFault(404, 'RESOURCE_DOES_NOT_EXIST', `There is no ${person} in this workspace.`);
  return user;
}

function service(state: ReplaceableState, name: string): McpService {
  const found = serviceNamed(state, name);
  if (!found) throw new RestFault(404, 'RESOURCE_DOES_NOT_EXIST', `There is no MCP service ${name}.`);
  return found;
}

function connection(state: ReplaceableState, name: string): CatalogConnection {
  const found = service(state, name);
  const behind = connectionOf(state, found);
  if (needsSignIn(behind)) return behind;
  throw new RestFault(400, 'INVALID_STATE', `${fullNameOf(found)} has no sign-in of its own.`);
}
