import type { ManagedServerKind } from '../../../preload/contract/server-kinds.ts';
import { appOf, splitAddress } from '../../../preload/contract/server-path.ts';
import type { AppAddress, RequestOutputs, ServerUsageInfo, ToolAnswer, ToolInfo } from '../../../preload/contract.ts';
import type { Causeway } from '../../app/causeway.ts';
import { maySignIn } from '../../auth/auth.ts';
import { checkedServerPath } from '../../clients/server-arguments.ts';
import {
  type ManagedServer,
  sameServer,
  serverPath,
  suggestName,
  withConfirmed,
  withoutServer,
  withServer,
} from '../../clients/servers.ts';
import { longNames } from '../../clients/table.ts';
import type { AskOptions } from '../../hub/health/mcp-session.ts';
import type { HealthMonitor, MonitoredServerState } from '../../hub/health/monitor.ts';
import type { ListedTool } from '../../permissions/decide.ts';
import type { PermissionsFile } from '../../permissions/permissions-file.ts';
import { CausewayError } from '../../platform/errors.ts';
import { spaceOf, spaceTitle } from '../../workspace/genie.ts';
import { serviceOf } from '../../workspace/service-name.ts';
import type { ServiceSignIn } from '../../workspace/service-sign-in.ts';
import { failureInWindow, problemFor } from '../failure.ts';
import type { DesktopModel } from '../model.ts';
import { openDesktopClients } from '../open-clients.ts';
import { describeConfiguredServer } from './describe.ts';
import { strings } from './strings.ts';
import { answerForWindow, hintsOf, toolForWindow } from './tools.ts';
import { type EndedCall, ServerUsage } from './usage.ts';
import { WatchedServers } from './watched-list.ts';

export interface DesktopServersOptions {
  causeway: Causeway;
  env: NodeJS.ProcessEnv;
  model: DesktopModel;
  /** Whether servers are checked periodically. */
  keep: boolean;
  onUsage(usage: ServerUsageInfo[]): void;
}

/** The configured servers: their list, their health, and their tools. */
export class DesktopServers {
  readonly #causeway: Causeway;
  readonly #model: DesktopModel;
  readonly #list: WatchedServers;
  readonly #env: NodeJS.ProcessEnv;
  readonly #usage: ServerUsage;
  /** The titles of Genie spaces, by profile and path; undefined if one could not be read. */
  readonly #titles = new Map<string, string | undefined>();
  /** The profiles that hold credentials of their own. */
  #withCredentials: ReadonlySet<string> = new Set();
  #servers: readonly ManagedServer[] = [];
  #monitor: Promise<HealthMonitor> | undefined;
  #isKept: boolean;

