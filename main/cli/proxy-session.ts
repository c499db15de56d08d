import type { Bridge } from '../bridge/bridge.ts';
import { StreamSink, serveStdio } from '../bridge/stdio.ts';
import type { HubConnection } from '../hub/attach.ts';
import { guarded, refuseFrame } from '../hub/boundary.ts';
import type { HubFinder } from '../hub/hub-finder.ts';
import { Relay } from '../hub/relay.ts';
import { inOneLine } from '../platform/errors.ts';
import { tuneEngine } from './engine.ts';
import type { ProxyRequest } from './proxy-arguments.ts';

/**
 * Relays between this process's stdin and stdout and the server, until the client is done.
 * @param connecting the first attempt to attach to the hub
 * @param failed called where no bridge can be built: the profile is missing, say
 */
export async function serveClient(
  request: ProxyRequest,
  hub: HubFinder,
  connecting: Promise<HubConnection | undefined>,
  failed: (error: unknown) => void,
): Promise<void> {
  const sink = new StreamSink(process.stdout);
  // Not before the first frames are on their way: nothing is compiled twice so early.
  void connecting.then((connection) => connection && setImmediate(() => void tuneEngine('relay')));
  const relay = new Relay(connecting, sink, {
    reattach: () => hub.attachSoon(),
    alone: async (client) => (await prepareAlone(request))(client),
    rejoin: () => hub.rejoin(),
    stopgap: async (frame) => (await import('./stopgap.ts')).stopgap(request, process.env, frame),
  });
  relay.opened.catch(failed);
  const complain = (error: unknown) => process.stderr.write(`causeway proxy: ${inOneLine(error)}\n`);
  const survive = (error: unknown) => {
    complain(error);
    relay.failed(error);
  };
  process.on('uncaughtException', survive);
  process.on('unhandledRejection', survive);
  const safe = guarded(relay, (error, frame) => {
    complain(error);
    if (frame) refuseFrame(frame, error, sink);
  });
  await serveStdio(request.meta ? await preset(safe, request.meta) : safe, sink);
}

async function preset(bridge: Bridge, meta: Record<string, string>): Promise<Bridge> {
  const { withMetaPresets } = await import('../bridge/meta-presets.ts');
  return withMetaPresets(bridge, meta);
}

async function prepareAlone(request: ProxyRequest) {
  const alone = await import('./alone.ts');
  return alone.prepareAlone(request, process.env);
}
