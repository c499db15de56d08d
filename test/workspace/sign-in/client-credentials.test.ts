import * as oauth from 'oauth4webapi';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { callerWith } from '../caller.ts';
import { type EmbeddedWorkspace, startWorkspace } from '../workspace.ts';
import { discover, insecure, OAuthClient, refusalOf } from './oauth-client.ts';

/** Clients with a secret: the service principal, and applications. */

const APP_SECRET = 'a secret of the test application';

let workspace: EmbeddedWorkspace;
let client: OAuthClient;

beforeAll(async () => {
  workspace = await startWorkspace({
    autoApprove: 'ben@example.com',
    oauthClients: [{ clientId: 'secret-app', clientSecret: APP_SECRET, redirectUris: ['http://localhost/callback'] }],
  });
  client = new OAuthClient(workspace, await discover(workspace));
});
afterAll(() => workspace.close());

describe('client credentials', () => {
  async function agentToken(secret: string, scope = 'all-apis'): Promise<oauth.TokenEndpointResponse> {
    const application = { client_id: workspace.servicePrincipal.clientId };
    const auth = oauth.ClientSecretBasic(secret);
    const parameters = new URLSearchParams({ scope });
    const response = await oauth.clientCredentialsGrantRequest(client.server, application, auth, parameters, insecure);
    return oauth.processClientCredentialsResponse(client.server, application, response);
  }

  test('represent the service principal; there is no refresh token', async () => {
    const tokens = await agentToken(workspace.servicePrincipal.clientSecret);
    expect(tokens).toMatchObject({ expires_in: 3600, scope: 'all-apis' });
    expect(tokens).not.toHaveProperty('refresh_token');
    expect(await client.me(tokens.access_token)).toBe(workspace.servicePrincipal.clientId);
  });

  test('cover only the scopes that were requested', async () => {
    const tokens = await agentToken(workspace.servicePrincipal.clientSecret, 'genie');
    expect((await callerWith(workspace, tokens.access_token)('GET', '/api/2.0/sql/warehouses')).status).toBe(403);
  });

  test('with a wrong secret are answered with 401 invalid_client and a challenge', async () => {
    const response = await fetch(client.server.token_endpoint ?? '', {
      method: 'POST',
      headers: { authorization: `Basic ${btoa(`${workspace.servicePrincipal.clientId}:wrong`)}` },
      body: new URLSearchParams({ grant_type: 'client_credentials', scope: 'all-apis' }),
    });
    expect(response.status).toBe(401);
    expect(response.headers.get('www-authenticate')).toContain('Basic');
    expect(await response.json()).toMatchObject({ error: 'invalid_client' });
  });

  test('an application with a secret has to send it', async () => {
    const application = { client_id: 'secret-app' };
    const redirectUri = 'http://localhost:7777/callback';
    const started = await client.attempt({ client: application, redirectUri });
    const callback = await client.callbackOf(started);
    expect((await refusalOf(client.exchange(started, callback)))[0]).toBe('invalid_client');
    const tokens = await client.exchange(started, callback, oauth.ClientSecretBasic(APP_SECRET));
    expect(await client.me(tokens.access_token)).toBe('ben@example.com');
  });
});
