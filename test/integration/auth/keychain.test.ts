import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { findCredentials } from 'keytar/keytar.js';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { openKeychain } from '../../../main/auth/keychain-store.ts';
import { openAuth } from '../../../main/auth/open.ts';
import { Secret } from '../../../main/platform/secret.ts';
import { type EmbeddedWorkspace, startWorkspace } from '../../workspace/workspace.ts';
import { initializeThroughProxy, installBrowser, runCauseway } from './causeway-process.ts';
import { type OwnHome, ownHome } from './own-home.ts';
import { scriptedBrowser } from './scripted-browser.ts';
import { noKeychain, sessionVariables } from './secret-service.ts';

const name = noKeychain ? `the keychain (skipped: ${noKeychain})` : 'the keychain of this computer';

describe.skipIf(noKeychain)(name, { timeout: 120_000 }, () => {
  let workspace: EmbeddedWorkspace;
  let home: OwnHome;

  beforeEach(async () => {
    workspace = await startWorkspace({ autoApprove: 'ana@example.com' });
    const env = { ...sessionVariables, CAUSEWAY_TOKEN_STORE: 'keychain' };
    home = await ownHome(`[user]\nhost = ${workspace.host}\n`, env);
  });
  afterEach(async () => {
    const left = (await findCredentials('Causeway')).filter(({ account }) => account.startsWith(workspace.host));
    await Promise.all(left.map(({ account }) => openKeychain('Causeway').delete(account)));
    await workspace.close();
    await home.remove();
  });

  /** What other programs see of ours. */
  const kept = async () =>
    (await findCredentials('Causeway')).filter(({ account }) => account.startsWith(workspace.host));

  test('keeps, replaces and forgets a secret of any length', async () => {
    const keychain = openKeychain('Causeway tests');
    for (const text of ['short', 'long '.repeat(2_000), 'ünïcödé 🔑']) {
      await keychain.set('of any length', new Secret(text));
      expect((await keychain.get('of any length'))?.reveal()).toBe(text);
    }
    await keychain.delete('of any length');
    await keychain.delete('of any length');
    expect(await keychain.get('of any length')).toBeUndefined();
  });

  test('holds a sign-in under host and profile, and nothing is in a file; signing out removes every trace', async () => {
    const auth = openAuth({ env: home.env, openBrowser: scriptedBrowser().open });
    const profile = await auth.profile('user');
    await auth.signIn(profile);
    expect((await kept()).map(({ account }) => account)).toEqual([`${workspace.host} user`]);
    expect(await readdir(join(home.folder, 'causeway', 'state'))).not.toContain('tokens');
    expect(await runCauseway(home, ['whoami', '--profile', 'user'])).toMatchObject({ code: 0, stderr: '' });
    expect(await auth.signOut(profile)).toEqual({ revoked: true });
    expect(await kept()).toEqual([]);
    await auth.close();
  });

  test.skipIf(process.platform !== 'linux')('shares one sign-in and one renewal among many proxies', async () => {
    const { opened } = await installBrowser(home);
    const six = () => Promise.all(Array.from({ length: 6 }, () => initializeThroughProxy(home, 'user')));
    for (const { frame } of await six()) expect(frame).toMatchObject({ result: { serverInfo: expect.anything() } });
    expect(await opened()).toHaveLength(1);
    workspace.faults.expireAccessTokens();
    for (const { frame } of await six()) expect(frame).toMatchObject({ result: { serverInfo: expect.anything() } });
    expect(workspace.requests.count({ grantType: 'refresh_token' })).toBe(1);
    expect(await opened()).toHaveLength(1);
  });
});
