import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  FRESH,
  gateOf,
  nextState,
  type Session,
  type SessionEvent,
  type SessionState,
  sessionOf,
} from '../../../main/bridge/session.ts';

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

  it.each(rows)('$state.name, on $event.name: $to.name', ({ state, event, to }) => {
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
