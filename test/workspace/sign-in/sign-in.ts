import { generateKeyPairSync, randomBytes } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { Provider } from 'oidc-provider';
import { readText } from '../http.ts';
import type { Principal } from '../model.ts';
import type { RequestLog } from '../request-log.ts';
import type { ReplaceableState } from '../state.ts';
import { applicationMetadata, CLI_CLIENT, type OAuthClient, SCOPES, servicePrincipalMetadata } from './clients.ts';
import { answerDevicePage, DEVICE_GRANT, DEVICE_INTERVAL_S, DEVICE_PATHS, type DeviceDecision } from './device.ts';
import type { Entra } from './entra.ts';
import { type Approval, decisionOf, sendConsentPage, sendMessagePage } from './page.ts';
import type { ServiceLogin } from './service-login.ts';
import { SignInStore } from './store.ts';
import { ACCOUNT_CLIENT, addTokenExchange, type FederationPolicy, TOKEN_EXCHANGE } from './token-exchange.ts';
import { tokenRequest } from './token-request.ts';

/** How long what is issued lives, in whole seconds. Tests change these while the workspace runs. */
export interface Lifetimes {
  accessToken: number;
  refreshToken: number;
  authorizationCode: number;
}

export interface SignInOptions {
  host: string;
  state: ReplaceableState;
  log: RequestLog;
  lifetimes: Lifetimes;
  /** Read for each sign-in, so that tests can change their mind. */
  approval: () => Approval;
  clients: OAuthClient[];
  servicePrincipal: { clientId: string; clientSecret: string };
  /** Read at each token exchange. */
  federation: { clientId: string; policies: readonly FederationPolicy[] };
  entra: Entra;
  serviceLogin: ServiceLogin;
  /** Whether access tokens work until they expire, whatever was revoked. */
  accessTokensOutliveRevocation: boolean;
  /** Whether users may sign in with a code on another device. */
  deviceFlow: boolean;
}

export interface SignIn {
  /** Answers any path under `/oidc/`. */
  handle(request: IncomingMessage, response: ServerResponse, url: URL): Promise<void>;
  /** Whom an access token stands for; undefined if it is none of ours, has expired or was revoked. */
  principalOf(token: string): Promise<Principal | undefined>;
  expireAccessTokens(): void;
  revokeRefreshTokens(): void;
}

const MOUNT = '/oidc';
/** It has no secret: it trades a token of another issuer. */
const FEDERATED = {
  client_secret: undefined,
  grant_types: [TOKEN_EXCHANGE],
  token_endpoint_auth_method: 'none' as const,
};
const INTERACTION = `${MOUNT}/interaction/`;
const DAY = 24 * 60 * 60;

