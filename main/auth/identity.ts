import { createHash } from 'node:crypto';
import type { Secret } from '../platform/secret.ts';
import type { TokenRecord } from './secrets/token-record.ts';

/** As whom a token is used. */
export interface SignInIdentity {
  /** Changes with each sign-in, and stays when a token is renewed; undefined for tokens that do not come from a sign-in here. */
  generation: string | undefined;
  /** The user's name, as far as it is known. */
  userName: string | undefined;
}

const identities = new WeakMap<Secret, SignInIdentity>();

/** Notes as whom a token is used. */
export function bindIdentity(token: Secret, identity: SignInIdentity): void {
  identities.set(token, identity);
}

/** As whom a token is used: by the sign-in that it comes from, or by what it says itself. */
export function identityOf(token: Secret): SignInIdentity {
  const known = identities.get(token) ?? { generation: undefined, userName: userNameInToken(token) };
  identities.set(token, known);
  return known;
}

/** As whom a sign-in acts. */
export function identityIn({ generation, userName, access }: TokenRecord): SignInIdentity {
  return { generation, userName: userName ?? userNameInToken(access.token) };
}

/** Whether two tokens are used as the same user. Of two sign-ins whose users are not known, each counts as another user's. */
export function isSameUser(one: SignInIdentity, other: SignInIdentity): boolean {
  if (one.generation !== undefined && one.generation === other.generation) return true;
  return one.userName === other.userName && (one.userName !== undefined || one.generation === other.generation);
}

/** The claims that name a user, the most readable first (OpenID Connect Core §5.1, RFC 9068 §2.2). */
const NAMES = ['email', 'preferred_username', 'upn', 'sub'];
const MAX_NAME_LENGTH = 320;

/** The user whom a self-contained token (RFC 7519) names. It is compared and shown, never trusted. */
function userNameInToken(token: Secret): string | undefined {
  const [, payload, signature] = token.reveal().split('.');
  if (payload === undefined || signature === undefined) return undefined;
  try {
    const claims: unknown = JSON.parse(Buffer.from(payload, 'base64url').toString('utf8'));
    const named = new Map<string, unknown>(Object.entries(Object(claims)));
    const name = NAMES.map((claim) => named.get(claim)).find((value) => typeof value === 'string' && value !== '');
    return typeof name === 'string' && name.length <= MAX_NAME_LENGTH ? name : undefined;
  } catch {
    return undefined;
  }
}

/** Tells one user of a profile from another; empty for tokens that do not come from a sign-in here. */
export function userKey({ generation, userName }: SignInIdentity): string {
  if (generation === undefined) return '';
  return createHash('sha256')
    .update(userName ?? generation)
    .digest('hex')
    .slice(0, 32);
}
