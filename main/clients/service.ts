import { join } from 'node:path';
import { CausewayError, inOneLine } from '../platform/errors.ts';
import { stateFolder } from '../platform/paths.ts';
import { readBytes, removeFile, replaceFile } from '../platform/replace-file.ts';
import type { Settings } from '../platform/settings.ts';
import { keepBackup, readBackup } from './backups.ts';
import { change, changes, decode, plan, targetOf, type Wanted } from './change.ts';
import type { ClientFacts } from './client.ts';
import { detect, type LocatedFile, locate } from './detect.ts';
import { editorOf } from './editors.ts';
import { type Entry, hasAddress, isOurs, wholeEntry } from './entry.ts';
import { withFileLock } from './file-lock.ts';
import type { Launcher } from './launcher.ts';
import { failed, notInstalled, type Outcome, outcomeOf, taken } from './outcome.ts';
import type { Surroundings } from './places.ts';
import { openRecord, type WrittenRecord } from './record.ts';
import type { ManagedServer } from './servers.ts';
import { type EntryState, REPAIRABLE, stateOf } from './state.ts';
import { CLIENTS } from './table.ts';

/** What the service is built from. */
export interface ClientsOptions {
  env: NodeJS.ProcessEnv;
  /** Whose clients. */
  surroundings: Surroundings;
  launcher: Launcher;
  /** The names of the processes that run now. */
  running(): Promise<Set<string>>;
  now?(): number;
  /** The table, for tests. */
  clients?: readonly ClientFacts[];
}

/** One file of a client, as it is. */
export interface FileReport {
  path: string;
  exists: boolean;
  /** Each server's entry, by the server's name. */
  entries: Record<string, EntryState>;
  /** Entries of ours that lead to no server in the list. */
  leftOver: string[];
  problem?: string;
}

/** One client, as it is. */
export interface ClientReport {
  id: string;
  name: string;
  /** By what one can tell that it is installed; `null` where it is not. */
  because: string | null;
  files: FileReport[];
  problem?: string;
}

/** A server by its own address, for a client that connects by itself. */
export interface HttpChoice {
  urlOf(server: ManagedServer): string;
  clientId: string | undefined;
  callbackPort: number | undefined;
}

/** How a change is made. */
export interface ChangeChoice {
  http?: HttpChoice | undefined;
  dryRun?: boolean | undefined;
  /** Also over an entry of somebody else, and while the client runs that would overwrite it. */
  force?: boolean | undefined;
}

/** The AI clients on this computer, and the entries in their files. */
export class ClientsService {
  readonly #options: ClientsOptions;
  #record: Promise<Settings<WrittenRecord>> | undefined;

  constructor(options: ClientsOptions) {
    this.#options = options;
  }

  /** Every client and the state of every server's entry in it. Writes nothing. */
  async survey(servers: readonly ManagedServer[]): Promise<ClientReport[]> {
    return Promise.all(this.#clients.map((client) => this.#report(client, servers)));
  }

  /** Writes the servers' entries into those clients' files; one that fails does not stop the others. */
  async add(ids: readonly string[], servers: readonly ManagedServer[], choice: ChangeChoice = {}): Promise<Outcome[]> {
    return this.#each(ids, choice, async (client, file) => {
      const present = await this.#present(client, file);
      const wanted: Wanted = new Map();
      for (const server of servers) {
        const entry = present.get(server.name);
        if (entry !== undefined && !isOurs(entry) && !choice.force) throw taken(client, file, server);
        wanted.set(server.name, this.#entry(client, file, server, choice.http));
      }
      return wanted;
    });
  }

