import { setTimeout as sleep } from 'node:timers/promises';
import type { SignInIdentity } from '../auth/identity.ts';
import { parseFrame, parseText } from './frame/frame.ts';
import { membersOf, type RpcError, rpcErrorIn } from './frame/members.ts';
import { type HttpOutcome, header, type ResponseHead } from './http-exchange.ts';

/**
 * The session with the managed server (spec/managed-mcp-endpoints.md › States), as one value; each
 * event yields the next one. The generation counts the sessions. A request that finds its session lost names the generation
 * it was sent in, so that only the first of many such requests opens a new session.
 */
export type SessionState =
  /** No session was opened, or the server refused one. Frames go out as they are, which a stateless server accepts. */
  | { name: 'fresh'; generation: number }
  /** The client's own `initialize` is in flight; later frames wait. */
  | { name: 'opening'; generation: number }
  | { name: 'active'; generation: number; session: Session }
  /** `notifications/initialized` is in flight; later frames must not overtake it. */
  | { name: 'announcing'; generation: number; session: Session }
  /** The cached `initialize` is being replayed; frames wait. */
  | { name: 'reconnecting'; generation: number }
  /** The client has opened a session, but there is none; the next frame opens one. */
  | { name: 'lost'; generation: number };

export interface Session {
  /** The server's `Mcp-Session-Id`; undefined if it issued none. */
  id: string | undefined;
  /** As whom it was opened. It is used as nobody else. */
  owner?: SignInIdentity | undefined;
  /** The negotiated revision, sent as `MCP-Protocol-Version` from then on. */
  protocolVersion: string | undefined;
}

export type SessionEvent =
  | { name: 'initialize' }
  | { name: 'initialized' }
  | { name: 'opened'; generation: number; session: Session }
  | { name: 'announced'; generation: number }
  | { name: 'refused'; generation: number }
  /** The client was answered from the cache: it continues as if it had a session, but there is none, because of `error`. */
  | { name: 'deferred'; generation: number; error?: unknown }
  /** The server has lost the session that requests of `generation` belong to. */
  | { name: 'expired'; generation: number }
  | { name: 'reconnected'; generation: number; session: Session }
  | { name: 'reconnectFailed'; generation: number; error: unknown };

/** The state before the first session. */
export const FRESH: SessionState = { name: 'fresh', generation: 0 };

/** The states in which an event changes something. */
const CONCERNED: Record<SessionEvent['name'], readonly SessionState['name'][]> = {
  initialize: ['fresh', 'opening', 'active', 'announcing', 'reconnecting', 'lost'],
  initialized: ['active'],
  opened: ['opening'],
  announced: ['announcing'],
  refused: ['opening'],
  deferred: ['opening', 'fresh'],
  expired: ['active', 'announcing', 'lost'],
  reconnected: ['reconnecting'],
  reconnectFailed: ['reconnecting'],
};

/** The state after an event. Events of an older generation change nothing. */
export function nextState(state: SessionState, event: SessionEvent): SessionState {
  const { generation } = state;
  const isOfAnother = 'generation' in event && event.generation !== generation;
  if (isOfAnother || !CONCERNED[event.name].includes(state.name)) return state;
  switch (event.name) {
    case 'initialize':
      return { name: 'opening', generation: generation + 1 };
    case 'initialized':
      return { name: 'announcing', generation, session: sessionOf(state) };
    case 'opened':
    case 'reconnected':
      return { name: 'active', generation, session: event.session };
    case 'announced':
      return { name: 'active', generation, session: sessionOf(state) };
    case 'refused':
      return { name: 'fresh', generation };
    case 'deferred':
    case 'reconnectFailed':
      return { name: 'lost', generation };
    case 'expired':
      return { name: 'reconnecting', generation: generation + 1 };
  }
}

/** What a client's frame must do in a state: go now, wait for the state to change, or reconnect the session first. */
export function gateOf(state: SessionState): 'go' | 'wait' | 'reconnect' {
  switch (state.name) {
    case 'fresh':
    case 'active':
      return 'go';
    case 'opening':
    case 'announcing':
    case 'reconnecting':
      return 'wait';
    case 'lost':
      return 'reconnect';
  }
}

/** The session whose headers the next request carries. */
export function sessionOf(state: SessionState): Session {
  return 'session' in state ? state.session : { id: undefined, protocolVersion: undefined };
}

/** The parts of an HTTP answer that can say that a session is gone. */
export interface HttpAnswer {
  status: number;
  /** The answer's text, or its beginning. */
  text: string;
}

/** JSON-RPC error codes that only servers of the stateless revision (2026-07-28) use: there, 404 means "no such method". */
const STATELESS_ERROR_CODES = new Set([-32601, -32020, -32021, -32022]);
const SESSION_LOST =
  /session\b.{0,40}\b(not found|expired|invalid|unknown|terminated|does not exist)|\b(no|invalid|unknown|expired|missing|bad)\b.{0,20}\bsession|\bnot initiali[sz]ed\b/is;

/** Like `SESSION_LOST`, for status 401, where "session expired" is about the sign-in. */
const SESSION_UNKNOWN =
  /session\b.{0,40}\b(not found|unknown|terminated|does not exist)|\b(no|invalid|unknown|missing)\b.{0,20}\bsession[- ]?id\b/is;
/** How servers of the Python and Rust SDKs refuse any request before `initialize`, and so in a session that they have lost. */
const NOT_BEGUN =
  /\bbefore (the )?initiali[sz]ation (was|is|has been)? ?(complete|finished|done)|\bexpect(s|ed)? initiali[sz]e request/i;

