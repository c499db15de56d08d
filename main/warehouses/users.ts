import type { Person } from '../../preload/contract/overrides.ts';
import { CausewayError } from '../platform/errors.ts';
import { filterText, type ScimUser, type UserListOptions, type Users } from '../workspace/scim.ts';
import { ambiguous } from './names.ts';

/** A user, as the window and the command line show them. */
export type UserSummary = Person;

/** The first look-up with a result decides. */
const LOOK_UPS: ((text: string) => UserListOptions)[] = [
  (text) => ({ filter: `userName eq ${text}` }),
  (text) => ({ filter: `userName co ${text}` }),
  (text) => ({ filter: `displayName co ${text}` }),
  (text) => ({ filter: `emails.value co ${text}` }),
  (text) => ({ kind: 'ServicePrincipals', filter: `applicationId eq ${text}` }),
  (text) => ({ kind: 'ServicePrincipals', filter: `displayName co ${text}` }),
];

const MAX_CANDIDATES = 50;

/**
 * The user that a text means: a numeric id, a user name, an e-mail address, or a part of a name.
 * @throws {CausewayError} `ambiguous` with the candidates, `not_found`
 */
export async function findUser(users: Users, text: string, signal?: AbortSignal): Promise<UserSummary> {
  return chooseAmong(await searchUsers(users, text, signal), text.trim());
}

/**
 * All users that a text may mean, by the first look-up that finds any, up to a limit.
 * @throws {CausewayError} `not_found`
 */
export async function searchUsers(users: Users, text: string, signal?: AbortSignal): Promise<UserSummary[]> {
  const wanted = text.trim();
  if (/^\d+$/.test(wanted)) return [userSummary(await byId(users, wanted, signal))];
  for (const lookUp of wanted === '' ? [] : LOOK_UPS) {
    const found = await candidates(users, lookUp(filterText(wanted)), signal);
    if (found.length > 0) return found.map(userSummary);
  }
  throw noSuchUser(wanted);
}

/** A SCIM user as a summary. */
export function userSummary({ id, userName, displayName }: ScimUser): UserSummary {
  return { id, userName, displayName: displayName || userName };
}

/** One of several only if its user name, the part of it before the @, or its display name is exactly what was asked for. */
function chooseAmong(users: UserSummary[], text: string): UserSummary {
  const [only, ...others] = users;
  if (only && others.length === 0) return only;
  const wanted = text.toLowerCase();
  const isExact = ({ userName, displayName }: UserSummary) =>
    userName.toLowerCase() === wanted ||
    userName.toLowerCase().startsWith(`${wanted}@`) ||
    displayName.toLowerCase() === wanted;
  const [exact, ...more] = users.filter(isExact);
  if (exact && more.length === 0) return exact;
  const named = users.map(({ id, userName, displayName }) => ({ id, name: `${displayName} ${userName}` }));
  throw ambiguous(text, named, 'users');
}

async function byId(users: Users, id: string, signal?: AbortSignal): Promise<ScimUser> {
  try {
    return await users.get(id, signal);
  } catch (error) {
    throw error instanceof CausewayError && error.code === 'not_found' ? noSuchUser(id) : error;
  }
}

async function candidates(users: Users, which: UserListOptions, signal?: AbortSignal): Promise<ScimUser[]> {
  const found: ScimUser[] = [];
  try {
    for await (const user of users.list(which, signal)) {
      found.push(user);
      if (found.length >= MAX_CANDIDATES) break;
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

function noSuchUser(text: string): CausewayError {
  return new CausewayError('not_found', `No user matches "${text}".`, {
    remedy: 'Use a user name, an email address, part of a name, or the numeric user ID.',
  });
}