  constructor({ causeway, env, model, keep, onUsage }: DesktopServersOptions) {
    this.#isKept = keep;
    this.#causeway = causeway;
    this.#env = env;
    this.#model = model;
    this.#list = new WatchedServers({
      env,
      onChange: (servers) => this.#listed(servers),
      onProblem: (error) => model.show({ serversProblem: error === undefined ? null : problemFor(error) }),
    });
    this.#usage = new ServerUsage(() => onUsage(this.usage()));
  }

  /** Starts to monitor the servers of the list, and to watch the list. */
  async start(): Promise<void> {
    await this.#list.start();
    await this.#monitor;
  }

  async keep(on: boolean): Promise<void> {
    this.#isKept = on;
    (await this.#monitor)?.keep(on);
  }

  /** Pauses the checks while the computer sleeps. */
  async suspend(): Promise<void> {
    (await this.#monitor)?.suspend();
  }

  /** Checks every server again soon: the computer has woken, or is in another network. */
  async resume(): Promise<void> {
    (await this.#monitor)?.resume();
  }

  async close(): Promise<void> {
    this.#list.close();
    this.#usage.close();
    await (await this.#monitor)?.close();
  }

  /** The path of a server, by kind and target, and an unused name. @throws {CausewayError} `usage` */
  async propose(
    profile: string,
    kind: ManagedServerKind,
    target: string,
    known?: string,
  ): Promise<RequestOutputs['proposeServer']> {
    const typed = async () => (kind === 'other' ? this.#pathIn(profile, target.trim()) : serverPath(kind, target));
    const path = known === undefined ? await typed() : checkedServerPath(known, 'The path');
    const servers = await this.#list.all();
    const usedNames = servers.map(({ name }) => name);
    const title = spaceOf(path) === undefined ? undefined : await this.#readTitle(profile, path);
    const same = sameServer(servers, { profile, path })?.name ?? null;
    return { path, name: suggestName({ kind, path, title }, usedNames), ...(title ? { title } : {}), same };
  }

  /** @throws {CausewayError} `usage`, `already_exists` */
  async add({ path, ...server }: ManagedServer): Promise<void> {
    const checked = { ...server, path: checkedServerPath(path, 'The path') };
    await this.#list.change((now) => {
      const added = withServer(now, checked);
      return checked.confirmed === undefined ? added : withConfirmed(added, checked);
    });
  }

  /** @throws {CausewayError} `not_found` */
  remove(name: string): Promise<void> {
    return this.#list.change((now) => withoutServer(now, name));
  }

  /** Checks a server's health; the result is in the state. @throws {CausewayError} `not_found` */
  async check(name: string): Promise<void> {
    await (await this.#started()).recheck(name);
  }

  /** @throws {CausewayError} as `HealthMonitor.tools` */
  async tools(name: string): Promise<{ tools: ToolInfo[]; warnings: string[] }> {
    const tools = (await (await this.#started()).tools(name)).map(toolForWindow);
    const names = tools.map((tool) => tool.name);
    return { tools, warnings: longNames(name, names) };
  }

  /** The tools with what the server says about them; none while they are not known. */
  async listedTools(name: string): Promise<ListedTool[]> {
    const tools = await (await this.#monitor)?.tools(name).catch(() => undefined);
    return (tools ?? []).map((tool) => ({ name: tool.name, hints: hintsOf(tool) }));
  }

  /** Calls a tool, and counts the call. @throws {CausewayError} as `HealthMonitor.callTool` */
  async call(name: string, tool: string, args: Record<string, unknown>, options: AskOptions): Promise<ToolAnswer> {
    const server = await this.#list.named(name);
    const startedAt = performance.now();
    try {
      const result = await (await this.#started()).callTool(name, tool, args, options);
      const answer = answerForWindow(result, performance.now() - startedAt);
      this.#usage.addTried(server, tool, answer.failure?.message ?? (answer.isError ? strings.toolFailed : null));
      return answer;
    } catch (error) {
      const isCancelled = error instanceof CausewayError && error.code === 'cancelled';
      const words = error instanceof CausewayError ? error.message : strings.lost;
      this.#usage.addTried(server, tool, isCancelled ? null : words);
      throw error;
    }
  }

  /** A call of an AI client has ended. */
  called(call: EndedCall): void {
    this.#usage.add(call);
  }

  /** How often each server was called, and how that went. */
  usage(): ServerUsageInfo[] {
    return this.#usage.of(this.#servers);
  }

  /** Where an app is, by its name or by a server's path. @throws {CausewayError} as `appAddress` */
  async findApp(profile: string, app: string): Promise<AppAddress> {
    const path = app.startsWith('/') ? checkedServerPath(app, 'The path') : serverPath('app', app);
    const known = (await this.#list.all()).find((server) => server.profile === profile && server.path === path);
    const { appAddress } = await import('./apps.ts');
    return appAddress(this.#causeway, profile, path, known?.confirmed);
  }

  /** The same for a server of the list. @throws {CausewayError} `not_found`, as `findApp` */
  async findAppOf(name: string): Promise<AppAddress> {
    const { profile, path } = await this.#appNamed(name);
    return this.findApp(profile, path);
  }

  /** The user agrees that tokens go to an app's address. @throws {CausewayError} `conflict` if it has changed since */
  async confirmApp(name: string, origin: string): Promise<void> {
    const server = await this.#appNamed(name);
    const { app, origin: now } = await this.findApp(server.profile, server.path);
    if (now !== origin) throw new CausewayError('conflict', strings.movedOn(app), { remedy: strings.movedOnRemedy });
    await this.#list.change((list) => withConfirmed(list, { ...server, confirmed: origin }));
    await this.check(name);
  }

  /** Starts an app, and waits until it runs. @throws {CausewayError} as `startApp` */
  async startApp(name: string, options: { signal: AbortSignal; onProgress(words: string): void }): Promise<void> {
    const { profile, path } = await this.#appNamed(name);
    const { startAppOf } = await import('./apps.ts');
    await startAppOf(this.#causeway, profile, path, options);
    await this.check(name);
  }

  /** Moves a server to the one that has replaced it. @throws {CausewayError} as `moveServer` */
  async move(name: string, permissions: PermissionsFile): Promise<RequestOutputs['moveServer']> {
    const { moveServer } = await import('../../app/move-server.ts');
    const { tools, hasPermissions, outcomes } = await moveServer(name, {
      auth: this.#causeway.auth,
      list: await this.#list.open(),
      permissions,
      clients: openDesktopClients(this.#env),
      countTools: (server) => this.#countTools(server),
      by: 'window',
    });
    await this.#list.look();
    return {
      tools,
      hasPermissions,
      written: outcomes.filter(({ result }) => result === 'written').map((outcome) => outcome.name),
      failed: outcomes.flatMap(({ name: client, error }) =>
        error ? [{ client, problem: failureInWindow(error) }] : [],
      ),
    };
  }

  /** Through its own session, for a server that is not in the list. */
  async #countTools(server: ManagedServer): Promise<number> {
    const monitor = await this.#causeway.monitorHealth([server]);
    try {
      return (await monitor.tools(server.name)).length;
    } finally {
      await monitor.close();
    }
  }

  async #appNamed(name: string): Promise<ManagedServer> {
    const server = await this.#list.named(name);
    if (appOf(server.path)) return server;
    throw new CausewayError('not_found', strings.noApp(name));
  }

  /** The sign-in to what is behind a server. @throws {CausewayError} `not_found`, even if it is not a service */
  async service(name: string): Promise<ServiceSignIn> {
    const { profile, path } = await this.#list.named(name);
    const service = serviceOf(path);
    if (service === undefined) throw new CausewayError('not_found', strings.noService(name));
    const [auth, services] = await Promise.all([this.#causeway.auth(), this.#causeway.services()]);
    return services.of(await auth.profile(profile), service);
  }

  /** The path and the address of a server, and its workspace's. @throws {CausewayError} `not_found` */
  async addressOf(name: string): Promise<{ path: string; url: string; host: string }> {
    const { profile, path, confirmed } = await this.#list.named(name);
    const host = await this.#hostOf(profile);
    const app = appOf(path);
    return { path, host, url: app && confirmed ? `${confirmed}${app.path}` : `${host}${path}` };
  }

  #listed(servers: readonly ManagedServer[]): void {
    this.#servers = servers;
    void this.#lookUpProfiles();
    if (this.#monitor) void this.#monitor.then((monitor) => monitor.update(servers));
    else this.#monitor = this.#connect(servers);
  }

  async #connect(servers: readonly ManagedServer[]): Promise<HealthMonitor> {
    const monitor = await this.#causeway.monitorHealth(servers, { onChange: (states) => this.#show(states) });
    monitor.keep(this.#isKept);
    return monitor;
  }

  async #lookUpProfiles(): Promise<void> {
    // A configuration file that cannot be read is reported where it is used.
    const entries = await this.#causeway
      .auth()
      .then((auth) => auth.profiles())
      .catch(() => []);
    const own = entries.flatMap((each) => (each.usable && !maySignIn(each.profile) ? each.name : []));
    this.#withCredentials = new Set(own);
  }

  #show(states: readonly MonitoredServerState[]): void {
    const now = Date.now();
    const health = new Map(states.map((state) => [state.name, state.health]));
    const connecting = { name: 'connecting' } as const;
    const servers = this.#servers.map((server) =>
      describeConfiguredServer(server, {
        health: health.get(server.name) ?? connecting,
        title: this.#titles.get(titleKey(server)),
        hasCredentials: this.#withCredentials.has(server.profile),
        now,
      }),
    );
    this.#model.show({ servers });
    for (const server of this.#servers) {
      if (health.get(server.name)?.name === 'ready') void this.#lookUpTitle(server, states);
    }
  }

  /** Finds the title of a Genie space whose entry has none, once. */
  async #lookUpTitle(server: ManagedServer, states: readonly MonitoredServerState[]): Promise<void> {
    const key = titleKey(server);
    if (server.title !== undefined || spaceOf(server.path) === undefined || this.#titles.has(key)) return;
    this.#titles.set(key, undefined);
    const title = await this.#readTitle(server.profile, server.path);
    this.#titles.set(key, title);
    if (title !== undefined) this.#show((await this.#monitor)?.states() ?? states);
  }

  /** Undefined if it cannot be read now: the id then says which space it is. */
  async #readTitle(profile: string, path: string): Promise<string | undefined> {
    try {
      const { client } = await this.#causeway.open(profile);
      return await spaceTitle(client.genie, path, AbortSignal.timeout(TITLE_TIMEOUT_MS));
    } catch (error) {
      if (error instanceof CausewayError) return undefined;
      throw error;
    }
  }

  async #started(): Promise<HealthMonitor> {
    const monitor = await this.#monitor;
    if (monitor) return monitor;
    throw new CausewayError('unavailable', strings.starting, { remedy: strings.tryAgain });
  }

  /** A path from what the user typed: a path, or a URL copied from the workspace. */
  async #pathIn(profile: string, text: string): Promise<string> {
    if (!/^https?:\/\//i.test(text)) return checkedServerPath(text, 'The path');
    const address = splitAddress(text);
    const host = await this.#hostOf(profile);
    if (address?.origin !== host) {
      throw new CausewayError('usage', strings.otherWorkspace(host), { remedy: strings.otherWorkspaceRemedy });
    }
    return checkedServerPath(address.path, 'The path');
  }

  async #hostOf(profile: string): Promise<string> {
    return (await (await this.#causeway.auth()).profile(profile)).host;
  }
}

/** How long a Genie space's title is waited for, in milliseconds. */
const TITLE_TIMEOUT_MS = 5_000;

function titleKey({ profile, path }: ManagedServer): string {
  return JSON.stringify([profile, path]);
}
