import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { CallRing } from '../../../main/activity/call-ring.ts';
import { dayOf, latencyOf } from '../../../main/activity/call-statistics.ts';
import { serverAt } from '../../../preload/contract/server-kinds.ts';
import { formatBytes, formatDuration } from '../../../preload/contract/words/figures.ts';
import type { ActivityCall, CallFilter } from '../../../preload/contract.ts';
import { attemptResult, partsOf, problemIn, totalMs } from '../../../renderer/activity/chain.ts';
import { formatClient } from '../../../renderer/activity/format.ts';
import { heightOf, loneDots, svgPath, ticksFor } from '../../../renderer/activity/latency-plot.tsx';
import { endedCall } from '../../ended-call.ts';

const SQL = '/api/2.0/mcp/sql';
const ANY: CallFilter = {
  client: null,
  path: null,
  tool: null,
  outcome: null,
  text: '',
  day: null,
  failedFirst: false,
};
const ended = (of: Partial<ActivityCall> = {}): Omit<ActivityCall, 'id'> => ({
  ...endedCall(),
  profile: null,
  server: null,
  statement: null,
  ...of,
});

describe('the calls that are kept', () => {
  const ids = ({ rows }: { rows: ActivityCall[] }) => rows.map(({ id }) => id);

  it('are the most recent ones, newest first', () => {
    const ring = new CallRing(3);
    for (let count = 0; count < 5; count += 1) ring.add(ended());
    expect(ring.size).toBe(3);
    expect(ids(ring.page(ANY, null, 0, 10))).toEqual([5, 4, 3]);
    expect(ids(ring.page(ANY, null, 1, 1))).toEqual([4]);
    expect(ring.page(ANY, null, 3, 10)).toEqual({ total: 3, rows: [] });
  });

  it('do not move while the user reads one of them', () => {
    const ring = new CallRing(3);
    for (let count = 0; count < 3; count += 1) ring.add(ended());
    expect(ids(ring.page(ANY, 2, 0, 10))).toEqual([2, 1]);
    ring.add(ended());
    expect(ids(ring.page(ANY, 2, 0, 10))).toEqual([2]);
  });

  it('can be cleared, and new ones are kept again', () => {
    const ring = new CallRing(3);
    for (let count = 0; count < 5; count += 1) ring.add(ended());
    ring.remove({ day: null, client: null });
    expect(ring.size).toBe(0);
    expect(ring.page(ANY, null, 0, 10)).toEqual({ total: 0, rows: [] });
    expect(ring.names('clientName')).toEqual([]);
    for (let count = 0; count < 4; count += 1) ring.add(ended());
    expect(ids(ring.page(ANY, null, 0, 10))).toEqual([9, 8, 7]);
  });

  it('can be filtered, even while more arrive and others are dropped', () => {
    const kinds = [
      { clientName: 'claude-ai', tool: 'execute_sql', outcome: 'answered' },
      { clientName: 'cursor', tool: null, outcome: 'lost' },
      { clientName: 'cursor', tool: 'ask', outcome: 'tool-error' },
      { clientName: null, tool: 'ask', outcome: 'cancelled' },
    ] as const;
    const filters: CallFilter[] = [
      ANY,
      { ...ANY, client: 'cursor' },
      { ...ANY, tool: 'ask' },
      { ...ANY, path: '/elsewhere' },
      { ...ANY, outcome: 'failed' },
      { ...ANY, client: 'cursor', outcome: 'tool-error' },
    ];
    const passes: ((call: ActivityCall) => boolean)[] = [
      () => true,
      ({ clientName }) => clientName === 'cursor',
      ({ tool }) => tool === 'ask',
      () => false,
      ({ outcome }) => outcome === 'lost' || outcome === 'tool-error',
      ({ clientName, outcome }) => clientName === 'cursor' && outcome === 'tool-error',
    ];
    fc.assert(
      fc.property(fc.array(fc.nat(3), { maxLength: 60 }), fc.nat(5), fc.nat(40), (sequence, which, asked) => {
        const ring = new CallRing(20);
        const all: ActivityCall[] = [];
        const filter = filters[which] ?? ANY;
        for (const [at, kind] of sequence.entries()) {
          const call = ended(kinds[kind]);
          all.push({ ...call, id: at + 1 });
          ring.add(call);
          if (at === asked) ring.page(filter, null, 0, 5);
        }
        const expected = all
          .slice(-20)
          .filter(passes[which] ?? (() => true))
          .reverse();
        expect(ring.page(filter, null, 0, 100)).toEqual({ total: expected.length, rows: expected });
        expect([...ring.matching(filter)]).toEqual(expected);
      }),
    );
  });

  it.each([
    ['the client', 'CURSOR', 'a'],
    ['the server', 'sales', 'b'],
    ['the tool', 'ask', 'b'],
    ['the error', '-32602', 'c'],
    ['several words in any order', 'execute cursor', 'a'],
    ['nothing', 'nowhere', ''],
  ])('can be searched by %s', (_what, text, found) => {
    const ring = new CallRing();
    ring.add(ended({ clientName: 'Cursor', method: 'a' }));
    ring.add(ended({ server: 'Sales', tool: 'ask', method: 'b' }));
    ring.add(ended({ errorCode: -32602, outcome: 'error', method: 'c' }));
    expect([...ring.matching({ ...ANY, text })].map(({ method }) => method).join('')).toBe(found);
  });

  it('can show only failed ones first, in pages, even while older ones are dropped', () => {
    const ring = new CallRing(5);
    const outcomes = ['lost', 'answered', 'error', 'cancelled', 'tool-error', 'answered'] as const;
    for (const outcome of outcomes) ring.add(ended({ outcome }));
    const filter = { ...ANY, failedFirst: true };
    expect(ids(ring.page(filter, null, 0, 10))).toEqual([5, 3, 6, 4, 2]);
    expect(ids(ring.page(filter, null, 1, 2))).toEqual([3, 6]);
    expect(ids(ring.page(filter, 4, 0, 10))).toEqual([3, 4, 2]);
    expect(ids(ring.page({ ...filter, outcome: 'failed' }, null, 0, 10))).toEqual([5, 3]);
  });

  it('are found by their number until they are dropped or cleared', () => {
    const ring = new CallRing(2);
    for (let count = 0; count < 3; count += 1) ring.add(ended());
    expect(ring.find(1)).toBeUndefined();
    expect(ring.find(3)?.id).toBe(3);
    expect(ring.find(4)).toBeUndefined();
    ring.remove({ day: null, client: null });
    expect(ring.find(3)).toBeUndefined();
  });

  it('list what they can be filtered by, as long as one of them is kept', () => {
    const ring = new CallRing(2);
    ring.add(ended({ clientName: 'cursor', tool: 'ask' }));
    ring.add(ended({ clientName: 'claude-ai', tool: null }));
    expect(ring.names('clientName')).toEqual(['claude-ai', 'cursor']);
    expect(ring.names('tool')).toEqual(['ask']);
    ring.add(ended());
    expect(ring.names('clientName')).toEqual(['claude-ai']);
    expect(ring.names('path')).toEqual([SQL]);
  });
});

