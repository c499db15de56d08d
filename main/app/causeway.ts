import type { Audit } from '../audit/audit.ts';
import type { Profile, SignInOptions } from '../auth/auth.ts';
import type { AuthService } from '../auth/open.ts';
import type { ServerRequest } from '../bridge/endpoint.ts';
import type { MonitoredServer } from '../hub/health/health.ts';
import type { McpSession, McpSessionOptions } from '../hub/health/mcp-session.ts';
import type { HealthMonitor, HealthMonitorOptions } from '../hub/health/monitor.ts';
import type { Hub } from '../hub/server.ts';
import type { HubWatcher } from '../hub/session-log.ts';
import type { SettingsPort } from '../hub/settings-answers.ts';
import type { ApprovalQueue } from '../permissions/approvals.ts';
import type { PermissionsFile } from '../permissions/permissions-file.ts';
import type { SharedPools } from '../platform/connections.ts';
import { noteEvent } from '../platform/noted-events.ts';
import type { ProxyLookup } from '../platform/system-proxies.ts';
import type { WarehouseChange } from '../warehouses/override-operations.ts';
import type { WarehouseService } from '../warehouses/service.ts';
import type { SqlServerChoice } from '../warehouses/statement.ts';
import type { AppAccesses } from '../workspace/app-access.ts';
import type { RestClient } from '../workspace/client.ts';
import type { ServiceSignIns } from '../workspace/service-sign-in.ts';
import type { StatementHistory } from './statement-look-ups.ts';
import { workspaceAccess } from './workspace-access.ts';

export type { WarehouseService } from '../warehouses/service.ts';

/** What the application is built from: everything that differs between the desktop, the command line and the tests. */
export interface CausewayOptions {
  env: NodeJS.ProcessEnv;
  /** Shows an address to the user: the system's browser by default, a scripted one in tests. */
  openBrowser?: (url: string) => Promise<void>;
  /** Called with each host that stays silent; a host that never answers is then given up. */
  onSilence?: (host: string) => void;
  /** Whether a configuration file's only profile is used where none is named. A session of an AI client needs a name all the same. */
  takesOnlyProfile?: boolean;
  /** What the desktop's settings say about proxies; nothing if it is left out. */
  systemProxies?: ProxyLookup | undefined;
  /** Called where the application is asked to quit because it is being uninstalled. */
  onQuit?: () => void;
  /** Asks before another user takes the place of the one who is signed in. Where it is left out, the new user does. */
  confirmChange?: SignInOptions['confirmChange'];
  /** Called after each change of an override, with the workspace's host. */
  onOverrideChange?: (host: string) => void;
}

/** How the health of servers is monitored. */
type HealthOptions = Omit<HealthMonitorOptions, 'connect' | 'subscribe' | 'renewConnections'>;

/** One profile's workspace as its signed-in user. */
export interface WorkspaceSession {
  profile: Profile;
  client: RestClient;
  warehouses: WarehouseService;
}

/** The application's services, built once. The desktop shell, the command line and the tests all use this. */
export interface Causeway {
  env: NodeJS.ProcessEnv;
  /** What the desktop's settings say about proxies. */
  systemProxies?: ProxyLookup | undefined;
  /** Profiles and tokens, loaded on first use. */
  auth(): Promise<AuthService>;
  /** The names of the profiles in the configuration file, in its order. */
  profileNames(): Promise<string[]>;
  /** The sign-ins to what is behind services, such as GitHub, shared by all who need one. */
  services(): Promise<ServiceSignIns>;
  /** The ways to Databricks Apps, shared by all who need one. */
  apps(): Promise<AppAccesses>;
  /** Opens a profile (the default one if no name is given). @throws {CausewayError} `profile_not_found`, `profile_unusable` */
  open(profileName?: string): Promise<WorkspaceSession>;
  /** The query history of a profile's user, for look-ups in the background: each request is tried once. */
  statementHistory(profileName?: string): Promise<StatementHistory>;
  /**
   * Begins to serve the `causeway proxy` processes of this user, which then share this process's connections and tokens.
   * Without `approvals`, calls that need the user's permission are refused; without `settings`, commands cannot change them.
   * @throws {CausewayError} `hub_running`, `hub_foreign`
   */
  serveProxies(watcher?: HubWatcher, approvals?: ApprovalQueue, settings?: SettingsPort): Promise<Hub>;
  /**
   * Monitors the health of these servers over the connections and tokens that the proxies share. A sign-in that is needed
   * is reported, never started.
   */
  monitorHealth(servers: readonly MonitoredServer[], options?: HealthOptions): Promise<HealthMonitor>;
  /**
   * Opens a session of Causeway's own with a server, over the same connections and tokens.
   * @throws {CausewayError} as `openEndpoint`
   */
  openMcpSession(server: Pick<MonitoredServer, 'profile' | 'path'>, options?: McpSessionOptions): Promise<McpSession>;
  /**
   * Replaces the connections after a sleep or a network change, so that no request waits for a timeout on a dead one.
   */
  renewConnections(): Promise<void>;
  /** Drops every connection at once. A caller awaits or aborts its requests first. */
  close(): Promise<void>;
}

