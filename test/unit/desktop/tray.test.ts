import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { RESOURCES_FOLDER } from '../../../main/desktop/places.ts';
import {
  menuLabel,
  type TrayItem,
  type TrayMood,
  trayIconFile,
  trayMenu,
  trayMood,
  trayTooltip,
} from '../../../main/desktop/tray/tray-menu.ts';
import { choicesOf } from '../../../main/desktop/warehouse/warehouse.ts';
import type { DesktopState, PendingApprovalInfo, WarehouseProblem } from '../../../preload/contract.ts';
import { INITIAL_STATE } from '../../../preload/initial-state.ts';
import { failure, known, server, stateOf, warehouse } from './states.ts';

const cannotUse: WarehouseProblem = { code: 'cannot-use', message: 'You may not use it.', remedy: 'Ask.' };
const unseen: WarehouseProblem = { code: 'last-selected-unseen', message: 'It cannot be read.', remedy: 'Choose.' };
const signIn = failure('signed_out', 'sign-in', 'You are signed out.');

/** A menu as a user reads it: actions in brackets, what opens further with an arrow. */
function read(state: DesktopState): string[] {
  return trayMenu(state).map(line);
}

function line(item: TrayItem): string {
  switch (item.kind) {
    case 'separator':
      return '---';
    case 'text':
      return item.label;
    case 'action':
      return `[${item.label}]`;
    case 'choice':
      return `(${item.chosen ? '*' : ' '}) ${item.label}`;
    case 'submenu':
      return `[${item.label} >]`;
  }
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
      ...INITIAL_STATE,
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
      'because you chose it',
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
      'because it is the workspace default',
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
      'because you chose it',
      '[You may not use it.]',
      '[Switch warehouse…]',
      '[Stop Shared analytics…]',
    ],
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
      '[Switch warehouse…]',
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
      'because you chose it',
      '[You are signed out.]',
      '[Sign in…]',
      '[Switch warehouse…]',
      '[Stop Shared analytics…]',
    ],
    tooltip: 'Causeway: Shared analytics — running',
    mood: 'signed-out',
  },
];

