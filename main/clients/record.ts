import { join } from 'node:path';
import { z } from 'zod';
import { stateFolder } from '../platform/paths.ts';
import { openSettings, type Settings } from '../platform/settings.ts';

const fileSchema = z.object({
  client: z.string(),
  /** There was no file before our first entry. */
  created: z.boolean().optional(),
  remnant: z.object({ depth: z.number(), text: z.string().optional() }).optional(),
  /** Our entries' own fields, by name, as they were last written. */
  entries: z.record(z.string(), z.record(z.string(), z.unknown())),
});

const recordSchema = z.object({ files: z.record(z.string(), fileSchema) });

/** What was written to one file, and what stood there before. */
export type FileRecord = z.infer<typeof fileSchema>;

/** What was written to which file: without it nobody could tell that an entry vanished, or put back what made room for it. */
export type WrittenRecord = z.infer<typeof recordSchema>;

/** Opens the record of what was written. */
export function openRecord(env: NodeJS.ProcessEnv): Promise<Settings<WrittenRecord>> {
  const folder = stateFolder(env);
  return openSettings({
    folder,
    name: 'client-files',
    schema: recordSchema,
    empty: { files: {} },
    lockFolder: join(folder, 'locks', 'client-files'),
  });
}
