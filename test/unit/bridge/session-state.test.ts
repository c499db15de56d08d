import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { HttpOutcome } from '../../../main/bridge/http-exchange.ts';
import {
  FRESH,
  gateOf,
  nextState,
  type Session,
  type SessionEvent,
  type SessionState,
  sessionFrom,
  sessionOf,
} from '../../../main/bridge/session.ts';
import { reopenSession } from '../../../main/bridge/session-renewal.ts';

const OLD: Session = { id: 'old', protocolVersion: '2025-06-18' };
const NEW: Session = { id: 'new', protocolVersion: '2025-06-18' };
const generation = 4;

/** One state of each name, in generation 4. */
const STATES = {
  fresh: { name: 'fresh', generation },
  opening: { name: 'opening', generation },
  active: { name: 'active', generation, session: OLD },
  announcing: { name: 'announcing', generation, session: OLD },
  reconnecting: { name: 'reconnecting', generation },
  lost: { name: 'lost', generation },
} satisfies { [Name in SessionState['name']]: SessionState };

/** One event of each name, of generation 4. */
const EVENTS = {
  initialize: { name: 'initialize' },
  initialized: { name: 'initialized' },
  opened: { name: 'opened', generation, session: NEW },
  announced: { name: 'announced', generation },
  refused: { name: 'refused', generation },
  deferred: { name: 'deferred', generation },
  expired: { name: 'expired', generation },
  reconnected: { name: 'reconnected', generation, session: NEW },
  reconnectFailed: { name: 'reconnectFailed', generation, error: new Error('down') },
} satisfies { [Name in SessionEvent['name']]: SessionEvent };

const OPENING = { name: 'opening', generation: 5 };
const HEALING = { name: 'reconnecting', generation: 5 };

/** Where each event leads from each state. What is not listed changes nothing. */
const TABLE: { [From in keyof typeof STATES]: { [Event in keyof typeof EVENTS]?: SessionState | object } } = {
  fresh: { initialize: OPENING, deferred: STATES.lost },
  opening: {
    initialize: OPENING,
    opened: { name: 'active', generation, session: NEW },
    refused: { name: 'fresh', generation },
    deferred: STATES.lost,
  },
  active: { initialize: OPENING, initialized: STATES.announcing, expired: HEALING },
  announcing: { initialize: OPENING, announced: STATES.active, expired: HEALING },
  reconnecting: {
    initialize: OPENING,
    reconnected: { name: 'active', generation, session: NEW },
    reconnectFailed: { name: 'lost', generation },
  },
  lost: { initialize: OPENING, expired: HEALING },
};

const rows = Object.values(STATES).flatMap((state) =>
  Object.values(EVENTS).map((event) => ({ state, event, to: TABLE[state.name][event.name] ?? state })),
);

describe('a session', () => {
  it('a new session is fresh', () => {
    expect(FRESH).toEqual({ name: 'fresh', generation: 0 });
    expect(sessionOf(FRESH)).toEqual({ id: undefined, protocolVersion: undefined });
  });

  it.each(rows)('$state.name becomes $to.name on $event.name', ({ state, event, to }) => {
    expect(nextState(state, event)).toEqual(to);
  });

  it.each(rows.filter(({ event }) => 'generation' in event))(
    '$state.name stays as it is on $event.name of another generation',
    ({ state, event }) => {
      for (const other of [0, generation - 1, generation + 1]) {
        expect(nextState(state, { ...event, generation: other } as SessionEvent)).toBe(state);
      }
    },
  );

  it.each([
    ['fresh', 'go'],
    ['opening', 'wait'],
    ['active', 'go'],
    ['announcing', 'wait'],
    ['reconnecting', 'wait'],
    ['lost', 'reconnect'],
  ] as const)('in %s makes a frame %s', (name, does) => {
    expect(gateOf(STATES[name])).toBe(does);
  });
});

describe('any sequence of events', () => {
  const generations = fc.nat({ max: 12 });
  const sessions = fc.record({ id: fc.string(), protocolVersion: fc.constantFrom('2024-11-05', '2025-06-18') });
  const event: fc.Arbitrary<SessionEvent> = fc.oneof(
    fc.record({ name: fc.constantFrom('initialize', 'initialized') }),
    fc.record({ name: fc.constantFrom('announced', 'refused', 'expired'), generation: generations }),
    fc.record({ name: fc.constantFrom('opened', 'reconnected'), generation: generations, session: sessions }),
    fc.record({ name: fc.constant('reconnectFailed'), generation: generations, error: fc.constant('down') }),
  );

  it('a generation never decreases, one session opens at a time, and stale events are ignored', () => {
    fc.assert(
      fc.property(fc.array(event, { maxLength: 60 }), (events) => {
        let state = FRESH;
        for (const step of events) {
          const after = nextState(state, step);
          expect([state.generation, state.generation + 1]).toContain(after.generation);
          if ('generation' in step && step.generation !== state.generation) expect(after).toBe(state);
          if (after.generation > state.generation) expect(['initialize', 'expired']).toContain(step.name);
          state = after;
        }
      }),
      { numRuns: 1_000 },
    );
  });

  it('frames go only in the session that the server opened last, or without one', () => {
    fc.assert(
      fc.property(fc.array(event, { maxLength: 60 }), (events) => {
        let state = FRESH;
        let last: Session | undefined;
        for (const step of events) {
          const after = nextState(state, step);
          if (after !== state && 'session' in step) last = step.session;
          if (after !== state && (step.name === 'initialize' || step.name === 'expired')) last = undefined;
          state = after;
          if (gateOf(state) === 'go') expect(sessionOf(state).id).toBe(last?.id);
        }
      }),
      { numRuns: 1_000 },
    );
  });
});

