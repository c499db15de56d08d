import { describe, expect, it } from 'vitest';
import { attentionCount, attentionOf } from '../../../main/desktop/attention.ts';
import { dockBadge } from '../../../main/desktop/menu/launcher-menus.ts';
import { NewsSource } from '../../../main/desktop/notifications/news.ts';
import type { DesktopState, PendingApprovalInfo, WarehouseProblem } from '../../../preload/contract.ts';
import { failure, known, server, stateOf } from './states.ts';

const SIGN_IN = failure('signed_out', 'sign-in', 'You are signed out.');
const GONE: WarehouseProblem = { code: 'warehouse-gone', message: 'It was deleted.', remedy: 'Choose another.' };
const signedOut = stateOf({ status: 'failed', failure: SIGN_IN });
const loading = stateOf({ status: 'loading' });
const dangling = (warehouseId = 'a1') => known({ problems: [GONE], override: { type: 'CUSTOM', warehouseId } });
const ready: DesktopState = { ...known(), update: { status: 'ready', version: '2.0.0' } };
const call: PendingApprovalInfo = {
  id: 7,
  client: 'Claude Code',
  mark: null,
  server: 'databricks-sql',
  profile: 'acme',
  user: 'ana@acme.example',
  warehouse: null,
  tool: 'execute_sql',
  statement: 'SELECT * FROM taxi',
  arguments: null,
  tooLong: null,
  readsOnly: true,
  onlyOnce: null,
  expiresAt: 45_000,
  canExtend: true,
};

