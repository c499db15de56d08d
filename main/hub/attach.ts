import { connect, type Socket } from 'node:net';
import type { ServerRequest } from '../bridge/endpoint.ts';
import { parseText } from '../bridge/frame/frame.ts';
import { membersOf } from '../bridge/frame/members.ts';
import { VERSION } from '../platform/version.ts';
import type { Rendezvous } from './rendezvous.ts';
import {
  type EntryRequest,
  firstLine,
  freshNonce,
  HELLO_MS,
  type Hello,
  HUB_PROTOCOL,
  type HubQuestion,
  isNonce,
  isProof,
  MAX_ANSWER_BYTES,
  MAX_LINE_BYTES,
  proofOf,
  type Question,
  type Transcript,
} from './wire.ts';

/** How long a hub that has proven itself may take to find the server, in milliseconds. */
const WELCOME_MS = 4_000;
/** How long a silent hub may take to show that it is alive, in milliseconds. */
const ALIVE_MS = 10_000;
/** The extra time to read answers that arrived while this process was suspended, in milliseconds. */
const WAKE_GRACE_MS = 500;

/** An open connection to the hub, after the handshake. `rest` holds the bytes of frames that have arrived already. */
export interface HubConnection {
  socket: Socket;
  rest: Buffer;
  /** Whether the hub still answers: a stopped process keeps its connections. Always true if left out. */
  isAlive?(): Promise<boolean>;
}

/** How an attempt to attach has ended. */
export type Attachment =
  | { kind: 'attached'; connection: HubConnection }
  /** No hub answers, it speaks another protocol, or it will not serve this request. */
  | { kind: 'unavailable' }
  /** Something answers there that does not hold the hub's secret. */
  | { kind: 'impostor' };

/**
 * Connects to the hub and asks for a server, once both sides have proven that they hold the secret. A peer that
 * does not prove itself learns neither the secret nor the request.
 */
export function attach(rendezvous: Rendezvous, request: ServerRequest): Promise<Attachment> {
  return new Promise((resolve) => {
    const dialogue = new Dialogue(rendezvous, HELLO_MS);
    const giveUp = (kind: 'unavailable' | 'impostor') => {
      dialogue.end();
      resolve({ kind });
    };
    dialogue.onClose = () => giveUp('unavailable');
    dialogue.onChallenge = (check, proof) => {
      if (check !== 'proven') return giveUp(check);
      dialogue.allow(WELCOME_MS);
      dialogue.say({ proof, version: VERSION, pid: process.pid, request } satisfies EntryRequest);
    };
    dialogue.onWelcome = (line, rest) => {
      if (!isReady(line)) return giveUp('unavailable');
      const socket = dialogue.handOver();
      // One that is quitting ends its connections itself, with the answers that it still has.
      const isAlive = async () => (await probeHub(rendezvous)) !== 'silent';
      resolve({ kind: 'attached', connection: { socket, rest, isAlive } });
    };
  });
}

/** Whether the hub at this address is alive and proves itself. */
export async function isHubAlive(rendezvous: Rendezvous): Promise<boolean> {
  return (await probeHub(rendezvous)) === 'alive';
}

/**
 * Asks the hub something, once both sides have proven themselves. The line is read by what `wire-schemas.ts` has for its
 * answer; null if no hub answers, or one of a version that is not asked this.
 */
export function askHub(rendezvous: Rendezvous, question: HubQuestion): Promise<string | null> {
  return new Promise((resolve) => {
    const dialogue = new Dialogue(rendezvous, HELLO_MS);
    const settle = (line: string | null) => {
      dialogue.end();
      resolve(line);
    };
    dialogue.onClose = () => settle(null);
    dialogue.onChallenge = (check, proof) => {
      if (check !== 'proven') return settle(null);
      dialogue.allow(WELCOME_MS, MAX_ANSWER_BYTES);
      dialogue.say({ proof, version: VERSION, pid: process.pid, ...question } satisfies Question);
    };
    dialogue.onWelcome = settle;
  });
}