describe('how long calls took', () => {
  const MINUTE = 60_000;
  const now = 100 * MINUTE;
  const at = (minutesAgo: number, durationMs: number, of: Partial<ActivityCall> = {}): ActivityCall => ({
    ...ended({ startedAt: now - minutesAgo * MINUTE - durationMs, durationMs, ...of }),
    id: 1,
  });

  it('is shown for the last 15 minutes, as median and 95th percentile', () => {
    const calls = Array.from({ length: 100 }, (_, index) => at(0.1, 100 - index));
    expect(latencyOf(calls, now)).toMatchObject({ count: 100, p50: 50, p95: 95, worst: 100 });
    const { buckets } = latencyOf([at(0.1, 5), at(1.1, 7), at(14.9, 9), at(16, 11)], now);
    expect(buckets.at(-1)).toEqual({ count: 1, p50: 5, p95: 5 });
    expect(buckets.flatMap(({ p50 }) => p50 ?? [])).toEqual([9, 7, 5]);
  });

  it('leaves out requests that stay open as long as the client likes', () => {
    expect(latencyOf([at(1, 600_000, { method: 'subscriptions/listen' })], now).count).toBe(0);
  });

  it('is empty if nothing was called', () => {
    expect(latencyOf([], now)).toMatchObject({ count: 0, p50: null, p95: null, worst: null });
  });
});

