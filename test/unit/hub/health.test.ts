import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { formatHealth } from '../../../main/hub/health/format.ts';
import {
  newWatch,
  nextWatch,
  type ServerHealth,
  type Watch,
  type WatchEvent,
} from '../../../main/hub/health/health.ts';
import { CausewayError } from '../../../main/platform/errors.ts';
import type { ErrorCode } from '../../../preload/contract/error-facts.ts';

const MINUTE = 60_000;
const AT = 1_000_000;

const watchAfter = (...events: WatchEvent[]): Watch => events.reduce(nextWatch, newWatch(0));
const answered = (tools: number, at = AT): WatchEvent => ({ name: 'answered', tools, at, random: 0.5 });
const failed = (code: ErrorCode, at = AT, retryAfterMs?: number): WatchEvent => ({
  name: 'failed',
  error: new CausewayError(code, 'It is so.', { remedy: 'Do something.', retryAfterMs }),
  at,
  random: 0.5,
});

describe('the health of a server', () => {
  it('a new server is connecting, and is probed at once', () => {
    expect(newWatch(AT)).toEqual({ health: { name: 'connecting' }, failures: 0, due: AT });
  });

  it.each<[ErrorCode, ServerHealth['name']]>([
    ['signed_out', 'signed-out'],
    ['unauthenticated', 'signed-out'],
    ['cli_unavailable', 'signed-out'],
    ['permission_denied', 'forbidden'],
    ['missing_scope', 'forbidden'],
    ['not_found', 'not-found'],
    ['feature_unavailable', 'not-found'],
    ['ip_blocked', 'blocked-by-ip-list'],
    ['login_page', 'login-page'],
    ['unreachable', 'unreachable'],
    ['timeout', 'unreachable'],
    ['rate_limited', 'failing'],
    ['tls', 'failing'],
    ['profile_not_found', 'failing'],
  ])('a server has the correct state after %s: %s', (code, name) => {
    const problem = { code, message: 'It is so.', remedy: 'Do something.' };
    expect(watchAfter(failed(code)).health).toMatchObject({ name, problem, until: expect.any(Number) });
  });

  it('a server without tools has no grants, and one with tools is ready', () => {
    expect(watchAfter(answered(0)).health).toEqual({ name: 'no-grants', checkedAt: AT });
    expect(watchAfter(failed('no_grants')).health).toEqual({ name: 'no-grants', checkedAt: AT });
    expect(watchAfter(answered(6)).health).toEqual({ name: 'ready', tools: 6, checkedAt: AT });
    expect(watchAfter({ name: 'failed', error: new Error('a mistake'), at: AT, random: 0 }).health).toMatchObject({
      name: 'failing',
      problem: { code: 'internal', message: 'a mistake' },
    });
  });

  it('a ready server stays ready while it is probed, and any other one is connecting until the answer arrives', () => {
    const ready = watchAfter(answered(6));
    expect(nextWatch(ready, { name: 'asked', at: AT + 1 })).toEqual({ ...ready, due: AT + 1 });
    expect(nextWatch(watchAfter(failed('unreachable')), { name: 'asked', at: AT + 1 }).health).toEqual({
      name: 'connecting',
    });
  });
});

describe('the next probe of a server', () => {
  const pauses = (code: ErrorCode, times: number) => {
    let watch = newWatch(AT);
    return Array.from({ length: times }, () => {
      watch = nextWatch(watch, failed(code));
      return (watch.due ?? 0) - AT;
    });
  };

  it('a ready server is probed every five minutes', () => {
    expect(watchAfter(answered(6)).due).toBe(AT + 5 * MINUTE);
  });

  it('a server in trouble is probed with exponential backoff, up to a limit', () => {
    expect(pauses('unreachable', 8)).toEqual([5, 10, 20, 40, 80, 160, 300, 300].map((seconds) => seconds * 1000));
    expect(pauses('permission_denied', 4)).toEqual([5, 10, 20, 30].map((minutes) => minutes * MINUTE));
  });

  it('a server is probed again soon if its trouble has changed or had ended', () => {
    const long = watchAfter(failed('unreachable'), failed('unreachable'), failed('unreachable'));
    expect(nextWatch(long, failed('login_page')).due).toBe(AT + 10_000);
    expect(nextWatch(nextWatch(long, answered(6)), failed('unreachable')).due).toBe(AT + 5_000);
  });

  it('a server is never probed before the time that it asks for', () => {
    fc.assert(
      fc.property(fc.nat(10_000_000), fc.double({ min: 0, max: 1, noNaN: true }), (retryAfterMs, random) => {
        const error = new CausewayError('rate_limited', 'Too many.', { retryAfterMs });
        const { due } = watchAfter({ name: 'failed', error, at: AT, random });
        expect(due).toBeGreaterThanOrEqual(AT + retryAfterMs);
      }),
    );
  });

  it('servers are probed within a few seconds after the computer wakes, whatever their state', () => {
    for (const before of [answered(6), failed('permission_denied'), failed('signed_out')]) {
      const due = [0, 0.5, 1].map(
        (random) => nextWatch(watchAfter(before), { name: 'interrupted', at: AT, random }).due,
      );
      expect(due).toEqual([AT, AT + 1_500, AT + 3_000]);
    }
  });

  it('a server is probed once after many changes of its tools', () => {
    expect(nextWatch(watchAfter(answered(6)), { name: 'tools-changed', at: AT }).due).toBe(AT + 500);
    const trouble = watchAfter(failed('unreachable'));
    expect(nextWatch(trouble, { name: 'tools-changed', at: AT })).toBe(trouble);
  });
});

