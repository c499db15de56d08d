import { elementsOf, textAt, wholeOf } from '../bridge/frame/edit.ts';
import { parseFrame, scanFrame } from '../bridge/frame/frame.ts';
import { memberAt } from '../bridge/frame/members.ts';
import { heldTools, toolsRequest } from '../bridge/held-tools.ts';
import { isSafeToRepeat, isSticky } from '../bridge/methods.ts';
import { OpeningFrames } from '../bridge/opening-frames.ts';
import { continuedAs, userInAnswer } from '../bridge/session-user.ts';
import { monotonicMs } from '../platform/clock.ts';
import { summarizeFrame } from './frame-summary.ts';

/** A long-lived request, open as long as its client listens (MCP 2026-07-28 › Subscriptions). */
const LONG_LIVED = 'subscriptions/listen';
/** How long a server's request to the client counts as open, in milliseconds: some are never answered. */
const QUESTION_MS = 600_000;
/** How many of them are remembered. */
const MAX_QUESTIONS = 1_000;

/** A client's request that is not answered yet. */
export interface OpenRequest {
  /** The id as it was written. */
  id: string;
  method: string;
  /** Kept only if the request is idempotent. */
  frame: Buffer | undefined;
}

/**
 * What a relay keeps of a session so that it can continue over another transport: the client's opening frames, its subscriptions
 * and log level, and the requests without an answer. It keeps no arguments or results of tools.
 */
export class ReplayLog {
  readonly #opening = new OpeningFrames();
  /** As whom the session acts, as far as its transport has said. */
  user: string | undefined;
  /** The tools of the client's last `tools/list` answer; undefined if it has not asked. */
  tools: string | undefined;
  /** By raw id. A new map after each idle time: the backing store of V8's maps, once old, keeps later entries alive. */
  #open = new Map<string, OpenRequest>();
  /** When each open request from the server to the client came, by raw id, in milliseconds of `monotonicMs()`. */
  readonly #questions = new Map<string, number>();
  /** The ids of requests whose next answer is not for the client: it has one, or the relay itself sent the request. */
  readonly #replayed = new Set<string>();
  #replays = 0;
  /** The id of the relay's own `tools/list`. */
  #toolsId: string | undefined;

