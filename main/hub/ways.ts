import type { Socket } from 'node:net';
import type { Bridge } from '../bridge/bridge.ts';
import type { FrameSink } from '../bridge/flow.ts';
import { FrameSplitter } from '../bridge/frames.ts';
import { MAX_FRAME_BYTES } from '../bridge/limits.ts';
import { StreamSink } from '../bridge/stream-sink.ts';
import type { HubConnection } from './attach.ts';

/** One way from a client to its server: through the hub, or a bridge inside this process. */
export interface Way {
  send(frame: Buffer): void;
  /** Bytes that were taken and are not on their way yet. */
  readonly pendingBytes: number;
  /** Waits for the answers under way, at most `graceMs`, and lets go. */
  finish(graceMs: number): Promise<void>;
  close(): Promise<void>;
  /** The client has room for frames again. */
  readOn(): void;
}

export interface WayEvents {
  /** A frame for the client. */
  frame(frame: Buffer): void;
  /** There is room for frames again. */
  relief(): void;
  /** The way is closed, and not by this side. */
  gone(): void;
}

/** Frames over the hub's socket, read no faster than the client reads. */
export function hubWay({ socket, rest }: HubConnection, client: FrameSink, events: WayEvents): Way {
  let closing = false;
  const sink = new StreamSink(socket);
  // The hub has kept the limits; what it adds to a frame may lead beyond them.
  const splitter = new FrameSplitter({ frame: (frame) => events.frame(frame), fault: () => {} }, 2 * MAX_FRAME_BYTES);
  const take = (chunk: Buffer) => {
    splitter.push(chunk);
    if (!client.flowing) socket.pause();
  };
  sink.onDrain(() => events.relief());
  socket.on('data', take);
  socket.on('error', () => {});
  socket.on('end', () => socket.end());
  socket.on('close', () => {
    if (!closing) events.gone();
  });
  take(rest);
  socket.resume();
  return {
    send: (frame) => sink.write(frame),
    get pendingBytes() {
      return sink.buffered;
    },
    finish: async (graceMs) => {
      closing = true;
      await sink.flushed();
      socket.end();
      await closed(socket, graceMs);
    },
    close: async () => {
      closing = true;
      socket.destroy();
    },
    readOn: () => socket.resume(),
  };
}

function closed(socket: Socket, withinMs: number): Promise<void> {
  return new Promise((resolve) => {
    const tooLong = setTimeout(() => {
      socket.destroy();
      resolve();
    }, withinMs);
    socket.once('close', () => {
      clearTimeout(tooLong);
      resolve();
    });
  });
}

/** A bridge inside this process. */
export function ownWay(bridge: Bridge, events: Pick<WayEvents, 'relief'>): Way {
  bridge.onSettled(() => events.relief());
  return {
    send: (frame) => bridge.receive(frame),
    get pendingBytes() {
      return bridge.pendingBytes;
    },
    finish: (graceMs) => bridge.finish(graceMs),
    close: () => bridge.close(),
    // It hears of that from the sink that it writes to.
    readOn: () => {},
  };
}

/** The client's sink as a bridge sees it, with each frame shown to the relay first. */
export function tapped(client: FrameSink, write: (frame: Buffer) => void): FrameSink {
  return {
    write,
    get buffered() {
      return client.buffered;
    },
    get flowing() {
      return client.flowing;
    },
    onDrain: (listener) => client.onDrain(listener),
    flushed: () => client.flushed(),
  };
}
