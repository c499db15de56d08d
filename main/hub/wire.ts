import type { ServerRequest } from '../bridge/endpoint.ts';
import type { HubSession } from './session-record.ts';

/**
 * The protocol of the hub's socket. A side that meets another number lets go, and the proxy works alone. Four lines come
 * before the first frame: `Hello` and `Entry` from the proxy, `Challenge` and `Welcome` from the hub.
 */
export const HUB_PROTOCOL = 2;

/** How long a peer may take to prove itself, in milliseconds. */
export const HELLO_MS = 1_000;

/** The proxy's first line. It says nothing of what the proxy wants: the other end has not proven itself yet. */
export interface Hello {
  hub: typeof HUB_PROTOCOL;
  /** 32 random bytes in base64url. */
  nonce: string;
}

/** The hub's first line: a nonce of its own, and the proof that it holds the secret. */
export interface Challenge {
  hub: typeof HUB_PROTOCOL;
  nonce: string;
  proof: string;
}

/** The proxy's second line: its own proof, and the server that it wants. */
export interface Entry {
  proof: string;
  version: string;
  pid: number;
  request: ServerRequest;
}

/** Instead of an `Entry`, from a command: what the hub knows of the sessions. */
export interface Question {
  proof: string;
  version: string;
  pid: number;
  question: 'sessions';
}

/** The hub's second line where a question was asked; it closes the connection behind it. */
export interface SessionsAnswer {
  hub: typeof HUB_PROTOCOL;
  /** The application's. */
  version: string;
  sessions: HubSession[];
}

/** The hub's second line. Behind `ready`, both sides send newline-delimited JSON-RPC frames until one closes. */
export interface Welcome {
  hub: typeof HUB_PROTOCOL;
  ready: boolean;
  version: string;
}

/** The longest line of the handshake, in bytes. */
export const MAX_LINE_BYTES = 16 * 1024;
/** The longest answer to a question, in bytes: some 20,000 sessions. */
export const MAX_ANSWER_BYTES = 8 * 1024 * 1024;

/** Splits the first line off what has arrived so far. */
export function firstLine(received: Buffer): { line: string; rest: Buffer } | undefined {
  const end = received.indexOf(0x0a);
  if (end === -1) return undefined;
  return { line: received.toString('utf8', 0, end), rest: received.subarray(end + 1) };
}