/** How many requests of one client may be in flight at the workspace; each holds some 130 kB while it is not read. */
const MAX_CALLS_IN_FLIGHT = 128;

/** How often a request in the background is tried: whoever made it makes another one later. */
const ONCE = { refused: 1, unanswered: 1, totalMs: 10_000 };

/** The timeout of one call to the SQL server, in milliseconds. The server answers sooner, with a statement to poll. */
const SQL_CALL_TIMEOUT_MS = 10 * 60_000;

/** Builds the services. Nothing is read, loaded or connected to before it is needed. */
export function createCauseway(options: CausewayOptions): Causeway {
  const { env, systemProxies } = options;
  let opening: Promise<AuthService> | undefined;
  let dispatchers: SharedPools | undefined;
  let pools: SharedPools | undefined;
  /** Listed names are stored for completion, one list after the other; this never rejects. */
  let remembering: Promise<void> = Promise.resolve();

  const configuredPaths = async ({ name }: Profile) =>
    (await import('../clients/servers.ts')).pathsOfProfile(env, name);

  const auth = () => {
    opening ??= import('../auth/open.ts').then(({ openAuth }) => openAuth({ ...options, configuredPaths }));
    return opening;
  };

  const dispatcherTo = async (host: string) => {
    const [{ openDispatcher }, { sharedPools }] = await Promise.all([
      import('../platform/http.ts'),
      import('../platform/connections.ts'),
    ]);
    dispatchers ??= sharedPools((origin) =>
      openDispatcher(origin, { env, onSilence: options.onSilence, systemProxies }),
    );
    return (await dispatchers.to(host)).whole();
  };

  const access = workspaceAccess({ env, auth, dispatcherTo });

  const open = async (profileName?: string): Promise<WorkspaceSession> => {
    const [service, { rememberingNames }, { createWarehouseService }] = await Promise.all([
      auth(),
      import('../workspace/client.ts'),
      import('../warehouses/service.ts'),
    ]);
    const profile = await service.profile(profileName);
    const named = rememberingNames(await access.client(profile), (kind, names, isAll) => {
      const remember = async () => {
        const { rememberNames } = await import('../platform/name-memory.ts');
        await rememberNames(env, profile.name, kind, names, isAll);
      };
      // Loading the module can fail too, for example when no more files can be opened.
      remembering = remembering.then(remember).catch(() => undefined);
    });
    const openSqlServer = ({ path, warehouseId }: SqlServerChoice) => {
      const meta = warehouseId === undefined ? undefined : { warehouse_id: warehouseId };
      return openMcpSession({ profile: profile.name, path }, { callTimeoutMs: SQL_CALL_TIMEOUT_MS, meta });
    };
    const warehouses = createWarehouseService(named, {
      env,
      openSqlServer,
      askCli: (args, cliEnv) => service.askDatabricksCli(profile, args, cliEnv),
      onOverrideChange: (change) => {
        if (change) noteWarehouseChange(env, profile, change);
        options.onOverrideChange?.(profile.host);
      },
    });
    return { profile, client: named, warehouses };
  };

  const statementHistory: Causeway['statementHistory'] = async (profileName) => {
    const service = await auth();
    const { queryHistory, warehouses } = await access.client(await service.profile(profileName), ONCE);
    return {
      statements: (ids, signal) => queryHistory.statements(ids, signal),
      warehouse: (id, signal) => warehouses.get(id, signal),
    };
  };

  /** Finds a managed server, over shared connections. Permissions hold for AI clients, not for the application's own requests. */
  const endpoint = async (request: ServerRequest, permissions?: PermissionsFile) => {
    const [{ openEndpoint, SILENCE_MS }, { openPool }, { sharedPools }] = await Promise.all([
      import('../bridge/endpoint.ts'),
      import('../platform/http.ts'),
      import('../platform/connections.ts'),
    ]);
    pools ??= sharedPools((origin) => openPool(origin, { env, silenceMs: SILENCE_MS, systemProxies }));
    return openEndpoint(request, { auth: await auth(), pool: pools.to, env, permissions, ...access });
  };

  const openMcpSession: Causeway['openMcpSession'] = async ({ profile, path }, sessionOptions) => {
    const { McpSession } = await import('../hub/health/mcp-session.ts');
    return new McpSession(await endpoint({ profile, path }), sessionOptions);
  };

  const serveProxies: Causeway['serveProxies'] = async (watcher, approvals, settings) => {
    const [{ startHub }, { hubFolder }, { createBridge }, { shareOf }, { PermissionsFile }, { serverKey }, { Audit }] =
      await Promise.all([
        import('../hub/server.ts'),
        import('../hub/rendezvous.ts'),
        import('../bridge/bridge.ts'),
        import('../platform/connections.ts'),
        import('../permissions/permissions-file.ts'),
        import('../permissions/server-key.ts'),
        import('../audit/audit.ts'),
      ]);
    const permissions = new PermissionsFile(env);
    const audit = new Audit(env, (words) => console.warn(words), 'application');
    const hub = await startHub({
      folder: hubFolder(env),
      env,
      serve: async (request, sink, attempts) => {
        const found = await endpoint(request, permissions);
        const { profile, path } = found;
        const connections = shareOf(found.connections, MAX_CALLS_IN_FLIGHT);
        const key = serverKey(profile.host, path);
        const askApproval = approvals?.askFor({ profile: profile.name, path, key });
        return createBridge({ ...found, connections, askApproval, attempts }, sink);
      },
      watcher: auditedWatcher(watcher, audit),
      approvals,
      settings,
      onQuit: options.onQuit,
      systemProxies,
    });
    // For as long as the hub runs: opened and closed with each session, the system's watcher would come and go.
    const unwatch = permissions.subscribe(() => {});
    const unlisten = audit.listen();
    const end = async () => {
      unwatch();
      unlisten();
      await audit.close();
    };
    return {
      sessions: () => hub.sessions(),
      finish: (graceMs) => hub.finish(graceMs).finally(end),
      close: () => hub.close().finally(end),
    };
  };

  const renewConnections = async () => {
    await Promise.all([pools?.renew(), dispatchers?.renew(), opening?.then((service) => service.renewConnections())]);
  };

  const monitorHealth: Causeway['monitorHealth'] = async (servers, options = {}) => {
    const [{ HealthMonitor }, service, signIns] = await Promise.all([
      import('../hub/health/monitor.ts'),
      auth(),
      access.services(),
    ]);
    return new HealthMonitor(servers, {
      ...options,
      renewConnections,
      subscribe: (listener) => {
        const ends = [service.subscribe(listener), signIns.subscribe(listener)];
        return () => {
          for (const end of ends) end();
        };
      },
      connect: (server, onToolsChanged) => openMcpSession(server, { onToolsChanged }),
    });
  };

  return {
    env,
    systemProxies,
    auth,
    services: access.services,
    apps: access.apps,
    open,
    statementHistory,
    serveProxies,
    monitorHealth,
    openMcpSession,
    renewConnections,
    profileNames: async () => (await (await auth()).profiles()).map(({ name }) => name),
    close: async () => {
      access.close();
      await remembering;
      await (await opening)?.close();
      await pools?.close();
      await dispatchers?.close();
    },
  };
}

function noteWarehouseChange(
  env: NodeJS.ProcessEnv,
  { name, host, workspaceId }: Profile,
  { of, ...facts }: WarehouseChange,
): void {
  const event = of === 'override' ? 'override-change' : 'default-warehouse-change';
  noteEvent(env, event, { profile: name, workspace: host, workspaceId: workspaceId ?? null, ...facts });
}

/** The same watcher, which also audits each call that ends. */
function auditedWatcher(watcher: HubWatcher | undefined, audit: Audit): HubWatcher {
  return {
    onSessions: (sessions) => watcher?.onSessions?.(sessions),
    onCall: (call) => {
      watcher?.onCall?.(call);
      audit.add(call);
    },
    recentCalls: (choice) => watcher?.recentCalls?.(choice) ?? [],
    onOverrideChanged: (host) => watcher?.onOverrideChanged?.(host),
    get recorder() {
      return watcher?.recorder;
    },
  };
}
