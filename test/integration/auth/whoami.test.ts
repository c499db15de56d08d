import { describe, expect, test } from 'vitest';
import type { FaultRule } from '../../workspace/faults.ts';
import { runCauseway } from './causeway-process.ts';
import { setCommandStage } from './stage.ts';

const stage = setCommandStage();

describe('causeway whoami', () => {
  test('says whose token it is, and that it works', async () => {
    expect(await runCauseway(stage.home, ['whoami', '--profile', 'pat'])).toMatchObject({
      code: 0,
      stdout: `ana@example.com\nThe token works at ${stage.workspace.host} (profile pat, personal access token).\n`,
    });
    const { stdout } = await runCauseway(stage.home, ['whoami', '--profile', 'agent', '--json']);
    expect(JSON.parse(stdout)).toEqual({
      state: 'ready',
      userName: stage.workspace.servicePrincipal.clientId,
      displayName: expect.any(String),
      isServicePrincipal: true,
      profile: 'agent',
      host: stage.workspace.host,
      method: 'oauth-m2m',
      expiresAt: null,
      error: null,
    });
  });

  const answers = (effect: FaultRule['effect']) =>
    stage.workspace.faults.add({ path: '/api/2.0/preview/scim/v2/Me', effect, times: 'always' });
  const page = (status: number): FaultRule['effect'] => ({
    kind: 'answer',
    status,
    body: '<!doctype html><title>Hotel Wi-Fi</title>',
  });

  test.each<[string, FaultRule['effect'], string]>([
    ['an error of the workspace', { kind: 'html', status: 502 }, 'The workspace answered 502'],
    ['a page with status 200', page(200), 'is a web page'],
    ['a page with status 403', page(403), 'Hotel Wi-Fi'],
    ['a network with a login page', page(511), 'Hotel Wi-Fi'],
    ['a redirect', { kind: 'redirect', location: 'http://127.0.0.1:1/login' }, 'a redirect to'],
    ['an IP access list', { kind: 'block-ip' }, 'is blocked by Databricks IP ACL'],
  ])('does not accept %s as an answer', async (_what, effect, words) => {
    answers(effect);
    const result = await runCauseway(stage.home, ['whoami', '--profile', 'pat']);
    expect(result).toMatchObject({ code: 5, stdout: '' });
    expect(result.stderr).toContain(
      `causeway: Causeway could not check the token of profile pat at ${stage.workspace.host}. `,
    );
    expect(result.stderr).toContain(words);
    const json = await runCauseway(stage.home, ['whoami', '--profile', 'pat', '--json']);
    expect(json.code).toBe(5);
    expect(JSON.parse(json.stdout)).toMatchObject({ state: 'unreachable', userName: null, error: {} });
    const { stdout } = await runCauseway(stage.home, ['profiles', '--json']);
    expect(JSON.parse(stdout).profiles[0]).toMatchObject({ profile: 'pat', state: 'unreachable', userName: null });
  });

  test('distinguishes a token that is refused with 403 from one that cannot read its own user', async () => {
    answers({ kind: 'answer', status: 403, body: '{"error_code":"403","message":"Invalid access token."}' });
    expect(await runCauseway(stage.home, ['whoami', '--profile', 'pat'])).toMatchObject({ code: 3, stdout: '' });
    stage.workspace.faults.clear();
    answers({ kind: 'missing-scope', scope: 'iam' });
    expect(await runCauseway(stage.home, ['whoami', '--profile', 'pat'])).toMatchObject({
      code: 0,
      stdout: expect.stringMatching(/^The token does not say which user it belongs to\.\nThe token works at /),
    });
  });

  test.each([
    '{"error_code":403,"message":"Unauthorized access to Org: 1234567890"}',
    '{"error_code":"PERMISSION_DENIED","message":"User is not in this workspace."}',
  ])('does not call a token valid if the workspace refuses everything: %s', async (body) => {
    stage.workspace.faults.add({ effect: { kind: 'answer', status: 403, body }, times: 'always' });
    const words = JSON.parse(body).message.slice(0, -1);
    const result = await runCauseway(stage.home, ['whoami', '--profile', 'pat']);
    expect(result).toMatchObject({ code: 1, stdout: '' });
    expect(result.stderr).toContain('The workspace denied access.');
    expect(result.stderr).toContain(words);
    const json = await runCauseway(stage.home, ['whoami', '--profile', 'pat', '--json']);
    expect(JSON.parse(json.stdout)).toMatchObject({ error: { code: 'permission_denied' } });
    const { stdout } = await runCauseway(stage.home, ['profiles', '--json']);
    expect(JSON.parse(stdout).profiles[0]).toMatchObject({ profile: 'pat', state: 'no-access' });
  });

  test('names a service principal', async () => {
    const { code, stdout } = await runCauseway(stage.home, ['whoami', '--profile', 'agent']);
    expect(code).toBe(0);
    expect(stdout).toMatch(
      new RegExp(`^(\\S.* \\(service principal|Service principal) ${stage.workspace.servicePrincipal.clientId}\\)?\\n`),
    );
  });

  test.each([
    ['pat', 'Create a personal access token with the scope'],
    ['agent', 'Add the scope to the line `scopes` of the profile "agent"'],
  ])('says for the profile %s, which has no browser sign-in, who can grant a missing scope', async (name, remedy) => {
    stage.workspace.faults.add({
      path: '/api/2.0/sql/warehouses*',
      effect: { kind: 'missing-scope', scope: 'sql' },
      times: 'always',
    });
    const { stderr } = await runCauseway(stage.home, ['warehouse', 'list', '--profile', name]);
    expect(stderr).toContain('required scopes: sql');
    expect(stderr).toContain(remedy);
    expect(stderr).not.toContain('causeway login');
  });

  test('does not accept silence as an answer', async () => {
    await stage.workspace.close();
    expect(await runCauseway(stage.home, ['whoami', '--profile', 'pat'])).toMatchObject({
      code: 5,
      stdout: '',
      stderr: expect.stringContaining('cannot be reached'),
    });
  });
});
