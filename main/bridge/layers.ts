import { type FrameSink, intercept } from './back-pressure.ts';
import type { SendableEnvelope } from './frame/frame.ts';
import type { FrameFault } from './frame/splitter.ts';

/** One client's session with one managed server. It takes whole frames and writes each answer to the sink once it is complete. */
export interface Bridge {
  receive(frame: Buffer): void;
  /** A line that is not a frame. */
  fault(fault: FrameFault): void;
  /** The memory held by frames that were received and are not settled, in bytes. */
  readonly pendingBytes: number;
  /** Called each time a frame is settled. */
  onSettled(listener: () => void): void;
  /** Waits at most `graceMs` for the answers in flight, then ends the session at the server. */
  finish(graceMs: number): Promise<void>;
  /** Cancels the requests in flight and ends the session at the server. Idempotent. */
  close(): Promise<void>;
}

/** What stands between a client and its server. It passes on the frames of both directions, changes, withholds or answers them. */
export interface Layer<Sent = Buffer, Done = void> {
  /** Something that the client sends. */
  toServer?(sent: Sent, next: (sent: Sent) => Done): Done;
  /** A frame for the client. */
  toClient?(frame: Buffer, next: (frame: Buffer) => void): void;
}

/** A client's frame as the bridge has read it. */
export interface ClientMessage {
  frame: Buffer;
  envelope: SendableEnvelope;
  /** The frame as JSON, or its outline. */
  json: unknown;
  wantsProgress: boolean;
}

/** One of the bridge's own layers. Resolves once the message is settled. */
export type BridgeLayer = Layer<ClientMessage, Promise<void>>;

/** What a client sends, through layers, the one nearest to the client first, to `server`. */
export function towardServer<Sent, Done>(
  layers: readonly Layer<Sent, Done>[],
  server: (sent: Sent) => Done,
): (sent: Sent) => Done {
  return layers.reduceRight((next, layer) => {
    const toServer = layer.toServer?.bind(layer);
    return toServer ? (sent: Sent) => toServer(sent, next) : next;
  }, server);
}

/** A client's sink behind layers, the one nearest to the client first. */
export function towardClient(client: FrameSink, layers: readonly Pick<Layer, 'toClient'>[]): FrameSink {
  return layers.reduce((sink, layer) => {
    const toClient = layer.toClient?.bind(layer);
    const next = (frame: Buffer) => sink.write(frame);
    return toClient ? intercept(sink, (frame) => toClient(frame, next)) : sink;
  }, client);
}

/** The same bridge behind layers, for what its client sends. */
export function behind(bridge: Bridge, layers: readonly Layer[]): Bridge {
  return {
    receive: towardServer(layers, (frame) => bridge.receive(frame)),
    fault: (fault) => bridge.fault(fault),
    get pendingBytes() {
      return bridge.pendingBytes;
    },
    onSettled: (listener) => bridge.onSettled(listener),
    finish: (graceMs) => bridge.finish(graceMs),
    close: () => bridge.close(),
  };
}
