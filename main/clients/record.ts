import { readlink, realpath } from 'node:fs/promises';
import { basename, dirname, join, resolve } from 'node:path';
import { z } from 'zod';
import { ownMember } from '../platform/own-member.ts';
import { stateFolder } from '../platform/paths.ts';
import { openSettings, type SettingsFile } from '../platform/settings.ts';
import type { ClientFacts } from './client.ts';
import { type DataTable, sameData } from './entry.ts';
import { metaSchema } from './servers.ts';

const entriesSchema = z.record(z.string(), z.record(z.string(), z.unknown()));

export const fileSchema = z.object({
  client: z.string(),
  /** The file, as it was named. */
  path: z.string().optional(),
  /** The folder of the project whose file it is. */
  project: z.string().optional(),
  /** Whether our first entry created the file. */
  created: z.boolean().optional(),
  remnant: z.object({ depth: z.number(), text: z.string().optional() }).optional(),
  /** Our entries' own fields, by name, as they were last written. */
  entries: entriesSchema,
  /** The other fields that our entries were first written with, by name. */
  initial: entriesSchema.optional(),
  /** What our entries carry in `_meta` beside what their servers carry in every client, by name. */
  meta: z.record(z.string(), metaSchema).optional(),
  /** The client's own setting that was written along with our entries. */
  setting: z.object({ key: z.string(), value: z.number() }).optional(),
  /** `entries` before the last write, as long as it is not certain that the write succeeded. */
  previous: entriesSchema.optional(),
});

const recordSchema = z.object({ files: z.record(z.string(), fileSchema) });

/** What was written to one file, and what it had before. */
export type FileRecord = z.infer<typeof fileSchema>;

/** What was written to which file. Without it, ownership of entries and the text that they replaced would be unknown. */
export type WrittenRecord = z.infer<typeof recordSchema>;

/** Opens the record of what was written. */
export function openRecord(env: NodeJS.ProcessEnv): Promise<SettingsFile<WrittenRecord>> {
  const folder = stateFolder(env);
  return openSettings({
    folder,
    name: 'client-files',
    schema: recordSchema,
    empty: { files: {} },
    damaged: 'set-aside',
    lockFolder: join(folder, 'locks', 'client-files'),
  });
}

/** What was written under a name, in each form that may still be in the file. */
export function writtenAs(known: FileRecord | undefined, name: string): DataTable[] {
  return [ownMember(known?.entries, name), ownMember(known?.previous, name)].filter((entry) => entry !== undefined);
}

/** One client's entries in one file, and the key under which they are remembered, regardless of links. */
interface RecordedFile {
  key: string;
  /** The key that earlier versions used. */
  olderKey: string;
}

/** The key under which a client's file is remembered. Changes nothing. */
export async function recordedFile(client: ClientFacts, path: string): Promise<RecordedFile> {
  return { key: `${await identityOf(path)}#${client.key.join('/')}`, olderKey: path };
}

/** What is known about a file. */
export function knownOf(
  record: WrittenRecord,
  { key, olderKey }: RecordedFile,
  { id }: ClientFacts,
): FileRecord | undefined {
  const older = record.files[olderKey];
  return record.files[key] ?? (older?.client === id ? older : undefined);
}

/** Updates what is known about a file, which is forgotten once it has no entries of ours. Returns the whole new record. */
export async function remember(
  record: SettingsFile<WrittenRecord>,
  { key, olderKey }: RecordedFile,
  known: FileRecord | undefined,
): Promise<WrittenRecord> {
  return record.change((now) => {
    const { [key]: present, [olderKey]: older, ...others } = now.files;
    const next = known && Object.keys(known.entries).length > 0 ? known : undefined;
    if (older === undefined && sameData(present, next)) return now;
    return { files: next ? { ...others, [key]: next } : others };
  });
}

/** The file that a path leads to through links, whether or not it exists. */
export async function identityOf(path: string, links = 0): Promise<string> {
  const found = await realpath(path).catch(() => undefined);
  if (found !== undefined) return found;
  const target = await readlink(path).catch(() => undefined);
  if (target !== undefined && links < 40) return identityOf(resolve(dirname(path), target), links + 1);
  const parent = dirname(path);
  return parent === path ? path : join(await identityOf(parent, links), basename(path));
}
