import { type FSWatcher, watch } from 'node:fs';
import { basename, dirname } from 'node:path';
import { findServer, type ManagedServer, openServers, type ServerList } from '../../clients/servers.ts';
import { serverListPath } from '../../platform/paths.ts';
import { makeFolder } from '../../platform/replace-file.ts';
import type { SettingsFile } from '../../platform/settings.ts';

export interface WatchedServersOptions {
  env: NodeJS.ProcessEnv;
  onChange(servers: readonly ManagedServer[]): void;
  /** The list cannot be read; undefined once it can. */
  onProblem(error: unknown): void;
}

/** The list of servers on disk, watched because the command line changes it too. */
export class WatchedServers {
  readonly #options: WatchedServersOptions;
  #watcher: FSWatcher | undefined;
  #shown = '';

  constructor(options: WatchedServersOptions) {
    this.#options = options;
  }

  /** Reports the list now and after each change. */
  async start(): Promise<void> {
    const path = serverListPath(this.#options.env);
    await makeFolder(dirname(path));
    // The file is replaced as a whole, so its folder is watched.
    this.#watcher = watch(dirname(path), (_event, name) => {
      if (name === null || name === basename(path)) void this.look();
    });
    await this.look();
  }

  close(): void {
    this.#watcher?.close();
  }

  async all(): Promise<ManagedServer[]> {
    return (await this.open()).initial.servers;
  }

  /** @throws {CausewayError} `not_found` */
  async named(name: string): Promise<ManagedServer> {
    return findServer({ servers: await this.all() }, name);
  }

  /** Changes the list, and reports it before it returns. @throws {CausewayError} as `edit` */
  async change(edit: (now: ServerList) => ServerList): Promise<void> {
    await (await this.open()).change(edit);
    await this.look();
  }

  /** The file of the list. */
  open(): Promise<SettingsFile<ServerList>> {
    return openServers(this.#options.env);
  }

  /** Reads the list again, and reports it if it has changed. */
  async look(): Promise<void> {
    let servers: ManagedServer[];
    try {
      servers = await this.all();
    } catch (error) {
      // A user may be editing it: the list stays as it was until the file can be read again.
      this.#options.onProblem(error);
      return;
    }
    this.#options.onProblem(undefined);
    const text = JSON.stringify(servers);
    if (text === this.#shown) return;
    this.#shown = text;
    this.#options.onChange(servers);
  }
}