/**
 * Whether the answer to a request with a session id says that the session is gone. Servers say so with 404
 * (MCP › Session Management), 410 (spec/managed-mcp-endpoints.md › States), or 400, 401, 422 or a JSON-RPC error that names
 * the session.
 */
export function isSessionLost(answer: HttpAnswer): boolean {
  if (answer.status === 410) return true;
  const error = jsonRpcError(answer.text);
  if (answer.status === 404) return !(error !== undefined && STATELESS_ERROR_CODES.has(error.code));
  const words = error?.message ?? answer.text;
  if (answer.status === 401) return SESSION_UNKNOWN.test(words);
  if (answer.status === 400 || answer.status === 422) return SESSION_LOST.test(words) || NOT_BEGUN.test(words);
  return false;
}

/** Whether a JSON-RPC error in a 200 answer says that the session is gone. The request was not run then. */
export function isSessionLostFrame(frame: Buffer): boolean {
  const error = shortErrorIn(frame);
  if (!error) return false;
  if (error.code === -32600 || error.code === -32001) return SESSION_LOST.test(error.message);
  return error.code === -32602 && NOT_BEGUN.test(error.message);
}

/**
 * An answer's internal error, where it is ambiguous: the session may be gone, or a tool has run and did not find some other
 * kind of session. Only another request can tell (`SessionProbe`).
 */
export function mayBeSessionLost(answer: { text: string } | { frame: Buffer }): RpcError | undefined {
  const error = 'frame' in answer ? shortErrorIn(answer.frame) : jsonRpcError(answer.text);
  return error?.code === -32603 && SESSION_LOST.test(error.message) ? error : undefined;
}

function shortErrorIn(frame: Buffer): RpcError | undefined {
  // Read only if it can be true: answers may be large and errors are short.
  return frame.length > 4096 || !frame.includes('"error"') ? undefined : rpcErrorIn(parseFrame(frame));
}

/**
 * Whether a refusal is a JSON-RPC error that the client should see as it is. If the status already says what the user has to
 * do (sign in, ask for access, wait), the bridge's own error is more useful.
 */
export function isServersOwnError(status: number, text: string): boolean {
  return ![401, 403, 429, 503].includes(status) && jsonRpcError(text) !== undefined;
}

/** The error in an answer's text; undefined if there is none, as in a proxy's page. */
export function jsonRpcError(text: string): RpcError | undefined {
  return rpcErrorIn(parseText(text));
}

/** Sends a request of the bridge's own, and retries it. */
export type SendOwn = (
  method: string,
  frame: Buffer,
  session: Session,
  onFrame: (frame: Buffer, head: ResponseHead) => void,
) => Promise<HttpOutcome>;

/** The session that an answer to `initialize` begins; undefined if the answer is an error or another frame. */
export function sessionFrom(json: unknown, head: ResponseHead): Session | undefined {
  const members = membersOf(json);
  if (!('result' in members)) return undefined;
  const { protocolVersion: version } = membersOf(members.result);
  return {
    // An empty one is none: it must have a character at least (MCP › Session Management).
    id: header(head, 'mcp-session-id') || undefined,
    owner: head.owner,
    protocolVersion: typeof version === 'string' && VERSION.test(version) ? version : undefined,
  };
}

/** What a version may look like to be sent back in a header; all there have been are dates. */
const VERSION = /^[\w.+-]{1,100}$/;

/** How long a server may take to answer the ping, in milliseconds. The answer to a call waits for it. */
const PROBE_TIMEOUT_MS = 5_000;
const PING = Buffer.from('{"jsonrpc":"2.0","id":"causeway-alive","method":"ping"}');

/**
 * Finds out whether an internal error that mentions a lost session means this session. If so, the server answers a ping,
 * which no tool handles, with the same error. Otherwise the error is a tool's own, and its call has run.
 */
export class SessionProbe {
  readonly #send: SendOwn;
  /** The latest probe, shared by all requests that meet the same error at once. */
  #latest: { of: string; confirmed: Promise<boolean> } | undefined;

  readonly #timeoutMs: number;

  constructor(send: SendOwn, timeoutMs = PROBE_TIMEOUT_MS) {
    this.#send = send;
    this.#timeoutMs = timeoutMs;
  }

  /** Whether the server answers any request in this session with `error`. */
  confirms(error: RpcError, session: Session): Promise<boolean> {
    const of = JSON.stringify([session.id, error.code, error.message]);
    if (this.#latest?.of === of) return this.#latest.confirmed;
    const confirmed = this.#ask(error, session).catch(() => false);
    this.#latest = { of, confirmed };
    void confirmed.then(() => {
      if (this.#latest?.confirmed === confirmed) this.#latest = undefined;
    });
    return confirmed;
  }

  async #ask(error: RpcError, session: Session): Promise<boolean> {
    let answer = '';
    const take = (frame: Buffer) => {
      answer ||= frame.toString('utf8');
    };
    const timeout = new AbortController();
    const tooLong = sleep(this.#timeoutMs, undefined, { signal: timeout.signal });
    tooLong.catch(() => {});
    const outcome = await Promise.race([this.#send('ping', PING, session, take), tooLong]);
    timeout.abort();
    if (outcome?.kind === 'frame') take(outcome.frame);
    if (outcome?.kind === 'refused') {
      if (isSessionLost({ status: outcome.head.status, text: outcome.text })) return true;
      answer = outcome.text;
    }
    const said = jsonRpcError(answer);
    return said?.code === error.code && said.message === error.message;
  }
}
