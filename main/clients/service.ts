import { isAbsolute, join } from 'node:path';
import { checkClient, checkDirect, checkRemoval } from '../permissions/policy/policy.ts';
import { currentPolicy } from '../permissions/policy/system-policy.ts';
import { ownMember } from '../platform/own-member.ts';
import { stateFolder } from '../platform/paths.ts';
import type { SettingsFile } from '../platform/settings.ts';
import { type AllServers, allServersIn, type EntryTarget, ownMetaOf } from './all-servers.ts';
import { readBackup } from './backups.ts';
import { type Restored, restoreBackup } from './change.ts';
import type { ClientFacts } from './client.ts';
import { findCommand, isThere, locateFormer, projectFile } from './detect.ts';
import { isOurs } from './entry.ts';
import { type ClientFiles, LocalFiles } from './files.ts';
import type { Launcher } from './launcher.ts';
import { forClient } from './native-sign-in.ts';
import { noSuchClient } from './no-such-client.ts';
import { Operation, type OperationOptions, type WantedIn } from './operation.ts';
import type { ChangeChoice, ChangeOutcome, RestoreChoice } from './outcome.ts';
import { type OwnEntry, ownEntries } from './own-entries.ts';
import { type Pin, pinsOf } from './pins.ts';
import { type HostEnvironment, lookedUp, newLookups, placesOf } from './places.ts';
import type { Wanted } from './plan.ts';
import { knownOf, openRecord, recordedFile, type WrittenRecord, writtenAs } from './record.ts';
import { refuseRunning, runningClients } from './running.ts';
import { type Meta, withMetaForServer } from './server-arguments.ts';
import {
  correctionOf,
  entriesToPaste,
  entryToday,
  entryWithMeta,
  type HttpChoice,
  type Pasteable,
} from './server-entry.ts';
import type { ManagedServer } from './servers.ts';
import {
  type ClientReport,
  readersOf,
  reportClient,
  reportFile,
  type SurveyOptions,
  surveyedPaths,
  withAll,
} from './survey.ts';
import { CLIENTS } from './table.ts';
import { type Watching, type WatchOptions, watchFiles } from './watch.ts';

/** The options of the service. */
export interface ClientsOptions {
  env: NodeJS.ProcessEnv;
  /** The environment of the user whose clients they are. */
  environment: HostEnvironment;
  launcher: Launcher;
  /** The processes that run now: each by its name, or by its path if the system reports it. */
  running(): Promise<Set<string>>;
  now?(): number;
  /** What reads and writes clients' files; by default in this thread. */
  files?: ClientFiles;
  /** The table, for tests. */
  clients?: readonly ClientFacts[];
  /** The options for watching files, for tests. */
  watching?: Partial<WatchOptions>;
}

/** The AI clients on this computer, and the entries in their files. */
export class ClientsService {
  readonly #options: ClientsOptions;
  readonly #files: ClientFiles;
  #record: Promise<SettingsFile<WrittenRecord>> | undefined;

  constructor(options: ClientsOptions) {
    this.#options = options;
    this.#files = options.files ?? new LocalFiles();
  }

