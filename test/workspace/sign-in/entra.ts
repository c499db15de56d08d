import { createPublicKey, generateKeyPairSync, type KeyObject, sign, verify } from 'node:crypto';
import * as z from 'zod';
import type { User } from '../model.ts';
import type { ReplaceableState } from '../state.ts';

/** Microsoft Entra ID as far as a workspace on Azure knows it: its tokens name a user of the workspace. */

const AUDIENCE = '2ff814a6-3304-4ab8-85cb-cd0e6f879c1d';
const claims = z.object({ iss: z.string(), aud: z.string(), upn: z.string(), exp: z.number() });

export class Entra {
  readonly issuer = 'https://sts.windows.net/6b3f0c52-2e1d-4f3a-9a7b-5d8c1e0f2a34/';
  /** Whether a federation policy of the account lets its tokens be traded for those of the workspace. */
  federated = true;
  readonly #state: ReplaceableState;
  readonly #privateKey: KeyObject;

  constructor(state: ReplaceableState) {
    this.#state = state;
    this.#privateKey = generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey;
  }

  /** A token as `az account get-access-token` gives it, for a user by their name. */
  tokenFor(userName: string, lifetimeSeconds = 3600): string {
    const head = encoded({ alg: 'ES256', typ: 'JWT' });
    const exp = Math.floor(Date.now() / 1000) + lifetimeSeconds;
    const payload = encoded({ iss: this.issuer, aud: AUDIENCE, upn: userName, exp });
    const key = { key: this.#privateKey, dsaEncoding: 'ieee-p1363' as const };
    return `${head}.${payload}.${sign('sha256', Buffer.from(`${head}.${payload}`), key).toString('base64url')}`;
  }

  /** Whom a token stands for; undefined if it is not of this issuer, has expired, or names nobody here. */
  userOf(token: string): User | undefined {
    const [head = '', payload = '', signature = '', ...more] = token.split('.');
    if (signature === '' || more.length > 0) return undefined;
    const key = { key: createPublicKey(this.#privateKey), dsaEncoding: 'ieee-p1363' as const };
    if (!verify('sha256', Buffer.from(`${head}.${payload}`), key, Buffer.from(signature, 'base64url')))
      return undefined;
    const { upn, exp } = claims.parse(JSON.parse(Buffer.from(payload, 'base64url').toString('utf8')));
    if (exp * 1000 <= Date.now()) return undefined;
    return this.#state.users.find(({ userName, active }) => userName === upn && active);
  }
}

function encoded(value: unknown): string {
  return Buffer.from(JSON.stringify(value)).toString('base64url');
}
