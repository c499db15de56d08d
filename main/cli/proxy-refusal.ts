import { Aggregate } from '../aggregate/aggregate.ts';
import { StreamSink, serveStdio } from '../bridge/stdio.ts';
import type { CausewayError } from '../platform/errors.ts';

/** A session without any server: the client gets the reason with the handshake, and as the answer to every other request. */
export async function serveRefusal(reason: CausewayError): Promise<Error | undefined> {
  const sink = new StreamSink(process.stdout);
  const nothing = new Aggregate(sink);
  nothing.cannotList(reason);
  return serveStdio(nothing, sink);
}
