import { appendFile, chmod, mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type Causeway, createCauseway } from '../../../main/app/causeway.ts';
import { accountHandlers } from '../../../main/desktop/accounts.ts';
import { DesktopModel } from '../../../main/desktop/model.ts';
import { signInOffer } from '../../../renderer/accounts/format.ts';
import { type EmbeddedWorkspace, startWorkspace } from '../../workspace/workspace.ts';
import { type OwnHome, ownHome } from '../auth/own-home.ts';
import { scriptedBrowser } from '../auth/scripted-browser.ts';

/** Profiles and sign-ins as the window shows and changes them, from nothing on. */

let workspace: EmbeddedWorkspace;
let home: OwnHome;
let causeway: Causeway;
let model: DesktopModel;
let accounts: ReturnType<typeof accountHandlers>;

beforeEach(async () => {
  workspace = await startWorkspace();
  home = await ownHome('');
  causeway = createCauseway({ env: home.env, openBrowser: scriptedBrowser().open });
  model = new DesktopModel(causeway);
  accounts = accountHandlers({ causeway, model });
});

afterEach(async () => {
  await model.close();
  await causeway.close();
  await workspace.close();
  await home.remove();
});

describe('the accounts', () => {
  it('go from empty to signed in and out again', async () => {
    await model.start(undefined);
    expect(model.state.warehouse.status).toBe('unconfigured');
    expect(await accounts.listAccounts(undefined)).toEqual([]);

    await accounts.addAccount({ profile: 'mine', host: workspace.host });
    expect(await accounts.listAccounts(undefined)).toMatchObject([
      { name: 'mine', host: workspace.host, method: 'oauth-user', isDefault: true, state: { status: 'signed-out' } },
    ]);

    workspace.approve({ as: 'ben@example.com' });
    await model.signInTo('mine');
    expect(model.state).toMatchObject({ profile: 'mine', profiles: ['mine'], warehouse: { status: 'known' } });
    expect(await accounts.listAccounts(undefined)).toMatchObject([
      { state: { status: 'signed-in', renewable: true, expiresAt: expect.any(Number) } },
    ]);

    expect(await accounts.signOut({ profile: 'mine' })).toEqual({ revoked: true });
    expect(await accounts.listAccounts(undefined)).toMatchObject([{ state: { status: 'signed-out' } }]);
    expect(model.state.warehouse).toMatchObject({ status: 'failed', failure: { next: 'sign-in' } });
  });

  it('refuse an invalid address and a taken name, and write nothing', async () => {
    await accounts.addAccount({ profile: 'mine', host: workspace.host });
    const before = await readFile(home.configFile, 'utf8');
    await expect(accounts.addAccount({ profile: 'other', host: 'not an address' })).rejects.toMatchObject({
      code: 'usage',
    });
    await expect(accounts.addAccount({ profile: 'mine', host: workspace.host })).rejects.toMatchObject({
      code: 'already_exists',
    });
    expect(await readFile(home.configFile, 'utf8')).toBe(before);
  });

  it('point a profile to another workspace only once that one answers, and end the previous sign-in', async () => {
    const other = await startWorkspace();
    try {
      await model.start(undefined);
      await accounts.addAccount({ profile: 'mine', host: workspace.host });
      workspace.approve({ as: 'ben@example.com' });
      await model.signInTo('mine');
      const before = await readFile(home.configFile, 'utf8');
      await expect(accounts.changeAccountAddress({ profile: 'mine', host: 'hello' })).rejects.toMatchObject({
        code: 'usage',
      });
      await expect(
        accounts.changeAccountAddress({ profile: 'mine', host: 'http://127.0.0.1:1' }),
      ).rejects.toMatchObject({ code: 'unreachable' });
      expect(await readFile(home.configFile, 'utf8')).toBe(before);

      await accounts.changeAccountAddress({ profile: 'mine', host: `${other.host}/sql?o=1` });
      expect(await accounts.listAccounts(undefined)).toMatchObject([
        { name: 'mine', host: other.host, state: { status: 'signed-out' } },
      ]);
      expect(model.state).toMatchObject({
        profile: 'mine',
        warehouse: { status: 'failed', failure: { next: 'sign-in' } },
      });
    } finally {
      await other.close();
    }
  });

  it('say why a profile cannot be used, and show the others', async () => {
    await appendFile(home.configFile, `[broken]\ntoken = dapi1\n[ana]\nhost = ${workspace.host}\ntoken = dapi2\n`);
    const list = await accounts.listAccounts(undefined);
    expect(list).toMatchObject([
      { name: 'broken', method: null, state: { status: 'unusable', message: expect.stringContaining('host') } },
      { name: 'ana', method: 'pat', state: { status: 'by-credentials' } },
    ]);
    expect(JSON.stringify(list)).not.toContain('dapi');
  });

  it('show profiles without their own sign-in, offer no browser, and say what to do instead', async () => {
    await appendFile(
      home.configFile,
      `[az]\nhost = ${workspace.host}\nauth_type = azure-cli\nazure_tenant_id = contoso\n[file]\nhost = ${workspace.host}\nauth_type = file-oidc\noidc_token_filepath = /nowhere/token\n`,
    );
    const tools = join(home.folder, 'tools');
    await mkdir(tools);
    await writeFile(
      join(tools, 'az'),
      `#!/bin/sh\necho "ERROR: Please run 'az login' to setup account." >&2\nexit 1\n`,
    );
    await chmod(join(tools, 'az'), 0o755);
    home.env.PATH = `${tools}:/usr/bin:/bin`;
    const list = await accounts.listAccounts(undefined);
    expect(list).toMatchObject([
      { name: 'az', method: 'azure-cli', state: { status: 'by-credentials' } },
      { name: 'file', method: 'file-oidc', state: { status: 'by-credentials' } },
    ]);
    expect(list.map(signInOffer)).toEqual([null, null]);
    for (const [name, remedy] of [
      ['az', 'Run: az login --tenant contoso.'],
      ['file', 'Check oidc_token_filepath of the profile'],
    ] as const) {
      await model.open(name);
      expect(model.state.warehouse).toMatchObject({
        status: 'failed',
        failure: { next: 'try-again', problem: { remedy: expect.stringContaining(remedy) } },
      });
    }
    await model.signInTo('az').catch(() => undefined);
    expect(model.state.warehouse).toMatchObject({ status: 'failed' });
  });
});
