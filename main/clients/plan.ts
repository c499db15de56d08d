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
    warnings: [],
  };
  if (endsOurs(draft.record, wanted)) removeOwnSetting(draft);
  for (const [name, entry] of wanted) {
    removeOlder(draft, name, writtenAs(options.known, name));
    if (entry) putEntry(draft, name, entry, options);
    else removeEntry(draft, name, options);
  }
  putOwnSetting(draft, options);
  const { record, inUse, replaces } = draft;
  const { bytes: after, oddities } = excerpt.restore(draft.text, new Set(wanted.keys()));
  const isSame = (before ?? NOTHING).equals(after);
  return {
    after,
    record,
    inUse,
    replaces,
    warnings: [...draft.warnings, ...describeOddities(oddities, client)],
    ...(isSame ? {} : { change: { isEmpty: after.length === 0, diff: differenceOf(file, before ?? NOTHING, after) } }),
  };
}

/** A file's text and what is remembered about it, while entries are planned one after the other. */
interface Draft extends Pick<Plan, 'record' | 'inUse' | 'replaces' | 'warnings'> {
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

/** Whether none of our entries is left afterwards. */
function endsOurs({ entries }: FileRecord, wanted: Wanted): boolean {
  const stays = (name: string) => !wanted.has(name) || wanted.get(name) !== undefined;
  return ![...Object.keys(entries), ...wanted.keys()].some(stays);
}

/** Writes the setting that the client needs for our entries, once: a user who has removed it since wanted that. */
function putOwnSetting(draft: Draft, { known }: PlanOptions): void {
  const { client, editor, target, record } = draft;
  const { setting } = client;
  if (!setting || known?.setting || Object.keys(record.entries).length === 0) return;
  const { key, value } = setting;
  const text = editor.putSetting?.(draft.text, target, { key, value });
  if (text === undefined || text === draft.text) return;
  draft.text = text;
  draft.warnings.push(setting.reason);
  record.setting = { key, value };
}

function removeOwnSetting(draft: Draft): void {
  const { editor, target, record } = draft;
  if (!record.setting) return;
  draft.text = editor.removeSetting?.(draft.text, target, record.setting) ?? draft.text;
  delete record.setting;
}

function removeEntry(draft: Draft, name: string, { known }: PlanOptions): void {
  const { editor, target, record, text } = draft;
  const isOwn = isOurs(editor.read(text, target).get(name), writtenAs(known, name));
  if (isOwn) draft.text = editor.remove(text, target, name, record.remnant);
  forget(record, name);
}

function putEntry(draft: Draft, name: string, entry: Entry, { known, replace = false }: PlanOptions): void {
  const { editor, target, record } = draft;
  const entries = editor.read(draft.text, target);
  const present = entries.get(name);
  const others = Object.keys(record.entries).some((other) => entries.has(other));
  const isOwn = isOurs(present, writtenAs(known, name));
  const began = isOwn ? ownMember(record.initial, name) : undefined;
  forget(record, name);
  if (present !== undefined && !isOwn) {
    if (!replace) {
      draft.inUse.push(name);
      return;
    }
    draft.text = editor.remove(draft.text, target, name, undefined);
    draft.replaces = true;
  }
  const correction = isOwn ? corrected(draft, name, entry, present, known) : entry;
  const edited = editor.put(draft.text, target, name, correction);
  draft.text = edited.text;
  if (edited.undoHint && !others) record.remnant = edited.undoHint;
  record.entries[name] = entry.fixed;
  record.initial = { ...record.initial, [name]: { ...began, ...entry.initial } };
  if (entry.meta) record.meta = { ...record.meta, [name]: entry.meta };
}

function forget(record: FileRecord, name: string): void {
  delete record.entries[name];
  delete record.initial?.[name];
  delete record.meta?.[name];
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