  get open(): OpenRequest[] {
    return [...this.#open.values()];
  }

  get isSettled(): boolean {
    return this.#open.size === 0;
  }

  /** Whether all answers that will come have come: a client that leaves does not wait for those to long-lived requests. */
  get isAnswered(): boolean {
    return this.open.every(({ method }) => method === LONG_LIVED);
  }

  /** Whether the session can move to another transport unnoticed: neither side waits for an answer. */
  get isIdle(): boolean {
    const isWaited = this.open.some(({ method }) => method !== LONG_LIVED);
    const isAsked = [...this.#questions.values()].some((at) => monotonicMs() - at < QUESTION_MS);
    return !isWaited && !isAsked;
  }

  /** A client's frame has passed. */
  sent(frame: Buffer, seen = scanFrame(frame)): void {
    this.#sent(frame, seen);
    // The client has its answer already.
    for (const id of this.#replayed) this.forget(id);
  }

  #sent(frame: Buffer, { id, method }: ReturnType<typeof scanFrame>): void {
    if (method === undefined) {
      if (id !== undefined) this.#questions.delete(id);
      // A batch is not sent again: its answers must come together.
      if (id === undefined) for (const one of framesOf(frame)) this.#asked(one, scanFrame(one), undefined);
      return;
    }
    this.#opening.sent(method, frame);
    this.#asked(frame, { id, method }, isSafeToRepeat(method) ? frame : undefined);
  }

  /** A frame for the client has passed. */
  answered(frame: Buffer): void {
    const { id, method } = identifyAnswer(frame);
    if (method !== undefined) this.#serverAsks(frame, id, method);
    else if (this.#open.size === 0) return;
    else if (id === undefined) for (const one of framesOf(frame)) this.#settled(scanFrame(one).id, one);
    else this.#settled(id, frame);
  }

  #serverAsks(frame: Buffer, id: string | undefined, method: string): void {
    if (id !== undefined) {
      this.#questions.set(id, monotonicMs());
      const [oldest] = this.#questions.keys();
      if (this.#questions.size > MAX_QUESTIONS && oldest !== undefined) this.#questions.delete(oldest);
    } else if (method === 'notifications/cancelled') this.#questions.delete(textAt(frame, 'params', 'requestId') ?? '');
  }

  forget(id: string): void {
    this.#open.delete(id);
  }

  /** The client was given an answer to this request that did not come from the server. */
  answeredEarly(id: string): void {
    this.#replayed.add(id);
    this.forget(id);
  }

  /** Whether there are answers to come that are not for the client. */
  get isReplaying(): boolean {
    return this.#replayed.size > 0;
  }

  /** Records that the answer with this id has come, and returns whether it is not for the client. */
  takeReplayed(id: string): boolean {
    return this.#replayed.delete(id);
  }

  /** Learns as whom the session acts, if this is the answer to the client's `initialize`. */
  learnUser(id: string, answer: Buffer): void {
    const { initialize } = this.#opening;
    if (initialize && id === scanFrame(initialize).id) this.user = userInAnswer(answer) ?? this.user;
  }

  /** Whether this answer to the relay's own `tools/list` holds other tools than the client has. */
  findsOtherTools(id: string, answer: Buffer): boolean {
    if (id !== this.#toolsId) return false;
    this.#toolsId = undefined;
    const before = this.tools;
    this.tools = heldTools(answer) ?? before;
    return this.tools !== before;
  }

  /**
   * The frames that bring a new session to the state of the old one.
   *
   * @param open the requests that are sent again if that is safe
   * @param held the frames that are sent afterwards, some of which the client may already have an answer to
   */
  replay(open: OpenRequest[], held: Buffer[]): Buffer[] {
    const again = open.flatMap(({ frame }) => (frame ? [frame] : []));
    const heldIds = new Set(this.isReplaying ? held.map((frame) => scanFrame(frame).id) : []);
    for (const id of this.#replayed) if (!heldIds.has(id)) this.#replayed.delete(id);
    this.#toolsId = undefined;
    const { initialize, initialized } = this.#opening;
    if (!initialize || open.some(({ method }) => method === 'initialize')) return again;
    this.#replayed.add(scanFrame(initialize).id ?? 'null');
    const resubscribed = this.#opening.again(() => this.#replayId()).map(({ frame }) => frame);
    if (this.tools !== undefined && initialized) this.#toolsId = this.#replayId();
    const list = this.#toolsId === undefined ? [] : [toolsRequest(this.#toolsId)];
    const begin = continuedAs(initialize, this.user);
    return [begin, ...(initialized ? [initialized] : []), ...resubscribed, ...again, ...list];
  }

  #replayId(): string {
    this.#replays += 1;
    const id = `"causeway-again-${this.#replays}"`;
    this.#replayed.add(id);
    return id;
  }

  #asked(frame: Buffer, { id, method }: ReturnType<typeof scanFrame>, kept: Buffer | undefined): void {
    if (method === 'notifications/cancelled') this.#cancelled(frame);
    if (id === undefined || method === undefined) return;
    if (this.#open.size === 0) this.#open = new Map();
    this.#open.set(id, { id, method, frame: kept });
  }

  #settled(id: string | undefined, answer: Buffer): void {
    const request = id === undefined ? undefined : this.#open.get(id);
    if (!request) return;
    this.#open.delete(request.id);
    if (request.method === 'initialize') this.user = userInAnswer(answer);
    if (request.method === 'tools/list' && !request.frame?.includes('"cursor"')) {
      this.tools = heldTools(answer) ?? this.tools;
    }
    if (request.frame && isSticky(request.method) && textAt(answer, 'result') !== undefined) {
      this.#opening.granted(request.method, request.frame);
    }
  }

  /** A server need not answer a canceled request (MCP › Cancellation). */
  #cancelled(frame: Buffer): void {
    const requestId = memberAt(parseFrame(frame), 'params', 'requestId');
    this.#open.delete(JSON.stringify(requestId));
  }
}

/** From this size on, in bytes, only the ends of a frame are read if they show its id and method. */
const LONG_BYTES = 4096;

/** The id of a frame from a bridge as it was written, and its method: bridges write each of them once. */
function identifyAnswer(frame: Buffer): { id: string | undefined; method: string | undefined } {
  return frame.length < LONG_BYTES ? scanFrame(frame) : summarizeFrame(frame);
}

/** The frames of a batch; none for anything else. */
function framesOf(batch: Buffer): Buffer[] {
  return elementsOf(batch, wholeOf(batch)).map(({ start, end }) => batch.subarray(start, end));
}
