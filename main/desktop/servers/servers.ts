import { type FSWatcher, watch } from 'node:fs';
import { basename, dirname } from 'node:path';
import type { ConfiguredServer, ToolAnswer, ToolInfo } from '../../../preload/contract.ts';
import type { Causeway } from '../../causeway.ts';
import { checkedServerPath, type ManagedServerKind } from '../../clients/server-arguments.ts';
import {
  findServer,
  type ManagedServer,
  openServers,
  type ServerList,
  serverPath,
  suggestName,
  withoutServer,
  withServer,
} from '../../clients/servers.ts';
import { longNames } from '../../clients/table.ts';
import { formatHealth, type HealthAction } from '../../hub/health/format.ts';
import type { ServerHealth } from '../../hub/health/health.ts';
import type { AskOptions } from '../../hub/health/mcp-session.ts';
import type { HealthMonitor, MonitoredServerState } from '../../hub/health/monitor.ts';
import { asSentence, CausewayError, type ErrorCode, sentences } from '../../platform/errors.ts';
import { makeFolder } from '../../platform/replace-file.ts';
import type { SettingsFile } from '../../platform/settings.ts';
import type { ListedTool } from '../../rules/decision.ts';
import { appOf } from '../../workspace/app-name.ts';
import { serviceOf, serviceTitle } from '../../workspace/service-name.ts';
import type { ServiceSignIn } from '../../workspace/service-sign-in.ts';
import { remedyInWindow } from '../failure.ts';
import type { DesktopModel } from '../model.ts';
import { answerForWindow, hintsOf, toolForWindow } from './tools.ts';

/** The configured servers: their list, their health, and their tools. */
export class DesktopServers {
  readonly #causeway: Causeway;
  readonly #model: DesktopModel;
  readonly #list: WatchedServers;
  #servers: readonly ManagedServer[] = [];
  #monitor: Promise<HealthMonitor> | undefined;
  #isKept: boolean;