  /** Every client and the state of every server's entry in it, in known projects too, or in one project alone. Writes nothing. */
  async survey(servers: readonly ManagedServer[], project?: string): Promise<ClientReport[]> {
    return report(this.#clients, this.#surveying(servers, await this.#readRecord()), project);
  }

  /** Like `survey`, for some clients by id. */
  async surveyOf(ids: readonly string[], servers: readonly ManagedServer[]): Promise<ClientReport[]> {
    const clients = this.#clients.filter(({ id }) => ids.includes(id));
    return report(clients, this.#surveying(servers, await this.#readRecord()));
  }

  /**
   * Writes the servers' entries into those clients' files; one that fails does not stop the others, and an entry that the user
   * else has under a server's name is left alone.
   */
  async add(
    ids: readonly string[],
    servers: readonly ManagedServer[],
    choice: ChangeChoice = {},
  ): Promise<ChangeOutcome[]> {
    return this.#change(ids, choice, async (_client, file, { read, known }) => {
      const { client: asItIs, entries } = read;
      const all = allServersIn(entries, known);
      const { launcher } = this.#options;
      const wanted: Wanted = new Map(choice.insteadOfAll ? all.map(({ name }) => [name, undefined]) : []);
      const metaOfAll = new Map(all.map((each) => [each, ownMetaOf(known, each)]));
      for (const server of servers) {
        const before = ownMetaOf(known, server);
        const own = choice.meta ? choice.meta(before) : before;
        const { name } = server;
        // If the client has it through an entry for all servers, that entry says what its calls carry.
        const through =
          choice.meta && !choice.http && !choice.insteadOfAll && !entries.has(name)
            ? leadingTo(server, all)
            : undefined;
        if (through) {
          const meta = withMetaForServer(metaOfAll.get(through) ?? {}, name, own);
          metaOfAll.set(through, meta);
          wanted.set(through.name, entryWithMeta([asItIs, file, through, launcher], meta));
        } else {
          const http = await forClient(choice.http, asItIs, server);
          wanted.set(name, entryWithMeta([asItIs, file, server, launcher, http], own));
        }
      }
      return wanted;
    });
  }

  /** Writes one entry for all servers into those clients' files, instead of all entries of ours in them. */
  async addAll(ids: readonly string[], all: AllServers, choice: ChangeChoice = {}): Promise<ChangeOutcome[]> {
    return this.#change(ids, choice, (_client, file, { read, known }) => {
      const { client: asItIs, entries } = read;
      const ours = [...entries].flatMap(([name, present]) => (isOurs(present, writtenAs(known, name)) ? [name] : []));
      const former = new Set([...ours, ...Object.keys(known?.entries ?? {})]);
      const entry = entryWithMeta([asItIs, file, all, this.#options.launcher], ownMetaOf(known, all));
      const wanted: Wanted = new Map([[all.name, entry]]);
      for (const name of former) if (name !== all.name) wanted.set(name, undefined);
      return wanted;
    });
  }

  /** Removes our entries with these names. */
  async remove(ids: readonly string[], names: readonly string[], choice: ChangeChoice = {}): Promise<ChangeOutcome[]> {
    const wanted: Wanted = new Map(names.map((name) => [name, undefined]));
    return this.#change(ids, choice, () => wanted, true);
  }

