import { chmod, mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, describe, expect, test } from 'vitest';
import { createCauseway } from '../../../main/app/causeway.ts';
import type { Profile } from '../../../main/auth/auth.ts';
import type { AuthService } from '../../../main/auth/open.ts';
import { accountHandlers } from '../../../main/desktop/accounts.ts';
import { DesktopModel } from '../../../main/desktop/model.ts';
import { setPolicySource } from '../../../main/permissions/policy/system-policy.ts';
import { scriptedBrowser } from '../auth/scripted-browser.ts';
import { setStage } from '../auth/stage.ts';
import { runCommand } from '../warehouses/harness.ts';
import { locked } from './managed-home.ts';

const ACME = 'acme-causeway';
const DEMANDED = /your organization requires the OAuth application "acme-causeway"/;
const CLIENTS = [
  { clientId: ACME, redirectUris: ['http://localhost'] },
  { clientId: 'my-own', clientSecret: 'own-secret', redirectUris: ['http://localhost'] },
];
const stage = setStage(({ host }) => `[cli]\nhost = ${host}\nauth_type = databricks-cli\n`, { oauthClients: CLIENTS });

let version = 0;
afterEach(() => setPolicySource(undefined));

/** From the next look on, for every part of this process. */
function setPolicy(keys: object): void {
  version += 1;
  const [now, text] = [String(version), Buffer.from(JSON.stringify({ version: 1, ...keys }))];
  setPolicySource({ name: '/etc/causeway/policy.json', version: () => now, read: async () => text });
}

const open = (options: { signInWhenNeeded?: boolean } = {}) => {
  const browser = scriptedBrowser();
  return { auth: stage.open({ openBrowser: browser.open, ...options }), browser };
};
const demandAcme = (more: object = {}) => setPolicy({ oauthApplication: locked({ clientId: ACME, ...more }) });
const lastAsked = (pages: string[]) => new URL(pages.at(-1) ?? '').searchParams;

async function signedIn(name = 'user'): Promise<{ auth: AuthService; profile: Profile }> {
  const { auth } = open();
  const profile = await auth.profile(name);
  await auth.signIn(profile);
  return { auth, profile };
}

