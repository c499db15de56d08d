import { join } from 'node:path';
import { readBounded } from './bounded-file.ts';
import { jsonIn } from './json.ts';
import { ownMember } from './own-member.ts';
import { stateFolder } from './paths.ts';

/** A name that a user may type. The id is left out if the name is the id. */
export interface KnownName {
  name: string;
  id?: string | undefined;
}

/** The remembered names of a profile's workspace. */
export interface RememberedNames {
  warehouses: readonly KnownName[];
  users: readonly KnownName[];
}

interface Memory {
  version: 1;
  profiles: Record<string, RememberedNames>;
}

/** The maximum number of names; the newest are kept. */
const MAX_NAMES = 2_000;
const OWNER_ONLY = 0o600;
const NONE: RememberedNames = { warehouses: [], users: [] };

const fileOf = (env: NodeJS.ProcessEnv): string => join(stateFolder(env), 'names.json');

/** The names in a profile's workspace as last listed; none if they never were. Sends no request. */
export async function rememberedNames(env: NodeJS.ProcessEnv, profile: string): Promise<RememberedNames> {
  return ownMember((await read(env)).memory.profiles, profile) ?? NONE;
}

/**
 * Remembers names for shells to complete. `isAll` replaces what was remembered; else the names are added to it. Never
 * throws: nothing depends on it.
 */
export async function rememberNames(
  env: NodeJS.ProcessEnv,
  profile: string,
  kind: keyof RememberedNames,
  names: readonly KnownName[],
  isAll: boolean,
): Promise<void> {
  try {
    const { memory, bytes } = await read(env);
    const before = ownMember(memory.profiles, profile) ?? NONE;
    const known = new Map((isAll ? names : [...names, ...before[kind]]).map((each) => [each.id ?? each.name, each]));
    const after = { ...before, [kind]: [...known.values()].slice(0, MAX_NAMES) };
    const text = `${JSON.stringify({ version: 1, profiles: { ...memory.profiles, [profile]: after } } satisfies Memory)}\n`;
    if (bytes?.toString('utf8') === text) return;
    const { replaceOutside } = await import('./outside-file.ts');
    await replaceOutside(fileOf(env), text, bytes, OWNER_ONLY);
  } catch {
    // A full disk, or another command that remembers at the same time: names are completed from what was known before.
  }
}

async function read(env: NodeJS.ProcessEnv): Promise<{ memory: Memory; bytes: Buffer | undefined }> {
  const bytes = await readBounded(fileOf(env), 'own').catch(() => undefined);
  return { memory: memoryIn(jsonIn(String(bytes))), bytes };
}

/** Read by hand: a completion that loaded the schema library would take a quarter longer. What does not fit is left out. */
function memoryIn(stored: unknown): Memory {
  const { version, profiles } = objectIn(stored);
  const known = version === 1 ? Object.entries(objectIn(profiles)) : [];
  const entries = known.map(([profile, names]): [string, RememberedNames] => {
    const { warehouses, users } = objectIn(names);
    return [profile, { warehouses: namesIn(warehouses, 'id'), users: namesIn(users, 'id') }];
  });
  return { version: 1, profiles: Object.fromEntries(entries) };
}

/** The names in a list of objects, each with the value of one of their members. */
export function namesIn(list: unknown, member: string): KnownName[] {
  if (!Array.isArray(list)) return [];
  return list.flatMap((each: unknown) => {
    const { name, [member]: id } = objectIn(each);
    if (typeof name !== 'string') return [];
    return typeof id === 'string' ? [{ name, id }] : [{ name }];
  });
}

function objectIn(value: unknown): Record<string, unknown> {
  return typeof value === 'object' && value !== null ? Object.fromEntries(Object.entries(value)) : {};
}
