import { z } from 'zod';
import { CausewayError } from '../../platform/errors.ts';
import { readStored } from '../../platform/json.ts';
import { acquireLock } from '../../platform/lock.ts';
import { writeWholeFile } from '../../platform/replace-file.ts';
import { remedyFor } from '../../words/failure.ts';
import type { Profile, SignInPages } from '../auth.ts';
import type { SecretStore } from '../secrets/secret-store.ts';
import type { TokenRecord } from '../secrets/token-record.ts';
import { signedOut } from '../signed-out.ts';
import type { UserTokens } from '../token-broker.ts';
import { NOT_SHARED, PAGE_HOLDS_MS, SignedInElsewhere } from './sign-in-pages.ts';

/** Failures after which the same user is not asked again at once. */
const ANSWERS = [
  'signed_out',
  'consent_denied',
  'wrong_workspace',
  'missing_scope',
  'sign_in_timeout',
  'sign_in_cancelled',
] as const;

const FAILURES = [
  ...ANSWERS,
  'sign_in_failed',
  'unreachable',
  'unavailable',
  'unauthenticated',
  'permission_denied',
  'tls',
  'timeout',
  'login_page',
  'unexpected_answer',
] as const;

/** How the last sign-in of a profile ended, for the processes that waited for it. Holds no secret. */
const Outcome = z.object({
  /** When it ended, in milliseconds since 1970. */
  at: z.number(),
  /** False for a sign-in that only its own process has. */
  isShared: z.boolean().optional(),
  code: z.enum(FAILURES).catch('sign_in_failed').optional(),
  message: z.string().optional(),
  remedy: z.string().optional(),
});
type Outcome = z.infer<typeof Outcome>;
type NewOutcome = Pick<z.input<typeof Outcome>, 'message' | 'remedy' | 'isShared'> & { code?: string };

export interface SharedSignIn {
  profile: Profile;
  tokens: UserTokens;
  /** Where the sign-in is stored. */
  store: Pick<SecretStore, 'shared' | 'unreadable'>;
  lockFolder: string;
  outcomeFile: string;
  signal: AbortSignal | undefined;
  onWaitForOther: () => void;
  /** Whether an existing sign-in, or the answer that the user has just given, is enough. */
  onlyIfNeeded: boolean;
  /** When the sign-in was asked for, in milliseconds since 1970: one that ends later is shared. */
  startedAt: number;
  now: () => number;
  /** The pages of the profile's workspace. */
  pages: SignInPages;
  /** Asks the user, and stores what they have signed in with; called in one process at a time. */
  ask: () => Promise<TokenRecord>;
}

/**
 * Signs in once, however many processes want to at the same time: one asks the user, the others wait and share the
 * outcome, good or bad. If the one that asks is killed, the next one asks, if the user wants it to.
 * @throws {CausewayError} as `ask`
 */
export async function signInOnce(options: SharedSignIn): Promise<TokenRecord> {
  const { lockFolder, signal } = options;
  const lock = await acquireLock(lockFolder, { signal, onWait: options.onWaitForOther });
  try {
    return (await shared(options)) ?? (await askAndShare(options));
  } finally {
    await lock.release();
  }
}

/** The sign-in that is there already, if it is enough. @throws {CausewayError} if the user must not be asked now */
async function shared(options: SharedSignIn): Promise<TokenRecord | undefined> {
  const { tokens, outcomeFile, onlyIfNeeded, startedAt } = options;
  const [outcome, record] = await Promise.all([readStored(outcomeFile, Outcome), tokens.usableRecord()]);
  const endedMeanwhile = outcome !== undefined && outcome.at > startedAt;
  if (record && (onlyIfNeeded || (endedMeanwhile && outcome.code === undefined))) return record;
  if (endedMeanwhile) throw sharedFailure(outcome, options);
  if (onlyIfNeeded) await refuseUnasked(options, outcome);
  return undefined;
}

/** A program may not ask the user now if they have just answered, or have a page before them. */
async function refuseUnasked(options: SharedSignIn, outcome: Outcome | undefined): Promise<void> {
  const { profile, store, now, pages } = options;
  if (outcome && isAnswer(outcome.code) && Math.abs(now() - outcome.at) < PAGE_HOLDS_MS) {
    throw sharedFailure(outcome, options);
  }
  // The user has signed in, and is at most asked to again by a program that they use.
  if (store.unreadable && outcome && outcome.code === undefined && outcome.isShared !== false) {
    throw signedOut(profile, { unreadable: store.unreadable });
  }
  await pages.refuseUnasked(profile);
}

async function askAndShare({ ask, store, pages, outcomeFile, now }: SharedSignIn): Promise<TokenRecord> {
  try {
    const record = await ask();
    // What only this process has does not help those that start later: they must not open a page each.
    await (store.shared ? pages.clear() : pages.end(NOT_SHARED));
    await writeOutcome(outcomeFile, now(), store.shared ? {} : { isShared: false });
    return record;
  } catch (error) {
    await pages.end(error instanceof CausewayError ? error.code : 'internal');
    if (error instanceof CausewayError && error.code !== 'cancelled') {
      await writeOutcome(outcomeFile, now(), asOutcome(error));
    }
    throw error;
  }
}

/** Records that the user has signed out, so that no waiting process asks them to sign in again in the same moment. */
export async function noteSignOut(outcomeFile: string, profile: Profile, now: () => number): Promise<void> {
  await writeOutcome(outcomeFile, now(), asOutcome(signedOut(profile)));
}

function asOutcome(error: CausewayError): NewOutcome {
  return { code: error.code, message: error.message, remedy: remedyFor('command', error) };
}

/** Whether a failed sign-in is the user's own answer, so that only they should begin another one. */
function isAnswer(code: string | undefined): boolean {
  return ANSWERS.some((answer) => answer === code);
}

/** Whether a failure to sign in stays one for this process until somebody signs in. */
export function isFinal(error: unknown): boolean {
  return error instanceof CausewayError && !(error instanceof SignedInElsewhere) && isAnswer(error.code);
}

/** Why this process cannot use the sign-in that it waited for. */
function sharedFailure({ code, message, remedy }: Outcome, { profile, store }: SharedSignIn): CausewayError {
  if (code !== undefined) {
    const next = code === 'signed_out' ? { action: signedOut(profile).action } : { remedy };
    return new CausewayError(code, message ?? 'The sign-in failed.', next);
  }
  return store.shared ? signedOut(profile) : new SignedInElsewhere(profile);
}

/** If it cannot be written, waiting processes ask the user themselves; the sign-in still succeeds. */
async function writeOutcome(file: string, at: number, outcome: NewOutcome): Promise<void> {
  await writeWholeFile(file, JSON.stringify({ at, ...outcome }), { mode: 0o600 }).catch(() => undefined);
}