describe('the calls of the last day', () => {
  const HOUR = 60 * 60_000;
  const now = new Date(2026, 10, 24, 14, 30).getTime();
  const at = (hoursAgo: number, outcome: ActivityCall['outcome'] = 'answered'): ActivityCall => ({
    ...ended({ startedAt: now - hoursAgo * HOUR, durationMs: 0, outcome }),
    id: 1,
  });

  it('are counted by clock hour, with failures counted separately', () => {
    const { hours, droppedBefore } = dayOf(
      [at(0, 'lost'), at(0.4), at(0.6), at(23.4, 'cancelled'), at(30)],
      now,
      false,
    );
    expect(hours).toHaveLength(24);
    expect(hours.at(-1)).toEqual({ from: new Date(2026, 10, 24, 14).getTime(), calls: 2, failed: 1 });
    expect(hours.at(-2)).toMatchObject({ calls: 1, failed: 0 });
    expect(hours[0]).toEqual({ from: new Date(2026, 10, 23, 15).getTime(), calls: 1, failed: 0 });
    expect(droppedBefore).toBeNull();
  });

  it('are marked incomplete if some of them were dropped', () => {
    expect(dayOf([at(1), at(2)], now, true).droppedBefore).toBe(now - 2 * HOUR);
    expect(dayOf([at(1), at(30)], now, true).droppedBefore).toBeNull();
    expect(dayOf([], now, false).hours.every(({ calls }) => calls === 0)).toBe(true);
  });
});

describe('a session as text', () => {
  it.each([
    [SQL, 'SQL'],
    ['/api/2.0/mcp/genie/01ef', 'Genie space 01ef'],
    ['/api/2.0/mcp/functions/main/tools/', 'Functions in main.tools'],
    ['/api/2.0/mcp/vector-search/main/docs/index', 'Vector search in main.docs.index'],
    ['/api/2.0/mcp/external/github', 'Connection github'],
    ['/api/2.0/mcp/sqlite', '/api/2.0/mcp/sqlite'],
  ])('%s is %s', (path, words) => {
    expect(serverAt(path).title).toBe(words);
  });

  it('names its client, as far as the name is known', () => {
    const unnamed = { clientName: null, clientVersion: null };
    expect(formatClient({ clientName: 'claude-ai', clientVersion: '0.9' })).toBe('claude-ai 0.9');
    expect(formatClient({ clientName: 'claude-ai', clientVersion: null })).toBe('claude-ai');
    expect(formatClient(unnamed)).toBe('AI client');
  });

  it.each([
    [0.4, 'under 1 ms'],
    [12.4, '12 ms'],
    [999.6, '1 s'],
    [1234, '1.2 s'],
    [125_400, '2 min 5 s'],
  ])('takes %d ms: %s', (millis, words) => {
    expect(formatDuration(millis)).toBe(words);
  });

  it.each([
    [0, '0 bytes'],
    [999, '999 bytes'],
    [1000, '1 kB'],
    [2_340_000, '2.3 MB'],
    [5e15, '5,000 TB'],
  ])('moves %d: %s', (bytes, words) => {
    expect(formatBytes(bytes)).toBe(words);
  });
});

