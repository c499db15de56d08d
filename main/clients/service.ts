import { isAbsolute, join } from 'node:path';
import { CausewayError } from '../platform/errors.ts';
import { stateFolder } from '../platform/paths.ts';
import type { SettingsFile } from '../platform/settings.ts';
import { readBackup } from './backups.ts';
import { change, changes, type Planned, plan, type Restored, restoreBackup, type Wanted } from './change.ts';
import type { ClientFacts } from './client.ts';
import { detect, findCommand, isThere, type LocatedFile, locate, locateFormer } from './detect.ts';
import type { Launcher } from './launcher.ts';
import {
  type ChangeChoice,
  type ChangeOutcome,
  changeOutcome,
  entryInUse,
  failed,
  forClient,
  notInstalled,
  type RestoreChoice,
  shared,
} from './outcome.ts';
import { type HostEnvironment, placesOf } from './places.ts';
import { type FileRecord, knownOf, openRecord, recordedFile, type WrittenRecord } from './record.ts';
import { isRunning } from './running.ts';
import { correctionOf, entriesToPaste, entryOf, entryToday, type Pasteable } from './server-entry.ts';
import type { ManagedServer } from './servers.ts';
import {
  type ClientName,
  type ClientReport,
  readEntries,
  readersOf,
  reportClient,
  reportFile,
  type SurveyOptions,
  surveyedPaths,
} from './survey.ts';
import { CLIENTS } from './table.ts';
import { type WatchOptions, watchFiles } from './watch.ts';

/** What the service is built from. */
export interface ClientsOptions {
  env: NodeJS.ProcessEnv;
  /** Whose clients. */
  surroundings: HostEnvironment;
  launcher: Launcher;
  /** The processes that run now: each by its name, or by its path where the system tells it. */
  running(): Promise<Set<string>>;
  now?(): number;
  /** The table, for tests. */
  clients?: readonly ClientFacts[];
  /** How changes are noticed, for tests. */
  watching?: Partial<WatchOptions>;
}

/** Whether a record says of an entry of ours what the text no longer has. */
function forgets({ record }: Planned, known: FileRecord | undefined): boolean {
  return Object.keys(known?.entries ?? {}).some((name) => record.entries[name] === undefined);
}

/** The AI clients on this computer, and the entries in their files. */
export class ClientsService {
  readonly #options: ClientsOptions;
  #record: Promise<SettingsFile<WrittenRecord>> | undefined;

  constructor(options: ClientsOptions) {
    this.#options = options;
  }

