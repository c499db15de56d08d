import { join } from 'node:path';
import { CausewayError } from '../platform/errors.ts';
import { stateFolder } from '../platform/paths.ts';
import type { Settings } from '../platform/settings.ts';
import { readBackup } from './backups.ts';
import { change, changes, plan, type Wanted } from './change.ts';
import type { ChangeChoice, HttpChoice, RestoreChoice } from './choice.ts';
import type { ClientFacts } from './client.ts';
import { detect, type LocatedFile, locate } from './detect.ts';
import { commandLineOf, type Entry, hasAddress, isOurs, type Launch, plain, wholeEntry } from './entry.ts';
import type { Launcher } from './launcher.ts';
import { failed, notInstalled, type Outcome, outcomeOf, taken } from './outcome.ts';
import { placesOf, type Surroundings } from './places.ts';
import { openRecord, type WrittenRecord } from './record.ts';
import { type Restored, restoreBackup } from './restore.ts';
import type { ManagedServer } from './servers.ts';
import { REPAIRABLE } from './state.ts';
import { type ClientReport, readEntries, report, reportFile, type SurveyOptions } from './survey.ts';
import { CLIENTS } from './table.ts';
import { type WatchOptions, watchFiles } from './watch.ts';

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
  /** How changes are noticed, for tests. */
  watching?: Partial<WatchOptions>;
}

/** Entries to paste, and links to follow, by the server's name. */
export interface Pasteable {
  entries: unknown;
  links: Record<string, string>;
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
    const options = await this.#surveying(servers);
    return Promise.all(this.#clients.map((client) => report(client, options)));
  }

