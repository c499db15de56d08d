import { type ReplaceablePort, ReplaceableServer } from '../aggregate/replaceable.ts';
import type { FrameSink } from '../bridge/back-pressure.ts';
import type { ServerRequest } from '../bridge/endpoint.ts';
import type { Bridge } from '../bridge/layers.ts';
import { StreamSink, serveStdio } from '../bridge/stdio.ts';
import type { HubConnection } from '../hub/attach.ts';
import { guarded, refuseFrame } from '../hub/boundary.ts';
import type { HubFinder } from '../hub/hub-finder.ts';
import { Relay } from '../hub/relay.ts';
import { inOneLine } from '../words/failure.ts';
import type { PrepareServer } from './alone.ts';
import { tuneEngine } from './engine.ts';
import type { ProxyRequest } from './proxy-arguments.ts';

/**
 * Relays between this process's stdin and stdout and the server, until the client is done. Returns as `serveStdio`.
 * @param connecting the first attempt to attach to the hub
 * @param removed resolves if Causeway is removed meanwhile
 * @param cannotServe called if no bridge can be built: the profile is missing, say. The client is then served without one
 */
export async function serveClient(
  request: ProxyRequest,
  hub: HubFinder,
  connecting: Promise<HubConnection | undefined>,
  cannotServe: ReplaceablePort,
  removed: Promise<Error>,
): Promise<Error | undefined> {
  const sink = new StreamSink(process.stdout);
  // Not before the first frames are on their way: nothing is compiled twice so early.
  void connecting.then((connection) => connection && setImmediate(() => void tuneEngine('relay')));
  const prepare: PrepareServer = async (server) => {
    if (request.refusal) throw request.refusal;
    return (await import('./alone.ts')).openAlone(process.env)(server);
  };
  let isFirst = true;
  const open = (client: FrameSink) => {
    const connection = request.refusal ? Promise.resolve(undefined) : isFirst ? connecting : hub.attach();
    const relay = relayTo(request, hub, connection, client, prepare);
    isFirst = false;
    return { bridge: relay, opened: relay.opened, failed: (error: unknown) => relay.failed(error) };
  };
  const server = new ReplaceableServer(sink, { name: () => nameOf(request), open }, cannotServe);
  const complain = (error: unknown) => process.stderr.write(`causeway proxy: ${inOneLine(error)}\n`);
  const survive = (error: unknown) => {
    complain(error);
    server.failed(error);
  };
  process.on('uncaughtException', survive);
  process.on('unhandledRejection', survive);
  const safe = guarded(server, (error, frame) => {
    complain(error);
    if (frame) refuseFrame(frame, error, sink);
  });
  return serveStdio(request.meta ? await preset(safe, request.meta) : safe, sink, process, removed);
}

/** What the server is called where it cannot be served. What usually serves a client needs no such name. */
async function nameOf({ path }: ProxyRequest): Promise<string> {
  const { serverAt } = await import('../../preload/contract/server-kinds.ts');
  return serverAt(path).named || 'causeway';
}

async function preset(bridge: Bridge, meta: Record<string, string>): Promise<Bridge> {
  const { withMetaPresets } = await import('../bridge/meta-presets.ts');
  return withMetaPresets(bridge, meta);
}

/** A session with one server: through the hub, or with what `prepare` gets ready in this process. */
export function relayTo(
  request: ServerRequest,
  hub: HubFinder,
  connecting: Promise<HubConnection | undefined>,
  sink: FrameSink,
  prepare: PrepareServer,
): Relay {
  return new Relay(connecting, sink, {
    reattach: () => hub.attachSoon(),
    alone: async (client) => (await prepare(request))(client),
    rejoin: () => hub.rejoin(),
    remembered: async (answer) => (await import('./remembered.ts')).remembered(request, process.env, answer),
  });
}
