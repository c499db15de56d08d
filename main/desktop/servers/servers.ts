import { isDeepStrictEqual } from 'node:util';
import { appOf } from '../../../preload/contract/server-path.ts';
import type { AppAddress, RequestOutputs, ServerUsageInfo, ToolAnswer, ToolInfo } from '../../../preload/contract.ts';
import type { Causeway } from '../../app/causeway.ts';
import { addServer, type NewServer, removeServers, titleOfSpace } from '../../app/servers/change-list.ts';
import { maySignIn } from '../../auth/auth.ts';
import { listedTool } from '../../bridge/listed-tools.ts';
import { checkedServerPath } from '../../clients/server-arguments.ts';
import { type ManagedServer, withConfirmed } from '../../clients/servers.ts';
import { longNames } from '../../clients/table.ts';
import type { AskOptions } from '../../hub/health/mcp-session.ts';
import type { HealthMonitor, MonitoredServerState } from '../../hub/health/monitor.ts';
import type { ListedTool } from '../../permissions/decide.ts';
import type { PermissionsFile } from '../../permissions/permissions-file.ts';
import { CausewayError } from '../../platform/errors.ts';
import { spaceOf } from '../../workspace/genie.ts';
import { failureInWindow, problemFor } from '../failure.ts';
import type { DesktopModel } from '../model.ts';
import { openDesktopClients } from '../open-clients.ts';
import { describeConfiguredServer } from './describe.ts';
import { strings } from './strings.ts';
import { answerForWindow, toolForWindow } from './tools.ts';
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
  #withCredentials: readonly string[] = [];
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
    (await this.#monitor)?.probeAutomatically(on);
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

  /** @throws {CausewayError} as `addServer` */
  async add({ path, ...server }: NewServer): Promise<void> {
    await addServer(this.#causeway, { ...server, path: checkedServerPath(path, 'The path') });
    await this.#list.look();
  }

  /** @throws {CausewayError} `not_found`, `managed` */
  async remove(name: string): Promise<void> {
    await removeServers(this.#causeway, [name]);
    await this.#list.look();
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
    return (tools ?? []).flatMap((tool) => listedTool(tool) ?? []);
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

  /** Where the app of a server is. @throws {CausewayError} `not_found`, as `appAddress` */
  async findAppOf(name: string): Promise<AppAddress> {
    const { profile, path } = await this.#list.named(name);
    const { appAddress } = await import('../../app/servers/apps.ts');
    return appAddress(this.#causeway, profile, path);
  }

  /** The user agrees that tokens go to an app's address. @throws {CausewayError} `conflict` if it has changed since */
  async confirmApp(name: string, origin: string): Promise<void> {
    const { app, origin: now } = await this.findAppOf(name);
    if (now !== origin) throw new CausewayError('conflict', strings.movedOn(app), { remedy: strings.movedOnRemedy });
    const server = await this.#list.named(name);
    await this.#list.change((list) => withConfirmed(list, { ...server, confirmed: origin }));
    await this.check(name);
  }

  /** Starts an app, and waits until it runs. @throws {CausewayError} as `startAppNamed` */
  async startApp(name: string, options: { signal: AbortSignal; onProgress(text: string): void }): Promise<void> {
    const { startAppNamed } = await import('../../app/servers/apps.ts');
    await startAppNamed(this.#causeway, name, options);
    await this.check(name);
  }

  /** Moves a server to the one that has replaced it. @throws {CausewayError} as `moveServer` */
  async move(name: string, permissions: PermissionsFile): Promise<RequestOutputs['moveServer']> {
    const { moveServer } = await import('../../app/servers/move-server.ts');
    const { tools, hasPermissions, outcomes } = await moveServer(name, {
      causeway: this.#causeway,
      permissions,
      clients: openDesktopClients(this.#env),
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

  /** The path and the address of a server, and its workspace's. @throws {CausewayError} `not_found` */
  async addressOf(name: string): Promise<{ path: string; url: string; host: string }> {
    const { profile, path, confirmed } = await this.#list.named(name);
    const { host } = await (await this.#causeway.auth()).profile(profile);
    const app = appOf(path);
    return { path, host, url: app && confirmed ? `${confirmed}${app.path}` : `${host}${path}` };
  }

  #listed(servers: readonly ManagedServer[]): void {
    this.#servers = servers;
    void this.#lookUpProfiles([]);
    if (this.#monitor) void this.#monitor.then((monitor) => monitor.update(servers));
    else this.#monitor = this.#connect(servers);
  }

  async #connect(servers: readonly ManagedServer[]): Promise<HealthMonitor> {
    const monitor = await this.#causeway.monitorHealth(servers, { onChange: (states) => this.#show(states) });
    monitor.probeAutomatically(this.#isKept);
    return monitor;
  }

  /** Shows the states again if other profiles hold credentials now: the configuration file changes at any time. */
  async #lookUpProfiles(states: readonly MonitoredServerState[]): Promise<void> {
    // A configuration file that cannot be read is reported where it is used.
    const entries = await this.#causeway
      .auth()
      .then((auth) => auth.profiles())
      .catch(() => []);
    const own = entries.flatMap((each) => (each.usable && !maySignIn(each.profile) ? each.name : []));
    if (isDeepStrictEqual(own, this.#withCredentials)) return;
    this.#withCredentials = own;
    this.#show((await this.#monitor)?.states() ?? states);
  }

  #show(states: readonly MonitoredServerState[]): void {
    if (states.some(({ health }) => 'problem' in health)) void this.#lookUpProfiles(states);
    const now = Date.now();
    const health = new Map(states.map((state) => [state.name, state.health]));
    const connecting = { name: 'connecting' } as const;
    const servers = this.#servers.map((server) =>
      describeConfiguredServer(server, {
        health: health.get(server.name) ?? connecting,
        title: this.#titles.get(titleKey(server)),
        hasCredentials: this.#withCredentials.includes(server.profile),
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
    const title = await titleOfSpace(this.#causeway, server);
    this.#titles.set(key, title);
    if (title !== undefined) this.#show((await this.#monitor)?.states() ?? states);
  }

  async #started(): Promise<HealthMonitor> {
    const monitor = await this.#monitor;
    if (monitor) return monitor;
    throw new CausewayError('unavailable', strings.starting, { remedy: strings.tryAgain });
  }
}

function titleKey({ profile, path }: ManagedServer): string {
  return JSON.stringify([profile, path]);
}