  /** Every client and the state of every server's entry in it, in known projects too, or in one project alone. Writes nothing. */
  async survey(servers: readonly ManagedServer[], project?: string): Promise<ClientReport[]> {
    const options = await this.#surveying(servers);
    if (project === undefined) return Promise.all(this.#clients.map((client) => reportClient(client, options)));
    const reports = this.#clients.map(async (client) => {
      const files = this.#projectFiles(client, project).map((file) => reportFile(client, file, options));
      const found = (await Promise.all(files)).filter(({ exists }) => exists);
      return { id: client.id, name: client.name, because: found[0] ? `${found[0].path} exists` : null, files: found };
    });
    return Promise.all(reports);
  }

  /**
   * Writes the servers' entries into those clients' files; one that fails does not stop the others, and an entry that somebody
   * else has under a server's name is left alone.
   */
  async add(
    ids: readonly string[],
    servers: readonly ManagedServer[],
    choice: ChangeChoice = {},
  ): Promise<ChangeOutcome[]> {
    return this.#each(ids, choice, async (client, file) => {
      const { client: asItIs } = await readEntries(client, file);
      const wanted = servers.map(async (server) => {
        const http = await forClient(choice.http, asItIs, server);
        return [server.name, entryOf(asItIs, file, server, this.#options.launcher, http)] as const;
      });
      return new Map(await Promise.all(wanted));
    });
  }

  /** Removes entries of these names, as far as they are ours. */
  async remove(ids: readonly string[], names: readonly string[], choice: ChangeChoice = {}): Promise<ChangeOutcome[]> {
    const wanted: Wanted = new Map(names.map((name) => [name, undefined]));
    return this.#each(ids, choice, async () => wanted, ids);
  }

  /** The names of all entries of ours in those clients, found or remembered; of a project, in its files alone. */
  async ownNames(ids: readonly string[], project?: string): Promise<string[]> {
    const reports = (await this.survey([], project)).filter(({ id }) => ids.length === 0 || ids.includes(id));
    const record = (await this.#open()).read();
    const names = reports.flatMap(({ id, files }) =>
      files
        .filter((file) => (file.project ?? undefined) === project)
        .map(async ({ path, leftOver }) => {
          const client = this.client(id);
          return [
            ...leftOver,
            ...Object.keys(knownOf(record, await recordedFile(client, path), client)?.entries ?? {}),
          ];
        }),
    );
    const former = project === undefined ? await this.#formerNames(ids) : [];
    return [...new Set([...(await Promise.all(names)).flat(), ...former])];
  }

  /** The names of entries of ours in files that clients would use if they were installed otherwise. */
  async #formerNames(ids: readonly string[]): Promise<string[]> {
    const names: string[] = [];
    for (const client of this.#clients.filter(({ id }) => ids.length === 0 || ids.includes(id))) {
      for (const file of await locateFormer(client, this.#options.surroundings).catch(() => [])) {
        names.push(...(await reportFile(client, file, await this.#surveying([]))).leftOver);
      }
    }
    return names;
  }

  /** The folders of the projects that have entries of ours. */
  async projects(): Promise<string[]> {
    const files = Object.values((await this.#open()).read().files);
    return [...new Set(files.flatMap(({ project }) => project ?? []))].sort();
  }

  /** Puts right what was written and is not as it should be, or would be written differently today. */
  async repair(
    ids: readonly string[],
    servers: readonly ManagedServer[],
    choice: ChangeChoice = {},
  ): Promise<ChangeOutcome[]> {
    return this.#each(ids, choice, async (client, file) => {
      const { repairable } = await reportFile(client, file, await this.#surveying(servers));
      const { client: asItIs } = await readEntries(client, file);
      const known = await this.#known(client, file.path);
      const spoilt = servers.filter(({ name }) => repairable.includes(name));
      const wanted = spoilt.map(async (server) => {
        const http = await forClient(choice.http, asItIs, server);
        const entry = http
          ? entryOf(asItIs, file, server, this.#options.launcher, http)
          : entryToday(asItIs, file, server, this.#options.launcher, known);
        return [server.name, entry] as const;
      });
      return new Map(await Promise.all(wanted));
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
    const { surroundings, watching, launcher } = this.#options;
    const watched = async () =>
      surveyedPaths(this.#clients, placesOf(surroundings), (await this.#open()).read(), launcher);
    return watchFiles(watched, onChange, { root: surroundings.home, ...watching });
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
    return careless.flatMap(({ id, overwritesWhileRunning }) =>
      overwritesWhileRunning && isRunning(overwritesWhileRunning, running) ? [id] : [],
    );
  }

  /**
   * What to paste where nothing is to be written: in one client's own shape, with the links by which it adds the entries
   * itself if it has such, or in the shape that nearly every client takes.
   */
  async toPaste(servers: readonly ManagedServer[], id?: string): Promise<Pasteable> {
    const { launcher } = this.#options;
    await launcher.prepare();
    return entriesToPaste(servers, launcher, id === undefined ? undefined : this.client(id));
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

  #open(): Promise<SettingsFile<WrittenRecord>> {
    this.#record ??= openRecord(this.#options.env);
    return this.#record;
  }

  async #known(client: ClientFacts, path: string): Promise<FileRecord | undefined> {
    return knownOf((await this.#open()).read(), await recordedFile(client, path), client);
  }

  async #surveying(servers: readonly ManagedServer[]): Promise<SurveyOptions> {
    const record = (await this.#open()).read();
    const readers = readersOf(this.#clients, this.#options.surroundings);
    const { surroundings, env, launcher } = this.#options;
    return {
      surroundings,
      servers,
      known: async (client, path) => knownOf(record, await recordedFile(client, path), client),
      projects: (client) =>
        Object.values(record.files).flatMap(({ client: id, path, project }) =>
          id === client.id && path !== undefined && project !== undefined ? [{ path, project }] : [],
        ),
      sharing: async (client, path) => {
        const { key } = await recordedFile(client, path);
        return ((await readers).get(key) ?? []).filter(({ id }) => id !== client.id);
      },
      entry: (client, file, server, present, known) =>
        correctionOf(client, entryToday(client, file, server, launcher, known), server.name, present, known),
      isProgram: async (command) =>
        isAbsolute(command)
          ? isThere(command)
          : (await findCommand(command, { ...surroundings, env: { ...env, ...surroundings.env } })) !== undefined,
    };
  }

  /** @throws {CausewayError} `usage` where the client has none */
  #projectFiles({ name, project }: ClientFacts, folder: string, must = false): LocatedFile[] {
    if (project) return [{ path: join(folder, ...project), project: folder }];
    if (!must) return [];
    const able = this.#clients.filter((client) => client.project).map(({ id }) => id);
    throw new CausewayError('usage', `${name} has no file for a project that Causeway knows.`, {
      remedy: `Nothing was written. These have: ${able.join(', ')}.`,
    });
  }

  /** @param losing the clients that a removal was asked for, all where none is named; left out for any other change */
  async #each(
    ids: readonly string[],
    choice: ChangeChoice,
    wantedIn: (client: ClientFacts, file: LocatedFile) => Promise<Wanted>,
    losing?: readonly string[],
  ): Promise<ChangeOutcome[]> {
    const named = ids.map((id) => this.client(id));
    const outcomes: ChangeOutcome[] = [];
    const { surroundings } = this.#options;
    const readers = losing && choice.project === undefined ? await readersOf(this.#clients, surroundings) : undefined;
    const staying = async (client: ClientFacts, { path }: LocatedFile) => {
      if (!losing || losing.length === 0) return [];
      const { key } = await recordedFile(client, path);
      return (readers?.get(key) ?? []).filter(({ id }) => !named.some((one) => one.id === id));
    };
    for (const client of named.length > 0 ? named : this.#clients) {
      const isNamed = named.length > 0;
      const found = await detect(client, this.#options.surroundings);
      if (!found.installed && choice.project === undefined) {
        if (isNamed) outcomes.push(failed(client, null, notInstalled(client)));
        continue;
      }
      try {
        const files =
          choice.project === undefined
            ? await locate(client, this.#options.surroundings)
            : this.#projectFiles(client, choice.project, isNamed);
        for (const file of files) {
          outcomes.push(...(await this.#change(client, file, choice, wantedIn, await staying(client, file))));
        }
        outcomes.push(...(await this.#empty(client, choice, wantedIn)));
      } catch (error) {
        outcomes.push(failed(client, null, error));
      }
    }
    return outcomes;
  }

  /** Takes the entries that are written elsewhere now, or removed, out of the files in which they were. */
  async #empty(
    client: ClientFacts,
    choice: ChangeChoice,
    wantedIn: (client: ClientFacts, file: LocatedFile) => Promise<Wanted>,
  ): Promise<ChangeOutcome[]> {
    if (choice.project !== undefined) return [];
    const outcomes: ChangeOutcome[] = [];
    for (const file of await locateFormer(client, this.#options.surroundings)) {
      if (!(await this.#known(client, file.path))) continue;
      const emptied = async () => new Map([...(await wantedIn(client, file)).keys()].map((name) => [name, undefined]));
      outcomes.push(...(await this.#change(client, file, { ...choice, replace: false }, emptied, [])));
    }
    return outcomes.filter(({ result }) => result !== 'unchanged');
  }

  async #change(
    client: ClientFacts,
    file: LocatedFile,
    choice: ChangeChoice,
    wantedIn: (client: ClientFacts, file: LocatedFile) => Promise<Wanted>,
    sharedWith: ClientName[],
  ): Promise<ChangeOutcome[]> {
    try {
      const wanted = await wantedIn(client, file);
      const known = await this.#known(client, file.path);
      const planning = { replace: choice.replace, project: file.project };
      const planned = await plan(client, file.path, wanted, { ...planning, known });
      const isChange = changes(planned);
      const result = async () => {
        if (choice.dryRun || !(isChange || forgets(planned, known))) return planned;
        if (isChange) {
          if (sharedWith.length > 0 && !choice.evenShared) throw shared(client, file, sharedWith);
          if (!choice.whileRunning && file.project === undefined) await this.#refuseRunning(client);
          if (file.project === undefined) await this.#options.launcher.prepare();
        }
        const [{ env }, record] = [this.#options, await this.#open()];
        const now = () => this.#now();
        return change(client, file.path, wanted, { ...planning, env, locks: this.#locks, record, now });
      };
      const done = await result();
      const refused = done.inUse.map((name) =>
        failed(client, file, entryInUse(client, file, name, done.inUse.length === wanted.size)),
      );
      if (refused.length > 0 && !changes(done)) return refused;
      const outcome = changeOutcome(client, file, done, choice);
      return [isChange && sharedWith.length > 0 ? { ...outcome, sharedWith } : outcome, ...refused];
    } catch (error) {
      const outcome = failed(client, file, error);
      return [sharedWith.length > 0 ? { ...outcome, sharedWith } : outcome];
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
