import type { AiClient, ClientOutcome, EntryState } from '../../preload/contract.ts';

/** How a server stands in a client, all of its files together. */
export interface ClientSummary {
  /** Whether its entry is there and leads where it should, or did until somebody changed it. */
  on: boolean;
  /** What is to be known beside the switch; null where the switch says it all. */
  words: string | null;
  /** Writing it anew changes it. */
  repairable: boolean;
  /** None of its files could be read. */
  unknown: boolean;
}

const WORDS: Record<Exclude<EntryState, 'absent' | 'current'>, string> = {
  outdated: 'Works; an update is available',
  vanished: 'Gone, though it was written',
  edited: 'Changed since it was written',
  broken: 'Starts a program that is gone',
  foreign: 'Another entry has this name',
};

/** In this order, one file's state speaks for all of them. */
const LOUDEST = ['broken', 'edited', 'vanished', 'foreign', 'outdated'] as const;

/** In these, a client has the server's entry. */
const THERE: readonly EntryState[] = ['current', 'outdated', 'edited', 'broken'];

/** The person's own files, without those of projects. */
export function ownFiles({ files }: AiClient): AiClient['files'] {
  return files.filter(({ project }) => project === null);
}

export function standingOf(client: AiClient, server: string): ClientSummary {
  return standingIn(ownFiles(client), server);
}

/** How a server stands in some files. */
export function standingIn(files: AiClient['files'], server: string): ClientSummary {
  const states = files.flatMap(({ entries }) => entries[server] ?? []);
  const there = states.filter((state) => THERE.includes(state)).length;
  const loudest = LOUDEST.find((state) => states.includes(state));
  const on = there > 0 && there === states.length;
  const partly = there > 0 && !on ? `In ${there} of ${states.length} files` : null;
  return {
    on,
    words: loudest ? WORDS[loudest] : partly,
    repairable: files.some(({ repairable }) => repairable.includes(server)),
    unknown: states.length === 0,
  };
}

/** The servers whose entries are not as they were written, or would be written differently today. */
export function toRepair(
  files: AiClient['files'],
  servers: readonly string[],
): { spoilt: string[]; outdated: string[] } {
  const repairable = servers.filter((server) => standingIn(files, server).repairable);
  const isWrong = (server: string) => isSpoilt(files, server);
  return { spoilt: repairable.filter(isWrong), outdated: repairable.filter((server) => !isWrong(server)) };
}

function isSpoilt(files: AiClient['files'], server: string): boolean {
  return files.some(({ entries }) => ['broken', 'edited', 'vanished'].includes(entries[server] ?? 'absent'));
}

/** For how long a client waits for the answer to one call. */
export function patienceOf({ patienceMs }: AiClient): string | null {
  return patienceMs === null ? null : `Stops waiting for a call after ${patienceMs / 1000} s`;
}

/** What a client has, in one line. */
export function summaryOf(client: AiClient, servers: readonly string[]): string {
  if (servers.length === 0) return '';
  if (client.problem !== null || servers.every((server) => standingOf(client, server).unknown)) return 'Cannot be read';
  const broken = servers.filter((server) => isSpoilt(ownFiles(client), server)).length;
  if (broken > 0) return broken === 1 ? '1 server to repair' : `${broken} servers to repair`;
  const on = servers.filter((server) => standingOf(client, server).on).length;
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
