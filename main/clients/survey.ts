import { inOneLine } from '../platform/errors.ts';
import { readBytes } from '../platform/replace-file.ts';
import { decode } from './change.ts';
import type { ClientFacts } from './client.ts';
import { detect, type LocatedFile, locate } from './detect.ts';
import { editorOf } from './editors.ts';
import { type Entry, isOurs } from './entry.ts';
import { layoutIn, targetOf } from './layout.ts';
import type { Surroundings } from './places.ts';
import type { FileRecord } from './record.ts';
import type { ManagedServer } from './servers.ts';
import { type EntryState, stateOf } from './state.ts';

/** One file of a client, as it is. */
export interface FileReport {
  path: string;
  exists: boolean;
  /** Whether entries of ours were written to it before. */
  known: boolean;
  /** Each server's entry, by the server's name. */
  entries: Record<string, EntryState>;
  /** Entries of ours that lead to no server in the list. */
  leftOver: string[];
  problem?: string;
}

/** One client, as it is. */
export interface ClientReport {
  id: string;
  name: string;
  /** By what one can tell that it is installed; `null` where it is not. */
  because: string | null;
  files: FileReport[];
  problem?: string;
}

/** One file as it is read: its entries, and the client as this file has it. */
export interface ReadFile {
  client: ClientFacts;
  exists: boolean;
  entries: Map<string, unknown>;
}

/** Reads a client's entries. @throws {CausewayError} `invalid_file`, `file_not_writable` */
export async function readEntries(client: ClientFacts, { path }: LocatedFile): Promise<ReadFile> {
  const bytes = await readBytes(path);
  const text = decode(bytes, targetOf(client, path));
  const asItIs = layoutIn(client, path, text);
  const entries = editorOf(client.format).read(text, targetOf(asItIs, path));
  return { client: asItIs, exists: bytes !== undefined, entries };
}

/** What a survey needs to know. */
export interface SurveyOptions {
  surroundings: Surroundings;
  servers: readonly ManagedServer[];
  known(path: string): FileRecord | undefined;
  entry(client: ClientFacts, server: ManagedServer): Entry;
}

/** One client and the state of every server's entry in it. Only looks; what goes wrong is in the report. */
export async function report(client: ClientFacts, options: SurveyOptions): Promise<ClientReport> {
  const { id, name } = client;
  const found = await detect(client, options.surroundings);
  if (!found.installed) return { id, name, because: null, files: [] };
  const { because } = found;
  try {
    const located = await locate(client, options.surroundings);
    return { id, name, because, files: await Promise.all(located.map((file) => reportFile(client, file, options))) };
  } catch (error) {
    return { id, name, because, files: [], problem: inOneLine(error) };
  }
}

/** One file of a client and the state of every server's entry in it. */
export async function reportFile(client: ClientFacts, file: LocatedFile, options: SurveyOptions): Promise<FileReport> {
  const { servers, known, entry } = options;
  const record = known(file.path);
  const result: FileReport = { path: file.path, exists: true, known: record !== undefined, entries: {}, leftOver: [] };
  try {
    const read = await readEntries(client, file);
    result.exists = read.exists;
    for (const server of servers) {
      const present = read.entries.get(server.name);
      const state = await stateOf(server.name, present, entry(read.client, server), record);
      result.entries[server.name] = state;
    }
    const names = servers.map(({ name }) => name);
    const ours = [...read.entries].filter(([name, present]) => isOurs(present) && !names.includes(name));
    result.leftOver = ours.map(([name]) => name);
    return result;
  } catch (error) {
    return { ...result, problem: inOneLine(error) };
  }
}
