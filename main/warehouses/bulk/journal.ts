import { z } from 'zod';
import { CausewayError } from '../../platform/errors.ts';
import {
  difference,
  type Holdings,
  type OverrideState,
  overrideLabel,
  type PlannedChange,
  type PlannedLine,
  sameState,
} from './plan.ts';
import { warehouseProblem } from './rows.ts';

const State = z.object({ type: z.string(), warehouse_id: z.string().optional() }).nullable();

const Change = z.object({
  is: z.literal('change'),
  /** Counted from 1 through all runs of the journal. */
  n: z.number(),
  line: z.number(),
  userId: z.string(),
  userName: z.string(),
  before: State,
  after: State,
});

/** One line of a journal. */
const Entry = z.discriminatedUnion('is', [
  z.object({
    is: z.literal('journal'),
    version: z.literal(1),
    id: z.string(),
    kind: z.enum(['import', 'assignment', 'selection', 'undo']),
    /** The workspace's address. */
    host: z.string(),
    /** The file's name, or what else the changes come from; the other journal's id if this one undoes it. */
    source: z.string(),
    /** Of the file, in hexadecimal; null if there is none. */
    sha256: z.string().nullable(),
  }),
  /** An import that is run again after it was stopped continues its journal. */
  z.object({
    is: z.literal('run'),
    at: z.string(),
    admin: z.object({ id: z.string(), userName: z.string() }),
    profile: z.string(),
    changes: z.number(),
  }),
  Change,
  /** These changes may be made from here on. */
  z.object({ is: z.literal('begun'), from: z.number(), to: z.number() }),
  z.object({ is: z.literal('done'), n: z.number(), at: z.string() }),
  /** `left` changes of the run were not made. */
  z.object({ is: z.literal('ended'), at: z.string(), left: z.number() }),
]);

export type JournalEntry = z.infer<typeof Entry>;
export type JournalHead = Omit<Extract<JournalEntry, { is: 'journal' }>, 'is' | 'version'>;
export type JournalRun = Omit<Extract<JournalEntry, { is: 'run' }>, 'is'>;

/** One change, and whether it was made: `maybe` if the process ended between its request and its mark. */
type JournalChange = Omit<z.infer<typeof Change>, 'is'> & { made: 'yes' | 'maybe' | 'no' };

/** What a journal says. */
export interface Journal extends JournalHead {
  runs: JournalRun[];
  changes: JournalChange[];
  /** Whether all changes of the last run were made. */
  isComplete: boolean;
}

/** An entry as a line. */
export function journalLine(entry: JournalEntry): string {
  return `${JSON.stringify(entry)}\n`;
}

/** The beginning of a journal, or what another run adds: all of it is on disk before the first change. */
export function runLines(run: JournalRun, changes: readonly PlannedChange[], first: number): string {
  const lines = changes.map((planned, at): JournalEntry => {
    const { line, userId, userName, was } = planned;
    const after = 'fields' in planned ? planned.fields : null;
    const state: OverrideState = after && { type: after.type, warehouse_id: after.warehouse_id };
    return { is: 'change', n: first + at, line, userId, userName, before: was, after: state };
  });
  return [journalLine({ is: 'run', ...run }), ...lines.map(journalLine)].join('');
}

/**
 * Reads a journal. A last line that a killed process has left unfinished says nothing.
 * @throws {CausewayError} `invalid_file` with the line
 */
export function readJournal(text: string, path: string): Journal {
  const lines = text.split('\n');
  const entries = lines.slice(0, -1).map((line, at) => parseEntry(line, at + 1, path));
  const [head, ...others] = entries;
  if (head?.is !== 'journal') throw notAJournal(path, 1);
  const { id, kind, host, source, sha256 } = head;
  const journal: Journal = { id, kind, host, source, sha256, runs: [], changes: [], isComplete: false };
  const byNumber = new Map<number, JournalChange>();
  for (const entry of others) addEntry(journal, byNumber, entry);
  return journal;
}

function addEntry(journal: Journal, byNumber: Map<number, JournalChange>, entry: JournalEntry): void {
  switch (entry.is) {
    case 'journal':
      return;
    case 'run': {
      const { at, admin, profile, changes } = entry;
      journal.runs.push({ at, admin, profile, changes });
      journal.isComplete = false;
      return;
    }
    case 'change': {
      const { is: _, ...change } = entry;
      const added: JournalChange = { ...change, made: 'no' };
      journal.changes.push(added);
      byNumber.set(change.n, added);
      return;
    }
    case 'begun':
      for (let n = entry.from; n <= entry.to; n += 1) mark(byNumber.get(n), 'maybe');
      return;
    case 'done':
      mark(byNumber.get(entry.n), 'yes');
      return;
    case 'ended':
      journal.isComplete = entry.left === 0;
  }
}

function mark(change: JournalChange | undefined, made: 'yes' | 'maybe'): void {
  if (change && change.made !== 'yes') change.made = made;
}

function parseEntry(line: string, number: number, path: string): JournalEntry {
  try {
    return Entry.parse(JSON.parse(line));
  } catch (cause) {
    throw notAJournal(path, number, cause);
  }
}

function notAJournal(path: string, line: number, cause?: unknown): CausewayError {
  return new CausewayError(
    'invalid_file',
    `${path} is not a journal of override changes: line ${line} is not one of its.`,
    {
      cause,
      remedy: 'Nothing was changed. `causeway warehouse journals` lists the journals.',
    },
  );
}

/**
 * What restores the state before a journal's changes: only where the state is still the one after them. Where somebody has
 * changed it since, the line is `invalid`, and the override stays as it is.
 */
export function planUndo({ changes }: Journal, { directory, present }: Holdings): PlannedLine[] {
  const byUser = new Map<string, JournalChange[]>();
  for (const change of changes) {
    if (change.made !== 'no') byUser.set(change.userId, [...(byUser.get(change.userId) ?? []), change]);
  }
  return [...byUser.values()].flatMap((ofUser): PlannedLine[] => {
    const [first] = ofUser;
    const last = ofUser.at(-1);
    if (!first || !last) return [];
    const { line, userId, userName } = last;
    const now = present.get(userId) ?? null;
    const target = stateBefore(ofUser, now);
    if (target !== undefined) return [{ line, userId, userName, ...restoring(now, target, directory) }];
    const held = overrideLabel(now, directory);
    const problem = `Changed since: the import left ${overrideLabel(last.after, directory)}, and now it is ${held}.`;
    return [{ line, userId, userName, action: 'invalid', problem }];
  });
}

/** What restores a state; `invalid` where its warehouse is gone meanwhile. */
function restoring(now: OverrideState, target: OverrideState, directory: Holdings['directory']) {
  const change = difference(now, target, directory);
  const id = 'fields' in change ? change.fields.warehouse_id : undefined;
  const problem = id === undefined ? undefined : warehouseProblem(id, directory);
  return problem === undefined ? change : ({ action: 'invalid', problem } as const);
}

/** The state before a user's changes, from the last to the first; undefined if another change came after them. */
function stateBefore(changes: readonly JournalChange[], now: OverrideState): OverrideState | undefined {
  let state = now;
  let isOurs = false;
  for (const { before, after } of changes.toReversed()) {
    if (!sameState(state, after)) continue;
    state = before;
    isOurs = true;
  }
  return isOurs || (changes[0] && sameState(now, changes[0].before)) ? state : undefined;
}
