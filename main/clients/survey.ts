import { isAbsolute } from 'node:path';
import type { ClientFileInfo, EntryState } from '../../preload/contract/clients.ts';
import { inOneLine } from '../words/failure.ts';
import { allServersIn, type EntryTarget, ownMetaOf } from './all-servers.ts';
import type { ClientFacts } from './client.ts';
import { detect, type LocatedFile, locate } from './detect.ts';
import { isCurrent } from './editors/editor.ts';
import { laidOut } from './editors.ts';
import {
  commandLineOf,
  type Entry,
  isDataTable,
  isOurs,
  isRuntime,
  programsOf,
  withCommandLine,
  wrapperOf,
} from './entry.ts';
import type { ClientFiles } from './files.ts';
import type { Launcher } from './launcher.ts';
import { managedWarnings } from './managed.ts';
import type { HostEnvironment, Places } from './places.ts';
import { type FileRecord, recordedFile, type WrittenRecord, writtenAs } from './record.ts';
import type { Meta } from './server-arguments.ts';
import type { ManagedServer } from './servers.ts';

/** A client's id and name. */
export type ClientName = ClientFileInfo['sharedWith'][number];

/** The state of one file of a client. */
export interface FileReport extends Omit<ClientFileInfo, 'pins' | 'problem'> {
  /** What entries carry in `_meta` beside what their servers carry in every client, by the server's name. */
  meta: Record<string, Meta>;
  problem?: string;
}

/** The state of one client. */
export interface ClientReport {
  id: string;
  name: string;
  /** The evidence that it is installed; `null` if it is not. */
  foundBy: string | null;
  files: FileReport[];
  /** What its own administrator has decided against entries of any kind, as sentences. */
  managed?: string[];
  problem?: string;
}

/** A file that was read: its entries, and the client's layout in this file. */
export interface ReadFile {
  client: ClientFacts;
  exists: boolean;
  entries: Map<string, unknown>;
}

/** Reads a client's entries. @throws {CausewayError} `invalid_file`, `file_not_writable` */
export async function readFileOf(
  client: ClientFacts,
  { path, project }: LocatedFile,
  files: ClientFiles,
): Promise<ReadFile> {
  const { exists, entries, hasNewerLayout } = await files.read(client, {
    path,
    ...(project !== undefined && { project }),
  });
  return { client: laidOut(client, hasNewerLayout), exists, entries };
}

/** The options of a survey. */
export interface SurveyOptions {
  environment: HostEnvironment;
  files: ClientFiles;
  servers: readonly ManagedServer[];
  known(client: ClientFacts, path: string): Promise<FileRecord | undefined>;
  /** The client's files in known projects. */
  projects(client: ClientFacts): LocatedFile[];
  /** Other installed clients that read the same entries. */
  sharing(client: ClientFacts, path: string): Promise<ClientName[]>;
  /** The entry as it would be written today over the present one. */
  entry(
    client: ClientFacts,
    file: LocatedFile,
    server: EntryTarget,
    present: unknown,
    known: FileRecord | undefined,
  ): Entry;
  isProgram(command: string): Promise<boolean>;
}

/** One client and the state of every server's entry in it. Changes nothing. Errors are part of the report. */
export async function reportClient(client: ClientFacts, options: SurveyOptions): Promise<ClientReport> {
  const { id, name } = client;
  const found = await detect(client, options.environment);
  const projects = options.projects(client);
  const inProjects = await Promise.all(projects.map((file) => reportFile(client, file, options)));
  if (!found.installed) {
    const foundBy = projects.length === 0 ? null : 'a project has entries for it';
    return { id, name, foundBy, files: inProjects };
  }
  const { foundBy } = found;
  try {
    const located = await locate(client, options.environment);
    const files = await Promise.all(located.map((file) => reportFile(client, file, options)));
    const managed = await managedWarnings(
      client,
      options.environment,
      await entriesToBe(client, located[0], options),
      options.files,
    );
    return { id, name, foundBy, files: [...files, ...inProjects], ...(managed.length > 0 ? { managed } : {}) };
  } catch (error) {
    return { id, name, foundBy, files: inProjects, problem: inOneLine(error) };
  }
}

/** The entries as they would be written into a file today. */
async function entriesToBe(client: ClientFacts, file: LocatedFile | undefined, options: SurveyOptions) {
  if (!client.managed || !file) return [];
  const known = await options.known(client, file.path);
  return options.servers.map(
    (server) => [server.name, options.entry(client, file, server, undefined, known).fixed] as const,
  );
}

/** The servers, and all of them as one if a file has an entry for that. */
export function withAll(
  servers: readonly ManagedServer[],
  { entries }: ReadFile,
  known: FileRecord | undefined,
): EntryTarget[] {
  return [...servers, ...allServersIn(entries, known).filter((all) => servers.every(({ name }) => name !== all.name))];
}

