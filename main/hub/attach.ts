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

/** How long a hub may take to prove itself to a command, in milliseconds. */
const PATIENT_HELLO_MS = 4_000;
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
export async function attach(rendezvous: Rendezvous, request: ServerRequest): Promise<Attachment> {
  const dialogue = new Dialogue(rendezvous);
  const { check, proof } = await dialogue.begin(HELLO_MS);
  if (check !== 'proven') return dialogue.end({ kind: check === 'impostor' ? 'impostor' : 'unavailable' });
  dialogue.say({ proof, version: VERSION, pid: process.pid, request } satisfies EntryRequest);
  const welcome = await dialogue.nextLine(WELCOME_MS);
  if (welcome === undefined || !isReady(welcome)) return dialogue.end({ kind: 'unavailable' });
  // One that is quitting ends its connections itself, with the answers that it still has.
  const isAlive = async () => (await probeHub(rendezvous)) !== 'silent';
  return { kind: 'attached', connection: { ...dialogue.handOver(), isAlive } };
}

/** Whether the hub at this address is alive and proves itself. */
export async function isHubAlive(rendezvous: Rendezvous): Promise<boolean> {
  return (await probeHub(rendezvous)) === 'proven';
}

/**
 * Asks the hub something, once both sides have proven themselves. The line is read by what `wire-schemas.ts` has for its
 * answer; null if no hub answers, or one of a version that is not asked this.
 * @param helloMs how long the hub may take to prove itself, in milliseconds
 * @param answerMs how long it may take to answer then, in milliseconds
 */
export async function askHub(
  rendezvous: Rendezvous,
  question: HubQuestion,
  helloMs = PATIENT_HELLO_MS,
  answerMs = WELCOME_MS,
): Promise<string | null> {
  const dialogue = new Dialogue(rendezvous);
  const { check, proof } = await dialogue.begin(helloMs);
  if (check !== 'proven') return dialogue.end(null);
  dialogue.say({ proof, version: VERSION, pid: process.pid, ...question } satisfies Question);
  return dialogue.end((await dialogue.nextLine(answerMs, MAX_ANSWER_BYTES)) ?? null);
}

async function probeHub(rendezvous: Rendezvous): Promise<PeerCheck> {
  const dialogue = new Dialogue(rendezvous);
  return dialogue.end((await dialogue.begin(ALIVE_MS)).check);
}

/**
 * `unavailable`: it accepts no connection, closes it, or speaks another protocol: it has ended or is quitting. `silent`: it accepts
 * one and sends nothing.
 */
type PeerCheck = 'proven' | 'impostor' | 'unavailable' | 'silent';

/** The proxy's side of the handshake. */
class Dialogue {
  readonly #socket: Socket;
  readonly #rendezvous: Rendezvous;
  #received: Buffer = Buffer.alloc(0);
  #wasTooSlow = false;

  constructor(rendezvous: Rendezvous) {
    this.#rendezvous = rendezvous;
    this.#socket = connect({ path: rendezvous.address, allowHalfOpen: true });
    // No process listens there, or the peer closed: 'close' follows.
    this.#socket.on('error', () => {});
  }

  /** Says hello, and checks the peer's answer. `proof` is this side's own. */
  async begin(timeoutMs: number): Promise<{ check: PeerCheck; proof: string }> {
    const proxyNonce = freshNonce();
    this.say({ hub: HUB_PROTOCOL, nonce: proxyNonce } satisfies Hello);
    const line = await this.nextLine(timeoutMs);
    if (line === undefined) return { check: this.#wasTooSlow ? 'silent' : 'unavailable', proof: '' };
    const { hub, nonce, proof } = membersOf(parseText(line));
    if (hub !== HUB_PROTOCOL) return { check: 'unavailable', proof: '' };
    const { address, secret } = this.#rendezvous;
    if (!isNonce(nonce)) return { check: 'impostor', proof: '' };
    const transcript: Transcript = { address, proxyNonce, hubNonce: nonce };
    const isHub = isProof(proof, proofOf('hub', secret, transcript));
    return isHub ? { check: 'proven', proof: proofOf('proxy', secret, transcript) } : { check: 'impostor', proof: '' };
  }

  say(line: Hello | EntryRequest | Question): void {
    this.#socket.write(`${JSON.stringify(line)}\n`);
  }

  /** The peer's next line, of at most `maxBytes`; undefined if it closes, or takes too long. */
  nextLine(timeoutMs: number, maxBytes = MAX_LINE_BYTES): Promise<string | undefined> {
    const socket = this.#socket;
    return new Promise((resolve) => {
      const settle = (line: string | undefined) => {
        clearTimeout(timer);
        socket.off('data', listen).off('end', closed).off('close', closed).pause();
        resolve(line);
      };
      const closed = () => settle(undefined);
      const take = () => {
        const first = firstLine(this.#received);
        if (first) {
          this.#received = first.rest;
          settle(first.line);
        } else if (this.#received.length > maxBytes) socket.destroy();
      };
      const listen = (chunk: Buffer) => {
        this.#received = Buffer.concat([this.#received, chunk]);
        take();
      };
      const tooSlow = () => {
        this.#wasTooSlow = true;
        socket.destroy();
      };
      // After sleep, timers have expired while answers are still unread.
      let timer = setTimeout(() => {
        timer = setTimeout(tooSlow, WAKE_GRACE_MS);
      }, timeoutMs);
      // A peer that closes ends its half only: this side's stays open.
      socket.on('data', listen).on('end', closed).on('close', closed).resume();
      if (socket.closed || socket.readableEnded) closed();
      else take();
    });
  }

  end<T>(outcome: T): T {
    this.#socket.destroy();
    return outcome;
  }

  /** The socket, paused, and the bytes of frames that have arrived already; the handshake is over. */
  handOver(): Pick<HubConnection, 'socket' | 'rest'> {
    return { socket: this.#socket, rest: this.#received };
  }
}

function isReady(line: string): boolean {
  const { hub, ready } = membersOf(parseText(line));
  return hub === HUB_PROTOCOL && ready === true;
}
