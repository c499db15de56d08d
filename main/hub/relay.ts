import type { FrameSink } from '../bridge/back-pressure.ts';
import { intercept } from '../bridge/back-pressure.ts';
import type { Remembered } from '../bridge/early-answer.ts';
import { errorFrame, lostApplication, silentApplication } from '../bridge/frame/error-frame.ts';
import { scanFrame } from '../bridge/frame/frame.ts';
import { type FrameFault, faultFrame } from '../bridge/frame/splitter.ts';
import { LIST_CHANGED } from '../bridge/held-tools.ts';
import type { Bridge } from '../bridge/layers.ts';
import { monotonicMs } from '../platform/clock.ts';
import { inOneLine } from '../words/failure.ts';
import type { HubConnection } from './attach.ts';
import { brokenSession, guarded, refuseFrame } from './boundary.ts';
import { EarlyAnswers } from './early-answers.ts';
import { HubRejoin } from './hub-rejoin.ts';
import { type OpenRequest, ReplayLog } from './replay-log.ts';
import { localTransport, type RelayTransport, refusingTransport, socketTransport } from './transport.ts';

/** Where a relay gets a transport when it has none, or not the best one. */
export interface RelayFallbacks {
  /** Attaches to the hub; undefined if none is available soon. */
  reattach(): Promise<HubConnection | undefined>;
  /** Builds a bridge in this process. */
  alone(sink: FrameSink): Promise<Bridge>;
  /** Looks for the hub once, for a relay that works alone; left out, it stays alone. */
  rejoin?(): Promise<HubConnection | undefined>;
  /** The server's last known answers, used when no transport answers soon; left out, nothing is answered early. */
  remembered?: Remembered;
}

/** The transport that frames are read from. */
interface Reading {
  transport: RelayTransport;
  /** Undefined for the bridge in this process. */
  connection: HubConnection | undefined;
  /** When it began, in milliseconds of `monotonicMs()`. */
  beganAt: number;
  framesReceived: number;
}

/** How often the relay checks whether a hub with outstanding answers has sent anything, in milliseconds. */
const SILENCE_CHECK_MS = 5_000;
/** After this many bridges in a row have broken in this process, each within `SHORT_LIFE_MS`, no other is built. */
const MAX_BROKEN = 3;
const SHORT_LIFE_MS = 10_000;

/**
 * A client's session: through the hub while there is one, in this process otherwise. When its transport ends mid-session,
 * the relay takes the other one. It replays the client's own opening frames, renews subscriptions and log level, sends
 * idempotent requests again, and answers requests that may have run with an error that says so. In this process, it keeps
 * looking for the hub, and moves there when it is idle. The client sees no other sign of it.
 */
export class Relay implements Bridge {
  /** Resolves when the first transport is open. @throws the error that kept the bridge in this process from being built */
  readonly opened: Promise<void>;
  readonly #client: FrameSink;
  readonly #fallbacks: RelayFallbacks;
  readonly #replayLog = new ReplayLog();
  /** Undefined while a new transport is being opened; until then, frames are held. */
  #transport: RelayTransport | undefined;
  #held: Buffer[] = [];
  #heldBytes = 0;
  /** Whether the relay is still looking for a hub before it works alone. */
  #isSeeking = true;
  /** Frames must not be sent to it yet. */
  #reading: Reading | undefined;
  readonly #lost = new WeakSet<RelayTransport>();
  #broken = 0;
  readonly #early: EarlyAnswers;
  #settled: () => void = () => {};
  /** Called when no request is open anymore. */
  #answered: () => void = () => {};
  #ended = false;
  #moving: Promise<void> = Promise.resolve();
  readonly #rejoin: HubRejoin;
  readonly #silenceCheck: NodeJS.Timeout;

