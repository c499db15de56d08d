import { ownMember } from '../platform/own-member.ts';
import type { ClientFacts } from './client.ts';
import { differenceOf } from './difference.ts';
import type { UndoHint } from './editors/editor.ts';
import { excerptOf, type JsonOddities } from './editors/excerpt.ts';
import { editorOf, editTarget, hasNewerLayout, laidOut } from './editors.ts';
import { type Entry, isOurs } from './entry.ts';
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
  const { known, replace = false, project } = options;
  const editor = editorOf(client.format);
  const record: FileRecord = {
    ...known,
    client: client.id,
    path: file,
    ...(project === undefined ? {} : { project }),
    entries: { ...known?.entries },
    initial: { ...known?.initial },
    ...(known?.meta ? { meta: { ...known.meta } } : {}),
  };
  delete record.previous;
  const excerpt = excerptOf(client, before ?? NOTHING, editTarget(client, file));
  let { text } = excerpt;
  const target = editTarget(laidOut(client, hasNewerLayout(client, file, excerpt)), file, excerpt);
  const older = target.key.length === client.key.length ? undefined : editTarget(client, file, excerpt);
  let undoHint: UndoHint | undefined = known?.remnant;
  const inUse: string[] = [];
  let replaces = false;
  if (before === undefined) record.created = true;
  for (const [name, entry] of wanted) {
    const written = writtenAs(known, name);
    // Otherwise, an entry from before the client moved its entries would take effect again when the newer one is removed.
    if (older && isOurs(editor.read(text, older).get(name), written))
      text = editor.remove(text, older, name, undefined);
    const entries = editor.read(text, target);
    const present = entries.get(name);
    const others = Object.keys(record.entries).some((other) => entries.has(other));
    const mine = present !== undefined && isOurs(present, written);
    const began = ownMember(record.initial, name);
    delete record.entries[name];
    delete record.initial?.[name];
    delete record.meta?.[name];
    if (!entry) {
      if (mine) text = editor.remove(text, target, name, undoHint);
      continue;
    }
    if (present !== undefined && !mine && !replace) {
      inUse.push(name);
      continue;
    }
    if (present !== undefined && !mine) {
      text = editor.remove(text, target, name, undefined);
      replaces = true;
    }
    const correction = mine ? correctionOf(client, entry, name, present, known) : entry;
    if (mine) checkStarts(client, file, name, present, correction);
    const edited = editor.put(text, target, name, correction);
    if (edited.undoHint && !others) undoHint = edited.undoHint;
    text = edited.text;
    record.entries[name] = entry.fixed;
    if (entry.meta) record.meta = { ...record.meta, [name]: entry.meta };
    if (record.initial) record.initial[name] = { ...(mine ? began : {}), ...entry.initial };
  }
  if (undoHint) record.remnant = undoHint;
  const { bytes: after, oddities } = excerpt.restore(text, new Set(wanted.keys()));
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