/** One file of a client and the state of every server's entry in it. `found` is the file, if it was read before. */
export async function reportFile(
  client: ClientFacts,
  file: LocatedFile,
  options: SurveyOptions,
  found?: ReadFile,
): Promise<FileReport> {
  const { servers, isProgram } = options;
  const { path, project = null } = file;
  const known = await options.known(client, path);
  const result: FileReport = {
    path,
    exists: true,
    known: known !== undefined,
    entries: {},
    all: [],
    servedByAll: [],
    leftOver: [],
    repairable: [],
    sharedWith: [],
    meta: known?.meta ?? {},
    project,
  };
  try {
    result.sharedWith = await options.sharing(client, path);
    const read = found ?? (await readFileOf(client, file, options.files));
    result.exists = read.exists;
    const targets = withAll(servers, read, known);
    result.all = targets.flatMap((target) => ('all' in target ? [target.name] : []));
    const isOwn = (name: string) => isOurs(read.entries.get(name), writtenAs(known, name));
    const presentAlls = targets.filter((target) => 'all' in target && isOwn(target.name));
    result.servedByAll = servers
      .filter(({ profile }) => presentAlls.some((all) => all.profile === undefined || all.profile === profile))
      .map(({ name }) => name);
    result.meta = metaIn(servers, known);
    for (const server of targets) {
      const { name } = server;
      const present = read.entries.get(name);
      const wanted = options.entry(read.client, file, server, present, known);
      const state = await entryStatus({ name, present, wanted, known, isProgram });
      result.entries[name] = state;
      if (isRepairable(state, present, wanted)) result.repairable.push(name);
    }
    const names = targets.map(({ name }) => name);
    const ours = [...read.entries].filter(([name, present]) => isOurs(present, writtenAs(known, name)));
    result.leftOver = ours.map(([name]) => name).filter((name) => !names.includes(name));
    return result;
  } catch (error) {
    return { ...result, problem: inOneLine(error) };
  }
}

/** The `_meta` of a file's entries for each server, including that of an entry for all servers. */
function metaIn(servers: readonly ManagedServer[], known: FileRecord | undefined): Record<string, Meta> {
  const found = servers.map((server) => [server.name, ownMetaOf(known, server)] as const);
  return Object.fromEntries(found.filter(([, meta]) => Object.keys(meta).length > 0));
}

/** The states in which an entry is wrong. If its command is not on the PATH, the entry itself is right. */
export const MODIFIED: readonly EntryState[] = ['vanished', 'edited', 'broken'];

/** The states in which an entry of ours is in the file. */
export const THERE: readonly EntryState[] = ['current', 'outdated', 'edited', 'broken', 'not-on-path'];

/** The facts from which the state of an entry is derived. */
interface EntryFacts {
  name: string;
  present: unknown;
  /** The entry as it would be written today, in the form in which it was chosen. */
  wanted: Entry;
  known: FileRecord | undefined;
  /** Whether there is such a program. */
  isProgram(command: string): Promise<boolean>;
}

/** The state of one entry. Only checks the file system for its command. */
async function entryStatus({ name, present, wanted, known, isProgram }: EntryFacts): Promise<EntryState> {
  const written = writtenAs(known, name);
  if (present === undefined) return written.length > 0 ? 'vanished' : 'absent';
  if (!isOurs(present, written)) return 'foreign';
  for (const [index, program] of programsOf(present).entries()) {
    // Where a relative script would be, only the client knows.
    if (index > 0 && !isAbsolute(program)) continue;
    if (!(await isProgram(program))) return isAbsolute(program) ? 'broken' : 'not-on-path';
  }
  if (isCurrent(withRuntimeOf(wanted, present), wanted)) return 'current';
  const { obsolete = [] } = wanted;
  if (written.some((fixed) => isCurrent(present, { fixed, obsolete: obsolete.filter((key) => !(key in fixed)) })))
    return 'outdated';
  // Without a record of what was written, a change cannot be detected.
  return written.length > 0 ? 'edited' : 'outdated';
}

/**
 * The entry with our own Node. Another existing Node starts the same script just as well, and the one in the entry
 * depends on which process wrote it.
 */
function withRuntimeOf({ fixed }: Entry, present: unknown): unknown {
  const [runtime = ''] = programsOf(fixed);
  const [other = ''] = programsOf(present);
  if (runtime === other || !isRuntime(runtime) || !isRuntime(other) || !isDataTable(present)) return present;
  const commandLine = commandLineOf(present);
  return withCommandLine(present, commandLine.with(wrapperOf(commandLine).length, runtime));
}

/** Whether writing an entry again changes it. */
function isRepairable(state: EntryState, present: unknown, wanted: Entry): boolean {
  const canDiffer = state === 'not-on-path' || MODIFIED.includes(state);
  return state === 'outdated' || (canDiffer && !isCurrent(present, wanted));
}

/** Every path on which a survey depends: signs of clients, their files, and what our entries start. */
export function surveyedPaths(
  clients: readonly ClientFacts[],
  places: Places,
  record: WrittenRecord,
  launcher: Launcher,
): string[] {
  const paths = clients.flatMap((client) => [
    ...client.signs(places).flatMap((sign) => ('exists' in sign ? [sign.exists] : [])),
    ...client.files(places).map(({ path }) => path),
  ]);
  const files = Object.values(record.files);
  const entries = files.flatMap((file) => Object.values(file.entries));
  const started = entries.flatMap(programsOf);
  const programs = [...started, launcher.command].filter((command) => isAbsolute(command));
  return [...new Set([...paths, ...files.flatMap(({ path }) => path ?? []), ...programs])];
}

/** Which installed clients read which entries, by what the entries are remembered under (`recordedFile`). */
export async function readersOf(
  clients: readonly ClientFacts[],
  environment: HostEnvironment,
  recordOf = recordedFile,
): Promise<Map<string, ClientName[]>> {
  const readers = new Map<string, ClientName[]>();
  for (const client of clients) {
    const { id, name } = client;
    if (!(await detect(client, environment)).installed) continue;
    for (const { path } of await locate(client, environment).catch(() => [])) {
      const { key } = await recordOf(client, path);
      readers.set(key, [...(readers.get(key) ?? []), { id, name }]);
    }
  }
  return readers;
}
