import { type FSWatcher, watch } from 'node:fs';
import { basename, dirname } from 'node:path';
import { findServer, type ManagedServer, openServers, type ServerList } from '../../clients/servers.ts';
import { makeFolder } from '../../platform/replace-file.ts';
import type { Settings } from '../../platform/settings.ts';

type Listener = (servers: readonly ManagedServer[]) => void;

/** The list of servers on disk, which the command line changes too. */
export class WatchedServers {
  readonly #env: NodeJS.ProcessEnv;
  readonly #onChange: Listener;
  #file: Promise<Settings<ServerList>> | undefined;
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

  #open(): Promise<Settings<ServerList>> {
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