  /** @param keep whether servers are checked periodically */
  constructor(causeway: Causeway, env: NodeJS.ProcessEnv, model: DesktopModel, keep: boolean) {
    this.#isKept = keep;
    this.#causeway = causeway;
    this.#model = model;
    this.#list = new WatchedServers(env, (servers) => this.#listed(servers));
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
    await (await this.#monitor)?.close();
  }

  /** The path of a server, by kind and target, and an unused name. @throws {CausewayError} `usage` */
  async propose(
    profile: string,
    kind: ManagedServerKind,
    target: string,
    known?: string,
  ): Promise<{ path: string; name: string }> {
    const typed = async () => (kind === 'other' ? this.#pathIn(profile, target.trim()) : serverPath(kind, target));
    const path = known === undefined ? await typed() : checkedServerPath(known, 'The path');
    const usedNames = (await this.#list.all()).map(({ name }) => name);
    return { path, name: suggestName(kind, path, usedNames) };
  }

  /** @throws {CausewayError} `usage`, `already_exists` */
  async add({ path, ...server }: ManagedServer): Promise<void> {
    const checked = { ...server, path: checkedServerPath(path, 'The path') };
    await this.#list.change((now) => withServer(now, checked));
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

  /** The tools with what the server says of them; none while they are not known. */
  async listedTools(name: string): Promise<ListedTool[]> {
    const tools = await (await this.#monitor)?.tools(name).catch(() => undefined);
    return (tools ?? []).map((tool) => ({ name: tool.name, hints: hintsOf(tool) }));
  }

  /** @throws {CausewayError} as `HealthMonitor.callTool` */
  async call(name: string, tool: string, args: Record<string, unknown>, options: AskOptions): Promise<ToolAnswer> {
    const startedAt = performance.now();
    const result = await (await this.#started()).callTool(name, tool, args, options);
    return answerForWindow(result, performance.now() - startedAt);
  }

  /** The sign-in to what is behind a server. @throws {CausewayError} `not_found`, also where it is no service */
  async service(name: string): Promise<ServiceSignIn> {
    const { profile, path } = await this.#list.named(name);
    const service = serviceOf(path);
    if (service === undefined) throw new CausewayError('not_found', `Server "${name}" has no sign-in of its own.`);
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
    if (this.#monitor) void this.#monitor.then((monitor) => monitor.update(servers));
    else this.#monitor = this.#connect(servers);
  }

  async #connect(servers: readonly ManagedServer[]): Promise<HealthMonitor> {
    const monitor = await this.#causeway.monitorHealth(servers, { onChange: (states) => this.#show(states) });
    monitor.keep(this.#isKept);
    return monitor;
  }

  #show(states: readonly MonitoredServerState[]): void {
    const now = Date.now();
    const health = new Map(states.map((state) => [state.name, state.health]));
    const connecting = { name: 'connecting' } as const;
    this.#model.showServers(
      this.#servers.map((server) => describeConfiguredServer(server, health.get(server.name) ?? connecting, now)),
    );
  }

  async #started(): Promise<HealthMonitor> {
    const monitor = await this.#monitor;
    if (monitor) return monitor;
    throw new CausewayError('unavailable', 'Causeway is still starting.', { remedy: 'Try again in a moment.' });
  }

  /** A path from what the user typed: a path, or a URL copied from the workspace. */
  async #pathIn(profile: string, text: string): Promise<string> {
    if (!/^https?:\/\//i.test(text)) return checkedServerPath(text, 'The path');
    const url = URL.canParse(text) ? new URL(text) : undefined;
    const host = await this.#hostOf(profile);
    if (url?.origin !== host) {
      throw new CausewayError('usage', `That is not an address of ${host}.`, {
        remedy: 'Choose the profile of its workspace first, at the left, or copy the address again.',
      });
    }
    return checkedServerPath(`${url.pathname}${url.search}`, 'The path');
  }

  async #hostOf(profile: string): Promise<string> {
    return (await (await this.#causeway.auth()).profile(profile)).host;
  }
}

/** A configured server with its health, as tray and window show it. `now` is in milliseconds since the epoch. */
export function describeConfiguredServer(server: ManagedServer, health: ServerHealth, now: number): ConfiguredServer {
  const { name, profile, kind, path } = server;
  const { label, sentence, remedy, action } = formatHealth(health, { profile, now });
  const service = serviceOf(path);
  return {
    name,
    profile,
    kind,
    path,
    ...(service === undefined ? {} : { service: serviceTitle(service) }),
    state: {
      status: health.name,
      tools: health.name === 'ready' ? health.tools : null,
      label,
      // The window counts down to the next attempt itself.
      words: 'problem' in health ? asSentence(health.problem.message) : sentence,
      remedy: 'problem' in health ? remedyHere(health.problem, action) : remedy,
      retryAt: 'until' in health ? health.until : null,
      action,
    },
  };
}

const SIGN_IN = 'Sign in: a page opens in your browser.';
const ACCOUNTS = 'Look at its profile on the Accounts screen, or remove the server here.';
const WITHOUT_PROFILE: ReadonlySet<string> = new Set<ErrorCode>(['profile_not_found', 'profile_unusable', 'ambiguous']);

/** The remedy, shown beside the button that carries it out. */
function remedyHere(problem: CausewayError, button: HealthAction | null): string | null {
  const { code, advice, action } = problem;
  if (button === 'sign-in-to-service') return sentences(advice, SIGN_IN);
  if (button === 'sign-in' && (!action || action.do === 'sign-in')) return sentences(advice, SIGN_IN);
  return WITHOUT_PROFILE.has(code) ? ACCOUNTS : remedyInWindow(problem);
}

type Listener = (servers: readonly ManagedServer[]) => void;

/** The list of servers on disk, watched because the command line changes it too. */
export class WatchedServers {
  readonly #env: NodeJS.ProcessEnv;
  readonly #onChange: Listener;
  #file: Promise<SettingsFile<ServerList>> | undefined;
  #watcher: FSWatcher | undefined;
  #shown = '';

  constructor(env: NodeJS.ProcessEnv, onChange: Listener) {
    this.#env = env;
    this.#onChange = onChange;
  }

  /** Reports the list now and after each change. */
  async start(): Promise<void> {
    const { path } = await this.#open();
    await makeFolder(dirname(path));
    // The file is replaced as a whole, so its folder is watched.
    this.#watcher = watch(dirname(path), (_event, name) => {
      if (name === null || name === basename(path)) void this.#look();
    });
    await this.#look();
  }

  close(): void {
    this.#watcher?.close();
  }

  async all(): Promise<ManagedServer[]> {
    return (await this.#open()).read().servers;
  }

  /** @throws {CausewayError} `not_found` */
  async named(name: string): Promise<ManagedServer> {
    return findServer((await this.#open()).read(), name);
  }

  /** Changes the list, and reports it before it returns. @throws {CausewayError} as `edit` */
  async change(edit: (now: ServerList) => ServerList): Promise<void> {
    await (await this.#open()).change(edit);
    await this.#look();
  }

  #open(): Promise<SettingsFile<ServerList>> {
    this.#file ??= openServers(this.#env);
    return this.#file;
  }

  async #look(): Promise<void> {
    let servers: ManagedServer[];
    try {
      servers = await this.all();
    } catch {
      // A user may be editing it by hand: the list stays as it was until the file can be read again.
      return;
    }
    const text = JSON.stringify(servers);
    if (text === this.#shown) return;
    this.#shown = text;
    this.#onChange(servers);
  }
}