  /** @param connection the first connection to the hub; without it the session is in this process */
  constructor(
    connection: HubConnection | Promise<HubConnection | undefined>,
    client: FrameSink,
    fallbacks: RelayFallbacks,
  ) {
    this.#client = client;
    this.#fallbacks = fallbacks;
    this.#early = new EarlyAnswers({
      remembered: fallbacks.remembered,
      answer: (id, frame) => {
        this.#replayLog.answeredEarly(id);
        client.write(frame);
      },
      failed: (error) => this.failed(error),
    });
    this.#rejoin = new HubRejoin({
      rejoin: fallbacks.rejoin?.bind(fallbacks),
      isIdle: () => this.#replayLog.isIdle,
      isAlone: () => !this.#ended && !this.#reading?.connection,
      canMove: () => this.#transport !== undefined && this.#replayLog.isIdle,
      move: (connection) => this.#move(connection),
    });
    client.onDrain(() => this.#reading?.transport.resume());
    if (connection instanceof Promise) this.opened = connection.then((first) => this.#takeTransport(first, []));
    else {
      this.#transport = this.#through(connection);
      this.opened = Promise.resolve();
    }
    this.#moving = this.opened.catch(() => {});
    this.#silenceCheck = setInterval(() => this.#checkSilence(), SILENCE_CHECK_MS);
    this.#silenceCheck.unref();
  }

  get pendingBytes(): number {
    return this.#heldBytes + (this.#transport?.pendingBytes ?? 0);
  }

  receive(frame: Buffer): void {
    const seen = scanFrame(frame);
    const instead = this.#early.answerInstead(frame, seen.method);
    if (instead) {
      this.#client.write(instead);
      return;
    }
    if (this.#reading?.connection || this.#isSeeking) this.#early.received(frame, seen);
    if (this.#transport) this.#send(this.#transport, frame, seen);
    else {
      this.#held.push(frame);
      this.#heldBytes += frame.length;
    }
  }

  fault(fault: FrameFault): void {
    this.#client.write(faultFrame(fault));
  }

  onSettled(listener: () => void): void {
    this.#settled = listener;
  }

  /** Waits for open requests before it ends the transport, because a transport that is ending may lose answers. */
  async finish(graceMs: number): Promise<void> {
    const until = monotonicMs() + graceMs;
    await this.#moving;
    await this.#answers(until - monotonicMs());
    this.#end();
    await this.#transport?.finish(Math.max(0, until - monotonicMs()));
  }

  async close(): Promise<void> {
    this.#end();
    this.#answered();
    await this.#transport?.close();
  }

  /** Handles an uncaught error: a session in this process is opened again. */
  failed(error: unknown): void {
    const reading = this.#reading;
    if (reading && !reading.connection) this.#localBridgeFailed(reading.transport, error, undefined);
  }

  #end(): void {
    this.#ended = true;
    clearInterval(this.#silenceCheck);
    this.#early.close();
    this.#rejoin.close();
  }

  async #answers(withinMs: number): Promise<void> {
    if (this.#replayLog.isAnswered) return;
    let tooLong: NodeJS.Timeout | undefined;
    await new Promise<void>((resolve) => {
      tooLong = setTimeout(resolve, withinMs);
      this.#answered = resolve;
    });
    clearTimeout(tooLong);
  }

  #send(transport: RelayTransport, frame: Buffer, seen = scanFrame(frame)): void {
    this.#replayLog.sent(frame, seen);
    transport.send(frame);
  }

  #through(connection: HubConnection): RelayTransport {
    const transport = socketTransport(connection, this.#client, {
      frame: (frame) => {
        if (this.#reading?.transport === transport) this.#reading.framesReceived += 1;
        this.#deliver(transport, frame);
      },
      drained: () => this.#settled(),
      gone: () => {
        this.#lost.add(transport);
        if (transport === this.#reading?.transport) this.#leave(lostApplication);
      },
    });
    this.#use(transport, connection);
    return transport;
  }

  /** Reads frames from this transport from now on. */
  #use(transport: RelayTransport, connection: HubConnection | undefined): void {
    this.#reading = { transport, connection, beganAt: monotonicMs(), framesReceived: 0 };
    this.#isSeeking = false;
    if (connection) this.#rejoin.pause();
    else this.#rejoin.start();
  }

  #deliver(transport: RelayTransport | undefined, frame: Buffer): void {
    if (transport !== this.#reading?.transport) return;
    if (this.#replayLog.isReplaying || !this.#early.isIdle) {
      const { id, method } = scanFrame(frame);
      if (id !== undefined && method === undefined) {
        if (this.#replayLog.findsOtherTools(id, frame)) this.#client.write(LIST_CHANGED);
        this.#replayLog.learnUser(id, frame);
        if (this.#replayLog.takeReplayed(id)) {
          for (const changed of this.#early.answeredLate(id, frame)) this.#client.write(changed);
          return;
        }
        this.#early.answered(id);
      }
    }
    this.#replayLog.answered(frame);
    this.#client.write(frame);
    if (this.#replayLog.isAnswered) this.#answered();
    if (this.#replayLog.isIdle) this.#rejoin.idle();
  }

  /** The transport has ended, or no longer answers. */
  #leave(reason: (method: string) => unknown): void {
    this.#transport = undefined;
    if (this.#ended) return;
    this.#isSeeking = true;
    this.#moving = this.#moveOn(reason).catch((error: unknown) => this.#giveUp(error));
  }

  async #moveOn(reason: (method: string) => unknown): Promise<void> {
    const open = this.#replayLog.open;
    for (const { id, method } of open.filter(({ frame }) => frame === undefined)) this.#refuse(id, reason(method));
    const connection = await this.#fallbacks.reattach();
    // Some may have been answered or cancelled meanwhile.
    const ids = new Set(open.map(({ id }) => id));
    await this.#takeTransport(
      connection,
      this.#replayLog.open.filter(({ id }) => ids.has(id)),
    );
  }

  async #takeTransport(connection: HubConnection | undefined, open: OpenRequest[]): Promise<void> {
    if (this.#ended) {
      connection?.socket.destroy();
      return;
    }
    const transport = connection ? this.#through(connection) : await this.#alone();
    for (const frame of this.#replayLog.replay(open, this.#held)) transport.send(frame);
    // It may have been lost while it opened; then the next one is already opening.
    if (this.#lost.has(transport)) return;
    this.#transport = transport;
    this.#heldBytes = 0;
    for (const frame of this.#held.splice(0)) this.#send(transport, frame);
    this.#settled();
  }

  async #alone(): Promise<RelayTransport> {
    this.#isSeeking = false;
    // A bridge in this process answers slow requests from its own cache.
    this.#early.clear();
    let transport: RelayTransport | undefined;
    const early: Buffer[] = [];
    const sink = intercept(this.#client, (frame) => (transport ? this.#deliver(transport, frame) : early.push(frame)));
    const bridge = guarded(await this.#fallbacks.alone(sink), (error, frame) =>
      this.#localBridgeFailed(transport, error, frame),
    );
    transport = localTransport(bridge, { drained: () => this.#settled() });
    this.#use(transport, undefined);
    for (const frame of early) this.#deliver(transport, frame);
    return transport;
  }

  /** An exception in the bridge in this process: open requests are refused, and another bridge takes over. */
  #localBridgeFailed(transport: RelayTransport | undefined, error: unknown, frame: Buffer | undefined): void {
    process.stderr.write(`causeway proxy: ${inOneLine(brokenSession(error))}\n`);
    if (frame) {
      const { id } = scanFrame(frame);
      if (id !== undefined) this.#replayLog.forget(id);
      refuseFrame(frame, error, this.#client);
    }
    const reading = this.#reading;
    if (!transport || transport !== reading?.transport || this.#ended) return;
    this.#reading = undefined;
    this.#lost.add(transport);
    void transport.close();
    for (const { id } of this.#replayLog.open) this.#refuse(id, brokenSession(error));
    const isShort = monotonicMs() - reading.beganAt < SHORT_LIFE_MS;
    this.#broken = isShort ? this.#broken + 1 : 0;
    if (this.#broken < MAX_BROKEN) this.#leave(lostApplication);
    else this.#giveUp(brokenSession(error));
  }

  /** No transport is left, for example because the profile is gone. Open and later requests are refused. */
  #giveUp(error: unknown): void {
    const refuse = (frame: Buffer) => {
      const seen = scanFrame(frame);
      this.#replayLog.sent(frame, seen);
      // A request that the client has an answer to gets no other answer.
      this.#replayLog.takeReplayed(seen.id ?? '');
      for (const { id } of this.#replayLog.open) this.#refuse(id, error);
    };
    const transport = refusingTransport(refuse);
    this.#use(transport, undefined);
    this.#transport = transport;
    for (const { id } of this.#replayLog.open) this.#refuse(id, error);
    this.#heldBytes = 0;
    for (const frame of this.#held.splice(0)) refuse(frame);
    this.#settled();
  }

  #refuse(id: string, error: unknown): void {
    this.#replayLog.forget(id);
    this.#client.write(errorFrame(id, error));
    if (this.#replayLog.isAnswered) this.#answered();
  }

  /** The session is idle: it continues through the hub, and the one in this process is ended. */
  #move(connection: HubConnection): void {
    const before = this.#transport;
    const transport = this.#through(connection);
    for (const frame of this.#replayLog.replay(this.#replayLog.open, this.#held)) transport.send(frame);
    if (!this.#lost.has(transport)) this.#transport = transport;
    void before?.close();
  }

  /** If the hub sends nothing while answers are outstanding, its process may be stopped: then the relay takes another transport. */
  #checkSilence(): void {
    const reading = this.#reading;
    const { connection, framesReceived } = reading ?? {};
    if (!connection?.isAlive || this.#replayLog.isSettled) return;
    setTimeout(async () => {
      const isSilent = () => this.#reading === reading && reading?.framesReceived === framesReceived && !this.#ended;
      if (!isSilent() || (await connection.isAlive?.()) || !isSilent()) return;
      this.#reading = undefined;
      connection.socket.destroy();
      this.#leave(silentApplication);
    }, SILENCE_CHECK_MS / 2).unref();
  }
}
