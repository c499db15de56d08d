import { dirname } from 'node:path';
import { Aggregate, type AggregateServer } from '../aggregate/aggregate.ts';
import { StreamSink, serveStdio } from '../bridge/stdio.ts';
import { metaForServer } from '../clients/server-arguments.ts';
import { hasServerList, type ManagedServer, openServers } from '../clients/servers.ts';
import { watchFiles } from '../clients/watch.ts';
import { guarded, refuseFrame } from '../hub/boundary.ts';
import { HubFinder } from '../hub/hub-finder.ts';
import { serverListPath } from '../platform/paths.ts';
import { inOneLine } from '../words/failure.ts';
import type { PrepareServer } from './alone.ts';
import { callerOf } from './caller.ts';
import { type AllRequest, completedBy } from './proxy-arguments.ts';
import { relayTo } from './proxy-session.ts';

/** How long the list of servers must not change before it is read again, in milliseconds. */
const QUIET_MS = 100;

/**
 * Relays between this process's stdin and stdout and all servers in the list, until the client is done. Each server has a
 * session of its own, through the hub or in this process. Returns as `serveStdio`.
 */
export async function serveAll(request: AllRequest, removed: Promise<Error>): Promise<Error | undefined> {
  const { env } = process;
  const sink = new StreamSink(process.stdout);
  const aggregate = new Aggregate(sink);
  const prepared = lazily(async () => (await import('./alone.ts')).openAlone(env));
  const prepare: PrepareServer = async (server) => (await prepared())(server);
  const caller = callerOf(env, (words) => complain(new Error(words)));
  const { withMetaPresets } = await import('../bridge/meta-presets.ts');
  const open = (server: ManagedServer): AggregateServer['open'] => {
    const asked = { ...server, origin: undefined, authType: undefined, meta: {} };
    const { request: completed, isOwn } = completedBy(env, asked);
    const target = { ...completed, caller };
    const presets = { ...server.meta, ...metaForServer(request.meta ?? {}, server.name) };
    return (client) => {
      const hub = new HubFinder(target, isOwn);
      const relay = relayTo(target, hub, hub.attach(), client, prepare);
      const safe = guarded(relay, (error, frame) => {
        complain(error);
        if (frame) refuseFrame(frame, error, client);
      });
      const bridge = Object.keys(presets).length > 0 ? withMetaPresets(safe, presets) : safe;
      return { bridge, opened: relay.opened, failed: (error) => relay.failed(error) };
    };
  };
  const offer = async () => {
    let servers: readonly ManagedServer[];
    try {
      servers = (await hasServerList(env)) ? (await openServers(env)).initial.servers : [];
    } catch (error) {
      // The servers stay as they were until the list can be read again.
      complain(error);
      aggregate.cannotList(error);
      return;
    }
    complainOfUnknown(servers);
    const chosen = servers.filter(({ profile }) => request.profile === undefined || profile === request.profile);
    const offered = chosen.map((server) => ({
      name: server.name,
      setUp: JSON.stringify(server),
      open: open(server),
    }));
    aggregate.offer(offered, servers.length === 0 ? undefined : noneOf(request.profile));
  };
  const unknown = new Set<string>();
  /** A pin for a server that is not there must not be thought to apply. */
  const complainOfUnknown = (servers: readonly ManagedServer[]) => {
    for (const name of Object.keys(request.meta ?? {})) {
      const server = name.slice(0, Math.max(0, name.indexOf('/')));
      if (server === '' || unknown.has(server) || servers.some((one) => one.name === server)) continue;
      unknown.add(server);
      complain(new Error(`--meta ${name} applies to no server: there is no "${server}" in the list.`));
    }
  };
  const list = serverListPath(env);
  const watching = watchFiles(
    async () => [list],
    () => void offer(),
    { root: dirname(dirname(list)), quietMs: QUIET_MS },
  );
  await watching.ready;
  await offer();
  const survive = (error: unknown) => {
    complain(error);
    aggregate.failed(error);
  };
  process.on('uncaughtException', survive);
  process.on('unhandledRejection', survive);
  const safe = guarded(aggregate, (error, frame) => {
    complain(error);
    if (frame) refuseFrame(frame, error, sink);
  });
  const failure = await serveStdio(safe, sink, process, removed);
  watching.end();
  return failure;
}

/** What a client is told if the list has servers, but none of its profile. */
function noneOf(profile = ''): string {
  return `No server in the list uses the profile "${profile}". The user adds one with \`causeway servers add --profile ${profile}\`.`;
}

function lazily<T>(make: () => Promise<T>): () => Promise<T> {
  let made: Promise<T> | undefined;
  return () => {
    made ??= make();
    return made;
  };
}

function complain(error: unknown): void {
  process.stderr.write(`causeway proxy: ${inOneLine(error)}\n`);
}
