import { isBeforeServer } from '../../preload/contract/error-facts.ts';
import { sentWith } from '../auth/access-token.ts';
import { CausewayError } from '../platform/errors.ts';
import type { Secret } from '../platform/secret.ts';
import { inOneLine } from '../words/failure.ts';
import type { AnswerStore, StoredAnswer } from './answer-store.ts';
import type { FrameSink } from './back-pressure.ts';
import type { ConnectionTool } from './connection-tool.ts';
import { earlyAnswer, handshakeMs, isFirstPage, isStored, withNegotiated } from './early-answer.ts';
import type { DeclaredFeatures } from './features.ts';
import { toolTextFrame } from './frame/error-frame.ts';
import { membersOf } from './frame/members.ts';
import { heldTools, LIST_CHANGED } from './held-tools.ts';
import type { BridgeLayer, ClientMessage } from './layers.ts';
import type { PendingRequest } from './pending-request.ts';
import { inRevisionOf } from './stateless/completed.ts';
import { ANSWER_TIMEOUTS } from './waiting-requests.ts';

/** The delay of timers in an idle process, and the longest delay that is compensated for, in milliseconds. */
const TIMER_SLACK_MS = 20;
const MAX_TIMER_LAG_MS = 250;

/** What the cache depends on. */
export interface AnswerCachePort {
  memory: AnswerStore;
  /** Whether only the server may answer. */
  isOff: boolean;
  sink: FrameSink;
  /** Takes a list with Causeway's own tool, to which permissions for the server's tools do not apply. */
  ownTools: {
    /** A list of that tool alone. */
    write(frame: Buffer): void;
    /** The server's list, and that tool as JSON behind it. */
    writeBehind(list: Buffer, tool: string): void;
  };
  tool: ConnectionTool;
  /** What the client was told that the server offers. */
  features: DeclaredFeatures;
  /** Whether the server is known to need no session, although one is asked for: only it may answer that. */
  needsNoSession(): boolean;
  /** The tokens sent last; none while nobody is signed in. */
  readonly sent: readonly Secret[];
  /** A key of the user whose answers the server gives. */
  owner(): string;
}

/**
 * Answers a client while the workspace is slow, unreachable or signed out, so that the client neither gives up nor loses
 * its tools: with the last known answers, or as a server with one tool, which says what is wrong. Notifies the client when
 * the server's own answer differs.
 */
export class AnswerCache implements BridgeLayer {
  readonly #port: AnswerCachePort;
  /** The tools that the client was sent from the cache and that the server has not confirmed. */
  #unconfirmedTools: string | undefined;
  /** The name of the connection tool that the client was sent; undefined if it was sent the server's tools alone. */
  #connectionTool: string | undefined;
  /** Whether the client was sent the server's tools from the cache. */
  #hasKnownTools = false;
  #lastWrite: Promise<void> = Promise.resolve();
  /** The requests that are answered without the server if that takes too long, or once it turns out that it cannot be asked. */
  readonly #racing = new Set<{ method: string; unavailable(): void; answered: Promise<void> }>();
  /** Whether the client holds an `initialize` answer behind which there may be no session. */
  provisional = false;

  constructor(port: AnswerCachePort) {
    this.#port = port;
  }

  get hasUncheckedTools(): boolean {
    return this.#unconfirmedTools !== undefined;
  }

  /** Resolves when the last answer is stored. */
  kept(): Promise<void> {
    return this.#lastWrite;
  }

  /** Answers a request for what the server does not offer, although the client was told so from here. */
  async toServer(message: ClientMessage, next: (message: ClientMessage) => Promise<void>): Promise<void> {
    const { frame, envelope } = message;
    const answer = envelope.kind === 'request' && this.#port.features.answerInstead(frame, envelope.method);
    if (answer) this.#port.sink.write(answer);
    else await next(message);
  }

  /** Whether a request of this method may be answered from here. */
  mayAnswer(method: string): boolean {
    return isStored(method) || this.#port.features.mayLack(method);
  }

