import { join } from 'node:path';
import { z } from 'zod';
import type { Profile } from '../auth/auth.ts';
import { stateFolder } from '../platform/paths.ts';
import { openSettings, type SettingsFile } from '../platform/settings.ts';
import { WorkspaceError } from '../workspace/errors.ts';
import type { OverrideFields, OverrideRecord } from '../workspace/overrides.ts';
import type { OverrideOperations } from './override-operations.ts';

/** How many changes are remembered: the application has seen the older ones, or never will. */
const MAX_CHANGES = 100;
/** Of how many users, the ones that were seen last. */
const MAX_USERS = 100;

const workspaceUser = z.object({
  host: z.string(),
  /** A numeric user id. */
  user: z.string(),
});

const commandChange = z.object({
  /** When it was made, in milliseconds since 1970. */
  at: z.number(),
  host: z.string(),
  /** As whom it was made. */
  profile: z.string(),
  /** Whose override it was: a numeric user id, or `me` for the profile's own user. */
  user: z.string().default('me'),
  /** What the override became; null for none. */
  to: z.object({ type: z.string(), warehouseId: z.string().nullable() }).nullable(),
});
const schema = z.object({
  changes: z.array(commandChange),
  /** The users whose overrides the application follows. */
  followed: z.array(workspaceUser).default([]),
});
type Stored = z.output<typeof schema>;

/** A user of a workspace, by the numeric id. */
export type WorkspaceUser = z.output<typeof workspaceUser>;

/** A change of an override that the `causeway` command made on this computer. */
export type CommandChange = z.output<typeof commandChange>;

/**
 * The changes that the command has recorded, newest first, so that the application, which sees only what the workspace
 * holds, can distinguish them from changes made elsewhere. A change under a user id instead of `me` is recorded only for
 * users whom the application follows.
 */
export async function commandChanges(env: NodeJS.ProcessEnv): Promise<readonly CommandChange[]> {
  return (await open(env)).read().changes;
}

/** From now on the command also records changes of this user's override under the user's id. */
export async function follow(env: NodeJS.ProcessEnv, user: WorkspaceUser): Promise<void> {
  const file = await open(env);
  if (file.read().followed.some((each) => isSameUser(each, user))) return;
  await file.change(({ changes, followed }) => ({
    changes,
    followed: [...followed.filter((each) => !isSameUser(each, user)), user].slice(-MAX_USERS),
  }));
}

/**
 * The same operations, which also record changes of the user's own override and of those that the application follows (an
 * import may change thousands that it does not show). The entry is written before the change, because the application may
 * read it at any moment, and is removed if nothing was changed. A change is made even if it cannot be recorded.
 */
export function recordingCommandChanges(
  operations: OverrideOperations,
  { host, name }: Pick<Profile, 'host' | 'name'>,
  env: NodeJS.ProcessEnv,
  now: () => number = Date.now,
): OverrideOperations {
  let followed: Promise<readonly WorkspaceUser[]> | undefined;
  const concerns = async (id: string): Promise<boolean> => {
    if (id === 'me') return true;
    followed ??= open(env).then(
      (file) => file.read().followed,
      () => [],
    );
    return (await followed).some((each) => isSameUser(each, { host, user: id }));
  };
  const recorded = async <T extends OverrideRecord | undefined>(
    id: string,
    to: CommandChange['to'],
    change: () => Promise<T>,
  ): Promise<T> => {
    if (!(await concerns(id))) return change();
    const entry: CommandChange = { at: now(), host, profile: name, user: id, to };
    await add(env, entry);
    try {
      const record = await change();
      // A change of one field leaves the other as it was.
      if (record) await add(env, { ...entry, to: fieldsIn(record) }, entry);
      return record;
    } catch (error) {
      if (!(error instanceof WorkspaceError) || !error.mayHaveRun) await remove(env, entry);
      throw error;
    }
  };
  return {
    ...operations,
    create: (id, fields, signal) => recorded(id, fieldsIn(fields), () => operations.create(id, fields, signal)),
    update: (id, fields, options, signal) =>
      recorded(id, fieldsIn(fields), () => operations.update(id, fields, options, signal)),
    delete: async (id, signal) => {
      await recorded(id, null, async () => {
        await operations.delete(id, signal);
        return undefined;
      });
    },
  };
}

function fieldsIn({ type, warehouse_id }: OverrideFields): NonNullable<CommandChange['to']> {
  return { type, warehouseId: warehouse_id ?? null };
}

async function add(env: NodeJS.ProcessEnv, entry: CommandChange, instead?: CommandChange): Promise<void> {
  await edit(env, (changes) => [entry, ...changes.filter((each) => !isSame(each, instead))].slice(0, MAX_CHANGES));
}

async function remove(env: NodeJS.ProcessEnv, entry: CommandChange): Promise<void> {
  await edit(env, (changes) => changes.filter((each) => !isSame(each, entry)));
}

async function edit(
  env: NodeJS.ProcessEnv,
  change: (changes: readonly CommandChange[]) => CommandChange[],
): Promise<void> {
  try {
    await (await open(env)).change((now) => ({ ...now, changes: change(now.changes) }));
  } catch {
    // Then the history says "elsewhere": no reason not to change the override.
  }
}

function isSame(a: CommandChange, b: CommandChange | undefined): boolean {
  return a.at === b?.at && a.profile === b.profile && isSameUser(a, b);
}

function isSameUser(a: WorkspaceUser, b: WorkspaceUser): boolean {
  return a.host === b.host && a.user === b.user;
}

function open(env: NodeJS.ProcessEnv): Promise<SettingsFile<Stored>> {
  const folder = stateFolder(env);
  const lockFolder = join(folder, 'locks', 'command-changes');
  return openSettings<Stored>({
    folder,
    name: 'command-changes',
    schema,
    empty: { changes: [], followed: [] },
    lockFolder,
    damaged: 'set-aside',
    isFromOutside: true,
  });
}
