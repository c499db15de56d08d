import { describe, expect, it } from 'vitest';
import type { AiClient, ClientOutcome, EntryState } from '../../../preload/contract.ts';
import {
  clientEntryStatus,
  diffLines,
  entryStatusIn,
  formatModified,
  hasServer,
  reminders,
  summaryOf,
  toRepair,
} from '../../../renderer/clients/format.ts';

/** A client with one file for each of those states of the servers `sql` and `genie`. */
function client(...files: Partial<Record<'sql' | 'genie', EntryState>>[]): AiClient {
  const file = {
    path: '/home/ana/.cursor/mcp.json',
    exists: true,
    known: true,
    all: [],
    servedByAll: [],
    leftOver: [],
    problem: null,
  };
  return {
    id: 'cursor',
    name: 'Cursor',
    also: [],
    foundBy: '/home/ana/.cursor exists',
    files: files.map((entries) => ({
      ...file,
      entries: { ...entries },
      repairable: Object.entries(entries).flatMap(([name, state]) => (REPAIRABLE.includes(state) ? [name] : [])),
      sharedWith: [],
      project: null,
      pins: {},
    })),
    problem: null,
    isRunning: false,
    warnings: [],
    afterwards: 'Restart it.',
    opensPrompts: false,
    longNames: [],
    hasLink: true,
    mark: { monogram: 'C' },
    connectsItself: true,
    publishedApplication: null,
    takesCallbackPort: true,
    patienceMs: null,
    hasProjectFile: true,
  };
}

const REPAIRABLE: EntryState[] = ['outdated', 'vanished', 'edited', 'broken', 'not-on-path'];

describe('the state of a server in a client', () => {
  it.each<[EntryState[], boolean, string | null, boolean]>([
    [['absent'], false, null, false],
    [['current'], true, null, false],
    [['vanished'], false, 'Removed from the file', true],
    [['outdated'], true, 'Update available', true],
    [['edited'], true, 'Changed outside Causeway', true],
    [['broken'], true, 'Program not found', true],
    [['not-on-path'], true, 'Command not on PATH', true],
    [['foreign'], false, 'Name in use', false],
    [['current', 'current'], true, null, false],
    [['current', 'absent'], false, 'In 1 of 2 files', false],
    [['current', 'edited'], true, 'Changed outside Causeway', true],
    [['current', 'outdated'], true, 'Update available', true],
    [['absent', 'broken'], false, 'Program not found', true],
  ])('is shown for %j: on %s, %s', (states, on, text, repairable) => {
    const status = clientEntryStatus(client(...states.map((sql) => ({ sql }))), 'sql');
    expect(status).toEqual({ on, text, repairable, unknown: false });
  });

  it('is unknown if no file could be read', () => {
    expect(clientEntryStatus(client({}), 'sql')).toMatchObject({ on: false, unknown: true });
  });
});

describe('the state of a client', () => {
  it.each<[AiClient, string]>([
    [client({ sql: 'absent', genie: 'absent' }), 'Not connected'],
    [client({ sql: 'current', genie: 'absent' }), '1 of 2 servers'],
    [client({ sql: 'current', genie: 'current' }), 'Connected'],
    [client({ sql: 'current', genie: 'edited' }), '1 needs repair'],
    [client({ sql: 'vanished', genie: 'edited' }), '2 need repair'],
    [client({}), 'Unreadable'],
    [{ ...client(), problem: 'It has several configuration files.' }, 'Unreadable'],
  ])('is shown for case %#: %s', (one, text) => {
    expect(summaryOf(one, ['sql', 'genie']).text).toBe(text);
  });

  it.each<[servedByAll: string[], words: string, isConnected: boolean]>([
    [['sql', 'genie'], 'One shared entry', true],
    [['sql'], '1 of 2 servers', false],
    [[], 'Not connected', false],
  ])('with one entry that leads to %j is "%s"', (servedByAll, text, isConnected) => {
    const plain = client({ sql: 'absent', genie: 'absent' });
    const one = { ...plain, files: plain.files.map((file) => ({ ...file, all: ['causeway'], servedByAll })) };
    expect(summaryOf(one, ['sql', 'genie']).text).toBe(text);
    expect(hasServer(one, 'genie')).toBe(isConnected);
  });

  it('names what has to be repaired', () => {
    expect(toRepair(client({ sql: 'outdated', genie: 'broken' }).files, ['sql', 'genie'])).toEqual({
      modified: ['genie'],
      outdated: ['sql'],
    });
  });

  it.each<[EntryState, EntryState, string]>([
    ['vanished', 'current', 'sql was removed by another program.'],
    ['vanished', 'vanished', 'sql and genie were removed by another program.'],
    ['edited', 'broken', 'genie starts a program that no longer exists. sql was changed by another program.'],
    ['edited', 'edited', 'sql and genie were changed by another program.'],
    ['not-on-path', 'outdated', 'sql starts a command that is not on the PATH.'],
    ['current', 'outdated', ''],
  ])('says what happened to entries that are %s and %s', (sql, genie, words) => {
    expect(formatModified(client({ sql, genie }).files, ['sql', 'genie'])).toBe(words);
  });

  it('names nothing to repair if a repair would change nothing', () => {
    const files = client({ sql: 'broken' }).files.map((file) => ({ ...file, repairable: [] }));
    expect(toRepair(files, ['sql'])).toEqual({ modified: [], outdated: [] });
    expect(entryStatusIn(files, 'sql')).toMatchObject({ text: 'Program not found', repairable: false });
  });

  it('leaves project files out of what the user has', () => {
    const [own, inProject] = client({ sql: 'absent' }, { sql: 'current' }).files;
    if (!own || !inProject) throw new Error('There are two files.');
    const one = { ...client(), files: [own, { ...inProject, project: '/work/app' }] };
    expect(clientEntryStatus(one, 'sql')).toMatchObject({ on: false, text: null });
  });
});

it('lists what is left to do, each item once, and only if something was written', () => {
  const written: ClientOutcome = {
    client: 'cursor',
    name: 'Cursor',
    file: '/a',
    result: 'written',
    diff: null,
    afterwards: 'Restart Cursor.',
    warnings: ['It is a Flatpak application.'],
    sharedWith: [],
    problem: null,
  };
  const outcomes: ClientOutcome[] = [
    written,
    { ...written, file: '/b', warnings: [] },
    { ...written, file: '/c', result: 'unchanged', afterwards: 'Never mind.' },
  ];
  expect(reminders(outcomes)).toEqual(['Restart Cursor.', 'It is a Flatpak application.']);
});

describe('the lines of a diff', () => {
  it('are numbered without the start of the file, with a gap if some are left out', () => {
    const diff =
      '--- /a\n+++ /a\n@@ -1,2 +1,2 @@\n {\r\n-  --- old\r\n+  +++ new\r\n@@ -9,1 +9,1 @@\n }\n\\ No newline at end of file\n';
    expect(diffLines(diff)).toEqual([
      { kind: 'kept', text: '{' },
      { kind: 'removed', text: '  --- old' },
      { kind: 'added', text: '  +++ new' },
      { kind: 'gap', text: '' },
      { kind: 'kept', text: '}' },
    ]);
  });
});
