import { mkdir, readdir, readFile, rename, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { openSecretStore } from '../../../main/auth/secrets/open-store.ts';
import { Secret } from '../../../main/platform/secret.ts';
import { type OwnHome, ownHome } from './own-home.ts';

let home: OwnHome;
let tokens: string;
let keyFile: string;

beforeEach(async () => {
  home = await ownHome('');
  tokens = join(home.folder, 'causeway', 'state', 'tokens');
  keyFile = join(home.folder, 'causeway', 'config', 'token-key');
});
afterEach(() => home.remove());

const open = (env = home.env) => openSecretStore({ env, service: 'Causeway', onNotice: () => undefined });

describe('the encrypted files', () => {
  test('keep a secret for the next process, and for its owner only', async () => {
    await (await open()).set('https://h p', new Secret('very secret'));
    const next = await open();
    expect(next.shared).toBe(true);
    expect((await next.get('https://h p'))?.reveal()).toBe('very secret');
    const [file = ''] = await readdir(tokens);
    expect(file).not.toContain('h p');
    expect(await readFile(join(tokens, file), 'utf8')).not.toContain('very secret');
    for (const path of [join(tokens, file), keyFile]) expect(((await stat(path)).mode & 0o777).toString(8)).toBe('600');
    await next.delete('https://h p');
    expect(await readdir(tokens)).toEqual([]);
  });

  test('are useless under another name, damaged, or with another key', async () => {
    const store = await open();
    await store.set('one', new Secret('1'));
    const [one = ''] = await readdir(tokens);
    await store.set('two', new Secret('2'));
    const two = (await readdir(tokens)).find((name) => name !== one) ?? '';
    await rename(join(tokens, one), join(tokens, two));
    expect(await store.get('two')).toBeUndefined();
    await store.set('two', new Secret('2'));
    const whole = await readFile(join(tokens, two), 'utf8');
    await writeFile(
      join(tokens, two),
      whole.replace(/(?<="data":")./, (first) => (first === 'A' ? 'B' : 'A')),
    );
    expect(await store.get('two')).toBeUndefined();
    await store.set('two', new Secret('2'));
    await writeFile(keyFile, Buffer.alloc(32, 7).toString('base64'));
    expect(await (await open()).get('two')).toBeUndefined();
  });

  test('share one key, however many processes create it at once', async () => {
    const stores = await Promise.all(Array.from({ length: 10 }, () => open()));
    await Promise.all(stores.map((store, index) => store.set(`n${index}`, new Secret(`s${index}`))));
    const reader = await open();
    for (let index = 0; index < 10; index += 1) expect((await reader.get(`n${index}`))?.reveal()).toBe(`s${index}`);
  });

  test('read their key from where the user keeps it', async () => {
    await mkdir(join(home.folder, 'stick'));
    const elsewhere = join(home.folder, 'stick', 'key');
    const store = await open({ ...home.env, CAUSEWAY_TOKEN_KEY_FILE: elsewhere });
    await store.set('n', new Secret('s'));
    expect((await readFile(elsewhere, 'utf8')).trim()).toHaveLength(44);
    await writeFile(elsewhere, 'short');
    await expect((await open({ ...home.env, CAUSEWAY_TOKEN_KEY_FILE: elsewhere })).get('n')).rejects.toMatchObject({
      code: 'invalid_file',
      message: `The key file ${elsewhere} does not contain 32 bytes in base64.`,
    });
  });

  test('are used only if they were asked for', async () => {
    await expect(open({ ...home.env, CAUSEWAY_TOKEN_STORE: 'plain' })).rejects.toMatchObject({
      code: 'usage',
      message: 'CAUSEWAY_TOKEN_STORE is "plain".',
      remedy: 'It must be keychain, memory or encrypted-file.',
    });
    const store = await open({ ...home.env, CAUSEWAY_TOKEN_STORE: 'memory' });
    await store.set('n', new Secret('s'));
    await expect(readdir(tokens)).rejects.toThrow('ENOENT');
  });
});