  /** Writes the servers' entries into those clients' files; one that fails does not stop the others. */
  async add(ids: readonly string[], servers: readonly ManagedServer[], choice: ChangeChoice = {}): Promise<Outcome[]> {
    return this.#each(ids, choice, async (client, file) => {
      const present = await readEntries(client, file);
      const wanted: Wanted = new Map();
      for (const server of servers) {
        const entry = present.entries.get(server.name);
        if (entry !== undefined && !isOurs(entry) && !choice.replace) throw taken(client, file, server);
        wanted.set(server.name, this.#entry(present.client, file, server, choice.http));
      }
      return wanted;
    });
  }

  /** Removes entries of these names, as far as they are ours. */
  async remove(ids: readonly string[], names: readonly string[], choice: ChangeChoice = {}): Promise<Outcome[]> {
    return this.#each(ids, choice, async (client, file) => {
      const [{ entries }, record] = [await readEntries(client, file), (await this.#open()).read().files[file.path]];
      const isThere = (name: string) => isOurs(entries.get(name)) || record?.entries[name] !== undefined;
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
      const { entries } = await reportFile(client, file, await this.#surveying(servers));
      const { client: asItIs } = await readEntries(client, file);
      const known = (await this.#open()).read().files[file.path]?.entries;
      const broken = servers.filter(({ name }) => REPAIRABLE.includes(entries[name] ?? 'absent'));
      return new Map(
        broken.map((server) => {
          const written = known?.[server.name];
          // What was written with an address of its own is put back as that.
          const entry = this.#entry(asItIs, file, server, choice.http);
          return [server.name, written && hasAddress(written) && !choice.http ? { ...entry, fixed: written } : entry];
        }),
      );
    });
  }

  /**
   * Puts a backup's bytes back; what is there now is kept as another backup.
   * @throws {CausewayError} `not_found`, `client_running`, `file_not_writable`, `invalid_file`, `timeout`
   */
  async restore(id: string, { dryRun = false, whileRunning = false }: RestoreChoice = {}): Promise<Restored> {
    if (!dryRun && !whileRunning) {
      const { backup } = await readBackup(this.#options.env, id);
      const client = this.#clients.find((each) => each.id === backup.client);
      if (client) await this.#refuseRunning(client);
    }
    const [{ env }, record] = [this.#options, await this.#open()];
    const now = () => this.#now();
    return restoreBackup(id, { env, clients: this.#clients, locks: this.#locks, record, now, dryRun });
  }

  /**
   * Calls back after a client came, went, or changed its file, or an executable that entries lead to came or went; what
   * became of the entries, `survey` tells then. Gives the function that ends it. Writes nothing.
   */
  watch(onChange: () => void): () => void {
    const { surroundings, watching } = this.#options;
    return watchFiles(() => this.#watched(), onChange, { root: surroundings.home, ...watching });
  }

  /** A client by what the person typed. @throws {CausewayError} `not_found` */
  client(id: string): ClientFacts {
    const found = this.#clients.find((client) => client.id === id.toLowerCase());
    if (found) return found;
    throw new CausewayError('not_found', `There is no client "${id}".`, {
      remedy: `Causeway knows ${this.#clients.map((client) => client.id).join(', ')}.`,
      action: { do: 'paste-by-hand' },
      candidates: this.#clients.map((client) => ({ id: client.id, name: client.name })),
    });
  }

  /** The installed clients that run now and would overwrite what is written meanwhile, by id. */
  async inTheWay(): Promise<string[]> {
    const careless = this.#clients.filter(({ overwritesWhileRunning }) => overwritesWhileRunning);
    const running = careless.length === 0 ? new Set<string>() : await this.#options.running();
    return careless.flatMap(({ id, overwritesWhileRunning = [] }) =>
      overwritesWhileRunning.some((process) => running.has(process)) ? [id] : [],
    );
  }

  /**
   * What to paste where nothing is to be written: in one client's own shape, with the links by which it adds the entries
   * itself if it has such, or in the shape that nearly every client takes.
   */
  async toPaste(servers: readonly ManagedServer[], id?: string): Promise<Pasteable> {
    await this.#options.launcher.prepare();
    const { key, stdio, deepLink } = id === undefined ? { key: ['mcpServers'], stdio: plain } : this.client(id);
    const shown = servers.map((server) => [server.name, wholeEntry(stdio(this.#launch(server)))] as const);
    const entries = key.reduceRight<unknown>((inner, part) => ({ [part]: inner }), Object.fromEntries(shown));
    const links = shown.flatMap(([name, entry]) => (deepLink ? [[name, deepLink(name, entry)]] : []));
    return { entries, links: Object.fromEntries(links) };
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
    if (!http) return client.stdio(this.#launch(server));
    const shape = file.http ?? client.http;
    if (!shape) {
      throw new CausewayError('usage', `${client.name} takes no address in its file.`, { remedy: 'Leave --http out.' });
    }
    return shape({
      name: server.name,
      url: http.urlOf(server),
      clientId: http.clientId,
      callbackPort: http.callbackPort,
    });
  }

  #launch({ name, profile, path }: ManagedServer): Launch {
    const { command, prefix } = this.#options.launcher;
    return { name, command, args: [...prefix, 'proxy', '--profile', profile, '--path', path] };
  }

  async #surveying(servers: readonly ManagedServer[]): Promise<SurveyOptions> {
    const record = await this.#open();
    const { files } = record.read();
    return {
      surroundings: this.#options.surroundings,
      servers,
      known: (path) => files[path],
      entry: (client, server) => this.#entry(client, { path: '' }, server, undefined),
    };
  }

  /** Every path on which a survey depends: signs of clients, their files, and what our entries start. */
  async #watched(): Promise<string[]> {
    const places = placesOf(this.#options.surroundings);
    const paths = this.#clients.flatMap((client) => [
      ...client.signs(places).flatMap((sign) => ('exists' in sign ? [sign.exists] : [])),
      ...client.files(places).map(({ path }) => path),
    ]);
    const { files } = (await this.#open()).read();
    const entries = Object.values(files).flatMap((file) => Object.values(file.entries));
    const started = entries.flatMap((entry) => commandLineOf(entry).slice(0, 1));
    return [...new Set([...paths, ...Object.keys(files), ...started, this.#options.launcher.command])];
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
      if (choice.dryRun || !changes(planned)) return outcomeOf(client, file, planned, choice);
      if (!choice.whileRunning) await this.#refuseRunning(client);
      await this.#options.launcher.prepare();
      const { env } = this.#options;
      const done = await change(client, file.path, wanted, { env, locks: this.#locks, record, now: () => this.#now() });
      return outcomeOf(client, file, done, { ...choice, dryRun: false });
    } catch (error) {
      return failed(client, file, error);
    }
  }

  async #refuseRunning({ id, name, overwritesWhileRunning }: ClientFacts): Promise<void> {
    if (!overwritesWhileRunning || !(await this.inTheWay()).includes(id)) return;
    throw new CausewayError('client_running', `${name} is running, and overwrites its configuration while it does.`, {
      remedy: 'Nothing was written.',
      action: { do: 'quit-client', client: name },
    });
  }
}
