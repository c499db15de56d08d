import { CausewayError } from '../../platform/errors.ts';
import type { Profile, SignInOptions, SignInProgress } from '../auth.ts';
import { identityIn, isSameUser } from '../identity.ts';
import type { TokenRecord } from '../secrets/token-record.ts';
import type { UserTokens } from '../token-broker.ts';

export interface KeepSignIn {
  profile: Profile;
  /** What the user has just signed in with. */
  made: TokenRecord;
  tokens: UserTokens;
  confirmChange: SignInOptions['confirmChange'];
  /** Called before the user is asked. */
  beforeQuestion: () => Promise<void>;
  /** Stores what belongs to the sign-in. */
  keepRest: (() => Promise<void>) | undefined;
  /** Ends a sign-in at the workspace; never throws. @returns whether the workspace has confirmed it */
  revoke: (record: TokenRecord) => Promise<boolean>;
  onReplaced: (replaced: Omit<Extract<SignInProgress, { step: 'replaced' }>, 'step'>) => void;
}

/**
 * Stores a sign-in in place of the one before, which is then revoked. What cannot be kept is revoked.
 * @throws {CausewayError} `sign_in_cancelled` if the user wants to stay signed in as somebody else; what the store and `keepRest` throw
 */
export async function keepSignIn(options: KeepSignIn): Promise<void> {
  const { made, tokens, revoke, onReplaced } = options;
  let previous: TokenRecord | undefined;
  try {
    const present = await tokens.record();
    if (present && !isSameUser(identityIn(present), identityIn(made))) await confirm(options, present);
    previous = await tokens.replace(made);
    await keepRest(options, previous);
  } catch (error) {
    await revoke(made);
    throw error;
  }
  if (!previous || previous.refreshToken?.equals(made.refreshToken)) return;
  const revoked = await revoke(previous);
  const [before, now] = [identityIn(previous), identityIn(made)];
  onReplaced({ userName: before.userName, isOtherUser: !isSameUser(before, now), revoked });
}

/** Without the rest, the sign-in is of no use: the one before stays, if there was one. */
async function keepRest({ keepRest: keep, tokens }: KeepSignIn, previous: TokenRecord | undefined): Promise<void> {
  try {
    await keep?.();
  } catch (error) {
    if (previous) await tokens.replace(previous);
    else await tokens.remove();
    throw error;
  }
}

async function confirm(
  { profile: { name, host }, made, confirmChange, beforeQuestion }: KeepSignIn,
  present: TokenRecord,
): Promise<void> {
  const [from, to] = [identityIn(present).userName, identityIn(made).userName];
  if (!confirmChange || (await confirmChange({ profile: name, from, to }, beforeQuestion))) return;
  throw new CausewayError(
    'sign_in_cancelled',
    `Profile "${name}" stays signed in to ${host} as ${from ?? 'before'}. The new sign-in${to === undefined ? '' : ` as ${to}`} was revoked.`,
  );
}