export async function createSignIn(options: SignInOptions): Promise<SignIn> {
  const { state, servicePrincipal } = options;
  const store = new SignInStore();
  store.accessTokensOutliveRevocation = options.accessTokensOutliveRevocation;
  const provider = makeProvider(options, store);
  const metadataOf = (client: OAuthClient) => {
    const metadata = applicationMetadata(client);
    return options.deviceFlow
      ? { ...metadata, grant_types: [...(metadata.grant_types ?? []), DEVICE_GRANT] }
      : metadata;
  };
  for (const client of [CLI_CLIENT, ...options.clients]) {
    await store.adapter('Client').upsert(client.clientId, metadataOf(client), 0);
  }
  const { clientId, clientSecret } = servicePrincipal;
  await store.adapter('Client').upsert(clientId, servicePrincipalMetadata(clientId, clientSecret), 0);
  const federated = { ...servicePrincipalMetadata(options.federation.clientId, ''), ...FEDERATED };
  await store.adapter('Client').upsert(options.federation.clientId, federated, 0);
  const ofAccount = { ...servicePrincipalMetadata(ACCOUNT_CLIENT, ''), ...FEDERATED };
  await store.adapter('Client').upsert(ACCOUNT_CLIENT, ofAccount, 0);
  /** Who has allowed a sign-in that leads through a service's own page, by the interaction's id. */
  const allowed = new Map<string, string>();
  const callback = provider.callback();

  return {
    handle: async (request, response, url) => {
      if (url.pathname.startsWith(INTERACTION)) return interact(request, response);
      if (options.deviceFlow && url.pathname === `${MOUNT}${DEVICE_PATHS.verification}`) {
        return answerDevicePage(request, response, options.approval, decideAboutDevice);
      }
      // Refresh tokens come from a native client without a consent prompt here, which OpenID Connect Core §11 would forbid.
      if (url.pathname === `${MOUNT}/v1/authorize`) {
        url.searchParams.set('prompt', 'consent');
        keepResources(url.searchParams);
      }
      const original = `${url.pathname}${url.search}`;
      const isToken = url.pathname === `${MOUNT}/v1/token` && request.method === 'POST';
      const passed = isToken ? await tokenRequest(request, response, options.log) : request;
      if (!passed) return;
      Object.assign(passed, { originalUrl: original, url: original.slice(MOUNT.length) });
      forgetSession(passed);
      await callback(passed, response);
    },

    principalOf: async (token) => {
      const granted = (await provider.AccessToken.find(token)) ?? (await provider.ClientCredentials.find(token));
      if (!granted) return undefined;
      const owner = granted.kind === 'AccessToken' ? granted.accountId : agentId();
      const user = state.users.find((candidate) => candidate.id === owner && candidate.active);
      return user && { user, scopes: new Set(granted.scope?.split(' ')), token: 'oauth' };
    },

    expireAccessTokens: () => {
      store.forget('AccessToken');
      store.forget('ClientCredentials');
    },

    revokeRefreshTokens: () => store.forget('RefreshToken'),
  };

  async function decideAboutDevice(userCode: string, decision: DeviceDecision): Promise<boolean> {
    const code = await provider.DeviceCode.findByUserCode(userCode);
    if (!code) return false;
    const user = decision === 'deny' ? undefined : state.users.find(({ userName }) => userName === decision.as);
    if (!user) Object.assign(code, { error: 'access_denied', errorDescription: 'The person did not allow it.' });
    else {
      const scope = String(code.params?.scope ?? '');
      const grant = new provider.Grant({ accountId: user.id, clientId: String(code.clientId) });
      grant.addOIDCScope(scope);
      const authTime = Math.floor(Date.now() / 1000);
      Object.assign(code, { accountId: user.id, grantId: await grant.save(), scope, authTime });
    }
    await code.save();
    return true;
  }

  function agentId(): string | undefined {
    return state.users.find(({ userName }) => userName === clientId)?.id;
  }

  async function interact(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const details = await provider.interactionDetails(request, response).catch(() => undefined);
    if (!details) {
      sendMessagePage(response, 400, 'This sign-in is over', 'Go back to the application and sign in once more.');
      return;
    }
    const before = allowed.get(details.uid);
    const decided = before
      ? { as: before }
      : request.method === 'POST'
        ? decisionOf(await readText(request))
        : options.approval();
    const client = String(details.params.client_id);
    const scopes = String(details.params.scope ?? '')
      .split(' ')
      .filter(Boolean);
    if (decided === 'ask') {
      sendConsentPage(response, {
        clientName: client,
        scopes,
        people: state.users.filter(({ active, servicePrincipal }) => active && !servicePrincipal),
        selected: String(details.params.login_hint ?? state.users[0]?.userName),
        redirectUri: String(details.params.redirect_uri),
      });
      return;
    }
    const user = decided === 'deny' ? undefined : state.users.find(({ userName }) => userName === decided.as);
    if (!user) {
      const refusal = { error: 'access_denied', error_description: 'The person did not allow the application.' };
      await provider.interactionFinished(request, response, refusal);
      return;
    }
    // The user has allowed the client; a service whose connection waits for them asks on its own page.
    const page = options.serviceLogin.pageFor(user, resourcesOf(details.params[RESOURCES]), before, request.url ?? '');
    if (page) {
      allowed.set(details.uid, user.userName);
      response.writeHead(303, { location: page }).end();
      return;
    }
    allowed.delete(details.uid);
    const grant = new provider.Grant({ accountId: user.id, clientId: client });
    grant.addOIDCScope(scopes.join(' '));
    const result = { login: { accountId: user.id }, consent: { grantId: await grant.save() } };
    await provider.interactionFinished(request, response, result);
  }
}

/** Where the `resource` parameters (RFC 8707) are kept: oidc-provider takes one, and there may be several. */
const RESOURCES = 'mcp_resources';

