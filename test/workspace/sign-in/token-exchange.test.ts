import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { callerWith } from '../caller.ts';
import { type EmbeddedWorkspace, startWorkspace } from '../workspace.ts';
import { PUBLISHED_CLIENTS } from './clients.ts';

/** Tokens of Entra ID, what they are good for, and what they are traded for; the probe for published clients. */

let workspace: EmbeddedWorkspace;
beforeAll(async () => {
  workspace = await startWorkspace({ profile: 'lenient', oauthClients: PUBLISHED_CLIENTS });
});
afterEach(() => {
  workspace.entra.federated = true;
  workspace.faults.clear();
});
afterAll(() => workspace.close());

async function token(form: Record<string, string>): Promise<{ status: number; body: Record<string, unknown> }> {
  const response = await fetch(`${workspace.host}/oidc/v1/token`, { method: 'POST', body: new URLSearchParams(form) });
  return { status: response.status, body: Object(await response.json()) };
}

function exchange(subject_token: string, more: Record<string, string> = {}) {
  return token({
    grant_type: 'urn:ietf:params:oauth:grant-type:token-exchange',
    subject_token,
    subject_token_type: 'urn:ietf:params:oauth:token-type:jwt',
    scope: 'all-apis',
    ...more,
  });
}

const me = async (access: unknown) =>
  (await callerWith(workspace, String(access))('GET', '/api/2.0/preview/scim/v2/Me')).body.userName;

describe('a token of Entra ID', () => {
  test('is valid for the API and the MCP servers of the workspace', async () => {
    const ben = callerWith(workspace, workspace.entra.tokenFor('ben@example.com'));
    expect((await ben('GET', '/api/2.0/preview/scim/v2/Me')).body.userName).toBe('ben@example.com');
    const list = { jsonrpc: '2.0', id: 1, method: 'tools/list' };
    expect((await ben('POST', '/ai-gateway/mcp-services/system.ai.web_search', list)).status).toBe(200);
  });

  test('is exchanged, without a client, for one of the workspace for the same user', async () => {
    const { status, body } = await exchange(workspace.entra.tokenFor('ben@example.com'));
    expect([status, body]).toMatchObject([200, { token_type: 'Bearer', expires_in: 3600 }]);
    expect(await me(body.access_token)).toBe('ben@example.com');
    expect(workspace.requests.count({ grantType: 'urn:ietf:params:oauth:grant-type:token-exchange' })).toBeGreaterThan(
      0,
    );
  });

  test('allows after the exchange what the requested scope covers', async () => {
    const { body } = await exchange(workspace.entra.tokenFor('ben@example.com'), { scope: 'sql' });
    const ben = callerWith(workspace, String(body.access_token));
    expect((await ben('GET', '/api/2.0/genie/spaces')).status).toBe(403);
  });

  test('is not exchanged without a federation policy of the account, or if it is expired, another user’s, or forged', async () => {
    const good = workspace.entra.tokenFor('ben@example.com');
    const [head, , signature] = good.split('.');
    const payload = Buffer.from('{"upn":"ana@example.com"}').toString('base64url');
    const bad = [
      workspace.entra.tokenFor('ben@example.com', -1),
      workspace.entra.tokenFor('nobody@example.com'),
      `${head}.${payload}.${signature}`,
      'no token',
    ];
    for (const one of bad) {
      expect((await exchange(one)).body.error).toBe('invalid_grant');
      expect(await me(one)).toBeUndefined();
    }
    workspace.entra.federated = false;
    expect((await exchange(good)).body.error).toBe('invalid_grant');
  });
});

describe('the probe for a published client', () => {
  const probe = (client_id: string, code_verifier = 'v'.repeat(43)) =>
    token({
      grant_type: 'authorization_code',
      code: 'none',
      redirect_uri: 'http://localhost:3118/callback',
      client_id,
      code_verifier,
    });

  test.each([
    ['claude-code', 400, 'invalid_grant'],
    ['cursor-desktop', 400, 'invalid_grant'],
    ['codex-cli', 401, 'invalid_client'],
  ])('answers %s with %i %s', async (client, status, error) => {
    expect(await probe(client)).toMatchObject({ status, body: { error } });
  });

  test('a verifier that is too short is refused before the client is checked', async () => {
    expect(await probe('codex-cli', 'short')).toMatchObject({ status: 400, body: { error: 'invalid_request' } });
  });

  test('reports neither with 429', async () => {
    workspace.faults.add({ path: '/oidc/v1/token', effect: { kind: 'rate-limit' } });
    expect((await probe('claude-code')).status).toBe(429);
  });
});
