import type { FrameSink } from '../bridge/back-pressure.ts';
import type { Bridge } from '../bridge/bridge.ts';
import type { SessionRecord } from './session-log.ts';
import { intercept } from './transport.ts';

/**
 * Is shown each request and its answer while the person has them recorded, and at no other time. The hub keeps nothing of
 * either; whoever does copies it, for the bytes are the hub's. Neither function may throw, and both must be quick.
 */
export interface ContentsRecorder {
  /** A request has come. Gives the number under which its answer is handed over, should one come. */
  asked(request: Buffer): number;
  /** The answer to the request of that number goes to the client. */
  answered(number: number, answer: Buffer): void;
}

/** The same sink, with each frame for the client shown to the record. */
export function recordedSink(sink: FrameSink, record: SessionRecord): FrameSink {
  return intercept(sink, (frame) => {
    record.toClient(frame);
    sink.write(frame);
  });
}

/** The same bridge, with each frame of the client's shown to the record. */
export function recordedBridge(bridge: Bridge, record: SessionRecord): Bridge {
  return {
    receive: (frame) => {
      record.fromClient(frame);
      bridge.receive(frame);
    },
    fault: (fault) => bridge.fault(fault),
    get pendingBytes() {
      return bridge.pendingBytes;
    },
    onSettled: (listener) => bridge.onSettled(listener),
    finish: (graceMs) => bridge.finish(graceMs),
    close: () => bridge.close(),
  };
}