function keepResources(parameters: URLSearchParams): void {
  const resources = parameters.getAll('resource');
  if (resources.length === 0) return;
  parameters.delete('resource');
  parameters.set(RESOURCES, resources.join(' '));
}

function resourcesOf(kept: unknown): string[] {
  return typeof kept === 'string' ? kept.split(' ') : [];
}

/** Each sign-in begins again: a user may choose another user each time, which a session of the last one would prevent. */
function forgetSession(request: IncomingMessage): void {
  const cookies = request.headers.cookie?.split('; ').filter((cookie) => !cookie.startsWith('_session'));
  if (cookies) request.headers.cookie = cookies.join('; ');
}

function makeProvider(
  { host, state, lifetimes, federation, entra, deviceFlow }: SignInOptions,
  store: SignInStore,
): Provider {
  const lasting = (name: keyof Lifetimes) => () => lifetimes[name];
  const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const provider = new Provider(`${host}${MOUNT}`, {
    adapter: (model: string) => store.adapter(model),
    jwks: { keys: [{ ...privateKey.export({ format: 'jwk' }), alg: 'ES256', use: 'sig' }] },
    cookies: { keys: [randomBytes(32).toString('hex')] },
    scopes: SCOPES,
    extraParams: [RESOURCES],
    claims: { openid: ['sub'], email: ['email'], profile: ['name'] },
    clientDefaults: { id_token_signed_response_alg: 'ES256' },
    clientAuthMethods: ['none', 'client_secret_basic', 'client_secret_post'],
    responseTypes: ['code'],
    pkce: { required: () => true },
    rotateRefreshToken: true,
    enabledJWA: { idTokenSigningAlgValues: ['ES256'] },
    features: {
      devInteractions: { enabled: false },
      clientCredentials: { enabled: true },
      deviceFlow: { enabled: deviceFlow },
      revocation: { enabled: true, allowedPolicy: async (_ctx, client, token) => token.clientId === client.clientId },
      // A token is for the whole workspace: `resource` (RFC 8707) only leads to a service's own page (keepResources).
      resourceIndicators: { enabled: false },
      rpInitiatedLogout: { enabled: false },
      userinfo: { enabled: false },
    },
    routes: {
      authorization: '/v1/authorize',
      token: '/v1/token',
      revocation: '/v1/revoke',
      device_authorization: DEVICE_PATHS.authorization,
      code_verification: DEVICE_PATHS.verification,
      jwks: '/jwks.json',
    },
    interactions: { url: (_ctx, interaction) => `${INTERACTION}${interaction.uid}` },
    ttl: {
      AccessToken: lasting('accessToken'),
      ClientCredentials: lasting('accessToken'),
      AuthorizationCode: lasting('authorizationCode'),
      RefreshToken: lasting('refreshToken'),
      IdToken: 60 * 60,
      Interaction: 60 * 60,
      DeviceCode: 10 * 60,
      Grant: 365 * DAY,
      Session: DAY,
    },
    findAccount: (_ctx, id) => {
      const user = state.users.find((candidate) => candidate.id === id && candidate.active);
      return user && { accountId: id, claims: () => ({ sub: id, email: user.userName, name: user.displayName }) };
    },
    renderError: (ctx, out) => {
      ctx.respond = false;
      sendMessagePage(ctx.res, ctx.status, 'Sign-in failed', String(out.error_description ?? out.error));
    },
  });
  addTokenExchange(provider, () => federation.policies, entra);
  provider.use(oneGrantAtATime());
  provider.use(async (ctx, next) => {
    await next();
    if (ctx.oidc?.route === 'device_authorization' && ctx.body?.device_code) ctx.body.interval = DEVICE_INTERVAL_S;
    if (ctx.oidc?.route !== 'token') return;
    const grantType = ctx.oidc.params?.grant_type;
    if (grantType === 'refresh_token' && ctx.body?.error === 'invalid_grant') {
      ctx.body = { ...ctx.body, error_description: 'Refresh token is invalid' };
    }
  });
  return provider;
}

/** Two uses of one refresh token must not both pass before either is recorded: the second one revokes the family. */
function oneGrantAtATime(): Parameters<Provider['use']>[0] {
  let last: Promise<unknown> = Promise.resolve();
  return (ctx, next) => {
    if (ctx.path !== '/v1/token') return next();
    const turn = last.then(() => next());
    last = turn.catch(() => undefined);
    return turn;
  };
}
