import type { FrameSink } from '../bridge/back-pressure.ts';
import { intercept } from '../bridge/back-pressure.ts';
import type { Bridge } from '../bridge/bridge.ts';
import { interceptBridge } from '../bridge/stdio.ts';
import type { SessionRecord } from './session-record.ts';

/** The same sink, which also passes each frame for the client to the record. */
export function recordedSink(sink: FrameSink, record: SessionRecord): FrameSink {
  return intercept(sink, (frame) => {
    record.toClient(frame);
    sink.write(frame);
  });
}

/** The same bridge, but each of the client's frames also goes to the record. */
export function recordedBridge(bridge: Bridge, record: SessionRecord): Bridge {
  return interceptBridge(bridge, (frame) => {
    record.fromClient(frame);
    bridge.receive(frame);
  });
}
