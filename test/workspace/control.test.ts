import { createHash } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { type Caller, callerAs, callerWith, userNamed } from './caller.ts';
import { type RemoteControl, remoteControl } from './control-client.ts';
import { DEFAULT_SETTINGS } from './mcp/settings.ts';
import { type EmbeddedWorkspace, startWorkspace } from './workspace.ts';

/** Services and apps, changed from another process. */

const GITHUB = '/ai-gateway/mcp-services/system.ai.github';
const LIST = { jsonrpc: '2.0', id: 1, method: 'tools/list' };
const SEARCH = { ...LIST, method: 'tools/call', params: { name: 'search_code', arguments: { query: 'x' } } };

let workspace: EmbeddedWorkspace;
let control: RemoteControl;
let ben: Caller;
beforeAll(async () => {
  workspace = await startWorkspace();
  control = remoteControl(workspace.controlUrl);
  ben = callerAs(workspace, 'ben');
});
beforeEach(() => {
  workspace.state.replace({});
  workspace.requests.clear();
  workspace.tokens.clear();
  Object.assign(workspace.mcp.settings, DEFAULT_SETTINGS);
});
afterAll(() => workspace.close());

test('another process changes the settings of the MCP servers and of the apps', async () => {
  await control.setMcp({ signInSignal: 'elicitation', answers: 'json' });
  expect((await ben('POST', GITHUB, SEARCH)).body).toMatchObject({ error: { code: -32042 } });
  await control.setMcp({ signInSignal: 'challenge', signInNeededFor: 'every-method' });
  expect((await ben('POST', GITHUB, LIST)).status).toBe(401);
  await expect(control.setMcp({ waitMs: Number.NaN })).rejects.toThrow('PUT /mcp');
  await control.setApps({ unauthenticated: '401' });
  const inventory = callerWith({ host: await control.appOrigin('mcp-inventory') }, undefined);
  expect((await inventory('POST', '/mcp', LIST)).status).toBe(401);
});

test('another process changes grants on services and sign-ins to their connections', async () => {
  await control.gateway('signIn', 'ben', 'system.ai.github');
  expect((await ben('POST', GITHUB, SEARCH)).status).toBe(200);
  await control.gateway('signOut', 'ben', 'system.ai.github');
  expect((await ben('POST', GITHUB, SEARCH)).status).toBe(401);
  await control.gateway('revoke', 'ben', 'system.ai.github');
  expect((await ben('POST', GITHUB, LIST)).status).toBe(403);
  await control.gateway('grant', 'ben@example.com', 'system.ai.github');
  expect((await ben('POST', GITHUB, LIST)).status).toBe(200);
  await expect(control.gateway('grant', 'nobody', 'system.ai.github')).rejects.toThrow('There is no nobody');
  await expect(control.gateway('grant', 'ben', 'system.ai.nothing')).rejects.toThrow('no MCP service');
});

test('another process reads which token reached which origin, as digests, and how many requests each path had', async () => {
  const { token } = userNamed(workspace, 'ben');
  const app = await control.appOrigin('mcp-inventory');
  await ben('POST', GITHUB, LIST);
  await ben('POST', GITHUB, LIST);
  await callerWith({ host: app }, 'another-token')('POST', '/mcp', LIST);
  const digest = (text: string) => createHash('sha256').update(text).digest('hex');
  expect(await control.tokens()).toEqual({ [workspace.host]: [digest(token)], [app]: [digest('another-token')] });
  expect(await control.requestCounts()).toEqual({ [GITHUB]: 2 });
  expect(await control.requestCounts('/api/*')).toEqual({});
});
