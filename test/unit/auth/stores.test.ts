import { describe, expect, test, vi } from 'vitest';
import { type PlainStore, splitStore } from '../../../main/auth/secrets/keychain.ts';
import { keychainOrMemory, memoryStore } from '../../../main/auth/secrets/keychain-or-memory.ts';
import { packRecord, unpackRecord } from '../../../main/auth/secrets/token-record.ts';
import { signedOut } from '../../../main/auth/signed-out.ts';
import { CausewayError } from '../../../main/platform/errors.ts';
import { Secret } from '../../../main/platform/secret.ts';

/** A keychain with the platform's limit, whose power fails after so many writes. */
function limited(limit: number, kept = new Map<string, string>()) {
  let writesLeft = Number.POSITIVE_INFINITY;
  const change = (work: () => void) => {
    if (writesLeft <= 0) throw new Error('power failure');
    writesLeft -= 1;
    work();
  };
  const store: PlainStore = {
    get: async (name) => kept.get(name) ?? null,
    set: async (name, text) => {
      if (text.length > limit) throw new Error('too long');
      change(() => kept.set(name, text));
    },
    delete: async (name) => change(() => kept.delete(name)),
    names: async () => [...kept.keys()],
  };
  return { store, kept, failAfter: (writes: number) => (writesLeft = writes) };
}

describe('a keychain with a limit', () => {
  const long = (letter: string) => letter.repeat(95);

  test('keeps longer values in parts, and leaves none of them behind', async () => {
    const { store, kept } = limited(40);
    const split = splitStore(store, 40);
    await split.set('https://h p', long('a'));
    expect(await split.get('https://h p')).toBe(long('a'));
    await split.set('https://h p2', 'other');
    await split.set('https://h p', long('b'));
    expect(await split.get('https://h p')).toBe(long('b'));
    expect(await split.names()).toEqual(['https://h p', 'https://h p2']);
    await split.set('https://h p', 'short');
    expect(kept.size).toBe(2);
    await split.set('https://h p', long('c'));
    await split.delete('https://h p');
    expect([...kept.keys()]).toEqual(['https://h p2']);
    expect(await split.get('https://h p')).toBeNull();
  });

  test('holds the old value or the new one after a power failure at any write', async () => {
    for (let writes = 0; ; writes += 1) {
      const { store, kept, failAfter } = limited(40);
      await splitStore(store, 40).set('n', long('a'));
      failAfter(writes);
      const failed = await splitStore(store, 40)
        .set('n', long('b'))
        .then(
          () => false,
          () => true,
        );
      const after = splitStore(limited(40, kept).store, 40);
      expect([long('a'), long('b')]).toContain(await after.get('n'));
      await after.set('n', 'clean');
      expect([...kept.keys()]).toEqual(['n']);
      if (!failed) break;
    }
  });
});

describe('without a keychain', () => {
  const broken = () => {
    throw new CausewayError('keychain_unavailable', 'The keychain cannot be used (locked).');
  };

  test('tokens stay in memory, and the user is notified once', async () => {
    const notices: string[] = [];
    const store = keychainOrMemory(
      broken,
      (message) => notices.push(message),
      () => 0,
    );
    await store.set('n', new Secret('s'));
    expect((await store.get('n'))?.reveal()).toBe('s');
    expect(store.shared).toBe(false);
    await store.delete('n');
    expect(await store.get('n')).toBeUndefined();
    expect(notices).toEqual([
      'The keychain cannot be used (locked). The sign-in lasts only until this program ends. ' +
        'To keep it, unlock or install a keychain, or keep sign-ins in an encrypted file: causeway login --store encrypted-file.',
    ]);
  });

  test('reading reports a locked keychain, but not an empty one', async () => {
    for (const [code, told] of [
      ['keychain_unavailable', 0],
      ['keychain_locked', 1],
    ] as const) {
      const notices: string[] = [];
      const fail = () => {
        throw new CausewayError(code, 'No.');
      };
      const store = keychainOrMemory(
        fail,
        (message) => notices.push(message),
        () => 0,
      );
      expect(await store.get('n')).toBeUndefined();
      expect(notices).toHaveLength(told);
    }
  });

  test('a keychain that is unlocked later is used from then on', async () => {
    let locked = true;
    let tries = 0;
    let clock = 0;
    const keychain = memoryStore();
    const store = keychainOrMemory(
      () => {
        tries += 1;
        return locked ? broken() : { ...keychain, shared: true };
      },
      () => undefined,
      () => clock,
    );
    for (let ask = 0; ask < 5; ask += 1) await store.get('n');
    await store.set('n', new Secret('first'));
    expect(tries).toBe(1);
    locked = false;
    clock += 61_000;
    await store.set('n', new Secret('second'));
    expect((await keychain.get('n'))?.reveal()).toBe('second');
    expect((await store.get('n'))?.reveal()).toBe('second');
    expect(store.shared).toBe(true);
  });
});

