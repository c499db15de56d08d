import { createHash } from 'node:crypto';
import { readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import { CausewayError } from '../../platform/errors.ts';
import { acquireLock, withLock } from '../../platform/lock.ts';
import { stateFolder } from '../../platform/paths.ts';
import { isProcessAlive } from '../../platform/process-alive.ts';
import { writeWholeFile } from '../../platform/replace-file.ts';
import type { Profile, SignInPage } from '../auth.ts';
import type { TokenRecord } from '../secrets/token-record.ts';
import { signedOut, type UserTokens } from '../token-broker.ts';

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
type NewOutcome = Pick<z.input<typeof Outcome>, 'message' | 'remedy'> & { code?: string };

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
  /** Asks the user; called in one process at a time. */
  ask: () => Promise<TokenRecord>;
}

/**
 * Signs in once, however many processes want to at the same time: one asks the user, the others wait and share the
 * outcome, good or bad. If the one that asks is killed, the next one asks, where the user wants it to.
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
    return await askAndShare(options);
  } finally {
    await lock.release();
  }

  async function askAndShare({ ask, isShared }: SharedSignIn): Promise<TokenRecord> {
    try {
      const record = await ask();
      await tokens.replace(record);
      // What only this process has is no use to those that start later: they must not open a page each.
      await (isShared() ? pages.clear() : pages.end(NOT_SHARED));
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

/** Records that the user has signed out, so that no waiting process asks them to sign in again in the same moment. */
export async function noteSignOut(outcomeFile: string, profile: Profile, now: () => number): Promise<void> {
  const { code, message, remedy } = signedOut(profile);
  await writeOutcome(outcomeFile, now(), { code, message, remedy });
}

/** Whether a failed sign-in is the user's own answer, so that only they should begin another one. */
export function isAnswer(code: string | undefined): boolean {
  return ANSWERS.some((answer) => answer === code);
}

/** Why the sign-in that this process waited for is of no use to it. */
function sharedFailure({ code, message, remedy }: Outcome, { profile, isShared }: SharedSignIn): CausewayError {
  if (code !== undefined) {
    const next = code === 'signed_out' ? { action: signedOut(profile).action } : { remedy };
    return new CausewayError(code, message ?? 'Signing in failed.', next);
  }
  return isShared() ? signedOut(profile) : signedInElsewhere(profile);
}

