import { describe, expect, it } from 'vitest';
import { trayMood, trayTooltip } from '../../../main/desktop/tray/tray-look.ts';
import { trayMenu } from '../../../main/desktop/tray/tray-menu.ts';
import type { DesktopState, PendingApprovalInfo } from '../../../preload/contract.ts';
import { known, server } from './states.ts';
import { readMenu, trayLine } from './tray-lines.ts';

describe('a call that waits for the user in the tray', () => {
  const approval: PendingApprovalInfo = {
    id: 7,
    client: 'Claude Code',
    mark: null,
    server: 'databricks-sql',
    profile: 'acme',
    user: null,
    warehouse: null,
    tool: 'execute_sql',
    statement: 'DROP TABLE\n  taxi',
    arguments: null,
    tooLong: null,
    readsOnly: false,
    onlyOnce: null,
    expiresAt: 45_000,
    canExtend: true,
  };
  const waiting = (...approvals: PendingApprovalInfo[]) => ({ ...known(), approvals });

  it('comes first, with what it would do and the possible answers', () => {
    const [first, second] = trayMenu(waiting(approval));
    expect(first).toEqual({
      kind: 'submenu',
      label: 'Claude Code wants to use execute_sql',
      items: [
        { kind: 'action', label: 'DROP TABLE taxi', action: { do: 'review-calls' } },
        { kind: 'action', label: 'Review…', action: { do: 'review-calls' } },
        { kind: 'action', label: 'Block this call', action: { do: 'answer-call', id: 7, answer: 'block' } },
      ],
    });
    expect(second).toEqual({ kind: 'separator' });
    expect(trayMood(waiting(approval))).toBe('attention');
  });

  it('can be allowed with one click only if it is known to read', () => {
    const [first] = trayMenu(waiting({ ...approval, readsOnly: true, client: null, statement: null }));
    expect(first).toMatchObject({ label: 'An AI client wants to use execute_sql' });
    expect(first?.kind === 'submenu' && first.items.map(trayLine)).toEqual([
      '[Review…]',
      '[Allow once]',
      '[Block this call]',
    ]);
  });

  it('is one of at most five in the menu', () => {
    const many = Array.from({ length: 7 }, (_, id) => ({ ...approval, id }));
    const labels = readMenu(waiting(...many));
    expect(labels.filter((label) => label.startsWith('[Claude Code wants'))).toHaveLength(5);
    expect(labels).toContain('[2 more…]');
  });
});

describe('the connected clients in the tray', () => {
  const claude = { id: 1, pid: 7, client: 'Claude Code', profile: null, path: '/api/2.0/mcp/sql', since: 0 };
  const cursor = { ...claude, id: 3, client: 'Cursor' };
  it.each([
    [[], 'No clients connected'],
    [[claude], '[1 client connected >]'],
    [[claude, { ...claude, id: 2 }, cursor, { ...claude, id: 4, client: null }], '[3 clients connected >]'],
  ])('are counted in case %#', (proxies, label) => {
    expect(readMenu({ ...known(), proxies })).toContain(label);
  });

  it('are each listed with their sessions, and lead to the activity', () => {
    const proxies = [claude, { ...claude, id: 2 }, cursor];
    const submenu = trayMenu({ ...known(), proxies }).find((item) => item.kind === 'submenu');
    expect(submenu?.kind === 'submenu' && submenu.items.map(trayLine)).toEqual([
      'Claude Code — 2 sessions',
      'Cursor — 1 session',
      '---',
      '[Show activity]',
    ]);
  });

  it('are limited to what a menu can hold', () => {
    const proxies = Array.from({ length: 11 }, (_, id) => ({ ...claude, id, client: `Client ${id}` }));
    const submenu = trayMenu({ ...known(), proxies }).find((item) => item.kind === 'submenu');
    expect(submenu?.kind === 'submenu' && submenu.items.map(trayLine).slice(7)).toEqual([
      'Client 7 — 1 session',
      '3 more…',
      '---',
      '[Show activity]',
    ]);
  });
});