  /** Begins work that settles a request, and answers from the cache when it takes too long. */
  async raceWithTimeout(pending: PendingRequest, begin: () => Promise<void>): Promise<void> {
    if (this.#port.isOff || !this.#canAnswer(pending)) return begin();
    let unavailable = () => {};
    const isUnavailableNow = new Promise<'late'>((resolve) => {
      unavailable = () => resolve('late');
    });
    let isOver = () => {};
    const over = new Promise<'over'>((resolve) => {
      isOver = () => resolve('over');
    });
    const race = {
      method: pending.method,
      unavailable,
      answered: this.#answerUnlessOver(pending, [over, isUnavailableNow]),
    };
    this.#racing.add(race);
    const work = begin().finally(isOver);
    await race.answered.finally(() => this.#racing.delete(race));
    return work;
  }

  async #answerUnlessOver(pending: PendingRequest, ends: Promise<'over' | 'late'>[]): Promise<void> {
    // A client that does not wait for the answer to its `initialize` has it before any other.
    const opening = [...this.#racing].find(({ method }) => method === 'initialize');
    if (opening) await Promise.race([...ends, opening.answered]);
    const late = this.#whenLate(await this.#timeoutFor(pending));
    const first = await Promise.race([...ends, late.passed]);
    late.stop();
    if (first === 'late') await this.answer(pending);
  }

  #canAnswer({ frame, method }: PendingRequest): boolean {
    return isFirstPage(frame, method) || this.#port.features.mayLack(method);
  }

  /** How long the client waits, in milliseconds; undefined for what only the server knows. */
  async #timeoutFor({ frame, method }: PendingRequest): Promise<number | undefined> {
    const { memory } = this.#port;
    if (method === 'initialize') return this.provisional ? 0 : handshakeMs(frame, method, (each) => memory.get(each));
    if (method !== 'tools/list' || (await memory.get(method)) === undefined) return undefined;
    return this.provisional ? 0 : ANSWER_TIMEOUTS.toolsMs;
  }