/** `gone` if it accepts no connection or closes it: it has ended or is quitting. `silent` if it accepts one and sends nothing. */
function probeHub(rendezvous: Rendezvous): Promise<'alive' | 'gone' | 'silent'> {
  return new Promise((resolve) => {
    const dialogue = new Dialogue(rendezvous, ALIVE_MS);
    const settle = (state: 'alive' | 'gone' | 'silent') => {
      dialogue.end();
      resolve(state);
    };
    dialogue.onClose = () => settle(dialogue.wasTooSlow ? 'silent' : 'gone');
    dialogue.onChallenge = (check) => settle(check === 'proven' ? 'alive' : 'gone');
  });
}

type PeerCheck = 'proven' | 'impostor' | 'unavailable';

/** The proxy's side of the handshake. */
class Dialogue {
  onClose: () => void = () => {};
  /** `proof` is this side's own. */
  onChallenge: (check: PeerCheck, proof: string) => void = () => {};
  onWelcome: (line: string, rest: Buffer) => void = () => {};
  /** Whether the time limit has passed. */
  wasTooSlow = false;
  readonly #socket: Socket;
  readonly #rendezvous: Rendezvous;
  readonly #nonce = freshNonce();
  readonly #listen = (chunk: Buffer) => this.#arrived(chunk);
  readonly #closed = () => this.onClose();
  #received: Buffer = Buffer.alloc(0);
  #isProven = false;
  #maxBytes = MAX_LINE_BYTES;
  #tooSlow: NodeJS.Timeout;

  constructor(rendezvous: Rendezvous, timeoutMs: number) {
    this.#rendezvous = rendezvous;
    this.#socket = connect({ path: rendezvous.address, allowHalfOpen: true });
    this.#tooSlow = setTimeout(() => this.#giveUp(), timeoutMs);
    this.#socket.on('data', this.#listen);
    // No process listens there, or the peer closed: 'close' follows.
    this.#socket.on('error', () => {});
    this.#socket.on('close', this.#closed);
    this.say({ hub: HUB_PROTOCOL, nonce: this.#nonce } satisfies Hello);
  }

  say(line: Hello | EntryRequest | Question): void {
    this.#socket.write(`${JSON.stringify(line)}\n`);
  }

  /** Starts a new time limit, for a line of at most `maxBytes`. */
  allow(timeoutMs: number, maxBytes = MAX_LINE_BYTES): void {
    this.#maxBytes = maxBytes;
    clearTimeout(this.#tooSlow);
    this.#tooSlow = setTimeout(() => this.#giveUp(), timeoutMs);
  }

  end(): void {
    this.#release();
    this.#socket.destroy();
  }

  /** Returns the socket, paused; the handshake is over. */
  handOver(): Socket {
    this.#release();
    this.#socket.pause();
    return this.#socket;
  }

  #release(): void {
    clearTimeout(this.#tooSlow);
    this.#socket.off('data', this.#listen);
    this.#socket.off('close', this.#closed);
  }

  #giveUp(): void {
    // After sleep, timers have expired while answers are still unread.
    this.#tooSlow = setTimeout(() => {
      this.wasTooSlow = true;
      this.#socket.destroy();
    }, WAKE_GRACE_MS);
  }

  #arrived(chunk: Buffer): void {
    this.#received = Buffer.concat([this.#received, chunk]);
    const first = firstLine(this.#received);
    if (!first) {
      if (this.#received.length > this.#maxBytes) this.#socket.destroy();
      return;
    }
    this.#received = first.rest;
    if (this.#isProven) {
      this.onWelcome(first.line, first.rest);
      return;
    }
    const { check, proof } = this.#checkPeer(first.line);
    this.#isProven = check === 'proven';
    this.onChallenge(check, proof);
  }

  #checkPeer(line: string): { check: PeerCheck; proof: string } {
    const { hub, nonce, proof } = membersOf(parseText(line));
    if (hub !== HUB_PROTOCOL) return { check: 'unavailable', proof: '' };
    const { address, secret } = this.#rendezvous;
    if (!isNonce(nonce)) return { check: 'impostor', proof: '' };
    const transcript: Transcript = { address, proxyNonce: this.#nonce, hubNonce: nonce };
    const isHub = isProof(proof, proofOf('hub', secret, transcript));
    return isHub ? { check: 'proven', proof: proofOf('proxy', secret, transcript) } : { check: 'impostor', proof: '' };
  }
}

function isReady(line: string): boolean {
  const { hub, ready } = membersOf(parseText(line));
  return hub === HUB_PROTOCOL && ready === true;
}
