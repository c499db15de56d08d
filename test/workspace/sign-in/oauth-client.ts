import * as oauth from 'oauth4webapi';
import { callerWith } from '../caller.ts';
import { ScriptedBrowser } from '../scripted-browser.ts';
import type { EmbeddedWorkspace } from '../workspace.ts';

/** A client of the sign-in that is not ours, for the tests in this folder: oauth4webapi, and a scripted browser. */

export const CLI: oauth.Client = { client_id: 'databricks-cli' };
export const ALL = 'all-apis offline_access';
/** How a dead refresh token is refused. */
export const DEAD = ['invalid_grant', 'Refresh token is invalid'];

/** oauth4webapi speaks plain HTTP only when it is told to. */
export const insecure = { [oauth.allowInsecureRequests]: true } as const;

export interface Attempt {
  client?: oauth.Client;
  redirectUri?: string;
  scope?: string;
  /** Parameters of the authorization request that are left out. */
  without?: string[];
  /** Parameters that replace others or come in addition. */
  extra?: Record<string, string>;
}

export interface Started {
  client: oauth.Client;
  redirectUri: string;
  verifier: string;
  state: string;
  address: URL;
}

export async function discover({ host }: EmbeddedWorkspace): Promise<oauth.AuthorizationServer> {
  const issuer = new URL(`${host}/oidc`);
  const response = await fetch(`${issuer}/.well-known/oauth-authorization-server`);
  return oauth.processDiscoveryResponse(issuer, response);
}

export class OAuthClient {
  readonly #workspace: EmbeddedWorkspace;
  readonly server: oauth.AuthorizationServer;

  constructor(workspace: EmbeddedWorkspace, server: oauth.AuthorizationServer) {
    this.#workspace = workspace;
    this.server = server;
  }

  /** Makes an authorization request, which nobody has opened yet. */
  async attempt(options: Attempt = {}): Promise<Started> {
    const { client = CLI, redirectUri = 'http://localhost:8020', scope = ALL, without = [], extra = {} } = options;
    const verifier = oauth.generateRandomCodeVerifier();
    const state = oauth.generateRandomState();
    const address = new URL(this.server.authorization_endpoint ?? '');
    const parameters = {
      client_id: client.client_id,
      response_type: 'code',
      redirect_uri: redirectUri,
      scope,
      state,
      code_challenge: await oauth.calculatePKCECodeChallenge(verifier),
      code_challenge_method: 'S256',
      ...extra,
    };
    for (const [name, value] of Object.entries(parameters)) {
      if (!without.includes(name)) address.searchParams.set(name, value);
    }
    return { client, redirectUri, verifier, state, address };
  }

  /** Opens the request in its own browser, up to the callback. */
  async callbackOf(started: Started): Promise<URL> {
    const end = await new ScriptedBrowser().open(started.address);
    if (end.kind === 'page') throw new Error(`No callback but a page, ${end.status}: ${end.text}`);
    return end.url;
  }

  /** Checks state, issuer and errors of a callback. */
  validated(started: Started, callback: URL): URLSearchParams {
    return oauth.validateAuthResponse(this.server, started.client, callback, started.state);
  }

  async exchange(started: Started, callback: URL, auth = oauth.None()): Promise<oauth.TokenEndpointResponse> {
    const { client, redirectUri, verifier } = started;
    const parameters = this.validated(started, callback);
    const response = await oauth.authorizationCodeGrantRequest(
      this.server,
      client,
      auth,
      parameters,
      redirectUri,
      verifier,
      insecure,
    );
    return oauth.processAuthorizationCodeResponse(this.server, client, response);
  }

  async signIn(options: Attempt = {}): Promise<oauth.TokenEndpointResponse> {
    const started = await this.attempt(options);
    return this.exchange(started, await this.callbackOf(started));
  }

  async refresh(token: string | undefined, client = CLI): Promise<oauth.TokenEndpointResponse> {
    const response = await oauth.refreshTokenGrantRequest(this.server, client, oauth.None(), token ?? '', insecure);
    return oauth.processRefreshTokenResponse(this.server, client, response);
  }

  /** Whom the workspace takes an access token for, or the status with which it refuses it. */
  async me(token: string): Promise<unknown> {
    const { status, body } = await callerWith(this.#workspace, token)('GET', '/api/2.0/preview/scim/v2/Me');
    return status === 200 ? body.userName : status;
  }
}

/** The error and its description with which the token endpoint refused. */
export async function refusalOf(work: Promise<unknown>): Promise<[string | undefined, string | undefined]> {
  try {
    await work;
  } catch (error) {
    if (error instanceof oauth.ResponseBodyError) return [error.error, error.error_description];
    throw error;
  }
  throw new Error('It was not refused.');
}
