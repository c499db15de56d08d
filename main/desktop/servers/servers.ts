import type { Tool, ToolAnswer } from '../../../preload/contract.ts';
import type { Causeway } from '../../causeway.ts';
import { checkedServerPath, type ServerKind } from '../../clients/server-path.ts';
import { type ManagedServer, serverPath, suggestName, withoutServer, withServer } from '../../clients/servers.ts';
import { longNames } from '../../clients/tool-names.ts';
import type { WarmServerState, WarmServers } from '../../hub/warm/keep-warm.ts';
import type { AskOptions } from '../../hub/warm/own-client.ts';
import { CausewayError } from '../../platform/errors.ts';
import type { DesktopModel } from '../model.ts';
import { configuredServer } from './configured-server.ts';
import { WatchedServers } from './server-list.ts';
import { answerOf, toolOf } from './tools.ts';

/** The servers that AI clients are to have: which there are, how each of them is, and what their tools answer. */
export class DesktopServers {
  readonly #causeway: Causeway;
  readonly #model: DesktopModel;
  readonly #list: WatchedServers;
  #servers: readonly ManagedServer[] = [];
  #warm: Promise<WarmServers> | undefined;
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
  async propose(profile: string, kind: ServerKind, target: string): Promise<{ path: string; name: string }> {
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
    const tools = (await (await this.#started()).tools(name)).map(toolOf);
    const names = tools.map((tool) => tool.name);
    return { tools, warnings: longNames(name, names) };
  }

  /** @throws {CausewayError} as `WarmServers.callTool` */
  async call(name: string, tool: string, given: Record<string, unknown>, options: AskOptions): Promise<ToolAnswer> {
    const begun = performance.now();
    const result = await (await this.#started()).callTool(name, tool, given, options);
    return answerOf(result, performance.now() - begun);
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

  async #connect(servers: readonly ManagedServer[]): Promise<WarmServers> {
    const warm = await this.#causeway.keepWarm(servers, { onChange: (states) => this.#show(states) });
    warm.keep(this.#isKept);
    return warm;
  }

  #show(states: readonly WarmServerState[]): void {
    const now = Date.now();
    const health = new Map(states.map((state) => [state.name, state.health]));
    const connecting = { name: 'connecting' } as const;
    this.#model.showServers(
      this.#servers.map((server) => configuredServer(server, health.get(server.name) ?? connecting, now)),
    );
  }

  async #started(): Promise<WarmServers> {
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
