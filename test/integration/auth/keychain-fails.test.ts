import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { Profile } from '../../../main/auth/auth.ts';
import { signInKey } from '../../../main/auth/auth.ts';
import { keychainOrMemory, memoryStore } from '../../../main/auth/secrets/keychain-or-memory.ts';
import { type TokenRecord, unpackRecord } from '../../../main/auth/secrets/token-record.ts';
import { UserTokens } from '../../../main/auth/token-broker.ts';
import { CausewayError } from '../../../main/platform/errors.ts';
import { Secret } from '../../../main/platform/secret.ts';
import { type OwnHome, ownHome } from './own-home.ts';

const PROFILE: Profile = { name: 'user', host: 'https://a.example', method: 'oauth-user', workspaceId: undefined };
const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
let home: OwnHome;
let clock: number;
let locked: 'no' | 'for-writing' | 'whole' | 'absent';
/** What the computer's keychain holds: all processes see the same. */
let kept: ReturnType<typeof memoryStore>;
/** The refresh token that the workspace takes; one that was used before ends the sign-in. */
let generation: number;

beforeEach(async () => {
  home = await ownHome('');
  clock = 1_000 * HOUR;
  locked = 'no';
  kept = memoryStore();
  generation = 0;
});
afterEach(() => home.remove());

const record = (): TokenRecord => ({
  issuer: 'https://a.example/oidc',
  clientId: 'databricks-cli',
  tokenEndpoint: 'https://a.example/oidc/v1/token',
  revocationEndpoint: undefined,
  access: { token: new Secret(`access-${generation}`), issuedAt: clock, expiresAt: clock + HOUR },
  refreshToken: new Secret(`refresh-${generation}`),
  scopes: [],
  userName: 'ana@example.com',
});

/** The access token that the keychain holds. */
async function stored(): Promise<string | undefined> {
  const text = await kept.get(signInKey(PROFILE));
  return text && unpackRecord(text)?.access.token.reveal();
}

/** The tokens as another process has them: a keychain that may be locked, and its own memory. */
function startProcess() {
  const refuse = (...when: string[]) => {
    if (locked === 'absent') throw new CausewayError('keychain_unavailable', 'No keychain responds.');
    if (when.includes(locked)) throw new CausewayError('keychain_locked', 'The keychain is locked.');
  };
  const store = keychainOrMemory(
    () => ({
      shared: true,
      get: async (name) => {
        refuse('whole');
        return kept.get(name);
      },
      set: async (name, value) => {
        refuse('whole', 'for-writing');
        return kept.set(name, value);
      },
      delete: async (name) => {
        refuse('whole', 'for-writing');
        return kept.delete(name);
      },
    }),
    () => undefined,
    () => clock,
  );
  const notKept: unknown[] = [];
  const tokens = new UserTokens({
    profile: PROFILE,
    store,
    lockFolder: join(home.folder, 'lock'),
    now: () => clock,
    chance: 0,
    onSignedOut: () => undefined,
    refusal: async () => undefined,
    onNotKept: (error) => notKept.push(error),
    refresh: async ({ refreshToken }) => {
      if (refreshToken?.reveal() !== `refresh-${generation}`) return undefined;
      generation += 1;
      return record();
    },
  });
  const token = async () => (await tokens.token()).reveal();
  return { tokens, token, notKept };
}

describe('a keychain that is locked', () => {
  test('later receives a sign-in that was renewed meanwhile, and no other process ends the sign-in', async () => {
    const first = startProcess();
    await first.tokens.replace(record());
    const second = startProcess();
    expect(await second.token()).toBe('access-0');
    locked = 'for-writing';
    clock += 2 * HOUR;
    expect(await first.token()).toBe('access-1');
    expect(first.notKept).toHaveLength(1);
    locked = 'whole';
    clock += 2 * HOUR;
    expect(await first.token()).toBe('access-2');
    locked = 'no';
    clock += 2 * MINUTE;
    // It stores what it has when it is asked the next time, in the background.
    expect(await first.token()).toBe('access-2');
    await expect.poll(stored).toBe('access-2');
    expect(await second.token()).toBe('access-2');
    expect(generation).toBe(2);
    expect(first.notKept).toHaveLength(1);
  });

  test('does not end the use of a token that is still valid', async () => {
    const { tokens, token } = startProcess();
    await tokens.replace(record());
    expect(await token()).toBe('access-0');
    locked = 'whole';
    clock += 57 * MINUTE;
    expect(await token()).toBe('access-0');
    clock += 4 * MINUTE;
    await expect(token()).rejects.toMatchObject({
      code: 'signed_out',
      message: expect.stringMatching(/^Causeway cannot tell whether .+\. The keychain is locked\./),
    });
    locked = 'no';
    clock += 2 * MINUTE;
    expect(await token()).toBe('access-1');
  });

  test('that is absent, as after a desktop logout, is used as soon as it is back', async () => {
    const { tokens, token } = startProcess();
    await tokens.replace(record());
    locked = 'absent';
    clock += 2 * HOUR;
    await expect(token()).rejects.toMatchObject({ code: 'signed_out' });
    locked = 'no';
    clock += 1_000;
    expect(await token()).toBe('access-1');
  });

  test('is tried again a minute later, even if the clock was set back meanwhile', async () => {
    const { tokens, token } = startProcess();
    await tokens.replace(record());
    locked = 'whole';
    clock += 2 * HOUR;
    await expect(token()).rejects.toMatchObject({ code: 'signed_out' });
    locked = 'no';
    clock -= 24 * HOUR;
    expect(await token()).toBe('access-1');
  });
});
