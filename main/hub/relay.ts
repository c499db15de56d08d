import type { Bridge } from '../bridge/bridge.ts';
import { errorFrame, lostApplication } from '../bridge/error-frame.ts';
import type { FrameSink } from '../bridge/flow.ts';
import { type FrameFault, faultFrame } from '../bridge/frames.ts';
import { scanFrame, withId } from '../bridge/raw-id.ts';
import type { HubConnection } from './attach.ts';
import { Ledger, type OpenRequest } from './ledger.ts';
import { hubWay, ownWay, tapped, type Way } from './ways.ts';

/** What a relay turns to when the hub has gone. */
export interface RelayFallbacks {
  /** Attaches again; undefined where no hub is to be had soon. */
  reattach(): Promise<HubConnection | undefined>;
  /** The same bridge inside this process. */
  alone(sink: FrameSink): Promise<Bridge>;
}

/**
 * A client's session that goes through the hub. When the hub goes away mid-session, it attaches again or goes on alone:
 * it replays the client's own opening, asks again for what the session was granted, sends again what is harmless, and
 * answers what may have run with an error that says so. The client sees no other sign of it.
 */
export class Relay implements Bridge {
  readonly #client: FrameSink;
  readonly #fallbacks: RelayFallbacks;
  readonly #ledger = new Ledger();
  /** Undefined while a new way is being looked for; frames are held meanwhile. */
  #way: Way | undefined;
  #held: Buffer[] = [];
  #heldBytes = 0;
  /** The ids of replayed requests whose answers the client has had already. */
  readonly #replayed = new Set<string>();
  #replays = 0;
  /** The way that frames come from, which may be one that no frames go to yet. */
  #source: Way | undefined;
  readonly #lost = new WeakSet<Way>();
  #settled: () => void = () => {};
  /** Called when nothing is open any more. */
  #answered: () => void = () => {};
  #ended = false;
  #moving: Promise<void> = Promise.resolve();

  constructor(connection: HubConnection, client: FrameSink, fallbacks: RelayFallbacks) {
    this.#client = client;
    this.#fallbacks = fallbacks;
    this.#way = this.#through(connection);
    client.onDrain(() => this.#source?.readOn());
  }

  get pendingBytes(): number {
    return this.#heldBytes + (this.#way?.pendingBytes ?? 0);
  }

  receive(frame: Buffer): void {
    if (this.#way) {
      this.#ledger.sent(frame);
      this.#way.send(frame);
      return;
    }
    this.#held.push(frame);
    this.#heldBytes += frame.length;
  }

  fault(fault: FrameFault): void {
    this.#client.write(faultFrame(fault));
  }

  onSettled(listener: () => void): void {
    this.#settled = listener;
  }

  /** What is open is waited for before the way is told: a way that has heard of the end may be no way back any more. */
  async finish(graceMs: number): Promise<void> {
    const until = performance.now() + graceMs;
    await this.#moving;
    await this.#answers(until - performance.now());
    this.#ended = true;
    await this.#way?.finish(Math.max(0, until - performance.now()));
  }

  async close(): Promise<void> {
    this.#ended = true;
    this.#answered();
    await this.#way?.close();
  }

  async #answers(withinMs: number): Promise<void> {
    if (this.#ledger.isSettled) return;
    let tooLong: NodeJS.Timeout | undefined;
    await new Promise<void>((resolve) => {
      tooLong = setTimeout(resolve, withinMs);
      this.#answered = resolve;
    });
    clearTimeout(tooLong);
  }

  #through(connection: HubConnection): Way {
    const way = hubWay(connection, this.#client, {
      frame: (frame) => this.#deliver(frame),
      relief: () => this.#settled(),
      gone: () => {
        this.#lost.add(way);
        this.#way = undefined;
        if (!this.#ended) this.#moving = this.#moveOn().catch((error: unknown) => this.#giveUp(error));
      },
    });
    this.#source = way;
    return way;
  }

  #deliver(frame: Buffer): void {
    if (this.#replayed.size > 0) {
      const { id, method } = scanFrame(frame);
      if (id !== undefined && method === undefined && this.#replayed.delete(id)) return;
    }
    this.#ledger.answered(frame);
    this.#client.write(frame);
    if (this.#ledger.isSettled) this.#answered();
  }

  async #moveOn(): Promise<void> {
    const open = this.#ledger.open;
    for (const { id, method } of open.filter(({ frame }) => frame === undefined))
      this.#refuse(id, lostApplication(method));
    const connection = await this.#fallbacks.reattach();
    if (this.#ended) {
      connection?.socket.destroy();
      return;
    }
    const way = connection ? this.#through(connection) : await this.#alone();
    for (const frame of this.#opening(open)) way.send(frame);
    // It may have been lost while it was being opened: then the next one is already looked for.
    if (this.#lost.has(way)) return;
    this.#way = way;
    this.#heldBytes = 0;
    for (const frame of this.#held.splice(0)) this.receive(frame);
    this.#settled();
  }

  /** No way is left: the profile is gone, say. Whoever waits is told so, and so is whoever asks from now on. */
  #giveUp(error: unknown): void {
    const refuse = (frame: Buffer) => {
      this.#ledger.sent(frame);
      for (const { id } of this.#ledger.open) this.#refuse(id, error);
    };
    this.#way = { send: refuse, pendingBytes: 0, finish: async () => {}, close: async () => {}, readOn: () => {} };
    for (const { id } of this.#ledger.open) this.#refuse(id, error);
    this.#heldBytes = 0;
    for (const frame of this.#held.splice(0)) refuse(frame);
    this.#settled();
  }

  #refuse(id: string, error: unknown): void {
    this.#ledger.forget(id);
    this.#client.write(errorFrame(id, error));
    if (this.#ledger.isSettled) this.#answered();
  }

  async #alone(): Promise<Way> {
    const bridge = await this.#fallbacks.alone(tapped(this.#client, (frame) => this.#deliver(frame)));
    return ownWay(bridge, { relief: () => this.#settled() });
  }

  /** The frames that bring a new session to where the old one was. */
  #opening(open: OpenRequest[]): Buffer[] {
    const again = open.flatMap(({ frame }) => (frame ? [frame] : []));
    const { initialize, initialized, wishes } = this.#ledger;
    this.#replayed.clear();
    if (!initialize || open.some(({ method }) => method === 'initialize')) return again;
    this.#replayed.add(scanFrame(initialize).id ?? 'null');
    const wished = wishes.all().map(({ frame }) => withId(frame, this.#replayId()));
    return [initialize, ...(initialized ? [initialized] : []), ...wished, ...again];
  }

  #replayId(): string {
    this.#replays += 1;
    const id = `"causeway-again-${this.#replays}"`;
    this.#replayed.add(id);
    return id;
  }
}