describe('notifications', () => {
  const titles = (source: NewsSource, state: DesktopState, isSeen = false) =>
    source.next(state, isSeen).shown.map(({ title }) => title);

  it('offer to sign in again if the sign-in has expired', () => {
    const [news] = new NewsSource().next(signedOut, false).shown;
    expect(news).toEqual({
      key: 'signed out of acme',
      setting: 'notifySignedOut',
      title: 'Signed out of acme',
      body: 'AI clients cannot reach the workspace. Sign in again.',
      action: { do: 'sign-in-to', profile: 'acme' },
      buttons: [{ label: 'Sign in', action: { do: 'sign-in-to', profile: 'acme' } }],
    });
  });

  it('lead to the warehouse if the override names one that is gone', () => {
    const [news] = new NewsSource().next(dangling(), false).shown;
    expect(news).toMatchObject({
      setting: 'notifyOverride',
      title: 'Your override needs attention',
      body: 'It was deleted. Choose another.',
      action: { do: 'open', screen: 'warehouse' },
      buttons: [{ label: 'Change warehouse', action: { do: 'open', screen: 'warehouse' } }],
    });
  });

  it('restart for an update only through their button', () => {
    const [news] = new NewsSource().next(ready, false).shown;
    expect(news).toMatchObject({
      title: 'Version 2.0.0 is ready',
      action: { do: 'open', screen: 'settings', item: 'updates' },
      buttons: [{ label: 'Restart now', action: { do: 'restart-to-update' } }],
    });
  });

  it('answer a call that waits', () => {
    const [news] = new NewsSource().next({ ...known(), approvals: [call] }, true).shown;
    expect(news?.title).toBe('Claude Code wants to use execute_sql');
    expect(news?.body).toBe('SELECT * FROM taxi\nOn databricks-sql. Click to review it.');
    expect(news?.buttons.map(({ label, action }) => [label, action])).toEqual([
      ['Allow once', { do: 'answer-call', id: 7, answer: 'allow' }],
      ['Block this call', { do: 'answer-call', id: 7, answer: 'block' }],
    ]);
  });

  it.each([
    ['a long statement', { statement: 'SELECT 1, '.repeat(50) }],
    ['more arguments beside it', { arguments: '{"catalog":"main"}' }],
    ['a part that is left out', { tooLong: 'It is too long.' }],
    ['a tool that may change data', { readsOnly: false }],
    ['what some systems take for markup', { statement: 'SELECT 1 < 2' }],
  ])('lead to the window with a call that must be looked at: %s', (_what, change) => {
    const [news] = new NewsSource().next({ ...known(), approvals: [{ ...call, ...change }] }, false).shown;
    expect(news?.buttons.map(({ label }) => label)).toEqual(['Review', 'Block this call']);
    expect(news?.action).toEqual({ do: 'review-calls' });
    expect(news?.body).not.toMatch(/[<‹]/);
  });

  it.each([
    ['signed out', signedOut],
    ['the override', dangling()],
    ['an update', ready],
    ['a call', { ...known(), approvals: [call] }],
  ])('are not shown twice, even after the workspace was asked again: %s', (_what, state) => {
    const source = new NewsSource();
    expect(titles(source, state)).toHaveLength(1);
    expect(titles(source, state)).toEqual([]);
    titles(source, { ...loading, approvals: state.approvals, update: state.update });
    expect(titles(source, state)).toEqual([]);
  });

  it.each([
    ['signed out', signedOut],
    ['the override', dangling()],
  ])('are shown again if the problem was resolved in between: %s', (_what, state) => {
    const source = new NewsSource();
    expect(titles(source, state)).toHaveLength(1);
    expect(titles(source, known())).toEqual([]);
    expect(titles(source, state)).toHaveLength(1);
  });

  it.each([
    ['signed out', signedOut],
    ['the override', dangling()],
    ['an update', ready],
  ])('are not shown again after a restart: %s', (_what, state) => {
    let kept: string[] = [];
    const keep = (told: string[]) => {
      kept = told;
    };
    expect(titles(new NewsSource({ keep }), state)).toHaveLength(1);
    expect(titles(new NewsSource({ notified: kept, keep }), loading)).toEqual([]);
    expect(titles(new NewsSource({ notified: kept, keep }), state)).toEqual([]);
  });

  it('are shown for each call after a restart, which numbers calls anew', () => {
    let kept: string[] | undefined;
    const state = { ...known(), approvals: [call] };
    const source = new NewsSource({
      keep: (told) => {
        kept = told;
      },
    });
    expect(titles(source, state)).toHaveLength(1);
    expect(kept).toBeUndefined();
  });

  it.each([
    ['a call', { ...known(), approvals: [call] }, known(), 'call 7'],
    ['signed out', signedOut, known(), 'signed out of acme'],
    ['the override', dangling(), known(), 'dangling in acme: a1'],
    ['an update', ready, { ...known(), update: { status: 'ready', version: '2.1.0' } as const }, 'update 2.0.0'],
  ])('are withdrawn once they are resolved: %s', (_what, state, resolved, key) => {
    const source = new NewsSource();
    source.next(state, false);
    expect(source.next(state, false).withdrawn).toEqual([]);
    expect(source.next({ ...loading, approvals: state.approvals, update: state.update }, false).withdrawn).toEqual([]);
    expect(source.next(resolved, false).withdrawn).toEqual([key]);
    expect(source.next(resolved, false).withdrawn).toEqual([]);
  });

  it('do not say during the first run that the user is signed out', () => {
    const firstRun = {
      step: 'sign-in',
      url: '',
      name: null,
      profile: 'acme',
      isNew: true,
      servers: null,
      clients: null,
    } as const;
    const source = new NewsSource();
    expect(titles(source, { ...signedOut, firstRun })).toEqual([]);
    expect(titles(source, signedOut)).toHaveLength(1);
  });

  it('are shown again for another dangling override', () => {
    const source = new NewsSource();
    expect(titles(source, dangling('a1'))).toHaveLength(1);
    expect(titles(source, dangling('b2'))).toHaveLength(1);
  });

  it('are not shown for what the window already shows, not even later', () => {
    const source = new NewsSource();
    expect(titles(source, signedOut, true)).toEqual([]);
    expect(titles(source, signedOut)).toEqual([]);
    expect(titles(source, ready, true)).toHaveLength(1);
  });

  it('are not shown if everything is fine or still unknown', () => {
    const source = new NewsSource();
    for (const state of [loading, known(), known({}, failure('unreachable'))])
      expect(titles(source, state)).toEqual([]);
  });
});

describe('what needs the user’s attention', () => {
  const forbidden = server('sql', { state: { status: 'forbidden' } });
  it.each<[string, DesktopState, string[]]>([
    ['nothing', known(), []],
    ['nothing while loading', loading, []],
    ['the sign-in', signedOut, ['signed-out']],
    ['the sign-in, while an answer is shown', known({}, SIGN_IN), ['signed-out']],
    ['a dangling override', dangling(), ['override-dangling']],
    [
      'a workspace default that is gone',
      known({ problems: [GONE], decidedBy: 'workspace-default', override: null }),
      ['warehouse'],
    ],
    ['a workspace that cannot be reached', known({}, failure('unreachable')), ['warehouse']],
    ['a server', { ...known(), servers: [forbidden] }, ['servers']],
    ['an update', ready, ['update-ready']],
    ['a call and a server', { ...known(), approvals: [call], servers: [forbidden] }, ['approval', 'servers']],
  ])('is %s', (_what, state, needs) => {
    expect(attentionOf(state)).toEqual(needs);
  });

  it('is counted on the Dock icon, with each call counted separately', () => {
    const state = { ...ready, approvals: [call, { ...call, id: 8 }] };
    expect(attentionCount(state)).toBe(3);
    expect(dockBadge(state)).toBe('3');
    expect(dockBadge(known())).toBe('');
  });
});
