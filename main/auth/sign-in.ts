import { readFile } from 'node:fs/promises';
import { z } from 'zod';
import { CausewayError } from '../platform/errors.ts';
import { acquireLock } from '../platform/lock.ts';
import { writeWholeFile } from '../platform/replace-file.ts';
import type { Profile } from './auth.ts';
import { PAGE_HOLDS_MS, type SignInPages } from './sign-in-page.ts';
import type { TokenRecord } from './token-record.ts';
import { signedOut, type UserTokens } from './user-tokens.ts';

/** Failures after which asking the same person again at once would only annoy them. */
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
] as const;

/** How the last sign-in of a profile ended, for the processes that waited for it. Holds no secret. */
const Outcome = z.object({
  /** When it ended, in milliseconds since 1970. */
  at: z.number(),
  code: z.enum(FAILURES).catch('sign_in_failed').optional(),
  message: z.string().optional(),
  remedy: z.string().optional(),
});
type Outcome = z.infer<typeof Outcome>;
type Told = Pick<z.input<typeof Outcome>, 'message' | 'remedy'> & { code?: string };

export interface SharedSignIn {
  profile: Profile;
  tokens: UserTokens;
  /** Whether other processes see what is stored. */
  isShared: () => boolean;
  lockFolder: string;
  outcomeFile: string;
  signal: AbortSignal | undefined;
  onWaitForOther: () => void;
  /** Whether a sign-in that is there will do, and an answer that was just given. */
  onlyIfNeeded: boolean;
  /** When the sign-in was asked for, in milliseconds since 1970: one that ends later is shared. */
  startedAt: number;
  now: () => number;
  /** The pages of the profile's workspace. */
  pages: SignInPages;
  /** Asks the person; called in one process at a time. */
  ask: () => Promise<TokenRecord>;
}

/**
 * Signs in once, however many processes want to at the same time: one asks the person, the others wait and share the
 * outcome, good or bad. If the one that asks is killed, the next one asks, where the person wants it to.
 * @throws {CausewayError} as `ask`
 */
export async function signInOnce(options: SharedSignIn): Promise<TokenRecord> {
  const { profile, tokens, lockFolder, outcomeFile, signal, onlyIfNeeded, startedAt, now, pages } = options;
  const lock = await acquireLock(lockFolder, { signal, onWait: options.onWaitForOther });
  try {
    const [outcome, record] = await Promise.all([readOutcome(outcomeFile), tokens.record()]);
    const endedMeanwhile = outcome !== undefined && outcome.at > startedAt;
    if (record && (onlyIfNeeded || (endedMeanwhile && outcome.code === undefined))) return record;
    const answerHolds = onlyIfNeeded && isAnswer(outcome?.code) && Math.abs(now() - (outcome?.at ?? 0)) < PAGE_HOLDS_MS;
    if (outcome && (endedMeanwhile || answerHolds)) throw sharedFailure(outcome, options);
    if (onlyIfNeeded) await pages.refuseUnasked(profile);
    return await askAndTell(options);
  } finally {
    await lock.release();
  }

  async function askAndTell({ ask }: SharedSignIn): Promise<TokenRecord> {
    try {
      const record = await ask();
      await tokens.replace(record);
      await pages.clear();
      await writeOutcome(outcomeFile, now(), {});
      return record;
    } catch (error) {
      await pages.end(error instanceof CausewayError ? error.code : 'internal');
      if (error instanceof CausewayError && error.code !== 'cancelled') {
        const { code, message, remedy } = error;
        await writeOutcome(outcomeFile, now(), { code, message, remedy });
      }
      throw error;
    }
  }
}

/** Notes that the person has signed out, so that no waiting process asks them to sign in again in the same moment. */
export async function noteSignOut(outcomeFile: string, profile: Profile, now: () => number): Promise<void> {
  const { code, message, remedy } = signedOut(profile);
  await writeOutcome(outcomeFile, now(), { code, message, remedy });
}

/** Whether a failed sign-in is the person's own answer, so that only they should begin another one. */
export function isAnswer(code: string | undefined): boolean {
  return ANSWERS.some((answer) => answer === code);
}

/** Why the sign-in that this process waited for is of no use to it. */
function sharedFailure({ code, message, remedy }: Outcome, { profile, isShared }: SharedSignIn): CausewayError {
  if (code !== undefined) {
    const next = code === 'signed_out' ? { action: signedOut(profile).action } : { remedy };
    return new CausewayError(code, message ?? 'Signing in failed.', next);
  }
  if (isShared()) return signedOut(profile);
  return new CausewayError(
    'signed_out',
    `Another program has signed in to ${profile.host}, and there is no keychain to share it.`,
    {
      remedy: 'Start Causeway itself, or allow an encrypted file with CAUSEWAY_TOKEN_STORE=encrypted-file.',
    },
  );
}

async function readOutcome(file: string): Promise<Outcome | undefined> {
  try {
    return Outcome.parse(JSON.parse(await readFile(file, 'utf8')));
  } catch {
    return undefined;
  }
}

/** Where it cannot be written, processes that wait ask the person themselves: no reason to fail a sign-in that succeeded. */
async function writeOutcome(file: string, at: number, told: Told): Promise<void> {
  await writeWholeFile(file, JSON.stringify({ at, ...told }), { mode: 0o600 }).catch(() => undefined);
}
