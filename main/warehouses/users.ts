import type { Person } from '../../preload/contract/overrides.ts';
import { CausewayError, sentences } from '../platform/errors.ts';
import { ambiguous, isShort, MIN_PART_LENGTH, type Named, tooShort } from '../platform/names.ts';
import { didYouMean, foldedName, similarNames } from '../platform/similar-names.ts';
import { filterText, type ScimUser, type UserListOptions, type Users } from '../workspace/scim.ts';
import type { OverrideOperations } from './override-operations.ts';

/** A user, as the window and the command line show them. */
export type UserSummary = Person;

type LookUp = (text: string) => UserListOptions;

/** Those who have exactly this name come first, so that many who have a part of it do not crowd them out. */
const LOOK_UPS: readonly LookUp[] = [
  (text) => ({ filter: `displayName eq ${filterText(text)}` }),
  (text) => ({ filter: `userName sw ${filterText(`${text}@`)}` }),
  (text) => ({ filter: `emails.value eq ${filterText(text)}` }),
  (text) => ({ kind: 'ServicePrincipals', filter: `applicationId eq ${filterText(text)}` }),
  (text) => ({ filter: `userName co ${filterText(text)}` }),
  (text) => ({ filter: `displayName co ${filterText(text)}` }),
  (text) => ({ filter: `emails.value co ${filterText(text)}` }),
  (text) => ({ kind: 'ServicePrincipals', filter: `displayName co ${filterText(text)}` }),
];

const MAX_CANDIDATES = 50;
/** How many users are read for one whose id is nearly what was typed: one request. */
const MAX_READ_FOR_IDS = 1000;

/**
 * The user that a text names: a numeric id, a user name, the part of it before the @, an e-mail address, a display name, or a part of
 * at least three letters that fits one user only.
 * @throws {CausewayError} `ambiguous` with the candidates, `not_found` with similar ones
 */
export async function findUser(users: Users, text: string, signal?: AbortSignal): Promise<UserSummary> {
  return chooseAmong(await searchUsers(users, text, signal), text.trim());
}

/**
 * The same, and by the numeric id alone the owner of an override who is gone: it can still be removed.
 * @throws {CausewayError} as `findUser`
 */
export async function findOwner(
  users: Users,
  operations: Pick<OverrideOperations, 'find'>,
  text: string,
  signal?: AbortSignal,
): Promise<UserSummary> {
  try {
    return await findUser(users, text, signal);
  } catch (error) {
    const id = text.trim();
    if (!(error instanceof CausewayError) || error.code !== 'not_found' || !/^\d+$/.test(id)) throw error;
    if ((await operations.find(id, signal)) === null) throw error;
    return { id, userName: '', displayName: '' };
  }
}

/** All users that a text may mean, or the one of an id as `findOwner`. @throws {CausewayError} `not_found` */
export async function findOwners(
  users: Users,
  operations: Pick<OverrideOperations, 'find'>,
  text: string,
  signal?: AbortSignal,
): Promise<UserSummary[]> {
  return /^\d+$/.test(text.trim())
    ? [await findOwner(users, operations, text, signal)]
    : searchUsers(users, text, signal);
}

/**
 * All users that a text may name, up to a limit for each look-up; the only one if the text is an id or a whole user name.
 * @throws {CausewayError} `not_found`
 */
async function searchUsers(users: Users, text: string, signal?: AbortSignal): Promise<UserSummary[]> {
  const wanted = text.trim();
  if (wanted === '') throw noSuchUser(wanted, []);
  if (/^\d+$/.test(wanted)) return [userSummary(await byId(users, wanted, signal))];
  const named = await candidates(users, { filter: `userName eq ${filterText(wanted)}` }, signal);
  const found = named.length > 0 ? named : await lookedUp(users, LOOK_UPS, wanted, signal);
  if (found.length > 0) return found.map(userSummary);
  throw noSuchUser(wanted, await similarUsers(users, wanted, signal));
}

async function lookedUp(
  users: Users,
  lookUps: readonly LookUp[],
  text: string,
  signal?: AbortSignal,
): Promise<ScimUser[]> {
  const found = await Promise.all(lookUps.map((lookUp) => candidates(users, lookUp(text), signal)));
  return [...new Map(found.flat().map((user) => [user.id, user])).values()];
}

/** A SCIM user as a summary. */
export function userSummary({ id, userName, displayName }: ScimUser): UserSummary {
  return { id, userName, displayName: displayName || userName };
}

/** The only one who has exactly the name that was asked for, or else the only one who has a part of it. */
function chooseAmong(users: UserSummary[], text: string): UserSummary {
  const wanted = foldedName(text);
  const whole = users.filter(
    ({ id, userName, displayName }) =>
      id === text ||
      foldedName(userName) === wanted ||
      foldedName(userName).startsWith(`${wanted}@`) ||
      foldedName(displayName) === wanted,
  );
  const [only, ...others] = whole.length > 0 ? whole : users;
  if (!only) throw noSuchUser(text, []);
  if (others.length > 0) throw ambiguous(text, [only, ...others].map(named), 'users');
  if (whole.length === 0 && isShort(text)) throw tooShort(text, named(only));
  return only;
}

function named({ id, userName, displayName }: UserSummary): Named {
  return { id, name: displayName === userName ? userName : `${displayName} ${userName}` };
}

async function byId(users: Users, id: string, signal?: AbortSignal): Promise<ScimUser> {
  try {
    return await users.get(id, signal);
  } catch (error) {
    if (!(error instanceof CausewayError) || error.code !== 'not_found') throw error;
    const some = await candidates(users, {}, signal, MAX_READ_FOR_IDS);
    const similar = similarNames(
      id,
      some.map((user) => user.id),
    );
    throw noSuchUser(id, some.filter((user) => similar.includes(user.id)).map(userSummary));
  }
}

/** Users whose names begin like a text that fits none, and are close to it. */
async function similarUsers(users: Users, text: string, signal?: AbortSignal): Promise<UserSummary[]> {
  const beginning = [...text].slice(0, MIN_PART_LENGTH).join('');
  const near = isShort(text) ? [] : (await lookedUp(users, LOOK_UPS, beginning, signal)).map(userSummary);
  const namesOf = ({ userName, displayName }: UserSummary) => [userName, displayName, userName.split('@')[0] ?? ''];
  const similar = similarNames(text, near.flatMap(namesOf));
  return near.filter((user) => namesOf(user).some((name) => similar.includes(name)));
}

async function candidates(
  users: Users,
  which: UserListOptions,
  signal?: AbortSignal,
  limit = MAX_CANDIDATES,
): Promise<ScimUser[]> {
  const found: ScimUser[] = [];
  try {
    for await (const user of users.list(which, signal)) {
      found.push(user);
      if (found.length >= limit) break;
    }
  } catch (error) {
    // Not every workspace can filter by every attribute, or lists service principals.
    if (error instanceof CausewayError && (error.code === 'invalid_argument' || error.code === 'feature_unavailable')) {
      return [];
    }
    throw error;
  }
  return found;
}

function noSuchUser(text: string, similar: readonly UserSummary[]): CausewayError {
  const candidates = similar.map(named);
  return new CausewayError('not_found', `No user matches "${text}".`, {
    remedy: sentences(
      didYouMean(candidates),
      `Use a user name, an email address, at least ${MIN_PART_LENGTH} letters of a name, or the numeric user ID.`,
    ),
    ...(candidates.length > 0 ? { candidates } : {}),
  });
}
