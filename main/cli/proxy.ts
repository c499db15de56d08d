import type { Bridge } from '../bridge/bridge.ts';
import { serveStdio } from '../bridge/stdio.ts';
import { StreamSink } from '../bridge/stream-sink.ts';
import { attach, type HubConnection } from '../hub/attach.ts';
import { Relay } from '../hub/relay.ts';
import { hubFolder, readRendezvous } from '../hub/rendezvous.ts';
import { inOneLine } from '../platform/errors.ts';
import { tuneEngine } from './engine.ts';
import { PROXY_HELP, type ProxyRequest, parseProxyArguments } from './proxy-arguments.ts';

/** When to look for the application again after it has gone, in milliseconds; then the proxy goes on alone. */
const REATTACH_AFTER_MS = [50, 200, 500];

/**
 * `causeway proxy`: what AI clients spawn, once for each server. Exits 0 when the client is done; 2, with one line on
 * stderr, when it was called wrongly. Nothing but frames ever goes to stdout.
 */
export async function runProxy(args: string[]): Promise<void> {
  if (args.includes('--help') || args.includes('-h')) {
    process.stdout.write(PROXY_HELP);
    return;
  }
  const sink = new StreamSink(process.stdout);
  let bridge: Bridge;
  try {
    bridge = await openBridge(parseProxyArguments(args), sink);
  } catch (error) {
    process.stderr.write(`causeway proxy: ${inOneLine(error)}\n`);
    process.exit(2);
  }
  await serveStdio(bridge, sink);
  // What may still be open (a connection on its way down, a timer) must not outlive the client.
  process.exit(0);
}

/** Through the running application where there is one; what it will not serve, this process serves or explains itself. */
async function openBridge(request: ProxyRequest, sink: StreamSink): Promise<Bridge> {
  const connection = await attachNow(request);
  if (!connection) return (await prepareAlone(request))(sink);
  // Not before the first frames are on their way: nothing is compiled twice so early.
  setImmediate(() => void tuneEngine('relay'));
  return new Relay(connection, sink, {
    reattach: async () => {
      for (const wait of REATTACH_AFTER_MS) {
        await new Promise((resolve) => setTimeout(resolve, wait));
        const again = await attachNow(request);
        if (again) return again;
      }
      return undefined;
    },
    alone: async (client) => (await prepareAlone(request))(client),
  });
}

async function attachNow({ profile, path, origin }: ProxyRequest): Promise<HubConnection | undefined> {
  const rendezvous = readRendezvous(hubFolder(process.env));
  return rendezvous && attach(rendezvous, { profile, path, origin });
}

async function prepareAlone(request: ProxyRequest) {
  const alone = await import('./alone.ts');
  return alone.prepareAlone(request, process.env);
}
