import { CausewayError } from '../platform/errors.ts';
import type { AccessToken } from './access-token.ts';
import type { Profile } from './auth.ts';

/** An access token, and how many before it in a row were refused by the workspace soon after they were issued. */
export interface Refusable {
  access: AccessToken;
  refusals?: number | undefined;
}

/** A token that is refused at this age or later has worked, in milliseconds. */
const HAS_WORKED_MS = 15 * 60_000;
/** New tokens in a row that may be refused before one is kept for a while: the first one may have been revoked just now. */
const TOLERATED = 2;
/** For how long no other one is requested then, in milliseconds; it doubles each time, up to `HAS_WORKED_MS`. */
const FIRST_WAIT_MS = 60_000;

/**
 * How many tokens in a row were refused soon, this one included. A server that refuses every token would have one made for
 * each call, so after the first few another one is requested only after a while.
 * @param hasWorked whether the server that refuses it has accepted it before
 * @throws {CausewayError} `unauthenticated` if the last ones were refused, too, and this one is new
 */
export function countRefusal(
  { access, refusals = 0 }: Refusable,
  hasWorked: boolean,
  { name, host }: Pick<Profile, 'name' | 'host'>,
  now: number,
): number {
  const age = ageOf(access, now);
  if (hasWorked || age >= HAS_WORKED_MS) return 0;
  if (refusals < TOLERATED) return refusals + 1;
  const waitMs = Math.min(FIRST_WAIT_MS * 2 ** (refusals - TOLERATED), HAS_WORKED_MS);
  const leftMs = waitMs - age;
  if (leftMs <= 0) return refusals + 1;
  const seconds = Math.ceil(leftMs / 1000);
  const wait = seconds < 120 ? `${seconds} seconds` : `${Math.ceil(seconds / 60)} minutes`;
  throw new CausewayError(
    'unauthenticated',
    `${host} refuses every token of profile "${name}", new ones too. The next one is requested in ${wait}.`,
    { remedy: 'Check the workspace of the profile and the access of its user, or ask a workspace admin.' },
  );
}

/** Since when a token is known, in milliseconds, whatever has happened to the clock. */
function ageOf({ issuedAt }: AccessToken, now: number): number {
  return Math.abs(now - issuedAt);
}
