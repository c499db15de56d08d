import { access } from 'node:fs/promises';
import { isCurrent } from './editors/editor.ts';
import { commandLineOf, type Entry, isOurs } from './entry.ts';
import type { FileRecord } from './record.ts';

/**
 * What has become of a server's entry in one file: never written; as it should be; gone though it was written; changed, or
 * written by another version; leading to an executable that is gone; or somebody else's of the same name.
 */
export type EntryState = 'absent' | 'current' | 'vanished' | 'edited' | 'broken' | 'foreign';

/** The states that `repair` puts right. */
export const REPAIRABLE: readonly EntryState[] = ['vanished', 'edited', 'broken'];

/** The state of one entry. Looks at nothing but whether the command in it exists. */
export async function stateOf(
  name: string,
  present: unknown,
  wanted: Entry,
  known: FileRecord | undefined,
): Promise<EntryState> {
  const written = known?.entries[name];
  if (present === undefined) return written ? 'vanished' : 'absent';
  if (!isOurs(present)) return written ? 'edited' : 'foreign';
  const [command] = commandLineOf(present);
  if (command !== undefined && !(await exists(command))) return 'broken';
  if (isCurrent(present, wanted)) return 'current';
  // An entry with an address of its own was chosen as such.
  return command === undefined && written && isCurrent(present, { fixed: written }) ? 'current' : 'edited';
}

async function exists(path: string): Promise<boolean> {
  return access(path).then(
    () => true,
    () => false,
  );
}
