import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { openAuth } from '../../../main/auth/open.ts';
import { encryptedFileStore } from '../../../main/auth/secrets/encrypted-file.ts';
import { memoryStore } from '../../../main/auth/secrets/keychain-or-memory.ts';
import { moveSecrets } from '../../../main/auth/secrets/move-secrets.ts';
import type { SecretStore } from '../../../main/auth/secrets/secret-store.ts';
import { Secret } from '../../../main/platform/secret.ts';
import { type EmbeddedWorkspace, startWorkspace } from '../../workspace/workspace.ts';
import { type OwnHome, ownHome } from './own-home.ts';
import { scriptedBrowser } from './scripted-browser.ts';

let home: OwnHome;
beforeEach(async () => {
  home = await ownHome('');
});
afterEach(() => home.remove());

const textOf = async (store: SecretStore, name: string) => (await store.get(name))?.reveal();
/** Another process would find what is in it. */
const lasting = (): SecretStore => Object.assign(memoryStore(), { shared: true });

describe('secrets that move to another store', () => {
  it('are in the new store before any process looks there, and nowhere else afterwards', async () => {
    const [from, to] = [lasting(), encryptedFileStore(home.env, 'test')];
    await from.set('a', new Secret('one'));
    await from.set('b', new Secret('two'));
    let seen: (string | undefined)[] = [];
    await moveSecrets([{ from, to, names: ['a', 'b', 'never there'] }], [join(home.folder, 'lock')], async () => {
      seen = [await textOf(to, 'a'), await textOf(to, 'b'), await textOf(from, 'a')];
    });
    expect(seen).toEqual(['one', 'two', 'one']);
    expect([await textOf(to, 'b'), await textOf(from, 'a'), await textOf(from, 'b')]).toEqual([
      'two',
      undefined,
      undefined,
    ]);
  });

  it('stay where they are if the choice cannot be stored', async () => {
    const [from, to] = [lasting(), lasting()];
    await from.set('a', new Secret('one'));
    const failing = () => Promise.reject(new Error('disk full'));
    await expect(moveSecrets([{ from, to, names: ['a'] }], [], failing)).rejects.toThrow('disk full');
    expect(await textOf(from, 'a')).toBe('one');
  });

  it('stay where they are if the new store would forget them', async () => {
    const [from, to] = [lasting(), memoryStore()];
    await from.set('a', new Secret('one'));
    const never = () => Promise.reject(new Error('not reached'));
    await expect(moveSecrets([{ from, to, names: ['a'] }], [], never)).rejects.toMatchObject({
      code: 'keychain_unavailable',
    });
    expect(await textOf(from, 'a')).toBe('one');
  });
});

describe('the token store that the settings name', () => {
  let workspace: EmbeddedWorkspace;
  beforeEach(async () => {
    workspace = await startWorkspace({ autoApprove: 'ben@example.com' });
  });
  afterEach(() => workspace.close());

  it('is used if the environment names none, and changes are followed', async () => {
    const { CAUSEWAY_TOKEN_STORE: _, ...env } = home.env;
    const settings = join(home.folder, 'causeway', 'config', 'settings.json');
    const choose = async (tokenStore: string) => {
      await mkdir(dirname(settings), { recursive: true });
      await writeFile(settings, JSON.stringify({ tokenStore }));
    };
    await choose('encrypted-file');
    const auth = openAuth({ env, openBrowser: scriptedBrowser().open });
    const profile = await auth.addProfile('mine', workspace.host);
    await auth.signIn(profile);
    const other = openAuth({ env: home.env });
    expect(await other.signInState(profile)).toMatchObject({ state: 'signed-in' });
    expect(await auth.checkStore()).toBe('encrypted-file');
    await auth.close();
    await other.close();
  });
});
