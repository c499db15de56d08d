import type { Readable } from 'node:stream';
import type { Bridge } from './bridge.ts';
import type { FrameSink } from './flow.ts';
import { FrameSplitter } from './frames.ts';

/** How much of a client's unsettled requests may be in memory before the client is left unread, in bytes. */
const MAX_PENDING_BYTES = 32 * 1024 * 1024;
/** How much the client may leave unread before it is left unread itself, in bytes. */
const MAX_UNREAD_BYTES = 16 * 1024 * 1024;

/** A client's bytes on their way into a bridge. */
export interface Feed {
  /** Bytes that were read before the feed began. */
  push(chunk: Buffer): void;
  /** The client has said its last: a line without its newline still counts. */
  end(): void;
  /** Nothing more is read. */
  stop(): void;
}

/** Reads a client's frames into its bridge, no faster than they are settled and the client takes the answers. */
export function feed(bridge: Bridge, sink: FrameSink, source: Readable): Feed {
  let stopped = false;
  const splitter = new FrameSplitter({
    frame: (frame) => bridge.receive(frame),
    fault: (fault) => bridge.fault(fault),
  });
  const isFull = () => bridge.pendingBytes > MAX_PENDING_BYTES || sink.buffered > MAX_UNREAD_BYTES;
  const readOn = () => {
    if (!stopped && source.isPaused() && !isFull()) source.resume();
  };
  const push = (chunk: Buffer) => {
    splitter.push(chunk);
    if (isFull()) source.pause();
  };
  source.on('data', push);
  bridge.onSettled(readOn);
  sink.onDrain(readOn);
  return {
    push,
    end: () => splitter.end(),
    stop: () => {
      stopped = true;
      source.pause();
    },
  };
}
