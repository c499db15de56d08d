import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { RESOURCES_FOLDER } from '../../../main/desktop/places.ts';
import { menuLabel } from '../../../main/desktop/tray/tray-item.ts';
import { type TrayMood, trayClick, trayIconFile, trayMood, trayTooltip } from '../../../main/desktop/tray/tray-look.ts';
import { trayMenu } from '../../../main/desktop/tray/tray-menu.ts';
import { choicesOf } from '../../../main/desktop/warehouse/warehouse.ts';
import type { DesktopState, WarehouseProblem } from '../../../preload/contract.ts';
import { INITIAL_STATE } from '../../../preload/initial-state.ts';
import { failure, known, server, stateOf, warehouse } from './states.ts';
import { readMenu, trayLine } from './tray-lines.ts';

const cannotUse: WarehouseProblem = { code: 'cannot-use', message: 'You may not use it.', remedy: 'Ask.' };
const unseen: WarehouseProblem = { code: 'last-selected-unseen', message: 'It cannot be read.', remedy: 'Choose.' };
const signIn = failure('signed_out', 'sign-in', 'You are signed out.');

const cases: { name: string; state: DesktopState; middle: string[]; tooltip: string; mood: TrayMood }[] = [
  {
    name: 'loading',
    state: stateOf({ status: 'loading' }),
    middle: ['acme', 'Connecting…'],
    tooltip: 'Causeway: Connecting…',
    mood: 'working',
  },
  {
    name: 'no profile anywhere',
    state: {
      ...INITIAL_STATE,
      warehouse: { status: 'unconfigured', problem: failure('profile_not_found').problem },
    },
    middle: ['Causeway', '[Connect your workspace…]'],
    tooltip: 'Causeway: Connect your workspace…',
    mood: 'signed-out',
  },
  {
    name: 'signing in',
    state: stateOf({
      status: 'signing-in',
      step: 'waiting-for-browser',
      host: 'https://acme.example.com',
      user: null,
      address: null,
    }),
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
      ...INITIAL_STATE,
      profiles: ['a', 'b'],
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
    middle: [
      'acme · ana@example.com',
      '[Shared analytics — running]',
      'Your override',
      '[Switch warehouse…]',
      '[Stop Shared analytics…]',
    ],
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
    middle: [
      'acme · ana@example.com',
      '[Starter — stopped]',
      'Workspace default',
      '[Switch warehouse…]',
      '[Start Starter]',
    ],
    tooltip: 'Causeway: Starter — stopped',
    mood: 'ready',
  },
  {
    name: 'a warehouse that may not be used',
    state: known({ problems: [unseen, cannotUse] }),
    middle: [
      'acme · ana@example.com',
      '[Shared analytics — running]',
      'Your override',
      '[You may not use it.]',
      '[Switch warehouse…]',
      '[Stop Shared analytics…]',
    ],
    tooltip: 'Causeway: Shared analytics — running · Your override needs attention',
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
    middle: ['acme · ana@example.com', '[Your last selected warehouse]', 'Your last selection', '[Switch warehouse…]'],
    tooltip: 'Causeway: Your last selected warehouse',
    mood: 'ready',
  },
  {
    name: 'an answer that could not be checked again',
    state: known({}, failure('unreachable')),
    middle: [
      'acme · ana@example.com',
      '[Shared analytics — running]',
      'Your override',
      '[It went wrong.]',
      '[Try again]',
      '[Switch warehouse…]',
      '[Stop Shared analytics…]',
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
      'Your override',
      '[You are signed out.]',
      '[Sign in…]',
      '[Switch warehouse…]',
      '[Stop Shared analytics…]',
    ],
    tooltip: 'Causeway: Shared analytics — running · Signed out',
    mood: 'signed-out',
  },
];

describe('the tray', () => {
  it.each(cases)('shows: $name', ({ state, middle, tooltip, mood }) => {
    const servers = state.warehouse.status === 'known' ? ['[Add servers…]'] : [];
    const end = [
      ...servers,
      'No clients connected',
      '---',
      '[Open Causeway]',
      '[Settings]',
      '[Copy support report]',
      '[Check for updates]',
      '[Quit]',
    ];
    expect(readMenu(state)).toEqual([...middle, '---', ...end]);
    expect(trayTooltip(state)).toBe(tooltip);
    expect(trayMood(state)).toBe(mood);
  });

  it('names the host if it does not know the user', () => {
    const nobody = { id: '', userName: '', displayName: '', admin: 'unknown' as const };
    expect(readMenu(known({ user: nobody }))[0]).toBe('acme · acme.cloud.databricks.com');
  });

  it('keeps a long sentence from widening the menu', () => {
    const state = stateOf({ status: 'failed', failure: failure('unreachable', 'try-again', 'word '.repeat(40)) });
    const [, label = ''] = readMenu(state);
    expect(label.length).toBeLessThanOrEqual(62);
    expect(label).toMatch(/word…\]$/);
  });

  it('keeps a long name from widening the menu or hiding its state', () => {
    const long = warehouse({ name: 'long '.repeat(40) });
    const state = { ...known({ warehouse: long }), servers: [server('sql', { title: 'long '.repeat(40) })] };
    const labels = readMenu(state);
    expect(labels.every((label) => label.length < 90)).toBe(true);
    expect(labels).toContainEqual(expect.stringMatching(/^\[(long )+long… — running\]$/));
    expect(labels).toContainEqual(expect.stringMatching(/^\[(long )+long… — running, 6 tools\]$/));
    expect(labels).toContainEqual(expect.stringMatching(/^\[Stop (long )+long…+\]$/));
  });
});

