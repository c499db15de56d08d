import { type FrameSink, intercept } from '../bridge/back-pressure.ts';
import { scanFrame } from '../bridge/frame/frame.ts';
import type { FrameFault } from '../bridge/frame/splitter.ts';
import type { Bridge } from '../bridge/layers.ts';
import { inOneLine } from '../words/failure.ts';
import type { AggregateServer } from './aggregate.ts';
import type { OpenedServer } from './member.ts';

export interface ReplaceablePort {
  /** No bridge can be built, and this is why; then, if there is another reason, why nothing can take its place. */
  failed(error: unknown): void;
  /** The client has ended its input without any frame, and no bridge could be built. */
  unused(error: unknown): void;
}

/** The one server of a session. Its name is asked for only where it is replaced. */
type OnlyServer = Pick<AggregateServer, 'open'> & { name(): Promise<string> };

/**
 * A session with one server. Where no bridge can be built for it, for example because its profile is gone, an aggregate of that one
 * server takes its place: it answers the client, offers `connection_status`, and offers the server's tools once a bridge can be built.
 */
export class ReplaceableServer implements Bridge {
  readonly #client: FrameSink;
  readonly #server: OnlyServer;
  readonly #port: ReplaceablePort;
  /** What serves the client unless it is replaced. */
  readonly #first: OpenedServer;
  #current: Bridge;
  /** What the client has sent before it was known whether a bridge can be built; undefined afterwards. */
  #received: Buffer[] | undefined = [];
  /** The raw ids of the requests that were answered before that. */
  readonly #answered = new Set<string>();
  #hasFrames = false;
  /** Why no bridge can be built. */
  #reason: unknown;
  #settled: () => void = () => {};
  /** Resolves once it is known what serves the client. */
  readonly #decided: Promise<void>;

  constructor(client: FrameSink, server: OnlyServer, port: ReplaceablePort) {
    this.#client = client;
    this.#server = server;
    this.#port = port;
    this.#first = server.open(intercept(client, (frame) => this.#write(frame)));
    this.#current = this.#first.bridge;
    this.#decided = this.#first.opened.then(
      () => {
        this.#received = undefined;
      },
      (error: unknown) => this.#replace(error),
    );
  }

  get pendingBytes(): number {
    return this.#current.pendingBytes;
  }

  receive(frame: Buffer): void {
    this.#hasFrames = true;
    this.#received?.push(Buffer.from(frame));
    if (this.#reason === undefined || !this.#received) this.#current.receive(frame);
  }

  fault(fault: FrameFault): void {
    this.#current.fault(fault);
  }

  onSettled(listener: () => void): void {
    this.#settled = listener;
    this.#current.onSettled(listener);
  }

  async finish(graceMs: number): Promise<void> {
    await this.#decided;
    if (this.#reason !== undefined && !this.#hasFrames) this.#port.unused(this.#reason);
    await this.#current.finish(graceMs);
  }

  close(): Promise<void> {
    return this.#current.close();
  }

  /** Told of an error that nothing has caught. */
  failed(error: unknown): void {
    if (this.#current === this.#first.bridge) this.#first.failed?.(error);
  }

  #write(frame: Buffer): void {
    if (this.#received) {
      const id = answeredId(frame);
      if (id !== undefined) this.#answered.add(id);
    }
    this.#client.write(frame);
  }

  async #replace(error: unknown): Promise<void> {
    this.#reason = error;
    this.#port.failed(error);
    // Loaded only here: what usually serves a client needs none of it.
    const loaded = await Promise.all([import('./aggregate.ts'), this.#server.name()]).catch(
      (failure: unknown) => void this.#port.failed(failure),
    );
    if (!loaded) return;
    const [{ Aggregate }, name] = loaded;
    const { open } = this.#server;
    const aggregate = new Aggregate(intercept(this.#client, (frame) => this.#writeOnce(frame)));
    aggregate.offer([{ name, open, setUp: '', unavailable: inOneLine(error) }]);
    aggregate.onSettled(() => this.#settled());
    this.#current = aggregate;
    const received = this.#received ?? [];
    this.#received = undefined;
    for (const frame of received) aggregate.receive(frame);
    void this.#first.bridge.close();
  }

  /** Drops the answers that the client has already. */
  #writeOnce(frame: Buffer): void {
    if (this.#answered.size > 0) {
      const id = answeredId(frame);
      if (id !== undefined && this.#answered.delete(id)) return;
    }
    this.#client.write(frame);
  }
}

/** The raw id of the request that a frame answers; undefined for any other frame. */
function answeredId(frame: Buffer): string | undefined {
  const { id, method } = scanFrame(frame);
  return method === undefined ? id : undefined;
}
