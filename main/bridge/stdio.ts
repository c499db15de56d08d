import { isProcessAlive } from '../platform/process-alive.ts';
import type { Bridge } from './bridge.ts';
import { feed } from './feed.ts';
import type { StreamSink } from './stream-sink.ts';

/** How long answers under way are waited for after stdin has ended, in milliseconds. Clients kill after 2 to 10 s. */
const FINISH_MS = 8_000;
/** How often the parent process is looked for, in milliseconds: some clients vanish without closing anything. */
const PARENT_CHECK_MS = 2_000;
/** How often it is while answers are waited for behind the end of stdin, in milliseconds: a client that was killed wants none. */
const HURRIED_CHECK_MS = 250;

const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

/** The process that a bridge runs in. */
export interface StdioProcess {
  stdin: NodeJS.ReadStream;
  stdout: NodeJS.WriteStream;
  ppid: number;
  on(event: NodeJS.Signals, listener: () => void): unknown;
}

/**
 * Connects a bridge to a process's stdin and stdout, and resolves when the session is over: stdin has ended (answers
 * under way are delivered first), a signal came, the client has closed its end, or the parent process is gone.
 */
export function serveStdio(bridge: Bridge, sink: StreamSink, host: StdioProcess = process): Promise<void> {
  const { stdin, stdout } = host;
  const fed = feed(bridge, sink, stdin);

  return new Promise((resolve) => {
    let ending = false;
    const end = async (finish: () => Promise<void>) => {
      if (ending) return;
      ending = true;
      clearInterval(parentCheck);
      fed.stop();
      await finish();
      resolve();
    };
    const stop = () => void end(() => bridge.close());
    const parent = host.ppid;
    const isOrphan = () => !isProcessAlive(parent) || host.ppid !== parent;

    stdin.on('end', () => {
      fed.end();
      void end(async () => {
        const hurriedCheck = setInterval(() => isOrphan() && bridge.close(), HURRIED_CHECK_MS);
        await bridge.finish(FINISH_MS);
        clearInterval(hurriedCheck);
        await within(FINISH_MS, sink.flushed());
      });
    });
    stdin.on('error', stop);
    stdout.on('error', stop);
    for (const signal of SIGNALS) host.on(signal, stop);

    const parentCheck = setInterval(() => isOrphan() && stop(), PARENT_CHECK_MS);
    parentCheck.unref();
  });
}

function within(milliseconds: number, promise: Promise<void>): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, milliseconds);
    void promise.then(() => {
      clearTimeout(timer);
      resolve();
    });
  });
}