describe('the choice of a warehouse in the tray', () => {
  const choices = {
    warehouses: [warehouse(), warehouse({ id: 'b2', name: 'Starter', state: 'STOPPED' })],
    more: 0,
  };
  const submenu = (state: DesktopState) => {
    const found = trayMenu(state).find((item) => item.kind === 'submenu');
    return found?.kind === 'submenu' ? found.items : [];
  };
  const marked = (state: DesktopState) =>
    submenu({ ...state, choices }).flatMap((item) => (item.kind === 'choice' && item.chosen ? item.label : []));

  it('lists the warehouses, the workspace default and the last selected', () => {
    expect(submenu({ ...known(), choices }).map(trayLine)).toEqual([
      '(*) Shared analytics — running',
      '( ) Starter — stopped',
      '---',
      '( ) Use workspace default',
      '( ) Follow my last selection',
    ]);
  });

  it.each([
    ['the warehouse that was chosen', known(), 'Shared analytics — running'],
    ['the workspace default', known({ override: null, decidedBy: 'workspace-default' }), 'Use workspace default'],
    [
      'the last selection',
      known({ override: { type: 'LAST_SELECTED', warehouseId: null } }),
      'Follow my last selection',
    ],
    [
      'one that is not in the list',
      known({ override: { type: 'CUSTOM', warehouseId: 'c3' }, warehouse: warehouse({ id: 'c3', name: 'Finance' }) }),
      'Finance — running',
    ],
    [
      'one that is gone',
      known({ override: { type: 'CUSTOM', warehouseId: 'c3' }, warehouse: null }),
      'A missing warehouse',
    ],
  ])('marks exactly one: %s', (_name, state, label) => {
    expect(marked(state)).toEqual([label]);
  });

  it('acts on the profile that the menu was drawn for', () => {
    const [, starter, byDefault, last] = submenu({ ...known(), choices }).flatMap((item) =>
      item.kind === 'choice' ? [item.action] : [],
    );
    expect(starter).toEqual({ do: 'use-warehouse', profile: 'acme', warehouseId: 'b2', name: 'Starter' });
    expect(byDefault).toEqual({ do: 'use-workspace-default', profile: 'acme' });
    expect(last).toEqual({ do: 'use-last-selected', profile: 'acme' });
  });

  it('leads to the window for more', () => {
    expect(submenu({ ...known(), choices: { ...choices, more: 7 } }).map(trayLine)).toContain('[7 more…]');
  });

  it('offers usable warehouses, running ones first, and no more than a menu can hold', () => {
    const list = Array.from({ length: 20 }, (_, n) => warehouse({ id: `${n}`, name: `W${n}`, state: 'STOPPED' }));
    const summaries = [
      warehouse({ id: 'no', canUse: false }),
      warehouse({ id: 'gone', state: 'DELETED' }),
      ...list,
      warehouse({ id: 'on' }),
    ].map((each) => ({ ...each, type: 'PRO' }));
    const offered = choicesOf(summaries);
    expect(offered.warehouses.map(({ id }) => id).slice(0, 3)).toEqual(['on', '0', '1']);
    expect(offered.warehouses.length + offered.more).toBe(21);
    expect(offered.more).toBe(6);
  });
});

describe('the tray icons', () => {
  const moods: TrayMood[] = ['ready', 'working', 'attention', 'signed-out'];
  const sizes = { darwin: 16, win32: 32, linux: 32 } as const;

  it.each(moods)('exist for "%s" on every system, in both densities', (mood) => {
    for (const platform of ['darwin', 'win32', 'linux'] as const) {
      const file = trayIconFile(mood, platform);
      expect(widthOf(file)).toBe(sizes[platform]);
      expect(widthOf(file.replace('.png', '@2x.png'))).toBe(2 * sizes[platform]);
    }
  });

  it('are template images on macOS only', () => {
    expect(trayIconFile('ready', 'darwin')).toBe('readyTemplate.png');
    expect(trayIconFile('ready', 'linux')).toBe('ready.png');
  });

  it.each([
    ['darwin', 'menu'],
    ['win32', 'window'],
    ['linux', 'window'],
  ] as const)('open the %s way: the %s', (platform, opened) => {
    expect(trayClick(platform)).toBe(opened);
  });
});

/** A PNG's width is in its header (PNG specification, IHDR). */
function widthOf(file: string): number {
  return readFileSync(join(RESOURCES_FOLDER, 'tray', file)).readUInt32BE(16);
}

describe('a tray menu label', () => {
  it.each([
    ['an ampersand', 'R&D — running', 'R&&D — running'],
    ['several ampersands', 'A && B &', 'A &&&& B &&'],
    ['an underscore', 'dev_warehouse', 'dev_warehouse'],
    ['an escape sequence', 'dev\u001b[31m', 'dev\ufffd[31m'],
    ['a line end', 'dev\nQuit', 'dev Quit'],
    ['a tab, after which Windows shows a shortcut', 'dev\tCtrl+Q', 'dev Ctrl+Q'],
    ['a right-to-left override', 'dev\u202e', 'dev\ufffd'],
  ])('shows %s in a name literally, or not at all', (_what, label, shown) => {
    expect(menuLabel(label)).toBe(shown);
  });

  it('is no wider than a menu can be', () => {
    expect(menuLabel('x'.repeat(10_000)).length).toBe(100);
  });
});
