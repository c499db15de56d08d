import type { AiClient, ClientOutcome, DesktopState, EntryState } from '../../preload/contract.ts';
import { isAllowed } from '../shared/managed.tsx';
import type { StateTone } from '../shared/state-badge.tsx';
import { strings } from './strings.ts';

/** The state of a server's entries in a client, over all of its files. */
export interface ClientSummary {
  /** Whether every file has its entry, even one that was changed since. */
  on: boolean;
  /** The text beside the switch; null if the switch is enough. */
  text: string | null;
  /** Whether writing the entry again changes a file. */
  repairable: boolean;
  /** Whether none of its files could be read. */
  unknown: boolean;
}

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
  const partly = present > 0 && !on ? strings.entries.partly(present, states.length) : null;
  return {
    on,
    text: mostSevere ? strings.entries[mostSevere] : partly,
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

/** What can have become of a server's entries, the worst first. */
const MODIFIED = ['broken', 'not-on-path', 'edited', 'vanished'] as const;

function modificationOf(files: AiClient['files'], server: string): (typeof MODIFIED)[number] | undefined {
  return MODIFIED.find((state) => files.some(({ entries }) => entries[server] === state));
}

/** What happened to these servers' entries, a sentence for each state. */
export function formatModified(files: AiClient['files'], servers: readonly string[]): string {
  const sentences = MODIFIED.flatMap((state) => {
    const names = servers.filter((server) => modificationOf(files, server) === state);
    return names.length === 0 ? [] : [strings.modified[state](listed(names), names.length)];
  });
  return sentences.join(' ');
}

const LIST = new Intl.ListFormat('en');

/** Names as one text: "sql and genie". */
export function listed(names: readonly string[]): string {
  return LIST.format(names);
}

/** The servers under whose names a client has entries of another owner. */
export function foreignIn(files: AiClient['files'], servers: readonly string[]): string[] {
  return servers.filter((server) => files.some(({ entries }) => entries[server] === 'foreign'));
}

/** The entries in some of the files that lead to all servers as one. */
export function entriesForAll(files: AiClient['files']): string[] {
  return [...new Set(files.flatMap((file) => file.all.filter((name) => hasEntry(file, name))))];
}

/** Whether a client's own files have any entry of ours. */
export function hasEntries(client: AiClient): boolean {
  return ownFiles(client).some(
    (file) => file.leftOver.length > 0 || Object.keys(file.entries).some((name) => hasEntry(file, name)),
  );
}

/** Whether a client has a server through an entry for all servers. */
export function isCovered(client: AiClient, server: string): boolean {
  return ownFiles(client).some(({ servedByAll }) => servedByAll.includes(server));
}

/** Whether a client has a server, by an entry of its own or through one for all servers. */
export function hasServer(client: AiClient, server: string): boolean {
  return clientEntryStatus(client, server).on || isCovered(client, server);
}

/** What is wrong with a client or one of its own files; null if nothing is. */
export function problemOf(client: AiClient): string | null {
  return client.problem ?? ownFiles(client).find(({ problem }) => problem !== null)?.problem ?? null;
}

/** Why servers need not be added to a client, or cannot be without replacing another program's entry. */
export type Obstacle = 'covered' | 'added' | 'unreadable' | 'managed' | 'foreign';

export function obstacleTo(
  client: AiClient,
  servers: readonly string[],
  managed: DesktopState['managed'],
): Obstacle | null {
  if (servers.length > 0 && servers.every((server) => hasServer(client, server))) {
    return servers.every((server) => isCovered(client, server)) ? 'covered' : 'added';
  }
  if (isUnreadable(client, servers)) return 'unreadable';
  if (!isAllowed(managed, 'clients', client.id)) return 'managed';
  return foreignIn(ownFiles(client), servers).length > 0 ? 'foreign' : null;
}

/** The clients that lack one of these servers and may have it, even if something is wrong or in its place. */
export function clientsLacking(
  clients: readonly AiClient[],
  servers: readonly string[],
  managed: DesktopState['managed'],
): AiClient[] {
  const excluded: readonly (Obstacle | null)[] = ['covered', 'added', 'managed'];
  return clients.filter((client) => !excluded.includes(obstacleTo(client, servers, managed)));
}

/** Whether nothing is known of these servers' entries, because none of a client's own files could be read. */
function isUnreadable(client: AiClient, servers: readonly string[]): boolean {
  const isUnknown = (server: string) => clientEntryStatus(client, server).unknown;
  return client.problem !== null || (servers.length > 0 && servers.every(isUnknown));
}

/** How a client stands, in a few words. */
export function summaryOf(client: AiClient, servers: readonly string[]): { tone: StateTone; text: string } {
  const { states } = strings;
  if (isUnreadable(client, servers)) return { tone: 'failed', text: states.unreadable };
  const broken = servers.filter((server) => isModified(ownFiles(client), server)).length;
  if (broken > 0) return { tone: 'attention', text: states.repair(broken) };
  if (servers.length > 0 && servers.every((server) => isCovered(client, server)))
    return { tone: 'good', text: states.allInOne };
  const on = servers.filter((server) => hasServer(client, server)).length;
  if (on === 0) return { tone: 'resting', text: states.none };
  if (on === servers.length) return { tone: 'good', text: states.all };
  return { tone: 'good', text: states.some(on, servers.length) };
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
