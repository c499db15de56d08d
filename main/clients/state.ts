import { isTable } from './data.ts';
import { isCurrent } from './editors/editor.ts';
import { commandLineOf, type Entry, isOurs, isRuntime } from './entry.ts';
import { type FileRecord, writtenAs } from './record.ts';

/**
 * What has become of a server's entry in one file: never written; as it was written; as it was written, and would be written
 * differently today; gone though it was written; changed since; leading to an executable that is not there; or somebody
 * else's of the same name.
 */
export type EntryState = 'absent' | 'current' | 'outdated' | 'vanished' | 'edited' | 'broken' | 'foreign';

/** The states in which something is wrong. */
export const SPOILT: readonly EntryState[] = ['vanished', 'edited', 'broken'];

/** What the state of one entry is told from. */
export interface EntryFacts {
  name: string;
  present: unknown;
  /** The entry as it would be written today, in the form in which it was chosen. */
  wanted: Entry;
  known: FileRecord | undefined;
  /** Whether there is such a program. */
  isProgram(command: string): Promise<boolean>;
}

/** The state of one entry. Looks at nothing but whether the command in it exists. */
export async function stateOf({ name, present, wanted, known, isProgram }: EntryFacts): Promise<EntryState> {
  const written = writtenAs(known, name);
  if (present === undefined) return written.length > 0 ? 'vanished' : 'absent';
  if (!isOurs(present, written)) return 'foreign';
  const [command] = commandLineOf(present);
  if (command !== undefined && !(await isProgram(command))) return 'broken';
  if (isCurrent(withRuntimeOf(wanted, present), wanted)) return 'current';
  const { obsolete = [] } = wanted;
  if (written.some((fixed) => isCurrent(present, { fixed, obsolete: obsolete.filter((key) => !(key in fixed)) })))
    return 'outdated';
  // Of what nobody remembers writing, nobody can say that it was changed.
  return written.length > 0 ? 'edited' : 'outdated';
}

/**
 * The entry as it would be with the Node that we start ourselves with: another one that is there starts the same script as
 * well, and which of them is written depends on who writes.
 */
function withRuntimeOf({ fixed }: Entry, present: unknown): unknown {
  const [runtime = ''] = commandLineOf(fixed);
  const [other = ''] = commandLineOf(present);
  if (runtime === other || !isRuntime(runtime) || !isRuntime(other) || !isTable(present)) return present;
  const replaced = Object.entries(present).map(([key, value]) => {
    if (key !== 'command' && key !== 'cmd') return [key, value];
    return [key, Array.isArray(value) ? [runtime, ...value.slice(1)] : runtime];
  });
  return Object.fromEntries(replaced);
}

/** Whether writing an entry anew changes it. */
export function isRepairable(state: EntryState, present: unknown, wanted: Entry): boolean {
  return state === 'outdated' || (SPOILT.includes(state) && !isCurrent(present, wanted));
}