describe('a sign-in in the browser', () => {
  it('pauses the servers that need it, and nothing probes them meanwhile', () => {
    const waiting = watchAfter(failed('signed_out'), { name: 'sign-in-began' });
    expect(waiting).toMatchObject({ health: { name: 'waiting-for-browser' }, due: null });
    expect(nextWatch(waiting, failed('signed_out'))).toBe(waiting);
    expect(nextWatch(waiting, { name: 'interrupted', at: AT, random: 1 })).toBe(waiting);
    expect(nextWatch(waiting, { name: 'sign-in-ended', at: AT })).toMatchObject({
      health: { name: 'connecting' },
      due: AT,
    });
  });

  it('a sign-in does not change the state of a ready server', () => {
    const ready = watchAfter(answered(6));
    expect(nextWatch(ready, { name: 'sign-in-began' })).toBe(ready);
    expect(nextWatch(ready, { name: 'sign-in-ended', at: AT })).toBe(ready);
  });
});

describe('the format of a state', () => {
  const inWords = (health: ServerHealth, hasCredentials = false) =>
    formatHealth(health, { profile: 'acme', hasCredentials, now: AT });

  it.each<[WatchEvent, string, string | null]>([
    [answered(1), 'Running, 1 tool', null],
    [answered(6), 'Running, 6 tools', null],
    [answered(0), 'No tools', 'check-again'],
    [failed('signed_out'), 'Signed out', 'sign-in'],
    [failed('missing_scope'), 'No access', 'sign-in'],
    [failed('unauthenticated'), 'Signed out', 'sign-in'],
    [failed('sign_in_failed'), 'Signed out', 'sign-in'],
    [failed('consent_denied'), 'Signed out', 'sign-in'],
    [failed('profile_not_found'), 'Not working', 'accounts'],
    [failed('permission_denied'), 'No access', 'check-again'],
    [failed('ip_blocked'), 'IP blocked', 'check-again'],
    [failed('login_page'), 'Network sign-in', 'check-again'],
    [{ name: 'sign-in-began' }, 'Waiting for the browser', null],
    [{ name: 'asked', at: AT }, 'Connecting', null],
  ])('%j is "%s"', (event, label, action) => {
    expect(inWords(watchAfter(event).health)).toMatchObject({ label, action });
  });

  it.each(['missing_scope', 'unauthenticated', 'sign_in_failed', 'consent_denied'] as const)(
    'leads to the accounts for %s if the profile has nothing to sign in to',
    (code) => {
      expect(inWords(watchAfter(failed(code)).health, true).action).toBe('accounts');
    },
  );

  it.each([
    ['check-sign-in', 'sign-in'],
    ['check-credentials', 'accounts'],
  ] as const)('offers for %s what a button can do: %s', (what, button) => {
    const action = { do: what, profile: 'acme', path: '/api/2.0/mcp/sql' };
    const error = new CausewayError('unauthenticated', 'It was refused.', { action });
    expect(inWords(watchAfter({ name: 'failed', error, at: AT, random: 0.5 }).health).action).toBe(button);
  });

  it('the sentence says when Causeway will try again on its own, and only then', () => {
    expect(inWords(watchAfter(failed('unreachable')).health)).toEqual({
      label: 'Unreachable',
      sentence: 'It is so. Causeway tries again in 5 seconds.',
      remedy: 'Do something.',
      action: 'check-again',
    });
    expect(inWords(watchAfter(failed('unavailable', AT, 20 * MINUTE)).health).sentence).toMatch(/in 2\d minutes\.$/);
    expect(inWords(watchAfter(failed('unreachable', AT - MINUTE)).health).sentence).toMatch(/again now\.$/);
    expect(inWords(watchAfter(failed('permission_denied')).health).sentence).toBe('It is so.');
  });
});