  /** Removes entries of these names, as far as they are ours. */
  async remove(ids: readonly string[], names: readonly string[], choice: ChangeChoice = {}): Promise<Outcome[]> {
    return this.#each(ids, choice, async (client, file) => {
      const [present, record] = [await this.#present(client, file), (await this.#open()).read().files[file.path]];
      const isThere = (name: string) => isOurs(present.get(name)) || record?.entries[name] !== undefined;
      return new Map(names.filter(isThere).map((name) => [name, undefined]));
    });
  }

  /** The names of all entries of ours in those clients, found or remembered. */
  async ownNames(ids: readonly string[]): Promise<string[]> {
    const reports = (await this.survey([])).filter(({ id }) => ids.length === 0 || ids.includes(id));
    const known = (await this.#open()).read().files;
    const files = reports.flatMap((report) => report.files);
    const names = files.flatMap(({ path, leftOver }) => [...leftOver, ...Object.keys(known[path]?.entries ?? {})]);
    return [...new Set(names)];
  }

  /** Puts right what was written and is not as it should be. */
  async repair(
    ids: readonly string[],
    servers: readonly ManagedServer[],
    choice: ChangeChoice = {},
  ): Promise<Outcome[]> {
    return this.#each(ids, choice, async (client, file) => {
      const { entries } = await this.#reportFile(client, file, servers);
      const known = (await this.#open()).read().files[file.path]?.entries;
      const broken = servers.filter(({ name }) => REPAIRABLE.includes(entries[name] ?? 'absent'));
      return new Map(
        broken.map((server) => {
          const written = known?.[server.name];
          // What was written with an address of its own is put back as that.
          const entry = this.#entry(client, file, server, choice.http);
          return [server.name, written && hasAddress(written) && !choice.http ? { ...entry, fixed: written } : entry];
        }),
      );
    });
  }

  /** Puts a backup's bytes back; what is there now is kept as another backup. @throws {CausewayError} `not_found` */
  async restore(id: string): Promise<{ file: string; kept: string | undefined }> {
    const { env } = this.#options;
    const [{ backup, bytes }, record] = [await readBackup(env, id), await this.#open()];
    const { file } = backup;
    const folder = this.#clients.find((client) => client.id === backup.client)?.lock === 'folder';
    return withFileLock(file, { locks: this.#locks, folder }, async () => {
      const now = await readBytes(file);
      const same = now === undefined ? bytes === undefined : bytes?.equals(now) === true;
      const kept = same ? undefined : await keepBackup(env, file, backup.client, now, this.#now());
      if (bytes && !same) await replaceFile(file, bytes, now);
      else if (!bytes && now) await removeFile(file, now);
      await record.change(({ files: { [file]: _, ...files } }) => ({ files }));
      return { file, kept: kept?.id };
    });
  }

  /** A client by what the person typed. @throws {CausewayError} `not_found` */
  client(id: string): ClientFacts {
    const found = this.#clients.find((client) => client.id === id.toLowerCase());
    if (found) return found;
    throw new CausewayError('not_found', `There is no client "${id}".`, {
      remedy: `Causeway knows ${this.#clients.map((client) => client.id).join(', ')}; for any other, "causeway clients json" prints what to paste.`,
    });
  }

  /** A server's entry as a client writes it. */
  entryFor(client: ClientFacts, server: ManagedServer): Record<string, unknown> {
    return wholeEntry(this.#entry(client, { path: '' }, server, undefined));
  }

  get #clients(): readonly ClientFacts[] {
    return this.#options.clients ?? CLIENTS;
  }

  get #locks(): string {
    return join(stateFolder(this.#options.env), 'locks');
  }

  #now(): number {
    return this.#options.now?.() ?? Date.now();
  }

  #open(): Promise<Settings<WrittenRecord>> {
    this.#record ??= openRecord(this.#options.env);
    return this.#record;
  }

  #entry(client: ClientFacts, file: LocatedFile, server: ManagedServer, http: HttpChoice | undefined): Entry {
    const { name, profile, path } = server;
    if (!http) {
      const { command, prefix } = this.#options.launcher;
      return client.stdio({ name, command, args: [...prefix, 'proxy', '--profile', profile, '--path', path] });
    }
    const shape = file.http ?? client.http;
    if (!shape) {
      throw new CausewayError('usage', `${client.name} takes no address in its file.`, { remedy: 'Leave --http out.' });
    }
    return shape({ name, url: http.urlOf(server), clientId: http.clientId, callbackPort: http.callbackPort });
  }

  async #report(client: ClientFacts, servers: readonly ManagedServer[]): Promise<ClientReport> {
    const { id, name } = client;
    const found = await detect(client, this.#options.surroundings);
    if (!found.installed) return { id, name, because: null, files: [] };
    try {
      const files = await locate(client, this.#options.surroundings);
      const reports = await Promise.all(files.map((file) => this.#reportFile(client, file, servers)));
      return { id, name, because: found.because, files: reports };
    } catch (error) {
      return { id, name, because: found.because, files: [], problem: inOneLine(error) };
    }
  }

  async #reportFile(client: ClientFacts, file: LocatedFile, servers: readonly ManagedServer[]): Promise<FileReport> {
    const known = (await this.#open()).read().files[file.path];
    const report: FileReport = { path: file.path, exists: true, entries: {}, leftOver: [] };
    try {
      report.exists = (await readBytes(file.path)) !== undefined;
      const present = await this.#present(client, file);
      for (const server of servers) {
        const wanted = this.#entry(client, file, server, undefined);
        report.entries[server.name] = await stateOf(server.name, present.get(server.name), wanted, known);
      }
      const names = servers.map(({ name }) => name);
      report.leftOver = [...present].flatMap(([name, entry]) => (isOurs(entry) && !names.includes(name) ? [name] : []));
      return report;
    } catch (error) {
      return { ...report, problem: inOneLine(error) };
    }
  }

  async #present(client: ClientFacts, file: LocatedFile): Promise<Map<string, unknown>> {
    const target = targetOf(client, file.path);
    return editorOf(client.format).read(decode(await readBytes(file.path), target), target);
  }

  async #each(
    ids: readonly string[],
    choice: ChangeChoice,
    wantedIn: (client: ClientFacts, file: LocatedFile) => Promise<Wanted>,
  ): Promise<Outcome[]> {
    const named = ids.map((id) => this.client(id));
    const outcomes: Outcome[] = [];
    for (const client of named.length > 0 ? named : this.#clients) {
      const found = await detect(client, this.#options.surroundings);
      if (!found.installed) {
        if (named.length > 0) outcomes.push(failed(client, null, notInstalled(client)));
        continue;
      }
      try {
        for (const file of await locate(client, this.#options.surroundings)) {
          outcomes.push(await this.#change(client, file, choice, wantedIn));
        }
      } catch (error) {
        outcomes.push(failed(client, null, error));
      }
    }
    return outcomes;
  }

  async #change(
    client: ClientFacts,
    file: LocatedFile,
    choice: ChangeChoice,
    wantedIn: (client: ClientFacts, file: LocatedFile) => Promise<Wanted>,
  ): Promise<Outcome> {
    try {
      const wanted = await wantedIn(client, file);
      const record = await this.#open();
      const planned = await plan(client, file.path, wanted, record.read().files[file.path]);
      if (choice.dryRun || !changes(planned)) return outcomeOf(client, file, planned, choice.dryRun === true);
      if (!choice.force) await this.#refuseRunning(client);
      await this.#options.launcher.prepare();
      const { env } = this.#options;
      const done = await change(client, file.path, wanted, { env, locks: this.#locks, record, now: () => this.#now() });
      return outcomeOf(client, file, done, false);
    } catch (error) {
      return failed(client, file, error);
    }
  }

  async #refuseRunning({ name, overwritesWhileRunning }: ClientFacts): Promise<void> {
    if (!overwritesWhileRunning) return;
    const running = await this.#options.running();
    if (!overwritesWhileRunning.some((process) => running.has(process))) return;
    throw new CausewayError('client_running', `${name} is running, and overwrites its configuration while it does.`, {
      remedy: `Nothing was written. Quit ${name} and try again; --force writes all the same.`,
    });
  }
}
