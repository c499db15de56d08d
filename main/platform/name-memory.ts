import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import { stateFolder } from './paths.ts';

/** Something that a person may call by its name. The id is left out where the name is one. */
const nameSchema = z.object({ name: z.string(), id: z.string().optional() });
export type KnownName = z.infer<typeof nameSchema>;

const listSchema = z.array(nameSchema).catch([]);
const memorySchema = z.object({
  version: z.literal(1),
  profiles: z.record(z.string(), z.object({ warehouses: listSchema, users: listSchema })),
});
type Memory = z.infer<typeof memorySchema>;

/** What is remembered of a profile's workspace. */
export type RememberedNames = Memory['profiles'][string];

/** More names than anybody completes; the newest are kept. */
const MOST = 2_000;
const OWNER_ONLY = 0o600;
const NONE: RememberedNames = { warehouses: [], users: [] };

const fileOf = (env: NodeJS.ProcessEnv): string => join(stateFolder(env), 'names.json');

/** The names that a profile's workspace had when they were last listed; none where they never were. Asks nobody. */
export async function rememberedNames(env: NodeJS.ProcessEnv, profile: string): Promise<RememberedNames> {
  return (await read(env)).memory.profiles[profile] ?? NONE;
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
    const before = memory.profiles[profile] ?? NONE;
    const known = new Map((isAll ? names : [...names, ...before[kind]]).map((each) => [each.id ?? each.name, each]));
    const after = { ...before, [kind]: [...known.values()].slice(0, MOST) };
    const text = `${JSON.stringify({ version: 1, profiles: { ...memory.profiles, [profile]: after } } satisfies Memory)}\n`;
    if (bytes?.toString('utf8') === text) return;
    const { replaceFile } = await import('./replace-file.ts');
    await replaceFile(fileOf(env), Buffer.from(text), bytes, OWNER_ONLY);
  } catch {
    // A full disk, or another command that remembers at the same time: names are completed from what was known before.
  }
}

async function read(env: NodeJS.ProcessEnv): Promise<{ memory: Memory; bytes: Buffer | undefined }> {
  const empty: Memory = { version: 1, profiles: {} };
  const bytes = await readFile(fileOf(env)).catch(() => undefined);
  if (!bytes) return { memory: empty, bytes };
  try {
    return { memory: memorySchema.safeParse(JSON.parse(bytes.toString('utf8'))).data ?? empty, bytes };
  } catch {
    // Damaged: the next list writes it anew.
    return { memory: empty, bytes };
  }
}