const HEAD = { status: 200, headers: { 'mcp-session-id': 'new' } };
const opens = (result: unknown) => ({ jsonrpc: '2.0', id: 1, result });

describe('the session that a response to initialize begins', () => {
  it.each<[string, unknown, Partial<Session> | undefined]>([
    [
      'has the version that the result names',
      opens({ protocolVersion: '2025-06-18' }),
      { id: 'new', protocolVersion: '2025-06-18' },
    ],
    ['has no version if the result names none', opens({}), { id: 'new', protocolVersion: undefined }],
    ['has no version if it is not a string', opens({ protocolVersion: 5 }), { id: 'new', protocolVersion: undefined }],
    [
      'has no version if it cannot be sent in a header',
      opens({ protocolVersion: '1\r\nx: y' }),
      { id: 'new', protocolVersion: undefined },
    ],
    [
      'has no version if it is invalid',
      opens({ protocolVersion: 'x'.repeat(101) }),
      { id: 'new', protocolVersion: undefined },
    ],
    [
      'has a version of any form',
      opens({ protocolVersion: 'DRAFT-2027-v1.0_x+y' }),
      { id: 'new', protocolVersion: 'DRAFT-2027-v1.0_x+y' },
    ],
    ['has no version if the result is not an object', opens('2025'), { id: 'new', protocolVersion: undefined }],
    ['has no version if the result is null', opens(null), { id: 'new', protocolVersion: undefined }],
    [
      'does not exist if the response is an error',
      { jsonrpc: '2.0', id: 1, error: { code: 1, message: '' } },
      undefined,
    ],
    ['does not exist if the response is null', null, undefined],
    ['does not exist if the response is a string', 'result', undefined],
  ])('%s', (_title, json, session) => {
    expect(sessionFrom(json, HEAD)).toEqual(session);
  });

  it('has no id if the server gives none', () => {
    const json = opens({ protocolVersion: '2025-06-18' });
    expect(sessionFrom(json, { status: 200, headers: {} })).toEqual({ id: undefined, protocolVersion: '2025-06-18' });
    const empty = { status: 200, headers: { 'mcp-session-id': '' } };
    expect(sessionFrom(json, empty)).toEqual({ id: undefined, protocolVersion: '2025-06-18' });
  });
});

describe('a session that is reopened', () => {
  const initialize = Buffer.from('{"jsonrpc":"2.0","id":1,"method":"initialize"}');
  const initialized = Buffer.from('{"jsonrpc":"2.0","method":"notifications/initialized"}');
  const answer = Buffer.from(JSON.stringify(opens({ protocolVersion: '2025-06-18' })));
  const place = { lastEventId: undefined, retryMs: undefined };
  const explained = async (failure: object) => new Error(JSON.stringify(failure));

  /** Opens it before a server that answers `initialize` with these frames of a stream, and ends so. */
  async function reopened(
    streamed: Buffer[],
    outcome: HttpOutcome,
    frames: Parameters<typeof reopenSession>[0] = { initialize, initialized },
  ) {
    const sent: [method: string, frame: Buffer, session: Session][] = [];
    const session = await reopenSession(
      frames,
      async (method, frame, current, onFrame) => {
        sent.push([method, frame, current]);
        for (const one of streamed) onFrame(one, HEAD);
        return outcome;
      },
      explained,
    );
    return { session, sent };
  }

  it('receives notifications/initialized in the new session', async () => {
    const { session, sent } = await reopened([], { kind: 'frame', head: HEAD, frame: answer });
    expect(session).toEqual(NEW);
    expect(sent).toEqual([
      ['initialize', initialize, { id: undefined, protocolVersion: undefined }],
      ['notifications/initialized', initialized, NEW],
    ]);
  });

  it('does not receive notifications/initialized before the client has sent it', async () => {
    const frames = { initialize, initialized: undefined };
    const outcome: HttpOutcome = { kind: 'frame', head: HEAD, frame: answer };
    const { sent } = await reopened([], outcome, frames);
    expect(sent.map(([method]) => method)).toEqual(['initialize']);
  });

  it('is the first one that a stream opens', async () => {
    const note = Buffer.from('{"jsonrpc":"2.0","method":"notifications/message"}');
    const second = Buffer.from(JSON.stringify(opens({ protocolVersion: '2024-11-05' })));
    const { session } = await reopened([note, answer, second], { kind: 'streamed', head: HEAD, place });
    expect(session).toEqual(NEW);
  });

  it.each<[string, HttpOutcome, object]>([
    [
      'a refusal',
      { kind: 'refused', head: { status: 503, headers: {} }, text: 'busy' },
      { kind: 'refused', head: { status: 503, headers: {} }, text: 'busy' },
    ],
    [
      'a lost connection',
      { kind: 'broken', error: new Error('lost'), sent: true, head: undefined, place },
      { kind: 'broken', error: {}, sent: true, place: {} },
    ],
    ['a response without content', { kind: 'accepted', head: HEAD }, { kind: 'unanswered' }],
    [
      'a frame that is an error',
      { kind: 'frame', head: HEAD, frame: Buffer.from('{"error":{}}') },
      { kind: 'unanswered' },
    ],
  ])('fails with %s as the reason', async (_title, outcome, failure) => {
    await expect(reopened([], outcome)).rejects.toThrow(JSON.stringify(failure));
  });

  it('does not exist if the client has not begun one', async () => {
    const frames = { initialize: undefined, initialized: undefined };
    const accepted: HttpOutcome = { kind: 'accepted', head: HEAD };
    await expect(reopened([], accepted, frames)).rejects.toThrow('there is no initialize to replay');
  });
});
