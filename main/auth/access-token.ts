import { CausewayError } from '../platform/errors.ts';
import { Secret } from '../platform/secret.ts';

/** An access token with its times, in milliseconds of the system's clock. */
export interface AccessToken {
  token: Secret;
  /** When it was received. */
  issuedAt: number;
  /** When it stops working; undefined if the server did not say. */
  expiresAt: number | undefined;
}

/** How long before its expiry a token is refreshed. */
const EARLY_MS = 5 * 60_000;
/** Up to this much earlier, so that many computers do not renew in the same second. */
const JITTER_MS = 60_000;
/** Short-lived tokens are used for most of their lifetime. */
const EARLY_SHARE = 0.2;

/**
 * Whether a token can be used without refreshing it first. A clock that has gone back to before the token was received
 * says nothing about its expiry, so the token counts as stale.
 * @param chance between 0 and 1, drawn once for a process
 */
export function isFresh(token: AccessToken, now: number, chance: number): boolean {
  if (token.expiresAt === undefined) return true;
  if (now < token.issuedAt - EARLY_MS) return false;
  const early = Math.min(EARLY_MS + chance * JITTER_MS, (token.expiresAt - token.issuedAt) * EARLY_SHARE);
  return now < token.expiresAt - early;
}

/** Whether a token has not expired yet. */
export function isAlive(token: AccessToken, now: number): boolean {
  return token.expiresAt === undefined || now < token.expiresAt;
}

/** How long a token that still works is used after its renewal has failed, in milliseconds. */
const REFRESH_GRACE_MS = 30_000;

/** Which of a profile's tokens can be used without renewing them. */
export class Freshness {
  readonly #now: () => number;
  readonly #chance: number;
  #graceUntil = 0;

  constructor(now: () => number, chance: number) {
    this.#now = now;
    this.#chance = chance;
  }

  /** A renewal has failed: a token that still works is used for a while before the next attempt. */
  postponeRenewal(): void {
    this.#graceUntil = this.#now() + REFRESH_GRACE_MS;
  }

  /** @param rejected the token that the workspace has just refused */
  isUsable(access: AccessToken, rejected: Secret | undefined): boolean {
    const now = this.#now();
    const isInGrace = now >= this.#graceUntil - REFRESH_GRACE_MS && now < this.#graceUntil && isAlive(access, now);
    return !access.token.equals(rejected) && (isInGrace || isFresh(access, now, this.#chance));
  }
}

/**
 * When a token expires, counted from the moment the request was sent; undefined if the server did not say.
 * @param expiresIn seconds, as token responses give it (RFC 6749 §5.1)
 */
export function expiryFrom(sentAt: number, expiresIn: number | undefined): number | undefined {
  return expiresIn === undefined ? undefined : asTime(sentAt + expiresIn * 1000);
}

/** The latest expiry that is believed: a server that gives a later one counts in other units, and a `Date` cannot go much further. */
const LATEST_MS = Date.UTC(9999, 0);

/** A time from a server or a program, in milliseconds since 1970, if it can be stored and shown; else undefined. */
export function asTime(ms: number): number | undefined {
  return Number.isNaN(ms) ? undefined : Math.min(Math.max(ms, 0), LATEST_MS);
}

/** A bearer token with the headers that must be sent with it; their names are in lower case. */
export class BearerToken extends Secret {
  readonly #beside: Readonly<Record<string, Secret>>;

  constructor(value: string, beside: Readonly<Record<string, Secret>>) {
    super(value);
    this.#beside = beside;
  }

  headers(): Record<string, string> {
    return Object.fromEntries(Object.entries(this.#beside).map(([name, value]) => [name, value.reveal()]));
  }

  secrets(): Secret[] {
    return Object.values(this.#beside);
  }
}

/** Whether text can be sent as a header's value, without spaces, as any token can (RFC 6750 §2.1). */
export function isHeaderValue(text: string): boolean {
  return /^[\x21-\x7e]+$/.test(text);
}

/** What a text has in it that keeps it from being sent as a header's value; undefined if there is nothing. */
export function unsendablePart(text: string): string | undefined {
  if (isHeaderValue(text)) return undefined;
  if (/[\r\n]/.test(text)) return 'a line break';
  if (/ /.test(text)) return 'a space';
  return text === '' || /\p{Cc}/u.test(text) ? 'a control character' : 'a character outside ASCII';
}

/**
 * The headers that authenticate a request with a token.
 * @throws {CausewayError} `unexpected_answer` if the text cannot be a token
 */
export function bearerHeaders(token: Secret): Record<string, string> {
  const [part] = sentWith(token).flatMap((secret) => unsendablePart(secret.reveal()) ?? []);
  if (part !== undefined) {
    throw new CausewayError('unexpected_answer', `The token contains ${part}. That cannot be sent.`, {
      remedy: "Sign in again, or check where this profile's token comes from.",
    });
  }
  const authorization = `Bearer ${token.reveal()}`;
  return token instanceof BearerToken ? { ...token.headers(), authorization } : { authorization };
}

/** The secrets that are sent with a token, which an answer may echo. */
export function sentWith(token: Secret): Secret[] {
  return token instanceof BearerToken ? [token, ...token.secrets()] : [token];
}
