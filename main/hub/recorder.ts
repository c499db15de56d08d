import type { FrameSink } from '../bridge/back-pressure.ts';
import type { Bridge } from '../bridge/bridge.ts';
import { intercept, interceptBridge } from '../bridge/stdio.ts';
import type { SessionRecord } from './session-log.ts';

/**
 * Receives each request and its answer while the user has contents recorded, and at no other time. The hub keeps neither. A
 * recorder copies the bytes it keeps: the buffers are the hub's. Its functions must not throw and must be quick.
 */
export interface ContentsRecorder {
  /** A request has come. Returns the number that its answer is reported with. */
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
  return interceptBridge(bridge, (frame) => {
    record.fromClient(frame);
    bridge.receive(frame);
  });
}
