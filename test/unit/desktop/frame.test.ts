import { describe, expect, it } from 'vitest';
import { attentionOf } from '../../../main/desktop/attention.ts';
import type { AiClient, ConfiguredServer, DesktopState, Diagnosis } from '../../../preload/contract.ts';
import { INITIAL_STATE } from '../../../preload/initial-state.ts';
import { isBroken, problemsIn, serversBadge } from '../../../renderer/frame/badges.ts';
import { commandsFor } from '../../../renderer/frame/commands.ts';
import { formatKeys, SCREEN_SHORTCUTS, shortcutOf } from '../../../renderer/frame/shortcuts.ts';
import { effective, known, server } from './states.ts';

describe('the badges in the sidebar', () => {
  const file = { project: null, entries: {} };
  const client = (change: object): AiClient => ({ problem: null, files: [file], ...change }) as unknown as AiClient;

  it.each([
    ['a client whose entries work', { files: [{ ...file, entries: { sql: 'current' } }] }, false],
    ['an entry that starts a program that is gone', { files: [{ ...file, entries: { sql: 'broken' } }] }, true],
    ['an entry that was removed from the file', { files: [{ ...file, entries: { sql: 'vanished' } }] }, true],
    ['a client that cannot be read', { problem: 'Line 3 is no JSON.' }, true],
    ['a project that belongs to others', { files: [{ project: '/work', entries: { sql: 'broken' } }] }, false],
  ])('%s', (_what, change, expected) => {
    expect(isBroken(client(change))).toBe(expected);
  });

  it.each<[ConfiguredServer['state']['status'], boolean]>([
    ['ready', false],
    ['connecting', false],
    ['waiting-for-browser', false],
    ['no-grants', false],
    ['signed-out', false],
    ['service-signed-out', false],
    ['forbidden', true],
    ['not-found', true],
    ['blocked-by-ip-list', true],
    ['login-page', true],
    ['unreachable', true],
    ['failing', true],
  ])('a server that is %s is marked as in the tray: %s', (status, isMarked) => {
    const servers = [server('sql', { state: { status } })];
    expect(serversBadge({ servers })?.warns).toBe(isMarked);
    expect(attentionOf({ ...INITIAL_STATE, servers }).includes('servers')).toBe(isMarked);
  });

  it('a server that administrators have decided to refuse is not marked: its user has nothing to do', () => {
    const servers = [server('sql', { state: { status: 'forbidden', isDecided: true } })];
    expect(serversBadge({ servers })?.warns).toBe(false);
    expect(attentionOf({ ...INITIAL_STATE, servers })).not.toContain('servers');
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

  it('are written in the style of the platform', () => {
    expect(formatKeys('mod+K', false)).toBe('Ctrl+K');
    expect(formatKeys('mod+K', true)).toBe('⌘K');
    expect(formatKeys('Esc', false)).toBe('Esc');
  });
});

describe('the commands of the palette', () => {
  const commands = (change: Partial<DesktopState>) =>
    commandsFor({ state: { ...INITIAL_STATE, ...change }, warehouses: [], clients: [], accounts: [] });
  const labels = (change: Partial<DesktopState>) => commands(change).map(({ label }) => label);

  it('a server is found by its title, with its name beside it', () => {
    const [found] = commands({ servers: [server('genie-7191', { title: 'Sales questions', type: 'genie' })] }).filter(
      ({ label }) => label === 'Sales questions',
    );
    expect(found?.description).toBe('genie-7191 · Running, 6 tools · acme');
  });

  it('offers the workspace default to workspace admins only', () => {
    const { user } = effective();
    const offered = (admin: boolean | 'unknown') => labels(known({ user: { ...user, admin } }));
    expect(offered(true)).toContain('Change workspace default…');
    expect(offered(false)).not.toContain('Change workspace default…');
    expect(offered('unknown')).not.toContain('Change workspace default…');
  });

  it('does not look for updates if the organization has turned them off', () => {
    const off = { key: 'updates', title: 'Updates', value: 'off', plain: false, reason: null } as const;
    const managed = (locked: boolean) => ({
      source: '/etc/causeway/policy.json',
      organization: null,
      contact: null,
      problem: null,
      ignored: null,
      keys: [{ ...off, locked }],
    });
    const update = { status: 'off' } as const;
    expect(labels({ update, managed: managed(false) })).toContain('Check for updates');
    expect(labels({ update, managed: managed(true) })).not.toContain('Check for updates');
  });
});