describe('a stored sign-in', () => {
  const record = {
    issuer: 'https://h/oidc',
    clientId: 'databricks-cli',
    tokenEndpoint: 'https://h/oidc/v1/token',
    revocationEndpoint: undefined,
    access: { token: new Secret('access'), issuedAt: 1, expiresAt: 2 },
    refreshToken: new Secret('refresh'),
    scopes: ['all-apis', 'offline_access'],
    userName: 'ana@example.com',
  };

  test('is read back unchanged', () => {
    expect(unpackRecord(packRecord(record))).toEqual(record);
  });

  test('can be read even if a later version wrote it', () => {
    const later = JSON.stringify({ ...JSON.parse(packRecord(record).reveal()), version: 7, new_field: [1] });
    expect(unpackRecord(new Secret(later))).toEqual(record);
  });

  test('counts as absent if it is damaged', () => {
    for (const text of ['', '{', '[]', '{"access_token":1}']) expect(unpackRecord(new Secret(text))).toBeUndefined();
  });
});

describe('a keychain that does not answer', () => {
  const waiting = (name: string) => new Promise<never>(() => name);

  test('is said to wait for its user after two seconds, once, and counts as awaited until it answers', async () => {
    vi.useFakeTimers();
    try {
      const notices: string[] = [];
      let answer: (value: Secret | undefined) => void = () => undefined;
      const get = () =>
        new Promise<Secret | undefined>((resolve) => {
          answer = resolve;
        });
      const keychain = { shared: true, get, set: waiting, delete: waiting };
      const store = keychainOrMemory(
        () => keychain,
        (message) => notices.push(message),
        () => performance.now(),
      );
      const first = store.get('a');
      const second = store.set('b', new Secret('x'));
      await vi.advanceTimersByTimeAsync(1_999);
      expect([notices, store.isAwaited]).toEqual([[], false]);
      await vi.advanceTimersByTimeAsync(1);
      expect(notices).toEqual([
        'Waiting for you to unlock the keychain. Your system asks for its password in a window of its own.',
      ]);
      expect(store.isAwaited).toBe(true);
      answer(undefined);
      expect(await first).toBeUndefined();
      // The other call waits on.
      expect(store.isAwaited).toBe(true);
      expect(second).toBeInstanceOf(Promise);
    } finally {
      vi.useRealTimers();
    }
  });

  test('leads to its unlocking, not to another sign-in', () => {
    const unreadable = new CausewayError('keychain_locked', 'The keychain cannot be used (it was not unlocked).');
    const { message, remedy, action } = signedOut({ name: 'a', host: 'https://acme.example' }, { unreadable });
    expect(message).toBe(
      'Causeway cannot tell whether profile "a" is signed in to https://acme.example. The keychain cannot be used (it was not unlocked).',
    );
    expect(remedy).toBe('Unlock the keychain, then try again. A new sign-in is not needed.');
    expect(action).toBeUndefined();
  });
});
