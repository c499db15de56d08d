import { type FSWatcher, watch } from 'node:fs';
import { basename, dirname } from 'node:path';
import type { ConfiguredServer, Tool, ToolAnswer } from '../../../preload/contract.ts';
import type { Causeway } from '../../causeway.ts';
import { checkedServerPath, type ManagedServerKind } from '../../clients/server-path.ts';
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
import { longNames } from '../../clients/tool-names.ts';
import type { AskOptions } from '../../hub/health/client.ts';
import { formatHealth, type HealthAction } from '../../hub/health/format.ts';
import type { ServerHealth } from '../../hub/health/health.ts';
import type { HealthMonitor, MonitoredServerState } from '../../hub/health/monitor.ts';
import { asSentence, CausewayError, type ErrorCode, sentences } from '../../platform/errors.ts';
import { makeFolder } from '../../platform/replace-file.ts';
import type { SettingsFile } from '../../platform/settings.ts';
import { remedyInWindow } from '../failure.ts';
import type { DesktopModel } from '../model.ts';
import { answerForWindow, toolForWindow } from './tools.ts';

/** The servers that AI clients are to have: which there are, how each of them is, and what their tools answer. */
export class DesktopServers {
  readonly #causeway: Causeway;
  readonly #model: DesktopModel;
  readonly #list: WatchedServers;
  #servers: readonly ManagedServer[] = [];
  #warm: Promise<HealthMonitor> | undefined;
  #isKept: boolean;

  /** @param keep whether servers are asked again by themselves */
  constructor(causeway: Causeway, env: NodeJS.ProcessEnv, model: DesktopModel, keep: boolean) {
    this.#isKept = keep;
    this.#causeway = causeway;
    this.#model = model;
    this.#list = new WatchedServers(env, (servers) => this.#listed(servers));
  }

  /** Begins to keep the servers of the list warm, and to follow the list. */
  async start(): Promise<void> {
    await this.#list.start();
    await this.#warm;
  }

  async keep(on: boolean): Promise<void> {
    this.#isKept = on;
    (await this.#warm)?.keep(on);
  }

  /** The computer goes to sleep. */
  async suspend(): Promise<void> {
    (await this.#warm)?.suspend();
  }

  /** It has woken, or is in another network: every server is asked again soon. */
  async resume(): Promise<void> {
    (await this.#warm)?.resume();
  }

  async close(): Promise<void> {
    this.#list.close();
    await (await this.#warm)?.close();
  }

  /** A server's path by what it is to show, and a name that is free. @throws {CausewayError} `usage` */
  async propose(profile: string, kind: ManagedServerKind, target: string): Promise<{ path: string; name: string }> {
    const path = kind === 'other' ? await this.#pathIn(profile, target.trim()) : serverPath(kind, target);
    const taken = (await this.#list.all()).map(({ name }) => name);
    return { path, name: suggestName(kind, path, taken) };
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

  /** Asks a server how it is; the state tells what came of it. @throws {CausewayError} `not_found` */
  async check(name: string): Promise<void> {
    await (await this.#started()).recheck(name);
  }

  /** @throws {CausewayError} as `WarmServers.tools` */
  async tools(name: string): Promise<{ tools: Tool[]; warnings: string[] }> {
    const tools = (await (await this.#started()).tools(name)).map(toolForWindow);
    const names = tools.map((tool) => tool.name);
    return { tools, warnings: longNames(name, names) };
  }

  /** @throws {CausewayError} as `WarmServers.callTool` */
  async call(name: string, tool: string, given: Record<string, unknown>, options: AskOptions): Promise<ToolAnswer> {
    const begun = performance.now();
    const result = await (await this.#started()).callTool(name, tool, given, options);
    return answerForWindow(result, performance.now() - begun);
  }

  /** The address of a server, and of its workspace. @throws {CausewayError} `not_found` */
  async addressOf(name: string): Promise<{ path: string; host: string }> {
    const { profile, path } = await this.#list.named(name);
    return { path, host: await this.#hostOf(profile) };
  }

  #listed(servers: readonly ManagedServer[]): void {
    this.#servers = servers;
    if (this.#warm) void this.#warm.then((warm) => warm.update(servers));
    else this.#warm = this.#connect(servers);
  }

  async #connect(servers: readonly ManagedServer[]): Promise<HealthMonitor> {
    const warm = await this.#causeway.keepWarm(servers, { onChange: (states) => this.#show(states) });
    warm.keep(this.#isKept);
    return warm;
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
    const warm = await this.#warm;
    if (warm) return warm;
    throw new CausewayError('unavailable', 'Causeway is still starting.', { remedy: 'Try again in a moment.' });
  }

  /** A path as it was typed, or as the end of an address that was copied from the workspace. */
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

/** A server of the list with how it is, as tray and window show it. `now` is in milliseconds since the epoch. */
export function describeConfiguredServer(server: ManagedServer, health: ServerHealth, now: number): ConfiguredServer {
  const { name, profile, kind, path } = server;
  const { label, sentence, remedy, action } = formatHealth(health, { profile, now });
  return {
    name,
    profile,
    kind,
    path,
    state: {
      status: health.name,
      tools: health.name === 'ready' ? health.tools : null,
      label,
      // When it is tried again is shown as time goes by, not as it was when this was said.
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

/** What to do, beside the button that does it. */
function remedyHere(problem: CausewayError, button: HealthAction | null): string | null {
  const { code, advice, action } = problem;
  if (button === 'sign-in' && (!action || action.do === 'sign-in')) return sentences(advice, SIGN_IN);
  return WITHOUT_PROFILE.has(code) ? ACCOUNTS : remedyInWindow(problem);
}

type Listener = (servers: readonly ManagedServer[]) => void;

/** The list of servers on disk, which the command line changes too. */
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

  /** Tells what is in the list, now and whenever that changes. */
  async start(): Promise<void> {
    const { path } = await this.#open();
    await makeFolder(dirname(path));
    // The file is replaced as a whole: what is watched is its folder.
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

  /** Changes the list, and tells of it before it returns. @throws {CausewayError} as `edit` */
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
      // Somebody is editing it by hand: the list stays as it was until the file can be read again.
      return;
    }
    const text = JSON.stringify(servers);
    if (text === this.#shown) return;
    this.#shown = text;
    this.#onChange(servers);
  }
}