  /** The entries of ours as they are in those clients' files, or in those of a project. Changes nothing. @throws {CausewayError} */
  async ownEntries(ids: readonly string[], servers: readonly ManagedServer[], project?: string): Promise<OwnEntry[]> {
    const clients = ids.length === 0 ? this.#clients : ids.map((id) => this.client(id));
    return ownEntries(clients, this.#surveying(servers, await this.#readRecord()), project);
  }

  /** The names of all entries of ours in those clients, found or remembered; of a project, in its files alone. */
  async ownNames(ids: readonly string[], project?: string): Promise<string[]> {
    const record = await this.#readRecord();
    const options = this.#surveying([], record);
    const clients = this.#clients.filter(({ id }) => ids.length === 0 || ids.includes(id));
    const names = (await report(clients, options, project)).flatMap(({ id, files }) =>
      files
        .filter((file) => (file.project ?? undefined) === project)
        .map(async ({ path, leftOver, entries }) => {
          const client = this.client(id);
          return [
            ...leftOver,
            ...Object.keys(entries),
            ...Object.keys(knownOf(record, await recordedFile(client, path), client)?.entries ?? {}),
          ];
        }),
    );
    const former = project === undefined ? await this.#formerNames(clients, options) : [];
    return [...new Set([...(await Promise.all(names)).flat(), ...former])];
  }

  /** The names of our entries in files that clients would use if they were installed differently. */
  async #formerNames(clients: readonly ClientFacts[], options: SurveyOptions): Promise<string[]> {
    const names: string[] = [];
    for (const client of clients) {
      for (const file of await locateFormer(client, this.#options.environment).catch(() => [])) {
        const { leftOver, entries } = await reportFile(client, file, options);
        names.push(...leftOver, ...Object.keys(entries));
      }
    }
    return names;
  }

  /** The warehouses that entries of these servers pin their calls to. Reads no client's file. */
  async pins(servers: readonly ManagedServer[]): Promise<Pin[]> {
    const nameOf = (id: string) => this.#clients.find((client) => client.id === id)?.name ?? id;
    return pinsOf(servers, await this.#readRecord(), nameOf);
  }

  /** The folders of the projects that have entries of ours. */
  async projects(): Promise<string[]> {
    const { files } = await this.#readRecord();
    return [...new Set(Object.values(files).flatMap(({ project }) => project ?? []))].sort();
  }

  /** Repairs entries that are wrong, or that would be written differently today. */
  async repair(
    ids: readonly string[],
    servers: readonly ManagedServer[],
    choice: ChangeChoice = {},
  ): Promise<ChangeOutcome[]> {
    let options: SurveyOptions | undefined;
    return this.#change(ids, choice, async (client, file, { read, known }) => {
      options ??= this.#surveying(servers, await this.#readRecord());
      const { repairable } = await reportFile(client, file, { ...options, known: async () => known }, read);
      const { client: asItIs } = read;
      const modified = withAll(servers, read, known).filter(({ name }) => repairable.includes(name));
      const wanted = modified.map(async (server) => {
        const http = 'all' in server ? undefined : await forClient(choice.http, asItIs, server);
        const entry = http
          ? entryWithMeta([asItIs, file, server, this.#options.launcher, http], ownMember(known?.meta, server.name))
          : entryToday(asItIs, file, server, this.#options.launcher, known);
        return [server.name, entry] as const;
      });
      return new Map(await Promise.all(wanted));
    });
  }

  /**
   * Restores a backup; the current content is kept as another backup.
   * @throws {CausewayError} `not_found`, `managed`, `client_running`, `file_not_writable`, `invalid_file`, `timeout`
   */
  async restore(id: string, { dryRun = false, whileRunning = false }: RestoreChoice = {}): Promise<Restored> {
    const { backup } = await readBackup(this.#options.env, id);
    const client = this.#clients.find((each) => each.id === backup.client);
    if (client) {
      const policy = await currentPolicy();
      // A file of then may have entries that are forbidden now, and lack those that are required.
      checkClient(policy, client);
      checkRemoval(policy, client);
      if (!dryRun && !whileRunning) await refuseRunning(client, this.#options.running);
    }
    const [{ env }, record] = [this.#options, await this.#open()];
    const now = () => this.#now();
    return restoreBackup(id, {
      env,
      files: this.#files,
      clients: this.#clients,
      locks: this.#locks,
      record,
      now,
      dryRun,
    });
  }

  /**
   * Calls back after a client came, went, or changed its file, or an executable that entries lead to came or went; what
   * became of the entries, `survey` tells then. Writes nothing.
   */
  watch(onChange: () => void): Watching {
    const { environment, watching, launcher } = this.#options;
    const watched = async () => surveyedPaths(this.#clients, placesOf(environment), await this.#readRecord(), launcher);
    return watchFiles(watched, onChange, { root: environment.home, ...watching });
  }

  /** A client from the user's input. @throws {CausewayError} `not_found` */
  client(id: string): ClientFacts {
    const typed = (text: string) => text.toLowerCase().replaceAll('-', ' ');
    const found = this.#clients.find(({ id: own, name, also = [] }) =>
      [own, name, ...also.flatMap((one) => [one, `${one} desktop`])].some((one) => typed(one) === typed(id)),
    );
    if (found) return found;
    throw noSuchClient(id, this.#clients);
  }

  /** The ids of the running clients that would overwrite changes. Asks about all clients by default. */
  runningClients(ids?: readonly string[]): Promise<string[]> {
    const clients = this.#clients.filter(({ id }) => ids?.includes(id) ?? true);
    return runningClients(clients, this.#options.running);
  }

  /**
   * What to paste if nothing is to be written: in one client's own shape and with what its calls are to carry, with the
   * links by which it adds the entries itself if it has such, or in the shape that nearly every client takes. With `choice`, the
   * client is to connect by itself. @throws {CausewayError} `not_found`, `usage` if it could not sign in, `managed`
   */
  async toPaste(servers: readonly EntryTarget[], id?: string, choice?: HttpChoice): Promise<Pasteable> {
    const { launcher } = this.#options;
    if (choice && id !== undefined) {
      checkDirect(await currentPolicy());
      const client = this.client(id);
      const direct = servers.map(
        async (server) => [server, 'all' in server ? choice : await forClient(choice, client, server)] as const,
      );
      return entriesToPaste(servers, launcher, client, new Map(await Promise.all(direct)));
    }
    await launcher.prepare();
    await launcher.keepEnvironment?.();
    if (id === undefined) return entriesToPaste(servers, launcher);
    const client = this.client(id);
    const { files } = await this.#readRecord();
    const own = Object.values(files).filter((file) => file.client === client.id && file.project === undefined);
    const asTheClientHas = servers.map((server) => {
      const meta: Meta = Object.assign({}, server.meta, ...own.map((known) => ownMetaOf(known, server)));
      return Object.keys(meta).length === 0 ? server : { ...server, meta };
    });
    return entriesToPaste(asTheClientHas, launcher, client);
  }

  async #change(
    ids: readonly string[],
    choice: ChangeChoice,
    wantedIn: WantedIn,
    isRemoval = false,
  ): Promise<ChangeOutcome[]> {
    if (choice.http) checkDirect(await currentPolicy());
    const options: OperationOptions = {
      ...this.#options,
      files: this.#files,
      clients: this.#clients,
      now: () => this.#now(),
      locks: this.#locks,
      record: () => this.#open(),
      readRecord: () => this.#readRecord(),
    };
    return new Operation(options, choice, wantedIn).run(
      ids.map((id) => this.client(id)),
      isRemoval,
    );
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

  /** The current record. */
  async #readRecord(): Promise<WrittenRecord> {
    if (this.#record) return (await this.#record).read();
    return (await this.#open()).initial;
  }

  #surveying(servers: readonly ManagedServer[], record: WrittenRecord): SurveyOptions {
    const { env, launcher } = this.#options;
    const environment = { ...this.#options.environment, lookups: newLookups() };
    const recorded = new Map<string, ReturnType<typeof recordedFile>>();
    const recordOf = (client: ClientFacts, path: string) =>
      lookedUp(recorded, `${client.key.join('/')} ${path}`, () => recordedFile(client, path));
    // The command that entries start is looked for with the application's own PATH too.
    const commands = { ...this.#options.environment, env: { ...env, ...environment.env }, lookups: newLookups() };
    let readers: ReturnType<typeof readersOf> | undefined;
    return {
      environment,
      files: this.#files,
      servers,
      known: async (client, path) => knownOf(record, await recordOf(client, path), client),
      projects: (client) =>
        Object.values(record.files).flatMap(({ client: id, path, project }) =>
          id === client.id && path !== undefined && project !== undefined ? [{ path, project }] : [],
        ),
      sharing: async (client, path) => {
        const { key } = await recordOf(client, path);
        readers ??= readersOf(this.#clients, environment, recordOf);
        return ((await readers).get(key) ?? []).filter(({ id }) => id !== client.id);
      },
      entry: (client, file, server, present, known) =>
        correctionOf(client, entryToday(client, file, server, launcher, known), server.name, present, known),
      isProgram: async (command) =>
        isAbsolute(command) ? isThere(command) : (await findCommand(command, commands)) !== undefined,
    };
  }
}

/** The entry for all servers that leads to this one, too. */
function leadingTo({ profile }: ManagedServer, all: readonly AllServers[]): AllServers | undefined {
  return all.find((each) => each.profile === undefined || each.profile === profile);
}

/** The reports of those clients; of a project, its files alone. */
function report(clients: readonly ClientFacts[], options: SurveyOptions, project?: string): Promise<ClientReport[]> {
  if (project === undefined) return Promise.all(clients.map((client) => reportClient(client, options)));
  const reports = clients.map(async (client) => {
    const files = projectFile(client, project, false).map((file) => reportFile(client, file, options));
    const found = (await Promise.all(files)).filter(({ exists }) => exists);
    return { id: client.id, name: client.name, foundBy: found[0] ? `${found[0].path} exists` : null, files: found };
  });
  return Promise.all(reports);
}
