import { AsyncLocalStorage } from 'node:async_hooks';
import type { FrameSink } from '../bridge/back-pressure.ts';
import type { Bridge } from '../bridge/bridge.ts';
import { errorFrame } from '../bridge/frame/error-frame.ts';
import { scanFrame } from '../bridge/frame/frame.ts';
import { CausewayError, inOneLine } from '../platform/errors.ts';

/** Ends one client's session because of an error that nothing inside it has handled. */
type EndSession = (error: unknown) => void;

const sessions = new AsyncLocalStorage<EndSession>();

/** Runs what serves one client, so that `endSessionBehind` finds the client again from whatever that starts. */
export function asSession<T>(end: EndSession, work: () => T): T {
  return sessions.run(end, work);
}

/**
 * Ends the session in which an uncaught error has arisen, and tells whether there is one; for the process's last-resort
 * handlers of `uncaughtException` and `unhandledRejection`, where a timer's or a stream's callback has thrown.
 */
export function endSessionBehind(error: unknown): boolean {
  const end = sessions.getStore();
  end?.(error);
  return end !== undefined;
}

/** The error for a client whose frame has caused an exception in Causeway itself. */
export function brokenSession(cause: unknown): CausewayError {
  return new CausewayError('internal', `Causeway met a fault of its own here (${inOneLine(cause)}).`, {
    cause,
    remedy: 'It goes on by itself. If it happens again, copy the report on the Diagnostics screen and send it to us.',
  });
}

/** Answers a frame that has caused an exception in Causeway, where it is a request or cannot be read. */
export function refuseFrame(frame: Buffer, error: unknown, sink: FrameSink): void {
  const { id, method } = scanFrame(frame);
  if (id !== undefined && method !== undefined) sink.write(errorFrame(id, brokenSession(error)));
  else if (id === undefined && method === undefined) sink.write(errorFrame('null', brokenSession(error)));
}

/**
 * The same bridge, with whatever it throws handed to `broken` instead of the caller; the frame is the one it was given.
 * With `end`, what it starts counts as that session's (`endSessionBehind`), whoever calls it.
 */
export function guarded(
  bridge: Bridge,
  broken: (error: unknown, frame?: Buffer) => void,
  end?: (error: unknown) => void,
): Bridge {
  const attempt = (work: () => void, frame?: Buffer) => {
    try {
      if (end) asSession(end, work);
      else work();
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
