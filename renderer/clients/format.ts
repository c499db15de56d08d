import type { AiClient, ClientOutcome, EntryState } from '../../preload/contract.ts';

/** The state of a server's entries in a client, over all of its files. */
export interface ClientSummary {
  /** Whether every file has its entry, even one that was changed since. */
  on: boolean;
  /** The text beside the switch; null where the switch is enough. */
  words: string | null;
  /** Whether writing the entry again changes a file. */
  repairable: boolean;
  /** Whether none of its files could be read. */
  unknown: boolean;
}

const WORDS: Record<Exclude<EntryState, 'absent' | 'current'>, string> = {
  outdated: 'Works; an update is available',
  vanished: 'Removed from the file',
  edited: 'Changed since it was written',
  broken: 'Starts a program that is gone',
  'not-on-path': 'Its command is not on the PATH',
  foreign: 'Another entry has this name',
};

/** The first of these states that any file has is shown for all of them. */
const BY_SEVERITY = ['broken', 'not-on-path', 'edited', 'vanished', 'foreign', 'outdated'] as const;

/** The states in which a file has the server's entry. */
const PRESENT: readonly EntryState[] = ['current', 'outdated', 'edited', 'broken', 'not-on-path'];

/** Whether a file has the server's entry, whatever is wrong with it. */
export function hasEntry({ entries }: AiClient['files'][number], server: string): boolean {
  return PRESENT.includes(entries[server] ?? 'absent');
}

/** The user's own files, without those of projects. */
export function ownFiles({ files }: AiClient): AiClient['files'] {
  return files.filter(({ project }) => project === null);
}

export function clientEntryStatus(client: AiClient, server: string): ClientSummary {
  return entryStatusIn(ownFiles(client), server);
}

/** The state of a server's entries in some of the files. */
export function entryStatusIn(files: AiClient['files'], server: string): ClientSummary {
  const states = files.flatMap(({ entries }) => entries[server] ?? []);
  const present = states.filter((state) => PRESENT.includes(state)).length;
  const mostSevere = BY_SEVERITY.find((state) => states.includes(state));
  const on = present > 0 && present === states.length;
  const partly = present > 0 && !on ? `In ${present} of ${states.length} files` : null;
  return {
    on,
    words: mostSevere ? WORDS[mostSevere] : partly,
    repairable: files.some(({ repairable }) => repairable.includes(server)),
    unknown: states.length === 0,
  };
}

/** The servers whose entries were modified since they were written, and those that would be written differently now. */
export function toRepair(
  files: AiClient['files'],
  servers: readonly string[],
): { modified: string[]; outdated: string[] } {
  const repairable = servers.filter((server) => entryStatusIn(files, server).repairable);
  const isWrong = (server: string) => isModified(files, server);
  return { modified: repairable.filter(isWrong), outdated: repairable.filter((server) => !isWrong(server)) };
}

function isModified(files: AiClient['files'], server: string): boolean {
  return modificationOf(files, server) !== undefined;
}

/** What is wrong with a server's entries, by severity, in one of these forms with the servers' names. */
const MODIFICATIONS = {
  broken: (names: string, many: boolean) => `${names} ${many ? 'start' : 'starts'} a program that is gone.`,
  'not-on-path': (names: string, many: boolean) =>
    `${names} ${many ? 'start' : 'starts'} a command that is not on the PATH.`,
  edited: (names: string, many: boolean) =>
    `${names} ${many ? 'were' : 'was'} changed after Causeway wrote ${many ? 'them' : 'it'}.`,
  vanished: (names: string, many: boolean) => `${names} ${many ? 'were' : 'was'} removed from the file.`,
};
const MODIFIED = ['broken', 'not-on-path', 'edited', 'vanished'] as const;

function modificationOf(files: AiClient['files'], server: string): (typeof MODIFIED)[number] | undefined {
  return MODIFIED.find((state) => files.some(({ entries }) => entries[server] === state));
}

/** What has become of these servers' entries, a sentence for each state. */
export function formatModified(files: AiClient['files'], servers: readonly string[]): string {
  const sentences = MODIFIED.flatMap((state) => {
    const names = servers.filter((server) => modificationOf(files, server) === state);
    return names.length === 0 ? [] : [MODIFICATIONS[state](LIST.format(names), names.length > 1)];
  });
  return sentences.join(' ');
}

const LIST = new Intl.ListFormat('en');

/** How long a client waits for the answer to a call. */
export function formatTimeout({ patienceMs }: AiClient): string | null {
  return patienceMs === null ? null : `Stops waiting for a call after ${patienceMs / 1000} s`;
}

/** The entries in some of the files that lead to all servers as one. */
export function entriesForAll(files: AiClient['files']): string[] {
  return [...new Set(files.flatMap((file) => file.all.filter((name) => hasEntry(file, name))))];
}

/** How many servers a client has, in one line. */
export function summaryOf(client: AiClient, servers: readonly string[]): string {
  if (servers.length === 0) return '';
  if (client.problem !== null || servers.every((server) => clientEntryStatus(client, server).unknown))
    return 'Cannot be read';
  const broken = servers.filter((server) => isModified(ownFiles(client), server)).length;
  if (broken > 0) return broken === 1 ? '1 server to repair' : `${broken} servers to repair`;
  if (entriesForAll(ownFiles(client)).length > 0) return 'Has all servers in one entry';
  const on = servers.filter((server) => clientEntryStatus(client, server).on).length;
  if (on === 0) return 'No servers yet';
  if (on === servers.length) return on === 1 ? 'Has the server' : `Has all ${on} servers`;
  return `Has ${on} of ${servers.length} servers`;
}

/** What is left to do in a client after its files were changed, each sentence once. */
export function reminders(outcomes: readonly ClientOutcome[]): string[] {
  const written = outcomes.filter(({ result }) => result === 'written');
  return [
    ...new Set(written.flatMap(({ afterwards, warnings }) => [afterwards, ...warnings].filter((it) => it !== null))),
  ];
}

/** A line of a difference and what it is. */
export interface DiffLine {
  kind: 'added' | 'removed' | 'kept' | 'gap';
  text: string;
}

/** The lines of a unified diff as they are shown: without its head, a gap where lines are left out. */
export function diffLines(diff: string): DiffLine[] {
  const lines = diff.split('\n');
  const first = lines.findIndex((line) => line.startsWith('@@'));
  const kinds: Record<string, DiffLine['kind']> = { '+': 'added', '-': 'removed', ' ': 'kept' };
  return lines.slice(first + 1).flatMap((line) => {
    if (line.startsWith('@@')) return [{ kind: 'gap' as const, text: '' }];
    const kind = kinds[line.charAt(0)];
    return kind ? [{ kind, text: line.slice(1).replace(/\r$/, '') }] : [];
  });
}
