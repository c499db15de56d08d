import { ownMember } from '../platform/own-member.ts';
import type { ClientFacts } from './client.ts';
import { differenceOf } from './difference.ts';
import type { EditTarget, EntryEditor } from './editors/editor.ts';
import { excerptOf, type JsonOddities } from './editors/excerpt.ts';
import { editorOf, editTarget, hasNewerLayout, laidOut } from './editors.ts';
import { type DataTable, type Entry, isOurs } from './entry.ts';
import { type FileRecord, writtenAs } from './record.ts';
import { checkStarts, correctionOf } from './server-entry.ts';

/** The wanted state of one file's entries by name. An undefined entry is to be removed. */
export type Wanted = Map<string, Entry | undefined>;

/** A change of a file, and what to remember about it. */
export interface Plan {
  /** What is written, and where it differs. Left out if the file stays as it is. */
  change?: { isEmpty: boolean; diff: string };
  record: FileRecord;
  /** Names of entries that are not ours and were left alone. */
  inUse: string[];
  /** Whether an entry that is not ours is replaced. */
  replaces: boolean;
  /** What the user should know about the text, as sentences. */
  warnings: string[];
}

/** A plan with the bytes that it makes of the file's. */
interface PlanWithBytes extends Plan {
  after: Buffer;
}

/** The content of a file that is not there. */
export const NOTHING = Buffer.alloc(0);

export interface PlanOptions {
  known: FileRecord | undefined;
  /** Replaces an entry of the same name that is not ours. */
  replace?: boolean | undefined;
  /** The folder of the project whose file it is. */
  project?: string | undefined;
}

/**
 * Plans the new content of a file. The text and the record together decide who owns an entry. Writes nothing.
 * @param before what the file holds
 * @throws {CausewayError} `invalid_file`, `conflict`
 */
export function plan(
  client: ClientFacts,
  file: string,
  before: Buffer | undefined,
  wanted: Wanted,
  options: PlanOptions,
): PlanWithBytes {
  const editor = editorOf(client.format);
  const excerpt = excerptOf(client, before ?? NOTHING, editTarget(client, file));
  const target = editTarget(laidOut(client, hasNewerLayout(client, file, excerpt)), file, excerpt);
  const draft: Draft = {
    client,
    editor,
    target,
    older: target.key.length === client.key.length ? undefined : editTarget(client, file, excerpt),
    text: excerpt.text,
    record: recordBefore(client, file, before === undefined, options),
    inUse: [],
    replaces: false,
  };
  for (const [name, entry] of wanted) planEntry(draft, name, entry, options);
  const { record, inUse, replaces } = draft;
  const { bytes: after, oddities } = excerpt.restore(draft.text, new Set(wanted.keys()));
  const isSame = (before ?? NOTHING).equals(after);
  return {
    after,
    record,
    inUse,
    replaces,
    warnings: describeOddities(oddities, client),
    ...(isSame ? {} : { change: { isEmpty: after.length === 0, diff: differenceOf(file, before ?? NOTHING, after) } }),
  };
}

/** A file's text and what is remembered about it, while entries are planned one after the other. */
interface Draft extends Pick<Plan, 'record' | 'inUse' | 'replaces'> {
  client: ClientFacts;
  editor: EntryEditor;
  target: EditTarget;
  /** Where earlier versions of the client keep entries, if this file has the newer place. */
  older: EditTarget | undefined;
  text: string;
}

function recordBefore(client: ClientFacts, file: string, isNew: boolean, { known, project }: PlanOptions): FileRecord {
  const before: Partial<FileRecord> = { ...known };
  delete before.previous;
  return {
    ...before,
    client: client.id,
    path: file,
    ...(project === undefined ? {} : { project }),
    entries: { ...before.entries },
    initial: { ...known?.initial },
    ...(known?.meta ? { meta: { ...known.meta } } : {}),
    ...(isNew ? { created: true } : {}),
  };
}

function planEntry(
  draft: Draft,
  name: string,
  entry: Entry | undefined,
  { known, replace = false }: PlanOptions,
): void {
  const { editor, target, record } = draft;
  const written = writtenAs(known, name);
  removeOlder(draft, name, written);
  const entries = editor.read(draft.text, target);
  const present = entries.get(name);
  const others = Object.keys(record.entries).some((other) => entries.has(other));
  const mine = present !== undefined && isOurs(present, written);
  const began = mine ? ownMember(record.initial, name) : undefined;
  delete record.entries[name];
  delete record.initial?.[name];
  delete record.meta?.[name];
  if (!entry) {
    if (mine) draft.text = editor.remove(draft.text, target, name, record.remnant);
    return;
  }
  const isForeign = present !== undefined && !mine;
  if (isForeign && !replace) {
    draft.inUse.push(name);
    return;
  }
  if (isForeign) {
    draft.text = editor.remove(draft.text, target, name, undefined);
    draft.replaces = true;
  }
  const correction = mine ? corrected(draft, name, entry, present, known) : entry;
  const edited = editor.put(draft.text, target, name, correction);
  draft.text = edited.text;
  if (edited.undoHint && !others) record.remnant = edited.undoHint;
  record.entries[name] = entry.fixed;
  if (entry.meta) record.meta = { ...record.meta, [name]: entry.meta };
  if (record.initial) record.initial[name] = { ...began, ...entry.initial };
}

/** Otherwise, an entry from before the client moved its entries would take effect again when the newer one is removed. */
function removeOlder(draft: Draft, name: string, written: readonly DataTable[]): void {
  const { editor, older, text } = draft;
  if (older && isOurs(editor.read(text, older).get(name), written))
    draft.text = editor.remove(text, older, name, undefined);
}

function corrected(
  { client, target }: Draft,
  name: string,
  entry: Entry,
  present: unknown,
  known: FileRecord | undefined,
): Entry {
  const correction = correctionOf(client, entry, name, present, known);
  checkStarts(client, target.file, name, present, correction);
  return correction;
}

/** What a JSON text contains that the client's own parser refuses, as sentences. It is not changed. */
function describeOddities(oddities: JsonOddities | undefined, { accepts, name }: ClientFacts): string[] {
  if (!accepts || !oddities) return [];
  const found: [boolean, boolean, string][] = [
    [oddities.byteOrderMark, accepts.byteOrderMark, 'a byte order mark'],
    [oddities.comments, accepts.comments, 'comments'],
    [oddities.trailingCommas, accepts.trailingCommas, 'a comma after the last item'],
  ];
  return found.flatMap(([present, accepted, what]) =>
    present && !accepted ? [`The file has ${what}. ${name} does not accept that and may ignore the whole file.`] : [],
  );
}
