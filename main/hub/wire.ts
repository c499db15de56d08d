import { closeSync, openSync, readSync } from 'node:fs';
import { hmac } from '@noble/hashes/hmac.js';
import { sha256 } from '@noble/hashes/sha2.js';
import type { CallStatement } from '../../preload/contract/activity.ts';
import type { ErrorCode } from '../../preload/contract/error-facts.ts';
import type { SettingsChange } from '../../preload/contract/settings.ts';
import type { ServerRequest } from '../bridge/endpoint.ts';
import type { HubCall, HubSession } from './session-record.ts';

/**
 * The protocol of the hub's socket. A side that meets another version closes, and the proxy works alone. Four lines come
 * before the first frame: `Hello` and `EntryRequest` from the proxy, `Challenge` and `Welcome` from the hub.
 */
export const HUB_PROTOCOL = 2;

/** How long a peer may take to prove itself, in milliseconds. */
export const HELLO_MS = 1_000;
/** How long one that has begun may take to send its next line, in milliseconds: a busy computer loads its code meanwhile. */
export const NEXT_LINE_MS = 10_000;

/** The proxy's first line. It does not say what the proxy wants: the other end has not proven itself yet. */
export interface Hello {
  hub: typeof HUB_PROTOCOL;
  /** 32 random bytes in base64url. */
  nonce: string;
}

/** The hub's first line: its own nonce, and the proof that it holds the secret. */
export interface Challenge {
  hub: typeof HUB_PROTOCOL;
  nonce: string;
  proof: string;
}

/** The proxy's second line: its own proof, and the server that it wants. */
export interface EntryRequest {
  proof: string;
  version: string;
  pid: number;
  request: ServerRequest;
}

/** What a command can ask of the running application. */
export type HubQuestion =
  | { question: 'sessions' }
  /** To stop starting at login and to quit: it is being uninstalled. */
  | { question: 'quit' }
  /** Says that it has changed an override in the workspace on this host. */
  | { question: 'override-changed'; host: string }
  /** Which proxies the desktop's settings name for this origin. */
  | { question: 'proxies'; origin: string }
  /** The last calls that have ended: how many at most, and whether only those that failed. */
  | ({ question: 'calls' } & CallChoice)
  /** The calls that wait for the user. */
  | { question: 'approvals' }
  /** One of them, with what it would run. */
  | ({ question: 'approval' } & ApprovalId)
  /** To allow or block one of them, or to give the user two more minutes. */
  | ({ question: 'answer-approval'; answer: 'allow' | 'block' | 'extend' } & ApprovalId)
  /** To end what was allowed for some time. */
  | { question: 'end-allowances' }
  /** What only the application knows of its settings; the rest is in their file. */
  | { question: 'settings' }
  /** To change settings. */
  | ({ question: 'change-settings' } & SettingsChange)
  /** To start the application at login, or not. */
  | { question: 'start-at-login'; on: boolean };

/** Which of the calls that have ended. */
export interface CallChoice {
  count: number;
  failed: boolean;
}

/** A call that has ended, as it leaves the memory of the process that saw it: no arguments, results, tokens or SQL. */
export interface WireCall {
  /** When it began, in ISO 8601. */
  at: string;
  /** As the AI client names itself; null until it has. */
  client: string | null;
  profile: string | null;
  /** The server's path. */
  path: string;
  method: string;
  /** For `tools/call`. */
  tool: string | null;
  outcome: HubCall['outcome'];
  /** The JSON-RPC code, if there is one. */
  errorCode: number | null;
  /** Who in the workspace refused it, if that is known. */
  refusal: HubCall['refusal'];
  durationMs: number;
  /** The SQL statement that it ran, or asked about with `isPoll`; null for any other call. */
  statement: CallStatement | null;
  isPoll: boolean;
}

/** A call that waits. Another application numbers its calls anew: `askedAt` tells them apart. */
export interface ApprovalId {
  id: number;
  /** In milliseconds since the epoch. */
  askedAt: number;
}

/** A call that waits, as `causeway approvals` shows it. Times are in milliseconds since the epoch. */
export interface WireApproval extends ApprovalId {
  /** As the client names itself. */
  client: string | null;
  profile: string;
  path: string;
  user: string | null;
  tool: string;
  readsOnly: boolean;
  expiresAt: number;
  canExtend: boolean;
}

