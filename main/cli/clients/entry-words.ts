import type { EntryStatus, FileReport } from '../../clients/survey.ts';

/** The state of an entry, in words. */
export const ENTRY_WORDS: Record<EntryStatus, string> = {
  absent: 'not added',
  current: 'added',
  outdated: 'added; an update is available',
  vanished: 'removed by another program',
  edited: 'changed by another program',
  broken: 'starts a program that no longer exists',
  'not-on-path': 'added, but its command is not on the PATH',
  foreign: 'another entry has this name',
};

/** The entries of a file that a list shows: where one entry is for all servers, none for each server is missing. */
export function shownEntries({ entries, all }: Pick<FileReport, 'entries' | 'all'>): [name: string, EntryStatus][] {
  const isAll = all.some((name) => entries[name] !== 'vanished');
  return Object.entries(entries).filter(([, state]) => !isAll || state !== 'absent');
}