function signedInElsewhere({ host }: Profile): CausewayError {
  return new CausewayError(
    'signed_out',
    `Another program has signed in to ${host}, and there is no keychain to share it.`,
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

/** If it cannot be written, waiting processes ask the user themselves; the sign-in still succeeds. */
async function writeOutcome(file: string, at: number, outcome: NewOutcome): Promise<void> {
  await writeWholeFile(file, JSON.stringify({ at, ...outcome }), { mode: 0o600 }).catch(() => undefined);
}

/** For how long a page that has not led to a sign-in for all keeps others from being opened unasked, in milliseconds. */
const PAGE_HOLDS_MS = 10 * 60_000;

/** How a page ends whose sign-in only one process has, for want of a keychain. */
const NOT_SHARED = 'not_shared';

/** The last page that was opened for a workspace and has not led to a sign-in for all processes. Holds no secret. */
const Stored = z.object({
  /** The process that listens for the page's answer. */
  pid: z.int(),
  /** The profile that it signs in. */
  profile: z.string(),
  /** In milliseconds since 1970, as `endedAt`. */
  openedAt: z.number(),
  url: z.string(),
  endedAt: z.number().optional(),
  /** Why it ended without a sign-in, or `not_shared`. */
  code: z.string().optional(),
});
type Stored = z.infer<typeof Stored>;

/** What is known, in all processes of this user, of the browser page on which users sign in to one workspace. */
export interface SignInPages {
  /** The page that is open, or that ended without a sign-in for all processes within the last ten minutes. */
  current(): Promise<SignInPage | undefined>;
  /**
   * Records that a page opens now. Unasked, it fails if there is a current one, which the user has seen.
   * @throws {CausewayError} `signed_out`
   */
  open(url: string, profile: Profile, unasked: boolean): Promise<void>;
  /** @throws {CausewayError} `signed_out` where a page may not be opened unasked */
  refuseUnasked(profile: Profile): Promise<void>;
  /** Records that this process's page has ended without a sign-in, or with one for this process alone; `code` says why. */
  end(code: string): Promise<void>;
  /** Forgets the page: it led to a sign-in for all processes, or was not shown. */
  clear(): Promise<void>;
}

/** The pages of one workspace. */
export function signInPages(env: NodeJS.ProcessEnv, host: string, now: () => number): SignInPages {
  const id = createHash('sha256').update(host).digest('hex').slice(0, 24);
  const file = join(stateFolder(env), 'sign-in', `page-${id}.json`);
  const locked = <T>(work: () => Promise<T>) => withLock(join(stateFolder(env), 'locks', `sign-in-page-${id}`), work);

  async function read(): Promise<Stored | undefined> {
    try {
      return Stored.parse(JSON.parse(await readFile(file, 'utf8')));
    } catch {
      // Nothing was opened, or what says so is damaged, which is no reason not to sign in.
      return undefined;
    }
  }

  /** Where it cannot be written, a second page may open: no reason to fail a sign-in. */
  const write = (page: Stored) => writeWholeFile(file, JSON.stringify(page), { mode: 0o600 }).catch(() => undefined);

  async function current(): Promise<SignInPage | undefined> {
    const page = await read();
    // A clock that was set back or forth says nothing about how long ago it was.
    if (!page || Math.abs(now() - (page.endedAt ?? page.openedAt)) >= PAGE_HOLDS_MS) return undefined;
    const { profile, openedAt, url, endedAt, code } = page;
    const isOpen = endedAt === undefined && isProcessAlive(page.pid);
    return isOpen ? { state: 'open', profile, openedAt, url } : { state: stateAfter(code), profile, openedAt };
  }

  async function refuseUnasked(profile: Profile): Promise<void> {
    const page = await current();
    if (page?.state === 'not-shared') throw signedInElsewhere(profile);
    if (page) throw alreadyAsked(profile, page.state, now() - page.openedAt);
  }

  return {
    current,
    refuseUnasked,
    open: (url, profile, unasked) =>
      locked(async () => {
        if (unasked) await refuseUnasked(profile);
        await write({ pid: process.pid, profile: profile.name, openedAt: now(), url });
      }),
    end: (code) =>
      locked(async () => {
        const page = await read();
        if (page?.pid === process.pid && page.endedAt === undefined) await write({ ...page, endedAt: now(), code });
      }),
    clear: () => rm(file, { force: true }).catch(() => undefined),
  };
}

function stateAfter(code: string | undefined): Exclude<SignInPage['state'], 'open'> {
  if (code === NOT_SHARED) return 'not-shared';
  if (code === 'consent_denied') return 'refused';
  // Its process may have been killed: AI clients do that to those that start slowly.
  const isAbandoned = code === undefined || code === 'sign_in_timeout' || code === 'sign_in_cancelled';
  return isAbandoned ? 'abandoned' : 'failed';
}

const PAGE_OUTCOMES: Record<Exclude<SignInPage['state'], 'not-shared'>, string> = {
  open: 'is open in the browser',
  refused: 'was refused',
  abandoned: 'was not answered',
  failed: 'did not lead to a sign-in',
};

/** The error where another page would have to be opened without the user's asking for it. */
function alreadyAsked({ name, host }: Profile, state: keyof typeof PAGE_OUTCOMES, agoMs: number): CausewayError {
  const minutes = Math.max(0, Math.round(agoMs / 60_000));
  const when = minutes === 0 ? 'just now' : minutes === 1 ? 'a minute ago' : `${minutes} minutes ago`;
  return new CausewayError(
    'signed_out',
    `Profile "${name}" is signed out of ${host}. The sign-in page that was opened ${when} ${PAGE_OUTCOMES[state]}.`,
    { action: { do: 'sign-in', profile: name } },
  );
}
