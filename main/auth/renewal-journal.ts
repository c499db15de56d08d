import { createHash } from 'node:crypto';
import { rm, truncate } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import { asSentence, CausewayError } from '../platform/errors.ts';
import { readStored } from '../platform/json.ts';
import { writeWholeFile } from '../platform/replace-file.ts';
import type { Profile } from './auth.ts';
import type { TokenRecord } from './secrets/token-record.ts';

/** Room for any sign-in as it is stored, in bytes. */
const RESERVED_BYTES = 32 * 1024;

const Entry = z.object({
  /**
   * `begun`: the request may have been sent, and its process has not come to the answer. `unanswered`: no answer came.
   * `ended`: the sign-in has ended because of such a renewal.
   */
  state: z.enum(['begun', 'unanswered', 'ended']),
  /** When it began, in milliseconds since 1970. */
  at: z.number(),
  /** Tells which refresh token was sent, and nothing about it. */
  token: z.string(),
});

/** A renewal of which it is unknown whether it has used up its refresh token. */
export type UnfinishedRenewal = z.infer<typeof Entry>;

/**
 * Records that a renewal is under way, before it is sent, and keeps room on the disk for its answer. What is left of it after
 * its process was killed tells why a sign-in has ended. Only for the holder of the profile's lock.
 */
export class RenewalJournal {
  readonly #file: string;

  /** @param folder the profile's own */
  constructor(folder: string) {
    this.#file = join(folder, 'renewal.json');
  }

  /** An earlier renewal with this refresh token that has not come to its end. */
  async unfinished(record: TokenRecord): Promise<UnfinishedRenewal | undefined> {
    const entry = await readStored(this.#file, Entry);
    return entry && entry.state !== 'ended' && entry.token === digestOf(record) ? entry : undefined;
  }

  /**
   * A renewal is about to be sent. @param before the one that this one follows
   * @throws {CausewayError} `file_not_writable`, such as if the disk has no room for the answer: nothing may be sent then
   */
  async begin(record: TokenRecord, at: number, before: UnfinishedRenewal | undefined): Promise<void> {
    const text = JSON.stringify({
      state: 'begun',
      at: before?.at ?? at,
      token: digestOf(record),
    } satisfies UnfinishedRenewal);
    await writeWholeFile(this.#file, text.padEnd(RESERVED_BYTES), { mode: 0o600 });
  }

  /** The answer is about to be stored, in the room that was kept for it. */
  async makeRoom(): Promise<void> {
    await truncate(this.#file, 512).catch(() => undefined);
  }

  /** The renewal has come to its end: its answer is stored, or the server has said that it did nothing. */
  async clear(): Promise<void> {
    await rm(this.#file, { force: true }).catch(() => undefined);
  }

  /** Leaves a note for those who come later. */
  async leave(entry: UnfinishedRenewal): Promise<void> {
    await writeWholeFile(this.#file, JSON.stringify(entry), { mode: 0o600 }).catch(() => undefined);
  }

  /**
   * The renewal that has begun has failed. @param before the one that it followed
   * @param isUsed whether it may have used up its refresh token
   */
  async failed(before: UnfinishedRenewal | undefined, isUsed: boolean): Promise<void> {
    if (before) return this.leave(before);
    if (!isUsed) return this.clear();
    const entry = await readStored(this.#file, Entry);
    if (entry) await this.leave({ ...entry, state: 'unanswered' });
  }

  /** Why the sign-in has ended, if a renewal that was cut off has ended it. */
  async whyEnded(now: number): Promise<string | undefined> {
    const entry = await readStored(this.#file, Entry);
    return entry?.state === 'ended' ? whyCutOff(entry, now) : undefined;
  }
}

/** Why a sign-in whose renewal was cut off may have ended, to follow a colon. */
function whyCutOff({ at }: UnfinishedRenewal, now: number): string {
  return `a renewal at ${timeOf(at, now)} was cut off before its answer could be stored`;
}

/** The time of day, with the date if that is another day's. */
function timeOf(at: number, now: number): string {
  const two = (number: number) => String(number).padStart(2, '0');
  const then = new Date(at);
  const time = `${then.getHours()}:${two(then.getMinutes())}`;
  if (then.toDateString() === new Date(now).toDateString()) return time;
  return `${time} on ${then.getFullYear()}-${two(then.getMonth() + 1)}-${two(then.getDate())}`;
}

/** The error if nothing is sent because the answer could not be stored. */
export function noRoomForRenewal({ name, host }: Pick<Profile, 'host' | 'name'>, cause: CausewayError): CausewayError {
  return new CausewayError(
    'file_not_writable',
    `The sign-in of profile "${name}" to ${host} has to be renewed, and the new one could not be stored: ${asSentence(cause.message)} Nothing was sent, and you stay signed in.`,
    { remedy: cause.remedy ?? 'Free some space on the disk, then try again.', cause },
  );
}

/** Tells one refresh token from another, and nothing about it. */
export function digestOf({ refreshToken }: TokenRecord): string {
  return createHash('sha256')
    .update(refreshToken?.reveal() ?? '')
    .digest('hex')
    .slice(0, 16);
}
