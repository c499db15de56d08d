import type { CatalogConnection, McpService, User, WorkspaceState } from './model.ts';

/** Connections of the data catalog that each user signs in to, and the services that are on them. */

/** The kinds of connection that hold a credential for each user; any other needs no sign-in. */
const SIGN_IN_KINDS = new Set([
  'CONNECTION_HTTP_OAUTH_U2M_MAPPING',
  'CONNECTION_HTTP_DCR',
  'CONNECTION_SLACK_OAUTH_U2M_MAPPING',
]);

/** Who has signed in to which connection: kept here and nowhere else, so for every client and machine of a user. */
export class Credentials {
  /** User id and connection to the moment, in milliseconds since 1970, from which the credential is good. */
  readonly #since = new Map<string, number>();

  add(userId: string, connection: string, activationMs = 0): void {
    this.#since.set(keyOf(userId, connection), Date.now() + activationMs);
  }

  /** Whether there was one. */
  remove(userId: string, connection: string): boolean {
    return this.#since.delete(keyOf(userId, connection));
  }

  stateOf(userId: string, connection: string): 'ACTIVE' | 'PROVISIONING' | undefined {
    const since = this.#since.get(keyOf(userId, connection));
    if (since === undefined) return undefined;
    return since <= Date.now() ? 'ACTIVE' : 'PROVISIONING';
  }
}

function keyOf(userId: string, connection: string): string {
  return `${userId} ${connection}`;
}

/** `catalog.schema.service` as the services' names begin. */
const PREFIX = 'mcp-services/';

export function fullNameOf(service: McpService): string {
  return service.name.slice(PREFIX.length);
}

export function servicesIn(state: WorkspaceState, catalog: string, schema: string): McpService[] {
  const prefix = `${PREFIX}${catalog}.${schema}.`;
  const written = state.mcpServices.filter(({ name }) => name.startsWith(prefix));
  const names = new Set(written.map(({ name }) => name));
  return [...written, ...state.moreServices(catalog, schema).filter(({ name }) => !names.has(name))];
}

export function serviceNamed(state: WorkspaceState, fullName: string): McpService | undefined {
  const [catalog = '', schema = ''] = fullName.split('.');
  return servicesIn(state, catalog, schema).find(({ name }) => name === PREFIX + fullName);
}

/** EXECUTE on the service, and USE SCHEMA on its schema. */
export function mayExecute(state: WorkspaceState, user: User, service: McpService): boolean {
  const [catalog, schema] = fullNameOf(service).split('.');
  const parent = state.schemas.find((item) => item.catalog === catalog && item.schema === schema);
  if (!parent || !state.isGranted(user, parent.grantedTo)) return false;
  return holdsExecute(state, user, service);
}

/** What `mayExecute` asks beside the schema. */
export function holdsExecute(state: WorkspaceState, user: User, { grantedTo }: McpService): boolean {
  return grantedTo === undefined || state.isGranted(user, grantedTo);
}

export function connectionOf(state: WorkspaceState, service: McpService): CatalogConnection | undefined {
  return state.connections.find(({ name }) => name === service.connection);
}

export function needsSignIn(connection: CatalogConnection | undefined): connection is CatalogConnection {
  return connection?.securableKind !== undefined && SIGN_IN_KINDS.has(connection.securableKind);
}

/** The connection of a service that this user has still to sign in to. */
export function awaitedSignIn(
  state: WorkspaceState,
  user: User,
  connection: CatalogConnection | undefined,
): CatalogConnection | undefined {
  if (!needsSignIn(connection)) return undefined;
  return state.credentials.stateOf(user.id, connection.name) === 'ACTIVE' ? undefined : connection;
}
