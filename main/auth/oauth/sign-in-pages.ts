import { createHash } from 'node:crypto';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import { CausewayError } from '../../platform/errors.ts';
import { readStored } from '../../platform/json.ts';
import { withLock } from '../../platform/lock.ts';
import { stateFolder } from '../../platform/paths.ts';
import { isProcessAlive } from '../../platform/process-alive.ts';
import { writeWholeFile } from '../../platform/replace-file.ts';
import type { PageSubject, Profile, SignInPage, SignInPages } from '../auth.ts';

/**
 * How long a page without a sign-in for all processes keeps other pages from opening automatically, in milliseconds. One that was
 * left unanswered does so even if its process is gone: AI clients kill servers that start slowly, and start them again.
 */
export const PAGE_HOLDS_MS = 10 * 60_000;

/** The outcome of a page whose sign-in only one process has, because there is no keychain. */
export const NOT_SHARED = 'not_shared';

/** The last page that was opened for a sign-in and has not led to one for all processes. Holds no secret. */
const Stored = z.object({
  /** The process that waits for what comes of the page. */
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

/** The pages on which users sign in to a workspace. */
export function workspacePages(env: NodeJS.ProcessEnv, host: string, now: () => number): SignInPages {
  return signInPages(env, { key: host, alreadyAsked }, now);
}

/** The pages of one sign-in. */
export function signInPages(env: NodeJS.ProcessEnv, subject: PageSubject, now: () => number): SignInPages {
  const id = createHash('sha256').update(subject.key).digest('hex').slice(0, 24);
  const file = join(stateFolder(env), 'sign-in', `page-${id}.json`);
  const locked = <T>(work: () => Promise<T>) => withLock(join(stateFolder(env), 'locks', `sign-in-page-${id}`), work);

  /** A damaged record does not prevent a sign-in. */
  const read = () => readStored(file, Stored);

  /** If it cannot be written, a second page may open, but the sign-in still succeeds. */
  const write = (page: Stored) => writeWholeFile(file, JSON.stringify(page), { mode: 0o600 }).catch(() => undefined);

  async function current(): Promise<SignInPage | undefined> {
    const page = await read();
    // After the clock was set, the page's age is unknown.
    if (!page || Math.abs(now() - (page.endedAt ?? page.openedAt)) >= PAGE_HOLDS_MS) return undefined;
    const { profile, openedAt, url, endedAt, code } = page;
    const isAlive = isProcessAlive(page.pid);
    // The sign-in that only that process had has gone with it.
    if (code === NOT_SHARED && !isAlive) return undefined;
    const isOpen = endedAt === undefined && isAlive;
    return isOpen ? { state: 'open', profile, openedAt, url } : { state: stateAfter(code), profile, openedAt };
  }

  async function refuseUnasked(profile: Profile): Promise<void> {
    const page = await current();
    if (page?.state === 'not-shared') throw new SignedInElsewhere(profile);
    if (page) throw subject.alreadyAsked(profile, outcomeOf(page.state, now() - page.openedAt));
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
  // Its process may have been killed: AI clients kill servers that start slowly.
  const isAbandoned = code === undefined || code === 'sign_in_timeout' || code === 'sign_in_cancelled';
  return isAbandoned ? 'abandoned' : 'failed';
}

const PAGE_OUTCOMES: Record<Exclude<SignInPage['state'], 'not-shared'>, string> = {
  open: 'is still open in the browser',
  refused: 'was denied',
  abandoned: 'timed out',
  failed: 'did not complete the sign-in',
};

/** What happened to a page, as a sentence. */
function outcomeOf(state: keyof typeof PAGE_OUTCOMES, agoMs: number): string {
  const minutes = Math.max(0, Math.round(agoMs / 60_000));
  const when = minutes === 0 ? 'just now' : minutes === 1 ? 'a minute ago' : `${minutes} minutes ago`;
  return `The sign-in page opened ${when} ${PAGE_OUTCOMES[state]}.`;
}

function alreadyAsked({ name, host }: Profile, outcome: string): CausewayError {
  return new CausewayError('signed_out', `Profile "${name}" is signed out of ${host}. ${outcome}`, {
    action: { do: 'sign-in', profile: name },
  });
}

/** The error if another process has signed in, and nothing shares the result. It is no answer of the user to this process. */
export class SignedInElsewhere extends CausewayError {
  constructor({ host }: Profile) {
    super('signed_out', `Another program signed in to ${host}, but there is no keychain to share the sign-in.`, {
      remedy:
        'Start the Causeway application, or keep sign-ins in an encrypted file: causeway login --store encrypted-file.',
    });
  }
}