  #lateAfter(delayMs: number): { passed: Promise<'late'>; stop(): void } {
    let timer: NodeJS.Timeout | undefined;
    const due = performance.now() + delayMs;
    const passed = new Promise<'late'>((resolve) => {
      timer = setTimeout(() => {
        // A process too busy for its timers was too busy for the server's answer as well.
        const lagMs = Math.min(performance.now() - due, MAX_TIMER_LAG_MS);
        timer = setTimeout(resolve, lagMs < TIMER_SLACK_MS ? 0 : lagMs, 'late');
      }, delayMs);
    });
    return { passed, stop: () => clearTimeout(timer) };
  }

  /**
   * Resolves after `timeoutMs`; at once if it is known that the server cannot be asked now. Undefined stands for a first
   * list: that takes longer, and longest where a user is signed in and the server has answered before.
   */
  #whenLate(timeoutMs: number | undefined): { passed: Promise<'late'>; stop(): void } {
    const { firstToolsMs, firstToolsWithoutTokenMs } = ANSWER_TIMEOUTS;
    let wait = this.#lateAfter(this.#port.tool.problem ? 0 : (timeoutMs ?? firstToolsWithoutTokenMs));
    const passed = wait.passed.then((late) => {
      const isLongEnough = timeoutMs !== undefined || this.provisional || this.#port.tool.problem;
      if (isLongEnough || this.#port.sent.length === 0) return late;
      wait = this.#lateAfter(firstToolsMs - firstToolsWithoutTokenMs);
      return wait.passed;
    });
    return { passed, stop: () => wait.stop() };
  }

  /** Records an error that shows that the server cannot be asked now. Resolves when the requests that waited for it are answered. */
  async failed(error: unknown): Promise<void> {
    if (!isUnavailable(error)) return;
    this.#port.tool.problem = error;
    const racing = [...this.#racing];
    for (const { unavailable } of racing) unavailable();
    await Promise.allSettled(racing.map(({ answered }) => answered));
    this.#announceConnectionTool();
  }

  /** A different failure can change the connection tool: the client still lists the previous one, or none. */
  #announceConnectionTool(): void {
    const { tool } = this.#port;
    const name = this.#hasKnownTools && !tool.needsSignIn ? undefined : tool.definition().name;
    if (this.#unconfirmedTools === undefined || this.#connectionTool === name) return;
    this.#connectionTool = name;
    this.#port.sink.write(LIST_CHANGED);
  }

  /** Answers a request that has failed, if that is possible. */
  async fallback(pending: PendingRequest, error: unknown): Promise<void> {
    void this.failed(error);
    if (isUnavailable(error) && this.#canAnswer(pending)) await this.answer(pending);
    if (!this.provisional || pending.method !== 'tools/call') return;
    for (const id of pending.settle('causeway')) {
      this.#port.sink.write(toolTextFrame(id, pending.frame, inOneLine(error)));
    }
  }

  /** Answers with the last known answer, or a provisional one, if the request has no answer yet. */
  async answer(pending: PendingRequest): Promise<void> {
    const { isOff, features, memory, sink } = this.#port;
    const { frame, method } = pending;
    const isMoot = method === 'initialize' && this.#port.needsNoSession();
    if (isOff || isMoot || !this.mayAnswer(method)) return;
    if (!isStored(method)) {
      const empty = features.answerNow(frame, method);
      if (empty && pending.settle('cache').length > 0) sink.write(empty);
      return;
    }
    const known = await earlyAnswer(frame, method, (answer) => memory.get(answer));
    if (pending.settle('cache').length === 0) return;
    if (method === 'initialize') this.#introduced(known);
    if (!known) this.#listConnectionTool(pending);
    else if (method === 'tools/list') this.#listKnown(known);
    else sink.write(known);
  }

  /** The server's tools, which cannot be used before a sign-in: that is offered beside them. */
  #listKnown(list: Buffer): void {
    const { tool, sink, ownTools } = this.#port;
    const own = tool.needsSignIn ? tool.definition() : undefined;
    this.#listed(list, own?.name, true);
    if (own) ownTools.writeBehind(list, JSON.stringify(own));
    else sink.write(list);
  }

  #introduced(answer: Buffer | undefined): void {
    this.provisional = true;
    if (answer) this.#port.features.declared(answer);
  }

  #listConnectionTool({ id, frame }: PendingRequest): void {
    const tool = this.#port.tool.definition();
    const result = JSON.stringify({ tools: [tool] });
    const list = inRevisionOf(frame, Buffer.from(`{"jsonrpc":"2.0","id":${id},"result":${result}}`));
    this.#listed(list, tool.name, false);
    this.#port.ownTools.write(list);
  }

  /** The client is given a list of tools that does not come from the server. */
  #listed(list: Buffer, connectionTool: string | undefined, hasKnownTools: boolean): void {
    this.#connectionTool = connectionTool;
    this.#hasKnownTools = hasKnownTools;
    this.#unconfirmedTools = `${heldTools(list)}${hasKnownTools && connectionTool !== undefined ? ' and one of Causeway' : ''}`;
  }

  /** Stores the server's answer. A client that was sent other tools is notified that the list has changed. */
  store(pending: Pick<PendingRequest, 'method' | 'frame'>, frame: Buffer, json: unknown): void {
    const { method } = pending;
    const { result } = membersOf(json);
    if (!isFirstPage(pending.frame, method) || result === undefined) return;
    this.#port.tool.problem = undefined;
    if (method === 'initialize') this.#opened(pending.frame, json);
    else this.#confirmTools(frame);
    // The first of several pages is not the list.
    if (!membersOf(result).nextCursor) this.#keep(method, frame);
  }

  /** Stores a stateless server's own answer to `server/discover`. */
  discovered(frame: Buffer): void {
    this.#keep('server/discover', frame);
  }

  /** The server has begun a session. */
  #opened(request: Buffer, json: unknown): void {
    const { features, sink, memory } = this.#port;
    this.provisional = false;
    for (const changed of features.learned(json)) sink.write(changed);
    for (const { method, unavailable } of this.#racing) if (features.mayLack(method)) unavailable();
    this.#lastWrite = this.#lastWrite.then(async () => {
      const revisions = withNegotiated(await memory.get('revisions'), request, membersOf(json).result);
      if (revisions) await this.#put('revisions', revisions);
    });
  }

  #keep(answer: StoredAnswer, frame: Buffer): void {
    this.#lastWrite = Promise.all([this.#lastWrite, this.#put(answer, frame)]).then(() => {});
  }

  #put(answer: StoredAnswer, frame: Buffer): Promise<void> {
    return this.#port.memory.put(answer, frame, this.#port.owner(), this.#port.sent.flatMap(sentWith));
  }

  #confirmTools(frame: Buffer): void {
    this.#port.tool.hasTools();
    const unconfirmed = this.#unconfirmedTools;
    this.#unconfirmedTools = undefined;
    this.#connectionTool = undefined;
    if (unconfirmed !== undefined && unconfirmed !== heldTools(frame)) this.#port.sink.write(LIST_CHANGED);
  }
}

/** Whether a failure only means that the server cannot be reached now. */
function isUnavailable(error: unknown): error is CausewayError {
  return error instanceof CausewayError && isBeforeServer(error.code);
}
