import type { IncomingMessage, ServerResponse } from 'node:http';
import { awaitedSignIn, connectionOf, needsSignIn, serviceNamed } from '../connections.ts';
import { readText } from '../http.ts';
import type { CatalogConnection, User } from '../model.ts';
import type { ReplaceableState } from '../state.ts';
import { type Approval, decisionOf, sendConsentPage, sendMessagePage } from './page.ts';

/** `/mcp-service-login`: the page on which a user signs in to what is behind a service, such as GitHub. */

export interface ServiceLoginOptions {
  host: string;
  state: ReplaceableState;
  /** Read for each page, as for sign-ins to the workspace. */
  approval: () => Approval;
  /** How long a credential takes to become active. */
  activationMs: () => number;
}

export interface ServiceLogin {
  /** Answers the page's path. */
  handle(request: IncomingMessage, response: ServerResponse, url: URL): Promise<void>;
  /**
   * The page of the first of these resources that waits for this user's sign-in, leading back to `returnPath`;
   * undefined if none does, or where the page has been `shown` already.
   */
  pageFor(user: User, resources: string[], shown: string | undefined, returnPath: string): string | undefined;
}

export const SERVICE_LOGIN_PATH = '/mcp-service-login';
const SERVICES = '/ai-gateway/mcp-services/';

export function createServiceLogin(options: ServiceLoginOptions): ServiceLogin {
  const { host, state } = options;
  return {
    handle: async (request, response, url) => {
      const connection = connectionFor(state, url.searchParams);
      if (!connection) {
        sendMessagePage(response, 404, 'There is nothing to sign in to', 'No service of that name has a sign-in.');
        return;
      }
      const returnTo = returnAddress(url, host);
      const title = `Sign in to ${connection.name.split('.').at(-1)}`;
      const decided = request.method === 'POST' ? decisionOf(await readText(request)) : decisionFor(options, url);
      if (decided === 'ask') {
        sendConsentPage(response, {
          title,
          clientName: 'This workspace',
          scopes: [`Use ${connection.name} as you`],
          people: state.users.filter(({ active, servicePrincipal }) => active && !servicePrincipal),
          selected: url.searchParams.get('user') ?? state.users[0]?.userName,
          redirectUri: returnTo,
        });
        return;
      }
      const user = decided === 'deny' ? undefined : state.users.find(({ userName }) => userName === decided.as);
      if (user) state.credentials.add(user.id, connection.name, options.activationMs());
      if (returnTo) response.writeHead(303, { location: returnTo }).end();
      else if (user) sendMessagePage(response, 200, 'You are signed in', 'You can close this page.');
      else sendMessagePage(response, 200, 'You are not signed in', 'You did not allow it. You can close this page.');
    },

    pageFor: (user, resources, shown, returnPath) => {
      if (shown !== undefined) return undefined;
      const service = resources
        .map((resource) => (resource.startsWith(host + SERVICES) ? resource.slice((host + SERVICES).length) : ''))
        .find((name) => {
          const found = serviceNamed(state, name);
          return found && awaitedSignIn(state, user, connectionOf(state, found)) !== undefined;
        });
      if (service === undefined) return undefined;
      const query = new URLSearchParams({ name: service, user: user.userName, return_to: host + returnPath });
      return `${SERVICE_LOGIN_PATH}?${query}`;
    },
  };
}

/** `name` names a service; `connection`, which is this workspace's own, an external connection. */
function connectionFor(state: ReplaceableState, query: URLSearchParams): CatalogConnection | undefined {
  const service = serviceNamed(state, query.get('name') ?? '');
  const name = service ? service.connection : query.get('connection');
  const connection = state.connections.find((one) => one.name === name);
  return needsSignIn(connection) ? connection : undefined;
}

function decisionFor({ approval }: ServiceLoginOptions, url: URL): Approval {
  const approved = approval();
  const user = url.searchParams.get('user');
  // Behind a sign-in to the workspace it is known who is there.
  return typeof approved === 'object' && user ? { as: user } : approved;
}

/** Only the workspace itself and https are led back to. */
function returnAddress(url: URL, host: string): string | undefined {
  const address = URL.parse(url.searchParams.get('return_to') ?? '');
  if (!address) return undefined;
  return address.protocol === 'https:' || address.origin === host ? address.href : undefined;
}
