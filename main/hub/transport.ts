import type { Socket } from 'node:net';
import type { FrameSink } from '../bridge/back-pressure.ts';
import { FrameSplitter } from '../bridge/frame/splitter.ts';
import type { Bridge } from '../bridge/layers.ts';
import { MAX_FRAME_BYTES } from '../bridge/limits.ts';
import { StreamSink } from '../bridge/stdio.ts';
import type { HubConnection } from './attach.ts';

/** A transport between a client and its server: through the hub, or a bridge in this process. */
export interface RelayTransport {
  send(frame: Buffer): void;
  /** Bytes that were accepted and not sent yet. */
  readonly pendingBytes: number;
  /** Waits at most `graceMs` for the answers in flight, then closes. */
  finish(graceMs: number): Promise<void>;
  close(): Promise<void>;
  /** The client has room for frames again. */
  resume(): void;
}

export interface TransportEvents {
  /** A frame for the client. */
  frame(frame: Buffer): void;
  /** There is room for frames again. */
  drained(): void;
  /** The transport was closed, and not by this side. */
  gone(): void;
}

/** Frames over the hub's socket, with back-pressure from the client. */
export function socketTransport(
  { socket, rest }: HubConnection,
  client: FrameSink,
  events: TransportEvents,
): RelayTransport {
  let closing = false;
  const sink = new StreamSink(socket);
  // The hub enforces the limits on what it reads; its own edits may make a frame longer.
  const splitter = new FrameSplitter({ frame: (frame) => events.frame(frame), fault: () => {} }, 2 * MAX_FRAME_BYTES);
  const take = (chunk: Buffer) => {
    splitter.push(chunk);
    if (!client.flowing) socket.pause();
  };
  sink.onDrain(() => events.drained());
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
    resume: () => socket.resume(),
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

/** Frames through a bridge in this process. */
export function localTransport(bridge: Bridge, events: Pick<TransportEvents, 'drained'>): RelayTransport {
  bridge.onSettled(() => events.drained());
  return {
    send: (frame) => bridge.receive(frame),
    get pendingBytes() {
      return bridge.pendingBytes;
    },
    finish: (graceMs) => bridge.finish(graceMs),
    close: () => bridge.close(),
    // The bridge is notified by its sink.
    resume: () => {},
  };
}

/** Leads to no server: each frame is refused. */
export function refusingTransport(refuse: (frame: Buffer) => void): RelayTransport {
  return { send: refuse, pendingBytes: 0, finish: async () => {}, close: async () => {}, resume: () => {} };
}
