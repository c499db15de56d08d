import type { FileReport } from '../../clients/survey.ts';

/** What the command says of each state of an entry. */
export const STATE_TEXTS: Record<FileReport['entries'][string], string> = {
  absent: 'not added',
  current: 'added',
  outdated: 'added; an update is available',
  vanished: 'removed by another program',
  edited: 'changed by another program',
  broken: 'starts a program that no longer exists',
  'not-on-path': 'added, but its command is not on the PATH',
  foreign: 'another entry has this name',
};

/** The entries of a file that a list shows. A server needs no entry of its own if one for all servers leads to it. */
export function shownEntries({
  entries,
  servedByAll,
}: Pick<FileReport, 'entries' | 'servedByAll'>): [name: string, FileReport['entries'][string]][] {
  return Object.entries(entries).filter(([name, state]) => state !== 'absent' || !servedByAll.includes(name));
}