describe('the plot', () => {
  it('has ticks from one millisecond to above the maximum', () => {
    expect(ticksFor(3)).toEqual([1, 10, 100]);
    expect(ticksFor(2300)).toEqual([1, 10, 100, 1000, 10_000]);
    expect([0.2, 1, 10, 100, 5000].map((millis) => heightOf(millis, 1, 100))).toEqual([0, 0, 0.5, 1, 1]);
  });

  it('shows a single moment as a larger dot', () => {
    expect(loneDots([null, 10, 20, null, 30], 40)).toBe('M 40 30 h 0');
    expect(loneDots([10, null, null, 20, 30], 40)).toBe('M 0 10 h 0');
  });

  it('breaks its line if nothing was called, and shows a single moment as a dot', () => {
    expect(svgPath([null, 10, 20, null, 30], 40)).toBe('M 10 10 h 0 L 20 20 M 40 30 h 0');
  });
});

describe('the timeline of a call', () => {
  const call = (change: Partial<ActivityCall>): ActivityCall => ({ ...ended(change), id: 1 });
  const attempts: ActivityCall['attempts'] = [
    { afterMs: 5, tookMs: 20, failure: { status: 503, reason: 'refused' } },
    { afterMs: 325, tookMs: 60, failure: null },
  ];

  it('shows the time in Causeway, at the workspace, and before each further attempt', () => {
    const parts = partsOf(call({ durationMs: 400, attempts }));
    expect(parts.map(({ where, ms }) => `${where} ${ms}`)).toEqual([
      'causeway 5',
      'workspace 20',
      'between 300',
      'workspace 60',
      'causeway 15',
    ]);
    expect(totalMs(parts, 'workspace')).toBe(80);
  });

  it('counts all time from an attempt without an end to the workspace', () => {
    const parts = partsOf(call({ durationMs: 100, attempts: [{ afterMs: 10, tookMs: null, failure: null }] }));
    expect(parts.map(({ where, ms }) => `${where} ${ms}`)).toEqual(['causeway 10', 'workspace 90']);
  });

  it('counts all time to Causeway if nothing was sent', () => {
    expect(partsOf(call({ durationMs: 3, attempts: [] }))).toEqual([{ where: 'causeway', atMs: 0, ms: 3 }]);
  });

  it.each([
    [{ afterMs: 0, tookMs: 20, failure: null }, 'answered in 20 ms'],
    [{ afterMs: 0, tookMs: null, failure: null }, 'no answer'],
    [{ afterMs: 0, tookMs: 20, failure: { status: 503, reason: 'refused' } }, 'refused with status 503 after 20 ms'],
    [
      { afterMs: 0, tookMs: 20, failure: { status: 404, reason: 'session-lost' } },
      'session expired after 20 ms, renewed',
    ],
    [{ afterMs: 0, tookMs: 20, failure: { status: null, reason: 'not-sent' } }, 'could not connect after 20 ms'],
    [{ afterMs: 0, tookMs: 20, failure: { status: null, reason: 'broken' } }, 'connection broken after 20 ms'],
  ] as const)('says how an attempt ended: %j', (attempt, words) => {
    expect(attemptResult(attempt)).toBe(words);
  });

  it.each([
    [{ outcome: 'answered' }, null],
    [{ outcome: 'error', errorCode: -32602 }, 'The server does not accept the arguments.'],
    [{ outcome: 'error', errorCode: 7 }, 'The request was refused.'],
    [{ outcome: 'tool-error' }, 'The tool reported a failure.'],
    [
      { outcome: 'error', errorCode: -31_999, problem: { code: 'unreachable', message: 'Out of reach. Try again.' } },
      'Out of reach. Try again.',
    ],
    [{ outcome: 'lost' }, 'The connection ended before the response arrived. The call may have run.'],
    [
      {
        outcome: 'error',
        errorCode: -32003,
        problem: { code: 'permission_denied', message: 'No exports. Your administrators decided this.' },
        refusal: 'policy',
      },
      'No exports. Your administrators decided this.',
    ],
  ] as const)('ends with what went wrong: %j', (change, message) => {
    expect(problemIn(call(change))?.message ?? null).toBe(message);
  });
});
