import { describe, expect, it } from 'vitest';
import type { AiClient, Diagnosis } from '../../../preload/contract.ts';
import { isInTrouble, problemsIn } from '../../../renderer/frame/badges.ts';
import { formatKeys, SCREEN_SHORTCUTS, shortcutOf } from '../../../renderer/frame/shortcuts.ts';

describe('the badges of the side bar', () => {
  const file = { project: null, entries: {} };
  const client = (change: object): AiClient => ({ problem: null, files: [file], ...change }) as unknown as AiClient;

  it.each([
    ['a client whose entries work', { files: [{ ...file, entries: { sql: 'current' } }] }, false],
    ['an entry that starts a program that is gone', { files: [{ ...file, entries: { sql: 'broken' } }] }, true],
    ['an entry that was removed from the file', { files: [{ ...file, entries: { sql: 'vanished' } }] }, true],
    ['a client that cannot be read', { problem: 'Line 3 is no JSON.' }, true],
    ['a project of others', { files: [{ project: '/work', entries: { sql: 'broken' } }] }, false],
  ])('%s', (_what, change, expected) => {
    expect(isInTrouble(client(change))).toBe(expected);
  });

  it('problems are counted once the checks have ended', () => {
    const checks = [{ status: 'pass' }, { status: 'warning' }, { status: 'fail' }, { status: 'skipped' }];
    const diagnosis = (running: boolean) => ({ running, checks, startedAt: 0 }) as unknown as Diagnosis;
    expect(problemsIn(diagnosis(false))).toBe(2);
    expect(problemsIn(diagnosis(true))).toBe(0);
  });
});

describe('the shortcuts of the window', () => {
  it('each screen has a digit, and Settings a comma too', () => {
    expect(SCREEN_SHORTCUTS.map(({ keys }) => keys)).toEqual([
      ...[1, 2, 3, 4, 5, 6, 7, 8].map((digit) => `mod+${digit}`),
      'mod+,',
    ]);
    expect(shortcutOf('servers')).toBe('mod+2');
  });

  it('they are written as the platform writes them', () => {
    expect(formatKeys('mod+K', false)).toBe('Ctrl+K');
    expect(formatKeys('mod+K', true)).toBe('⌘K');
    expect(formatKeys('Esc', false)).toBe('Esc');
  });
});