/** What is allowed for some time. */
interface WireAllowance {
  client: string;
  profile: string;
  path: string;
  /** Null: every tool there that only reads. */
  tool: string | null;
  until: number;
}

/** The hub's second line if it was asked for the calls that wait. */
export interface ApprovalsAnswer {
  hub: typeof HUB_PROTOCOL;
  approvals: WireApproval[];
  allowances: WireAllowance[];
}

/** The hub's second line if it was asked for one of them. */
export interface ApprovalAnswer {
  hub: typeof HUB_PROTOCOL;
  /** Null if it no longer waits. */
  approval: (WireApproval & { statement: string | null; rest: string | null; cut: number }) | null;
}

/** The hub's second line if it was asked for the settings. */
export interface SettingsAnswer {
  hub: typeof HUB_PROTOCOL;
  /** Null where the system cannot do it. */
  startAtLogin: boolean | null;
}

/** The hub's second line if it was told to change something. */
export interface DoneAnswer {
  hub: typeof HUB_PROTOCOL;
  /** Why that was not done; null if it was. */
  refused: { code: ErrorCode; message: string; remedy: string | null } | null;
}

/** A command's second line, instead of an `EntryRequest`. */
export type Question = HubQuestion & { proof: string; version: string; pid: number };

/** The hub's second line if it was asked to quit. It then closes the connection, as after every answer. */
export interface QuitAnswer {
  hub: typeof HUB_PROTOCOL;
  /** Whether it does. */
  quits: boolean;
}

/** The hub's second line if it was asked for proxies: a list as PAC scripts return it; empty if there is none. */
export interface ProxiesAnswer {
  hub: typeof HUB_PROTOCOL;
  proxies: string;
}

/** The hub's second line if it was asked for the calls that have ended, the oldest first. */
export interface CallsAnswer {
  hub: typeof HUB_PROTOCOL;
  calls: WireCall[];
}

/** The hub's second line if it was asked for the sessions. */
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

/** What both ends of a connection know before either has proven itself. */
export interface Transcript {
  /** The address that the proxy connected to and the hub listens on: a peer that relays the lines from elsewhere fails. */
  address: string;
  proxyNonce: string;
  hubNonce: string;
}

/** 32 random bytes in base64url. */
export function freshNonce(): string {
  return randomBytes(NONCE_BYTES).toString('base64url');
}

const NONCE_BYTES = 32;

/** Random bytes for a secret. `node:crypto`, which takes 3 ms to load, is the fallback: each start of a proxy needs some. */
function randomBytes(length: number): Buffer {
  return bytesFromSystem(length) ?? process.getBuiltinModule('node:crypto').randomBytes(length);
}

/** Undefined if the system has no such file, or it cannot be read. */
function bytesFromSystem(length: number): Buffer | undefined {
  // On Windows, that is an ordinary path, and any user can put a file there.
  if (process.platform === 'win32') return undefined;
  try {
    const file = openSync('/dev/urandom', 'r');
    try {
      const bytes = Buffer.alloc(length);
      return readSync(file, bytes) === length ? bytes : undefined;
    } finally {
      closeSync(file);
    }
  } catch {
    // For example, no more files can be opened.
    return undefined;
  }
}

/** Whether a text has the form of a nonce from `freshNonce`. */
export function isNonce(text: unknown): text is string {
  return typeof text === 'string' && /^[\w-]{43}$/.test(text);
}

/**
 * Proves that its maker holds the secret, without showing it (HMAC-SHA256, RFC 2104). The side is part of it, so that
 * neither side's proof can be sent back as the other's. Computed in JavaScript: `node:crypto` takes longer to load than
 * a proxy needs for both proofs.
 */
export function proofOf(side: 'hub' | 'proxy', secret: string, { address, proxyNonce, hubNonce }: Transcript): string {
  const text = ['causeway hub 2', side, proxyNonce, hubNonce, address].join('\n');
  return Buffer.from(hmac(sha256, Buffer.from(secret), Buffer.from(text))).toString('base64url');
}

/** Compares a proof with the expected one in constant time. */
export function isProof(proof: unknown, expected: string): boolean {
  if (typeof proof !== 'string') return false;
  const [a, b] = [Buffer.from(proof), Buffer.from(expected)];
  let difference = a.length ^ b.length;
  for (const [at, byte] of b.entries()) difference |= byte ^ (a[at] ?? 0);
  return difference === 0;
}
