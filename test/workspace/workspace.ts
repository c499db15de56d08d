import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import {
  ALL_FEATURES,
  checkScopes,
  endpointNotFound,
  errorBody,
  type Features,
  findRoute,
  readJson,
  sendFault,
  sendJson,
} from './http.ts';
import { type Principal, RestFault, type User } from './model.ts';
import { newClientSecret, newPersonalToken, profileFileText, writeProfileFile } from './profile-file.ts';
import { restRoutes } from './rest/routes.ts';
import { createState, type ReplaceableState, type StateOptions } from './state.ts';

export interface WorkspaceOptions {
  /** A free port if left out. */
  port?: number;
  /** Where `.databrickscfg` is written; a directory of its own, gone afterwards, if left out. */
  home?: string;
  state?: StateOptions;
  features?: Partial<Features>;
}

export interface WorkspaceUser {
  id: string;
  userName: string;
  admin: boolean;
  /** A personal access token. */
  token: string;
}

/** A workspace that is up. */
export interface EmbeddedWorkspace {
  /** Its origin, `http://127.0.0.1:PORT`. */
  host: string;
  profileFile: string;
  /** The people of the fixture; the service principal is not among them. */
  users: WorkspaceUser[];
  state: ReplaceableState;
  features: Features;
  close(): Promise<void>;
}

/** Starts a workspace on the loopback interface. */
export async function startWorkspace(options: WorkspaceOptions = {}): Promise<EmbeddedWorkspace> {
  const state = createState(options.state);
  const features: Features = { ...ALL_FEATURES, ...options.features };
  const users = state.users.filter(({ servicePrincipal }) => !servicePrincipal).map(withToken);

  const server = createServer((request, response) => {
    answer(request, response).catch((error: unknown) => fail(response, error));
  });

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    response.setHeader('x-databricks-org-id', state.workspaceId);
    const url = new URL(request.url ?? '/', host);
    const method = request.method ?? 'GET';
    if (!url.pathname.startsWith('/api/')) throw endpointNotFound(method, url.pathname);
    const principal = authenticate(request);
    if (!principal) {
      sendJson(response, 401, errorBody(401, 'Credential was not sent or was of an unsupported type for this API.'));
      return;
    }
    const match = findRoute(restRoutes, features, method, url.pathname);
    if (!match) throw endpointNotFound(method, url.pathname);
    checkScopes(principal, match.route.scopes);
    const body = method === 'GET' || method === 'DELETE' ? undefined : await readJson(request);
    const call = { state, features, principal, params: match.params, query: url.searchParams, body };
    sendJson(response, 200, await match.route.handle(call));
  }

  function authenticate(request: IncomingMessage): Principal | undefined {
    const token = /^Bearer (\S+)$/i.exec(request.headers.authorization ?? '')?.[1];
    const id = users.find((user) => user.token === token)?.id;
    const user = state.users.find((candidate) => candidate.id === id && candidate.active);
    return user && { user, scopes: new Set(['all-apis']) };
  }

  const port = await listen(server, options.port ?? 0);
  const host = `http://127.0.0.1:${port}`;
  const servicePrincipal = state.users.find((user) => user.servicePrincipal);
  const text = profileFileText({
    host,
    tokens: new Map(users.map(({ userName, token }) => [userName.split('@')[0] ?? userName, token])),
    servicePrincipal: { clientId: servicePrincipal?.userName ?? 'none', clientSecret: newClientSecret() },
  });
  const file = await writeProfileFile(text, options.home);

  return {
    host,
    profileFile: file.path,
    users,
    state,
    features,
    close: async () => {
      state.close();
      server.closeAllConnections();
      await new Promise<void>((resolve) => server.close(() => resolve()));
      await file.remove();
    },
  };
}

function withToken({ id, userName, admin }: User): WorkspaceUser {
  return { id, userName, admin, token: newPersonalToken() };
}

function listen(server: Server, port: number): Promise<number> {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, '127.0.0.1', () => resolve((server.address() as AddressInfo).port));
  });
}

function fail(response: ServerResponse, error: unknown): void {
  if (response.headersSent) response.destroy();
  else if (error instanceof RestFault) sendFault(response, error);
  else sendJson(response, 500, errorBody('INTERNAL_ERROR', error instanceof Error ? error.message : String(error)));
}
