/**
 * The session with the managed server (spec/managed-mcp-endpoints.md › States), as one value that events turn into the
 * next. A generation counts the sessions: a request that meets its session's end names the generation it was sent in, so
 * that only the first of many such requests starts a new one.
 */
export type SessionState =
  /** Nothing was initialised, or the server refused it: frames go out as they are, which a stateless server takes. */
  | { name: 'fresh'; generation: number }
  /** The client's own `initialize` is on its way; whatever was sent behind it waits. */
  | { name: 'opening'; generation: number }
  | { name: 'active'; generation: number; session: Session }
  /** `notifications/initialized` is on its way; later frames must not overtake it. */
  | { name: 'announcing'; generation: number; session: Session }
  /** The cached `initialize` is being replayed; frames wait. */
  | { name: 'healing'; generation: number }
  /** There is no session although the client has opened one; the next frame tries to get one. */
  | { name: 'lost'; generation: number };

export interface Session {
  /** The server's `Mcp-Session-Id`; undefined where it issued none. */
  id: string | undefined;
  /** The negotiated revision, sent as `MCP-Protocol-Version` from then on. */
  protocolVersion: string | undefined;
}

export type SessionEvent =
  | { name: 'initialize' }
  | { name: 'initialized' }
  | { name: 'opened'; generation: number; session: Session }
  | { name: 'announced'; generation: number }
  | { name: 'refused'; generation: number }
  /** There is no session, but the client goes on as if there were: it was given an answer that this one is not of. */
  | { name: 'deferred'; generation: number }
  /** The server no longer knows the session that requests of `generation` carried. */
  | { name: 'died'; generation: number }
  | { name: 'healed'; generation: number; session: Session }
  | { name: 'unhealed'; generation: number; error: unknown };

/** The state before the first session. */
export const FRESH: SessionState = { name: 'fresh', generation: 0 };

/** The state after an event. Events of an older generation change nothing. */
export function next(state: SessionState, event: SessionEvent): SessionState {
  const { generation } = state;
  switch (event.name) {
    case 'initialize':
      return { name: 'opening', generation: generation + 1 };
    case 'initialized':
      return state.name === 'active' ? { ...state, name: 'announcing' } : state;
    case 'opened':
      return state.name === 'opening' && event.generation === generation
        ? { name: 'active', generation, session: event.session }
        : state;
    case 'announced':
      return state.name === 'announcing' && event.generation === generation ? { ...state, name: 'active' } : state;
    case 'refused':
      return state.name === 'opening' && event.generation === generation ? { name: 'fresh', generation } : state;
    case 'deferred':
      return (state.name === 'opening' || state.name === 'fresh') && event.generation === generation
        ? { name: 'lost', generation }
        : state;
    case 'died':
      return canHeal(state) && event.generation === generation
        ? { name: 'healing', generation: generation + 1 }
        : state;
    case 'healed':
      return state.name === 'healing' && event.generation === generation
        ? { name: 'active', generation, session: event.session }
        : state;
    case 'unhealed':
      return state.name === 'healing' && event.generation === generation ? { name: 'lost', generation } : state;
  }
}

function canHeal(state: SessionState): boolean {
  return state.name === 'active' || state.name === 'announcing' || state.name === 'lost';
}

/** What a frame from the client has to do in a state: go now, wait for the state to change, or bring the session back first. */
export function passage(state: SessionState): 'go' | 'wait' | 'heal' {
  switch (state.name) {
    case 'fresh':
    case 'active':
      return 'go';
    case 'opening':
    case 'announcing':
    case 'healing':
      return 'wait';
    case 'lost':
      return 'heal';
  }
}

/** What the next request carries. */
export function sessionOf(state: SessionState): Session {
  return 'session' in state ? state.session : { id: undefined, protocolVersion: undefined };
}
