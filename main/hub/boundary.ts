import type { FrameSink } from '../bridge/back-pressure.ts';
import { errorFrame } from '../bridge/frame/error-frame.ts';
import { scanFrame } from '../bridge/frame/frame.ts';
import type { Bridge } from '../bridge/layers.ts';
import { CausewayError } from '../platform/errors.ts';
import { inOneLine } from '../words/failure.ts';

/** The error for a client whose frame has caused an exception in Causeway itself. */
export function brokenSession(cause: unknown): CausewayError {
  return new CausewayError('internal', `Causeway hit an internal error (${inOneLine(cause)}).`, {
    cause,
    remedy: 'It recovers automatically. If it happens again, send a support report from Diagnostics.',
  });
}

/** Answers a frame that caused an exception in Causeway, if it is a request or cannot be read. */
export function refuseFrame(frame: Buffer, error: unknown, sink: FrameSink): void {
  const { id, method } = scanFrame(frame);
  if (id !== undefined && method !== undefined) sink.write(errorFrame(id, brokenSession(error)));
  else if (id === undefined && method === undefined) sink.write(errorFrame('null', brokenSession(error)));
}

/**
 * The same bridge, with its exceptions passed to `broken` instead of the caller, together with the frame.
 * All of its work runs within `run`, so it runs as its session (`asSession`) whoever calls it.
 */
export function guarded(
  bridge: Bridge,
  broken: (error: unknown, frame?: Buffer) => void,
  run: (work: () => void) => void = (work) => work(),
): Bridge {
  const attempt = (work: () => void, frame?: Buffer) => {
    try {
      run(work);
    } catch (error) {
      broken(error, frame);
    }
  };
  const settle = async (work: () => Promise<void>) => {
    try {
      await work();
    } catch (error) {
      broken(error);
    }
  };
  return {
    receive: (frame) => attempt(() => bridge.receive(frame), frame),
    fault: (fault) => attempt(() => bridge.fault(fault)),
    get pendingBytes() {
      return bridge.pendingBytes;
    },
    onSettled: (listener) => bridge.onSettled(listener),
    finish: (graceMs) => settle(() => bridge.finish(graceMs)),
    close: () => settle(() => bridge.close()),
  };
}
