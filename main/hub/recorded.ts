import type { Bridge } from '../bridge/bridge.ts';
import type { FrameSink } from '../bridge/flow.ts';
import type { SessionRecord } from './session-record.ts';
import { tapped } from './ways.ts';

/** The same sink, with each frame for the client shown to the record. */
export function recordedSink(sink: FrameSink, record: SessionRecord): FrameSink {
  return tapped(sink, (frame) => {
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
