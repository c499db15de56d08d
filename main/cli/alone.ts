import { workspaceAccess } from '../app/workspace-access.ts';
import { auditEvents } from '../audit/event-audit.ts';
import type { Profile } from '../auth/auth.ts';
import { openAuth } from '../auth/open.ts';
import type { FrameSink } from '../bridge/back-pressure.ts';
import { createBridge } from '../bridge/bridge.ts';
import type { ShowsQuestions } from '../bridge/client-questions.ts';
import { type AttemptObserver, openEndpoint, type ServerRequest, SILENCE_MS } from '../bridge/endpoint.ts';
import type { Bridge } from '../bridge/layers.ts';
import { hubProxies } from '../hub/system-proxies.ts';
import { PermissionsFile } from '../permissions/permissions-file.ts';
import { auditTargets } from '../permissions/policy/audit-choice.ts';
import { lockedValue } from '../permissions/policy/policy.ts';
import { currentPolicy } from '../permissions/policy/system-policy.ts';
import { type Connections, openedWhenUsed, RenewableConnections, sharedPools } from '../platform/connections.ts';
import { checkNetworkSettings, openDispatcher, openPool } from '../platform/http.ts';
import { inOneLine } from '../words/failure.ts';
import { tuneEngine } from './engine.ts';

/** How many calls of the client may be in flight. No client makes more, and each holds some 130 kB if it is not read. */
const AT_ONCE = 128;

/** Prepares a server and returns a function that builds its bridge. @throws {CausewayError} as `openEndpoint` */
export type PrepareServer = (request: ServerRequest) => Promise<(sink: FrameSink) => Bridge>;

/** Everything that a proxy needs if no application runs; its servers share sign-ins, permissions and connections. */
export function openAlone(env: NodeJS.ProcessEnv): PrepareServer {
  const systemProxies = hubProxies(env);
  const paths = new Set<string>();
  const pools = new Map<string, Connections>();
  const configuredPaths = async ({ name }: Profile) => {
    const { pathsOfProfile } = await import('../clients/servers.ts');
    return [...paths, ...(await pathsOfProfile(env, name))];
  };
  const pool = async (origin: string) => {
    checkNetworkSettings(origin, env);
    // Certificates and HTTP take as long to load as all that a client needs to be answered at first.
    const opened =
      pools.get(origin) ??
      openedWhenUsed(() =>
        RenewableConnections.open(() =>
          openPool(origin, { env, silenceMs: SILENCE_MS, atOnce: AT_ONCE, systemProxies }),
        ),
      );
    pools.set(origin, opened);
    return opened;
  };
  const auth = openAuth({ env, signInWhenNeeded: true, configuredPaths, systemProxies });
  const permissions = new PermissionsFile(env);
  const dispatchers = sharedPools((origin) => openDispatcher(origin, { env, systemProxies }));
  const { services, apps } = workspaceAccess({
    env,
    auth: async () => auth,
    dispatcherTo: async (host) => (await dispatchers.to(host)).whole(),
  });
  const onNotice = (words: string) => void process.stderr.write(`causeway proxy: ${words}\n`);
  const events = auditEvents('proxy', onNotice);
  events.of(env);
  return async (request) => {
    await tuneEngine('bridge');
    paths.add(request.path);
    const endpoint = await openEndpoint(request, { auth, pool, env, permissions, services, apps });
    const build = (sink: FrameSink, attempts: AttemptObserver) =>
      createBridge({ ...endpoint, onNotice, showsQuestions, attempts }, sink);
    const [{ recordedBridge }, targets] = await Promise.all([
      import('../audit/recorded-bridge.ts'),
      auditTargets(env).catch(notAudited),
    ]);
    const recorded = await recordedBridge(env, targets !== undefined, events);
    return (sink) => recorded({ ...request, profile: endpoint.profile.name }, sink, build);
  };
}

/** An unreadable choice does not block calls. */
function notAudited(error: unknown): undefined {
  process.stderr.write(`causeway proxy: Calls are not audited. ${inOneLine(error)}\n`);
}

/** The table of clients loads once a call waits. An organization may forbid it while the proxy runs. */
const showsQuestions: ShowsQuestions = async (client) => {
  if (lockedValue(await currentPolicy(), 'askInClients') === false) return undefined;
  return (await import('../clients/approval-waits.ts')).questionWaits(client);
};
