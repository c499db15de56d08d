import { type FSWatcher, watch } from 'node:fs';
import { basename, dirname } from 'node:path';
import { findServer, type ManagedServer, openServers, type ServerList } from '../../clients/servers.ts';
import { makeFolder } from '../../platform/replace-file.ts';
import type { SettingsFile } from '../../platform/settings.ts';

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
    const { path } = await this.open();
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
    return (await this.open()).read().servers;
  }

  /** @throws {CausewayError} `not_found` */
  async named(name: string): Promise<ManagedServer> {
    return findServer((await this.open()).read(), name);
  }

  /** Changes the list, and reports it before it returns. @throws {CausewayError} as `edit` */
  async change(edit: (now: ServerList) => ServerList): Promise<void> {
    await (await this.open()).change(edit);
    await this.look();
  }

  /** The file of the list. */
  open(): Promise<SettingsFile<ServerList>> {
    this.#file ??= openServers(this.#env);
    return this.#file;
  }

  /** Reads the list again, and reports it where it has changed. */
  async look(): Promise<void> {
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
