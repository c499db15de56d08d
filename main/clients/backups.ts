import { createHash } from 'node:crypto';
import { mkdir, readdir, rm, stat } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { z } from 'zod';
import { readBounded } from '../platform/bounded-file.ts';
import { CausewayError } from '../platform/errors.ts';
import { codeOf, fileError } from '../platform/file-errors.ts';
import { jsonIn } from '../platform/json.ts';
import { stateFolder } from '../platform/paths.ts';
import { makeFolder, writeWholeFile } from '../platform/replace-file.ts';
import { didYouMean, similarNames } from '../platform/similar-names.ts';
import { type FileRecord, fileSchema } from './record.ts';

const aboutSchema = z.object({
  file: z.string(),
  client: z.string(),
  /** When the backup was made, in milliseconds since 1970. */
  at: z.number(),
  /** The file did not exist. */
  missing: z.boolean(),
  /** Which of its entries were ours. */
  record: fileSchema.optional(),
});

/** The file that describes a backup. */
const ABOUT = 'about.json';
const OWNER_ONLY = 0o700;
/** The age, in milliseconds, from which a folder without a description counts as left by a killed process. */
const UNFINISHED_MS = 60_000;

/** A file as it was before Causeway changed it. */
export type Backup = Omit<z.infer<typeof aboutSchema>, 'record'> & { id: string };

/** A backup to be made of a file as it is before it is changed. */
export interface BackupOptions {
  env: NodeJS.ProcessEnv;
  /** When it is made, in milliseconds since 1970. */
  at: number;
  known: FileRecord | undefined;
}

/** The folder of the backups. Each has its own folder, readable by the owner only: clients' files can hold other programs' secrets. */
function backupFolder(env: NodeJS.ProcessEnv): string {
  return join(stateFolder(env), 'client-backups');
}

/** Stores a file's bytes; `undefined` means that the file did not exist. @throws {CausewayError} `file_not_writable` */
export async function keepBackup(
  file: string,
  client: string,
  bytes: Buffer | undefined,
  { env, at, known: record }: BackupOptions,
): Promise<Backup> {
  const time = new Date(at)
    .toISOString()
    .replaceAll(/[-:]/g, '')
    .replace('T', '-')
    .replace(/\.(\d+)Z$/, '$1');
  await makeFolder(backupFolder(env), OWNER_ONLY);
  await removeUnfinished(env);
  const id = await makeOwn(env, `${time}-${createHash('sha256').update(file).digest('hex').slice(0, 6)}`);
  const folder = join(backupFolder(env), id);
  const about = { file, client, at, missing: bytes === undefined };
  try {
    if (bytes) await writeWholeFile(join(folder, basename(file)), bytes);
    // Last, because a folder without a description is not a backup.
    await writeWholeFile(join(folder, ABOUT), `${JSON.stringify({ ...about, record }, null, 2)}\n`);
  } catch (error) {
    await rm(folder, { recursive: true, force: true }).catch(() => undefined);
    throw error;
  }
  return { ...about, id };
}

/** Makes a new folder and returns its name, with a number appended if a clock that was set back repeats a name. */
async function makeOwn(env: NodeJS.ProcessEnv, name: string): Promise<string> {
  for (let number = 1; ; number += 1) {
    const id = number === 1 ? name : `${name}-${number}`;
    const folder = join(backupFolder(env), id);
    try {
      await mkdir(folder, { mode: OWNER_ONLY });
      return id;
    } catch (error) {
      if (codeOf(error) !== 'EEXIST') throw fileError(folder, error);
    }
  }
}

/** Removes what killed processes left: unreferenced copies of files that contain secrets. */
async function removeUnfinished(env: NodeJS.ProcessEnv): Promise<void> {
  const ids = await readdir(backupFolder(env)).catch(() => []);
  for (const folder of ids.map((id) => join(backupFolder(env), id))) {
    const isDescribed = await stat(join(folder, ABOUT)).then(
      () => true,
      (error: unknown) => codeOf(error) !== 'ENOENT',
    );
    if (isDescribed) continue;
    const idleMs = Date.now() - (await stat(folder).catch(() => ({ mtimeMs: Date.now() }))).mtimeMs;
    if (idleMs > UNFINISHED_MS) await rm(folder, { recursive: true, force: true }).catch(() => undefined);
  }
}

/** All backups, the newest first, without damaged ones. */
export async function listBackups(env: NodeJS.ProcessEnv): Promise<Backup[]> {
  return (await allBackups(env)).map(({ record: _, ...backup }) => backup);
}

async function allBackups(env: NodeJS.ProcessEnv) {
  const ids = await readdir(backupFolder(env)).catch(() => []);
  const found = await Promise.all(
    ids.map(async (id) => {
      const bytes = await readBounded(join(backupFolder(env), id, ABOUT), 'own').catch(() => undefined);
      const about = aboutSchema.safeParse(jsonIn(bytes?.toString('utf8') ?? '{}'));
      return about.success ? [{ ...about.data, id }] : [];
    }),
  );
  return found.flat().sort((a, b) => b.at - a.at || b.id.localeCompare(a.id));
}

/** A backup, and which entries were ours then. @throws {CausewayError} `not_found` */
export async function readBackup(
  env: NodeJS.ProcessEnv,
  id: string,
): Promise<{ backup: Backup; record: FileRecord | undefined }> {
  const all = await allBackups(env);
  const found = all.find((one) => one.id === id);
  if (!found) {
    throw new CausewayError('not_found', `There is no backup "${id}".`, {
      remedy: didYouMean(
        similarNames(
          id,
          all.map((one) => one.id),
        ),
      ),
      action: { do: 'list-backups' },
    });
  }
  const { record, ...backup } = found;
  return { backup, record };
}

/** A backup's bytes; undefined if there was no file. @throws {CausewayError} `invalid_file`, and what the system says */
export async function backedUpBytes(
  env: NodeJS.ProcessEnv,
  { id, file, missing }: Backup,
): Promise<Buffer | undefined> {
  return missing ? undefined : readBounded(join(backupFolder(env), id, basename(file)), 'client');
}
