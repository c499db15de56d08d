import { join } from 'node:path';
import { currentVersion, readBytes } from '../../platform/bounded-file.ts';
import { CausewayError } from '../../platform/errors.ts';
import { configFolder, stateFolder } from '../../platform/paths.ts';
import { ABSENT, VersionedValue } from '../../platform/versioned-value.ts';
import { defaultValue, lockedValue, managedError, type Policy } from './policy.ts';
import { currentPolicy } from './system-policy.ts';
import { type RequestTags, tagFault, tagsIn } from './tag-text.ts';

const NAME = 'request-tags';
const NONE: RequestTags = {};

/** Where the tags of a request come from, each before those after it. */
export interface TagSources {
  policy: Policy;
  /** What the client's process has in its environment (`AI_GATEWAY_REQUEST_TAGS`). */
  environment: RequestTags;
  /** What the user has set. */
  user: RequestTags;
  /** What Causeway knows itself. */
  own: RequestTags;
}

/** The tags of a request. A tag whose value is empty is left out. */
export function mergedTags({ policy, environment, user, own }: TagSources): RequestTags {
  const suggested = defaultValue(policy, 'requestTags');
  const locked = lockedValue(policy, 'requestTags');
  const merged = Object.entries({ ...own, ...suggested, ...user, ...environment, ...locked });
  return Object.fromEntries(merged.filter(([, value]) => value !== ''));
}

/** The user's tags, checked before each request. What cannot be read counts as none: `causeway settings tags` says why. */
export function watchedTags(env: NodeJS.ProcessEnv): VersionedValue<RequestTags> {
  const path = tagsFile(env);
  return new VersionedValue<RequestTags>({
    version: () => versionOf(path),
    absent: NONE,
    read: async () => {
      const bytes = await readBytes(path, 'own').catch(() => undefined);
      const tags = (bytes && tagsIn(bytes.toString('utf8'))) ?? NONE;
      return { value: tagFault(tags) === undefined ? tags : NONE, isFinal: bytes !== undefined };
    },
  });
}

function versionOf(path: string): string {
  try {
    return currentVersion(path) ?? ABSENT;
  } catch {
    return 'unreadable';
  }
}

/** The file of the user's tags. */
export function tagsFile(env: NodeJS.ProcessEnv): string {
  return join(configFolder(env), `${NAME}.json`);
}

/** The user's tags, for a command. @throws {CausewayError} `invalid_file`, `file_not_writable` */
export async function readUserTags(env: NodeJS.ProcessEnv): Promise<RequestTags> {
  return (await openTags(env)).initial;
}

/**
 * Sets and removes tags of the user.
 * @throws {CausewayError} `usage` for what cannot be sent, `managed` for what the organization has locked, `invalid_file`, `file_not_writable`
 */
export async function changeUserTags(
  env: NodeJS.ProcessEnv,
  { set = NONE, clear = [] }: { set?: RequestTags; clear?: readonly string[] },
): Promise<void> {
  const policy = await currentPolicy();
  const locked = lockedValue(policy, 'requestTags') ?? NONE;
  for (const name of [...Object.keys(set), ...clear]) {
    if (Object.hasOwn(locked, name)) throw managedError(policy, 'requestTags', `the tag "${name}" cannot be changed`);
  }
  const file = await openTags(env);
  await file.change((now) => {
    const tags = { ...Object.fromEntries(Object.entries(now).filter(([name]) => !clear.includes(name))), ...set };
    const fault = tagFault(tags);
    if (fault !== undefined) throw new CausewayError('usage', fault, { remedy: 'Nothing was changed.' });
    return tags;
  });
}

async function openTags(env: NodeJS.ProcessEnv) {
  const [{ openSettings }, { z }] = await Promise.all([import('../../platform/settings.ts'), import('zod')]);
  return openSettings<Record<string, string>>({
    folder: configFolder(env),
    name: NAME,
    schema: z.record(z.string(), z.string()),
    empty: {},
    lockFolder: join(stateFolder(env), 'locks', NAME),
    damaged: 'refuse',
  });
}