describe('a locked OAuth application', () => {
  test('is used by a browser sign-in, with only its scopes and its port', async () => {
    demandAcme({ scopes: ['sql'], callbackPort: 8037 });
    const { auth, browser } = open();
    const profile = await auth.profile('user');
    await auth.signIn(profile, { servers: ['/api/2.0/mcp/genie/1'] });
    const asked = lastAsked(browser.opened);
    expect(asked.get('client_id')).toBe(ACME);
    expect(asked.get('scope')).toBe('sql offline_access');
    expect(asked.get('redirect_uri')).toContain(':8037');
    expect(await auth.signInState(profile)).toMatchObject({ state: 'signed-in' });
  });

  test('ends the use of a sign-in through another one at once, in memory and in another process', async () => {
    const { auth, profile } = await signedIn();
    await auth.tokens(profile).token();
    demandAcme();
    for (const each of [auth, open().auth]) {
      await expect(each.tokens(profile).token()).rejects.toMatchObject({
        code: 'signed_out',
        message: expect.stringMatching(DEMANDED),
        action: { do: 'sign-in', profile: 'user' },
      });
      expect(await each.signInState(profile)).toEqual({ state: 'signed-out', demanded: ACME });
    }
    expect(stage.workspace.requests.count({ grantType: 'refresh_token' })).toBe(0);
  });

  test('allows it again once the policy no longer locks it', async () => {
    const { auth, profile } = await signedIn();
    const before = await auth.tokens(profile).token();
    demandAcme();
    await expect(auth.tokens(profile).token()).rejects.toThrow(DEMANDED);
    setPolicy({});
    expect(await auth.tokens(profile).token()).toEqual(before);
  });

  test('is used after one new sign-in, even by a process that knew the old one', async () => {
    const { auth, profile } = await signedIn();
    await auth.tokens(profile).token();
    demandAcme();
    const other = open();
    await other.auth.signIn(profile);
    expect(lastAsked(other.browser.opened).get('client_id')).toBe(ACME);
    expect(await auth.tokens(profile).token()).toEqual(await other.auth.tokens(profile).token());
  });

  test('makes a proxy that can ask the user ask, instead of accepting the old sign-in', async () => {
    const { profile } = await signedIn();
    demandAcme();
    const { auth, browser } = open({ signInWhenNeeded: true });
    await auth.tokens(profile).token();
    expect(browser.opened).toHaveLength(1);
    expect(lastAsked(browser.opened).get('client_id')).toBe(ACME);
  });

  test('applies to the Databricks CLI, which signs in through its own application', async () => {
    const program = join(stage.home.folder, '.local', 'bin', 'databricks');
    await mkdir(join(program, '..'), { recursive: true });
    const answer = '{"access_token":"of-cli","token_type":"Bearer","expiry":"2099-01-01T00:00:00Z"}';
    const version = 'if [ "$1" = --version ]; then echo "Databricks CLI v1.13.0"; exit 0; fi';
    await writeFile(program, `#!/bin/sh\n${version}\necho '${answer}'\n`);
    await chmod(program, 0o755);
    const { auth } = open();
    const profile = await auth.profile('cli');
    const tokens = auth.tokens(profile);
    expect((await tokens.token()).reveal()).toBe('of-cli');
    demandAcme();
    await expect(tokens.token()).rejects.toMatchObject({ code: 'signed_out' });
    expect(await auth.signInState(profile)).toEqual({ state: 'signed-out' });
    setPolicy({ oauthApplication: locked({ clientId: 'databricks-cli' }) });
    expect((await tokens.token()).reveal()).toBe('of-cli');
    expect(await auth.signInState(profile)).toEqual({ state: 'by-databricks-cli' });
  });

  test('lets the user sign out of a sign-in through their own application, which is revoked with its secret', async () => {
    const { auth } = open();
    const profile = await auth.profile('user');
    const own = { clientId: 'my-own', clientSecret: undefined, callbackPort: undefined, scopes: undefined };
    const { Secret } = await import('../../../main/platform/secret.ts');
    await auth.setOAuthApplication(profile.host, { ...own, clientSecret: new Secret('own-secret') });
    await auth.signIn(profile);
    demandAcme();
    await expect(auth.setOAuthApplication(profile.host, own)).rejects.toMatchObject({ code: 'managed' });
    expect(await auth.signOut(profile)).toEqual({ revoked: true });
    await auth.setOAuthApplication(profile.host, undefined);
    expect(await auth.oauthApplication(profile.host)).toBeUndefined();
  });

  test('is reported by the command and in the window', async () => {
    await signedIn();
    demandAcme();
    const { env } = stage.home;
    const { code, stderr } = await runCommand(env, ['whoami', '--profile', 'user']);
    expect(code).toBe(3);
    expect(stderr).toMatch(DEMANDED);
    expect(stderr).toContain('causeway login --profile user');
    expect((await runCommand(env, ['profiles', '--skip-validate', '--json'])).stdout).toContain(ACME);
    const causeway = createCauseway({ env });
    const model = new DesktopModel(causeway);
    const accounts = await accountHandlers({ causeway, model }).listAccounts(undefined);
    await Promise.all([model.close(), causeway.close()]);
    expect(accounts).toContainEqual(
      expect.objectContaining({ name: 'user', state: { status: 'signed-out', demanded: ACME } }),
    );
  });

  test('does not prevent Causeway from being removed: the old sign-in is revoked', async () => {
    await signedIn();
    demandAcme();
    const { code, stdout } = await runCommand(stage.home.env, ['uninstall', '--yes']);
    expect(stdout).toContain(`user at ${stage.workspace.host}: removed. Its tokens are revoked.`);
    expect(code).toBe(0);
  });

  test('is assumed if the policy cannot be used: no sign-in can be used', async () => {
    const { auth, profile } = await signedIn();
    setPolicySource({ name: '/etc/causeway/policy.json', version: () => 'x', read: async () => Buffer.from('{') });
    await expect(auth.tokens(profile).token()).rejects.toMatchObject({ code: 'managed' });
  });
});

test('a default OAuth application is used by users who have none of their own', async () => {
  setPolicy({ oauthApplication: { value: { clientId: ACME }, locked: false } });
  const { auth, browser } = open();
  const profile = await auth.profile('user');
  await auth.signIn(profile);
  expect(lastAsked(browser.opened).get('client_id')).toBe(ACME);
  const own = { clientId: 'databricks-cli', clientSecret: undefined, callbackPort: undefined, scopes: undefined };
  await auth.setOAuthApplication(profile.host, own);
  await auth.signIn(profile);
  expect(lastAsked(browser.opened).get('client_id')).toBe('databricks-cli');
  expect(await auth.signInState(profile)).toMatchObject({ state: 'signed-in' });
});
