import { createCipheriv, createDecipheriv, createHash, hkdfSync, randomBytes } from 'node:crypto';
import { readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import { readBounded } from '../../platform/bounded-file.ts';
import { CausewayError } from '../../platform/errors.ts';
import { codeOf, fileError } from '../../platform/file-errors.ts';
import { withLock } from '../../platform/lock.ts';
import { configFolder, stateFolder } from '../../platform/paths.ts';
import { writeWholeFile } from '../../platform/replace-file.ts';
import { Secret } from '../../platform/secret.ts';
import type { SecretStore } from './secret-store.ts';

const KEY_BYTES = 32;
const Sealed = z.object({ version: z.literal(1), nonce: z.base64(), tag: z.base64(), data: z.base64() });

/**
 * Secrets in files, each encrypted by AES-256-GCM. The key is made of a random key file and of the computer's own id, so
 * what this protects against is one of the two folders alone being copied, backed up, synchronised or searched, and both
 * being carried to another computer. It does not protect against a program that runs as the same person here: that can
 * read what we read. `CAUSEWAY_TOKEN_KEY_FILE` puts the key file elsewhere, such as on a removable disk or where the
 * system hands credentials to a service.
 * @throws {CausewayError} from each call: `invalid_file` when the key file cannot be used, `file_not_writable`
 */
export function encryptedFileStore(env: NodeJS.ProcessEnv, service: string): SecretStore {
  const folder = join(stateFolder(env), 'tokens');
  const keyFile = env.CAUSEWAY_TOKEN_KEY_FILE || join(configFolder(env), 'token-key');
  let key: Promise<Buffer> | undefined;

  const openKey = () => {
    key ??= readOrMakeKey(keyFile, (make) => withLock(join(stateFolder(env), 'locks', 'token-key'), make)).catch(
      (error: unknown) => {
        key = undefined;
        throw error;
      },
    );
    return key;
  };
  const bound = (name: string) => Buffer.from(`${service}\n${name}`);
  const fileOf = (name: string) => join(folder, `${createHash('sha256').update(bound(name)).digest('hex')}.json`);

  let unreadable: CausewayError | undefined;

  return {
    shared: true,

    get unreadable() {
      return unreadable;
    },

    async get(name) {
      unreadable = undefined;
      const stored = await readBounded(fileOf(name), 'own').catch((error: unknown) => {
        // A file that cannot be read at the moment does not mean that the user is signed out.
        if (codeOf(error) !== 'ENOENT') throw fileError(fileOf(name), error);
      });
      if (stored === undefined) return undefined;
      const plain = unseal(stored.toString('utf8'), await openKey(), bound(name));
      if (plain === undefined) unreadable = undecryptable(fileOf(name), keyFile);
      return plain === undefined ? undefined : new Secret(plain);
    },

    async set(name, value) {
      await writeWholeFile(fileOf(name), seal(value.reveal(), await openKey(), bound(name)), { mode: 0o600 });
      unreadable = undefined;
    },

    async prepare(name) {
      // Only writing tells whether there is room, and whether the file may be replaced.
      const stored = await readBounded(fileOf(name), 'own');
      await writeWholeFile(fileOf(name), stored, { mode: 0o600 });
    },

    async delete(name) {
      await rm(fileOf(name), { force: true }).catch((error: unknown) => {
        throw fileError(fileOf(name), error);
      });
    },
  };
}

/** The name is authenticated as associated data, so one profile's file under another's name is refused. */
function seal(text: string, key: Buffer, bound: Buffer): string {
  const nonce = randomBytes(12);
  const cipher = createCipheriv('aes-256-gcm', key, nonce).setAAD(bound);
  const data = Buffer.concat([cipher.update(text, 'utf8'), cipher.final()]);
  const base64 = (bytes: Buffer) => bytes.toString('base64');
  return JSON.stringify({ version: 1, nonce: base64(nonce), tag: base64(cipher.getAuthTag()), data: base64(data) });
}

/** Why a stored sign-in cannot be used. It stays where it is: its key may come back. */
function undecryptable(file: string, keyFile: string): CausewayError {
  return new CausewayError(
    'invalid_file',
    `The stored sign-in (${file}) cannot be decrypted: it was stored with another key than that in ${keyFile}, on another computer, or is damaged.`,
    { remedy: 'Restore the key file, or sign in again.' },
  );
}

/** Undefined if the text was not written with this key. */
function unseal(text: string, key: Buffer, bound: Buffer): string | undefined {
  try {
    const { nonce, tag, data } = Sealed.parse(JSON.parse(text));
    const decipher = createDecipheriv('aes-256-gcm', key, Buffer.from(nonce, 'base64'), { authTagLength: 16 })
      .setAAD(bound)
      .setAuthTag(Buffer.from(tag, 'base64'));
    return Buffer.concat([decipher.update(Buffer.from(data, 'base64')), decipher.final()]).toString('utf8');
  } catch {
    return undefined;
  }
}

/** Reading needs no lock, which a read-only disk would not give. */
async function readOrMakeKey(
  keyFile: string,
  locked: (make: () => Promise<string>) => Promise<string>,
): Promise<Buffer> {
  const text = (await readKey(keyFile)) ?? (await locked(async () => (await readKey(keyFile)) ?? makeKey(keyFile)));
  const secret = Buffer.from(text.trim(), 'base64');
  if (secret.length < KEY_BYTES) {
    throw new CausewayError('invalid_file', `The key file ${keyFile} does not contain ${KEY_BYTES} bytes in base64.`, {
      remedy: 'Delete it and sign in again. A new one is created.',
    });
  }
  return Buffer.from(hkdfSync('sha256', secret, await computerId(), 'causeway tokens 1', KEY_BYTES));
}

async function readKey(keyFile: string): Promise<string | undefined> {
  try {
    return (await readBounded(keyFile, 'own')).toString('utf8');
  } catch (cause) {
    if (codeOf(cause) === 'ENOENT') return undefined;
    throw new CausewayError('invalid_file', `The key file ${keyFile} cannot be read.`, { cause });
  }
}

async function makeKey(keyFile: string): Promise<string> {
  const text = randomBytes(KEY_BYTES).toString('base64');
  await writeWholeFile(keyFile, `${text}\n`, { mode: 0o600 });
  return text;
}

/** Linux has an id for each installation. Other systems have a keychain; there, only the key file is used. */
async function computerId(): Promise<string> {
  return (await readFile('/etc/machine-id', 'utf8').catch(() => '')).trim();
}