it('the tray says that contents of calls are being recorded while they are, and leads to the switch', () => {
  const words = 'Recording requests and responses…';
  expect(readMenu(known())).not.toContain(`[${words}]`);
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

  it('are each listed with their state, number of tools and sessions, and lead to the window', () => {
    const proxies = [proxy, { ...proxy, id: 2, profile: null }, { ...proxy, id: 3, profile: 'other' }];
    const shown = items({ ...known(), servers: [server('sql'), genie], proxies });
    expect(shown.map(trayLine)).toEqual(['[sql — running, 6 tools, 2 sessions]', '[genie — running, 6 tools]']);
    expect(shown[0]).toMatchObject({ action: { do: 'open', screen: 'servers', item: 'sql' } });
  });

  it('are listed by their titles', () => {
    const [line] = items({ ...known(), servers: [server('genie-7191', { title: 'Sales questions' })] });
    expect(line).toMatchObject({ label: 'Sales questions — running, 6 tools', action: { item: 'genie-7191' } });
  });

  it('say who has to sign in, once for each profile that is not the open one', () => {
    const signedOut = { status: 'signed-out', label: 'Signed out', action: 'sign-in' } as const;
    const servers = [
      server('sql', { state: signedOut }),
      server('a', { profile: 'other', state: signedOut }),
      server('b', { profile: 'other', state: signedOut }),
    ];
    const shown = items({ ...known(), servers });
    expect(shown.map(trayLine).slice(2)).toEqual(['[b — signed out]', '[Sign in to other…]']);
    expect(shown.at(-1)).toMatchObject({ action: { do: 'sign-in-to', profile: 'other' } });
    expect(trayMood({ ...known(), servers })).toBe('ready');
  });

  it('say who has to sign in to a service, by the service’s display name', () => {
    const away = {
      status: 'service-signed-out',
      label: 'Signed out of GitHub',
      action: 'sign-in-to-service',
    } as const;
    const shown = items({ ...known(), servers: [server('code', { service: 'GitHub', state: away })] });
    expect(shown.map(trayLine)).toEqual(['[code — signed out of GitHub]', '[Sign in to GitHub…]']);
    expect(shown.at(-1)).toMatchObject({
      action: { do: 'sign-in-to-service', server: 'code', title: 'GitHub' },
    });
  });

  it('are limited to what a menu can hold', () => {
    const servers = Array.from({ length: 11 }, (_, number) => server(`s${number}`));
    expect(
      items({ ...known(), servers })
        .map(trayLine)
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
  ] as const)('change the icon if one fails: %s', (status, mood) => {
    const servers = [server('sql'), server('other', { state: { status } })];
    expect(trayMood({ ...known(), servers })).toBe(mood);
  });
});

describe('the update in the tray', () => {
  it.each<[DesktopState['update'], string]>([
    [{ status: 'off' }, '[Check for updates]'],
    [{ status: 'idle', checkedAt: 1 }, '[Check for updates]'],
    [{ status: 'checking' }, 'Checking for updates…'],
    [{ status: 'available', version: '2.0.0' }, '[Download version 2.0.0]'],
    [{ status: 'downloading', version: '2.0.0', percent: 40 }, 'Downloading version 2.0.0…'],
    [{ status: 'ready', version: '2.0.0' }, '[Restart to update to 2.0.0]'],
    [{ status: 'not-possible-here', reason: 'package-manager' }, '[Check for updates]'],
  ])('%j is “%s”', (update, words) => {
    expect(readMenu({ ...known(), update })).toContain(words);
  });

  it('comes first if it is ready, and marks the icon', () => {
    const state: DesktopState = { ...known(), update: { status: 'ready', version: '2.0.0' } };
    expect(readMenu(state).slice(0, 2)).toEqual(['[Restart to update to 2.0.0]', '---']);
    expect(trayMood(state)).toBe('attention');
    expect(trayTooltip(state)).toBe('Causeway: Shared analytics — running · Version 2.0.0 is ready');
  });

  it('does not redraw the menu with each chunk that arrives', () => {
    const at = (percent: number) => trayMenu({ ...known(), update: { status: 'downloading', version: '2', percent } });
    expect(at(10)).toEqual(at(90));
  });
});
