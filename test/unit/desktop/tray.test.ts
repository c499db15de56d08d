import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { RESOURCES_FOLDER } from '../../../main/desktop/places.ts';
import { type TrayMood, trayIconFile, trayMood } from '../../../main/desktop/tray-icon.ts';
import { type TrayItem, trayMenu, trayTooltip } from '../../../main/desktop/tray-menu.ts';
import type { DesktopState, WarehouseProblem } from '../../../preload/contract.ts';
import { failure, known, stateOf, warehouse } from './states.ts';

const cannotUse: WarehouseProblem = { code: 'cannot-use', message: 'You may not use it.', remedy: 'Ask.' };
const unseen: WarehouseProblem = { code: 'last-selected-unseen', message: 'It cannot be read.', remedy: 'Choose.' };
const signIn = failure('signed_out', 'sign-in', 'You are signed out.');

/** A menu as a person reads it: actions in brackets. */
function read(state: DesktopState): string[] {
  const line = (item: TrayItem) =>
    item.kind === 'separator' ? '---' : item.kind === 'text' ? item.label : `[${item.label}]`;
  return trayMenu(state).map(line);
}

const cases: { name: string; state: DesktopState; middle: string[]; tooltip: string; mood: TrayMood }[] = [
  {
    name: 'loading',
    state: stateOf({ status: 'loading' }),
    middle: ['acme', 'Asking the workspace…'],
    tooltip: 'Causeway: Asking the workspace…',
    mood: 'working',
  },
  {
    name: 'no profile anywhere',
    state: {
      profiles: [],
      profile: null,
      warehouse: { status: 'unconfigured', problem: failure('profile_not_found').problem },
    },
    middle: ['Causeway', '[No workspace yet: set one up…]'],
    tooltip: 'Causeway: No workspace yet: set one up…',
    mood: 'signed-out',
  },
  {
    name: 'signing in',
    state: stateOf({ status: 'signing-in', step: 'waiting-for-browser', address: null }),
    middle: ['acme', 'Waiting for the browser…'],
    tooltip: 'Causeway: Waiting for the browser…',
    mood: 'working',
  },
  {
    name: 'signed out',
    state: stateOf({ status: 'failed', failure: signIn }),
    middle: ['acme', '[You are signed out.]', '[Sign in…]'],
    tooltip: 'Causeway: You are signed out.',
    mood: 'signed-out',
  },
  {
    name: 'several profiles, none chosen',
    state: {
      profiles: ['a', 'b'],
      profile: null,
      warehouse: { status: 'failed', failure: failure('ambiguous', 'choose-profile') },
    },
    middle: ['Causeway', '[It went wrong.]', '[Choose a profile…]'],
    tooltip: 'Causeway: It went wrong.',
    mood: 'attention',
  },
  {
    name: 'unreachable',
    state: stateOf({ status: 'failed', failure: failure('unreachable') }),
    middle: ['acme', '[It went wrong.]', '[Try again]'],
    tooltip: 'Causeway: It went wrong.',
    mood: 'attention',
  },
  {
    name: 'an override that decides',
    state: known(),
    middle: ['acme · ana@example.com', '[Shared analytics — running]', 'because you chose it'],
    tooltip: 'Causeway: Shared analytics — running',
    mood: 'ready',
  },
  {
    name: 'the workspace default, stopped',
    state: known({
      decidedBy: 'workspace-default',
      override: null,
      warehouse: warehouse({ name: 'Starter', state: 'STOPPED' }),
    }),
    middle: ['acme · ana@example.com', '[Starter — stopped]', 'because it is the workspace default'],
    tooltip: 'Causeway: Starter — stopped',
    mood: 'ready',
  },
  {
    name: 'a warehouse that may not be used',
    state: known({ problems: [unseen, cannotUse] }),
    middle: ['acme · ana@example.com', '[Shared analytics — running]', 'because you chose it', '[You may not use it.]'],
    tooltip: 'Causeway: Shared analytics — running',
    mood: 'attention',
  },
  {
    name: 'last selected, by choice',
    state: known({
      warehouse: null,
      override: { type: 'LAST_SELECTED', warehouseId: null },
      certainty: 'unknown',
      problems: [unseen],
    }),
    middle: [
      'acme · ana@example.com',
      '[The warehouse you last selected]',
      'because you chose to follow your last pick',
    ],
    tooltip: 'Causeway: The warehouse you last selected',
    mood: 'ready',
  },
  {
    name: 'an answer that could not be checked again',
    state: known({}, failure('unreachable')),
    middle: [
      'acme · ana@example.com',
      '[Shared analytics — running]',
      'because you chose it',
      '[It went wrong.]',
      '[Try again]',
    ],
    tooltip: 'Causeway: Shared analytics — running',
    mood: 'attention',
  },
  {
    name: 'an answer whose sign-in has ended',
    state: known({}, signIn),
    middle: [
      'acme · ana@example.com',
      '[Shared analytics — running]',
      'because you chose it',
      '[You are signed out.]',
      '[Sign in…]',
    ],
    tooltip: 'Causeway: Shared analytics — running',
    mood: 'signed-out',
  },
];

describe('the tray', () => {
  it.each(cases)('says: $name', ({ state, middle, tooltip, mood }) => {
    expect(read(state)).toEqual([...middle, '---', '[Open Causeway]', '[Quit]']);
    expect(trayTooltip(state)).toBe(tooltip);
    expect(trayMood(state)).toBe(mood);
  });

  it('names the host where it does not know the user', () => {
    const nobody = { id: '', userName: '', displayName: '', admin: 'unknown' as const };
    expect(read(known({ user: nobody }))[0]).toBe('acme · acme.cloud.databricks.com');
  });

  it('keeps a long sentence from widening the menu', () => {
    const state = stateOf({ status: 'failed', failure: failure('unreachable', 'try-again', 'word '.repeat(40)) });
    const [, label = ''] = read(state);
    expect(label.length).toBeLessThanOrEqual(62);
    expect(label).toMatch(/word…\]$/);
  });
});

describe('the tray icons', () => {
  const moods: TrayMood[] = ['ready', 'working', 'attention', 'signed-out'];
  const sizes = { darwin: 16, win32: 32, linux: 32 } as const;

  it.each(moods)('there is one for "%s" on every system, in both densities', (mood) => {
    for (const platform of ['darwin', 'win32', 'linux'] as const) {
      const file = trayIconFile(mood, platform);
      expect(widthOf(file)).toBe(sizes[platform]);
      expect(widthOf(file.replace('.png', '@2x.png'))).toBe(2 * sizes[platform]);
    }
  });

  it('are template images on macOS alone', () => {
    expect(trayIconFile('ready', 'darwin')).toBe('readyTemplate.png');
    expect(trayIconFile('ready', 'linux')).toBe('ready.png');
  });
});

/** A PNG's width stands in its header (PNG specification, IHDR). */
function widthOf(file: string): number {
  return readFileSync(join(RESOURCES_FOLDER, 'tray', file)).readUInt32BE(16);
}