describe('the tray', () => {
  it.each(cases)('says: $name', ({ state, middle, tooltip, mood }) => {
    const servers = state.warehouse.status === 'known' ? ['[Add servers…]'] : [];
    const end = [
      ...servers,
      'No AI client is connected',
      '---',
      '[Open Causeway]',
      '[Copy diagnostics]',
      '[Check for updates]',
      '[Quit]',
    ];
    expect(read(state)).toEqual([...middle, '---', ...end]);
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
    expect(submenu({ ...known(), choices }).map(line)).toEqual([
      '(*) Shared analytics — running',
      '( ) Starter — stopped',
      '( ) Use workspace default',
      '( ) Last selected',
    ]);
  });

  it.each([
    ['the warehouse that was chosen', known(), 'Shared analytics — running'],
    ['the workspace default', known({ override: null, decidedBy: 'workspace-default' }), 'Use workspace default'],
    ['the last selected', known({ override: { type: 'LAST_SELECTED', warehouseId: null } }), 'Last selected'],
    [
      'one that is not in the list',
      known({ override: { type: 'CUSTOM', warehouseId: 'c3' }, warehouse: warehouse({ id: 'c3', name: 'Finance' }) }),
      'Finance — running',
    ],
    [
      'one that is gone',
      known({ override: { type: 'CUSTOM', warehouseId: 'c3' }, warehouse: null }),
      'A warehouse that cannot be found',
    ],
  ])('marks exactly one: %s', (_name, state, label) => {
    expect(marked(state)).toEqual([label]);
  });

  it('acts on the profile that the menu was drawn for', () => {
    const [, starter, byDefault, last] = submenu({ ...known(), choices }).map((item) =>
      item.kind === 'choice' ? item.action : null,
    );
    expect(starter).toEqual({ do: 'use-warehouse', profile: 'acme', warehouseId: 'b2', name: 'Starter' });
    expect(byDefault).toEqual({ do: 'use-workspace-default', profile: 'acme' });
    expect(last).toEqual({ do: 'use-last-selected', profile: 'acme' });
  });

  it('leads to the window for more', () => {
    expect(submenu({ ...known(), choices: { ...choices, more: 7 } }).map(line)).toContain('[7 more…]');
  });

  it('offers what can be used, running ones first, and no more than a menu holds', () => {
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

describe('a call that waits for the user in the tray', () => {
  const approval: PendingApprovalInfo = {
    id: 7,
    client: 'Claude Code',
    mark: null,
    server: 'databricks-sql',
    profile: 'acme',
    tool: 'execute_sql',
    statement: 'DROP TABLE\n  taxi',
    arguments: null,
    cut: 0,
    expiresAt: 45_000,
  };
  const waiting = (...approvals: PendingApprovalInfo[]) => ({ ...known(), approvals });

  it('stands first, with what it would do and its answers', () => {
    const [first, second] = trayMenu(waiting(approval));
    expect(first).toEqual({
      kind: 'submenu',
      label: 'Claude Code asks to use execute_sql',
      items: [
        { kind: 'action', label: 'DROP TABLE taxi', action: { do: 'open', screen: 'warehouse' } },
        { kind: 'action', label: 'Allow once', action: { do: 'answer-call', id: 7, answer: 'once' } },
        {
          kind: 'action',
          label: 'Always allow for Claude Code',
          action: { do: 'answer-call', id: 7, answer: 'always' },
        },
        { kind: 'action', label: 'Refuse', action: { do: 'answer-call', id: 7, answer: 'refuse' } },
      ],
    });
    expect(second).toEqual({ kind: 'separator' });
    expect(trayMood(waiting(approval))).toBe('attention');
  });

  it('cannot be allowed for ever where the client has not named itself', () => {
    const [first] = trayMenu(waiting({ ...approval, client: null, statement: null }));
    expect(first).toMatchObject({ label: 'An AI client asks to use execute_sql' });
    expect(first?.kind === 'submenu' && first.items.map(line)).toEqual(['[Allow once]', '[Refuse]']);
  });

  it('is one of at most five in the menu', () => {
    const many = Array.from({ length: 7 }, (_, id) => ({ ...approval, id }));
    const labels = read(waiting(...many));
    expect(labels.filter((label) => label.startsWith('[Claude Code asks'))).toHaveLength(5);
    expect(labels).toContain('[2 more…]');
  });
});

describe('the number of sessions in the tray', () => {
  const proxy = { id: 1, pid: 7, client: null, profile: null, path: '/api/2.0/mcp/sql', since: 0 };
  it.each([
    [[], 'No AI client is connected'],
    [[proxy], '[1 session of an AI client]'],
    [[proxy, { ...proxy, id: 2 }], '[2 sessions of AI clients]'],
  ])('is told in case %#', (proxies, label) => {
    expect(read({ ...known(), proxies })).toContain(label);
  });
});

it('the tray says that contents of calls are being recorded while they are, and leads to where that is ended', () => {
  const words = 'Contents of calls are being recorded…';
  expect(read(known())).not.toContain(`[${words}]`);
  const item = trayMenu({ ...known(), recording: { status: 'on', until: null } }).find(
    (each) => each.kind === 'action' && each.label === words,
  );
  expect(item).toMatchObject({ action: { do: 'open', screen: 'activity' } });
});

describe('the servers in the tray', () => {
  const proxy = { id: 1, pid: 7, client: null, profile: 'acme', path: '/api/2.0/mcp/sql', since: 0 };
  const genie = server('genie', { path: '/api/2.0/mcp/genie/01ef' });
  const items = (state: DesktopState) => {
    const all = trayMenu(state);
    const from = all.findIndex(({ kind }) => kind === 'separator') + 1;
    return all
      .slice(
        from,
        all.findIndex((item, place) => place >= from && item.kind === 'separator'),
      )
      .slice(0, -1);
  };

  it('each have their state, number of tools and sessions, and lead to it in the window', () => {
    const proxies = [proxy, { ...proxy, id: 2, profile: null }, { ...proxy, id: 3, profile: 'other' }];
    const shown = items({ ...known(), servers: [server('sql'), genie], proxies });
    expect(shown.map(line)).toEqual(['[sql — running, 6 tools, 2 sessions]', '[genie — running, 6 tools]']);
    expect(shown[0]).toMatchObject({ action: { do: 'open', screen: 'servers', item: 'sql' } });
  });

  it('say who has to sign in, once for each profile that is not the open one', () => {
    const signedOut = { status: 'signed-out', label: 'Signed out', action: 'sign-in' } as const;
    const servers = [
      server('sql', { state: signedOut }),
      server('a', { profile: 'other', state: signedOut }),
      server('b', { profile: 'other', state: signedOut }),
    ];
    const shown = items({ ...known(), servers });
    expect(shown.map(line).slice(2)).toEqual(['[b — signed out]', '[Sign in to other…]']);
    expect(shown.at(-1)).toMatchObject({ action: { do: 'sign-in-to', profile: 'other' } });
    expect(trayMood({ ...known(), servers })).toBe('ready');
  });

  it('say who has to sign in to what is behind a service, which has its own name', () => {
    const away = {
      status: 'service-signed-out',
      label: 'Signed out of GitHub',
      action: 'sign-in-to-service',
    } as const;
    const shown = items({ ...known(), servers: [server('code', { service: 'GitHub', state: away })] });
    expect(shown.map(line)).toEqual(['[code — signed out of GitHub]', '[Sign in to GitHub…]']);
    expect(shown.at(-1)).toMatchObject({
      action: { do: 'sign-in-to-service', server: 'code', title: 'GitHub' },
    });
  });

  it('are no more than a menu holds', () => {
    const servers = Array.from({ length: 11 }, (_, number) => server(`s${number}`));
    expect(
      items({ ...known(), servers })
        .map(line)
        .slice(7),
    ).toEqual(['[s7 — running, 6 tools]', '[3 more…]']);
  });

  it.each([
    ['unreachable', 'attention'],
    ['failing', 'attention'],
    ['forbidden', 'attention'],
    ['login-page', 'attention'],
    ['blocked-by-ip-list', 'attention'],
    ['not-found', 'attention'],
    ['connecting', 'ready'],
    ['no-grants', 'ready'],
    ['waiting-for-browser', 'ready'],
  ] as const)('change the icon where one fails: %s', (status, mood) => {
    const servers = [server('sql'), server('other', { state: { status } })];
    expect(trayMood({ ...known(), servers })).toBe(mood);
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

describe('the update in the tray', () => {
  it.each<[DesktopState['update'], string]>([
    [{ status: 'off' }, '[Check for updates]'],
    [{ status: 'idle', checkedAt: 1 }, '[Check for updates]'],
    [{ status: 'checking' }, 'Looking for updates…'],
    [{ status: 'available', version: '2.0.0' }, '[Get version 2.0.0]'],
    [{ status: 'downloading', version: '2.0.0', percent: 40 }, 'Fetching version 2.0.0…'],
    [{ status: 'ready', version: '2.0.0' }, '[Restart to update to 2.0.0]'],
    [{ status: 'not-possible-here', reason: 'package-manager' }, '[Check for updates]'],
  ])('%j is “%s”', (update, words) => {
    expect(read({ ...known(), update })).toContain(words);
  });

  it('does not draw the menu anew with each part that arrives', () => {
    const at = (percent: number) => trayMenu({ ...known(), update: { status: 'downloading', version: '2', percent } });
    expect(at(10)).toEqual(at(90));
  });
});

describe('a label of the tray’s menu', () => {
  it.each([
    ['an ampersand', 'R&D — running', 'R&&D — running'],
    ['several ampersands', 'A && B &', 'A &&&& B &&'],
    ['an underscore', 'dev_warehouse', 'dev_warehouse'],
    ['an escape sequence', 'dev\u001b[31m', 'dev\ufffd[31m'],
    ['a line end', 'dev\nQuit', 'dev Quit'],
    ['a tab, behind which Windows shows a shortcut', 'dev\tCtrl+Q', 'dev Ctrl+Q'],
    ['a right-to-left override', 'dev\u202e', 'dev\ufffd'],
  ])('shows %s of a name as it is, or not at all', (_what, label, shown) => {
    expect(menuLabel(label)).toBe(shown);
  });

  it('is no wider than a menu may be', () => {
    expect(menuLabel('x'.repeat(10_000)).length).toBe(100);
  });
});
