import type { clientRequests } from '../../preload/contract/clients.ts';
import type { AiClient, ClientBackup, ClientOutcome, ClientsReport, ClientTestInfo } from '../../preload/contract.ts';
import { FIRST_PROMPT } from '../../preload/format.ts';
import type { Causeway } from '../app/causeway.ts';
import { testEntries } from '../app/client-test/client-test.ts';
import { lastListedTools } from '../bridge/answer-store.ts';
import { allServers } from '../clients/all-servers.ts';
import { listBackups } from '../clients/backups.ts';
import { namesApplication, namesCallbackPort } from '../clients/entry.ts';
import { directly } from '../clients/native-sign-in.ts';
import type { ChangeOutcome, RestoreChoice } from '../clients/outcome.ts';
import { type Meta, pinIn, withPin } from '../clients/server-arguments.ts';
import type { HttpChoice } from '../clients/server-entry.ts';
import { findServer, type ManagedServer, openServers } from '../clients/servers.ts';
import type { ClientsService } from '../clients/service.ts';
import type { ClientReport, FileReport } from '../clients/survey.ts';
import { type LongNames, longNamesByClient } from '../clients/table.ts';
import type { Watching } from '../clients/watch.ts';
import { CausewayError } from '../platform/errors.ts';
import type { DesktopContext, HandlersOf } from './context.ts';
import { problemFor } from './failure.ts';
import { desktopEnvironment, openDesktopClients } from './open-clients.ts';

type Change = Parameters<HandlersOf<typeof clientRequests>['changeClients']>[0];

/** The longest line of a diff that is shown, in characters: a client may keep its whole history in one line. */
const MAX_LINE_LENGTH = 400;

/** The AI clients on this computer, as the window shows and changes them. Nothing is read before the first request. */
class Clients {
  readonly #context: DesktopContext;
  #opened: { service: ClientsService; watching: Watching } | undefined;
  /** The last listing, while nothing but this application has changed since. */
  #last: { servers: string; reports: ClientReport[] } | undefined;
  /** The clients that this application has changed since. */
  readonly #changed = new Set<string>();

  constructor(context: DesktopContext) {
    this.#context = context;
  }

  async list(): Promise<ClientsReport> {
    const [servers, service] = [await this.#servers(), this.#service];
    await this.#opened?.watching.ready;
    const [reports, longNames] = await Promise.all([this.#survey(servers), this.#longNames(servers)]);
    // What runs is asked only of clients that are here.
    const here = reports.filter(({ foundBy }) => foundBy !== null).map(({ id }) => id);
    const isRunning = await service.runningClients(here);
    return {
      servers: servers.map(({ meta, ...server }) => ({ ...server, pin: pinIn(meta) })),
      clients: reports.flatMap((report) => this.#clientOf(report, isRunning, longNames)),
      others: reports.filter(({ foundBy }) => foundBy === null).map(({ name }) => name),
    };
  }

  /** All clients; after a change of this application, those that it concerns alone. */
  async #survey(servers: ManagedServer[]): Promise<ClientReport[]> {
    const key = JSON.stringify(servers);
    const last = this.#last?.servers === key ? this.#last.reports : undefined;
    const changed = [...this.#changed];
    this.#changed.clear();
    this.#last = undefined;
    let reports: ClientReport[];
    if (last && changed.length > 0) {
      // Clients that share a file with one of those have changed with it.
      const sharing = last
        .filter(({ id }) => changed.includes(id))
        .flatMap(({ files }) => files.flatMap(({ sharedWith }) => sharedWith.map(({ id }) => id)));
      const fresh = await this.#service.surveyOf([...changed, ...sharing], servers);
      reports = last.map((report) => fresh.find(({ id }) => id === report.id) ?? report);
    } else reports = await this.#service.survey(servers);
    this.#last = { servers: key, reports };
    return reports;
  }

  async change(change: Change, { dryRun = false } = {}): Promise<ClientOutcome[]> {
    const outcomes = await this.#make(change, dryRun);
    if (!dryRun) {
      for (const { client } of outcomes) this.#changed.add(client);
      await this.#opened?.watching.settle();
    }
    return outcomes;
  }

  async #make(change: Change, dryRun: boolean): Promise<ClientOutcome[]> {
    const { action, clients, servers, itself, project, pin, allInOne, ...allowed } = change;
    const choice = { ...allowed, project: project ?? undefined, dryRun };
    if (action === 'remove') return (await this.#service.remove(clients, servers, choice)).map(outcomeOf);
    const all = await this.#servers();
    if (allInOne) return (await this.#service.addAll(clients, allServers(all), choice)).map(outcomeOf);
    const chosen = servers.map((name) => findServer({ servers: all }, name));
    const http = itself ? await this.#directly(chosen, itself) : undefined;
    const meta = pin ? (now: Meta) => withPin(now, pin.warehouseId) : undefined;
    return (await this.#service[action](clients, chosen, { ...choice, http, meta })).map(outcomeOf);
  }

  /** What a client will see of each server that it has an entry for. @throws {CausewayError} `not_found`, `cancelled` */
  async test(id: string, signal: AbortSignal): Promise<ClientTestInfo[]> {
    const { causeway, env } = this.#context;
    const entries = await this.#service.ownEntries([id], await this.#servers());
    const environment = desktopEnvironment(env);
    const options = { environment, folder: environment.home, auth: () => causeway.auth(), signal };
    return (await testEntries(entries, [this.#nameOf(id)], options)).map(({ error, tools, ...test }) => ({
      ...test,
      tools: tools.length,
      problem: error ? problemFor(error) : null,
    }));
  }

  async backups(): Promise<ClientBackup[]> {
    const backups = await listBackups(this.#context.env);
    return backups.map((backup) => ({ ...backup, client: this.#nameOf(backup.client) }));
  }

  async restore(id: string, choice: RestoreChoice): Promise<{ diff: string | null }> {
    const { diff } = await this.#service.restore(id, choice);
    return { diff: diff === undefined ? null : readable(diff) };
  }

  async json(client: string | null): Promise<string> {
    const { entries } = await this.#service.toPaste(await this.#servers(), client ?? undefined);
    return JSON.stringify(entries, null, 2);
  }

  /** Lets a client add a server itself. @throws {CausewayError} `not_found`, `unavailable` */
  async openInClient(id: string, name: string): Promise<void> {
    const server = findServer({ servers: await this.#servers() }, name);
    const link = (await this.#service.toPaste([server], id)).links[name];
    if (link === undefined) throw new CausewayError('not_found', `${this.#nameOf(id)} has no such link.`);
    await this.#context.shell.openInClient(link);
  }

  /** Opens a client with the first prompt filled in. @throws {CausewayError} `not_found` */
  async openWithPrompt(id: string): Promise<void> {
    const { name, promptLink } = this.#service.client(id);
    if (!promptLink) throw new CausewayError('not_found', `${name} has no such link.`);
    await this.#context.shell.openInClient(promptLink(FIRST_PROMPT));
  }

  async #directly(
    servers: ManagedServer[],
    { clientId, callbackPort }: NonNullable<Change['itself']>,
  ): Promise<HttpChoice> {
    return directly(servers, await this.#context.causeway.auth(), {
      clientId: clientId ?? undefined,
      callbackPort: callbackPort ?? undefined,
    });
  }

  get #service(): ClientsService {
    if (this.#opened) return this.#opened.service;
    const { env, emit, onClose } = this.#context;
    const service = openDesktopClients(env);
    const watching = service.watch(() => {
      this.#last = undefined;
      emit('clientsChanged', {});
    });
    this.#opened = { service, watching };
    onClose(() => watching.end());
    return service;
  }

  async #servers(): Promise<ManagedServer[]> {
    return (await openServers(this.#context.env)).initial.servers;
  }

  async #longNames(servers: ManagedServer[]): Promise<LongNames[]> {
    const { causeway, env } = this.#context;
    const each = servers.map(async (server) => longNamesByClient(server.name, await knownTools(causeway, env, server)));
    return (await Promise.all(each)).flat();
  }

  #clientOf(report: ClientReport, isRunning: string[], longNames: LongNames[]): AiClient[] {
    const { id, name, foundBy, files, problem, managed = [] } = report;
    if (foundBy === null) return [];
    const {
      also = [],
      mark,
      afterwards,
      warnings = [],
      deepLink,
      http,
      patience,
      project,
      promptLink,
      published,
    } = this.#service.client(id);
    return [
      {
        id,
        name,
        also,
        mark,
        foundBy,
        files: files.map((file) => ({ ...file, pins: pinsIn(file), problem: file.problem ?? null })),
        problem: problem ?? null,
        isRunning: isRunning.includes(id),
        afterwards,
        warnings: [...managed, ...warnings],
        longNames: longNames.filter(({ client }) => client === id).map(({ warning }) => warning),
        hasLink: deepLink !== undefined,
        opensPrompts: promptLink !== undefined,
        connectsItself: namesApplication(http),
        publishedApplication: published ?? null,
        takesCallbackPort: namesCallbackPort(http),
        patienceMs: patience?.ms ?? null,
        hasProjectFile: project !== undefined,
      },
    ];
  }

  /** A client's name; its id if only another version of Causeway knows it. */
  #nameOf(id: string): string {
    try {
      return this.#service.client(id).name;
    } catch {
      return id;
    }
  }
}

function pinsIn({ meta }: FileReport): Record<string, string> {
  const pins = Object.entries(meta).map(([server, own]) => [server, pinIn(own)]);
  return Object.fromEntries(pins.filter(([, pin]) => pin !== null));
}

function outcomeOf({ error, diff, afterwards, backup: _, sharedWith = [], ...outcome }: ChangeOutcome): ClientOutcome {
  return {
    ...outcome,
    diff: diff === undefined ? null : readable(diff),
    afterwards: afterwards ?? null,
    sharedWith,
    problem: error ? problemFor(error) : null,
  };
}

/** A diff with its long lines cut. */
function readable(diff: string): string {
  return diff
    .split('\n')
    .map((line) => (line.length > MAX_LINE_LENGTH ? `${line.slice(0, MAX_LINE_LENGTH)}…` : line))
    .join('\n');
}

export function clientHandlers(context: DesktopContext): HandlersOf<typeof clientRequests> {
  const clients = new Clients(context);
  return {
    listClients: () => clients.list(),
    previewClientChange: (change) => clients.change(change, { dryRun: true }),
    changeClients: (change) => clients.change(change),
    testClient: ({ job, client }) => context.jobs.run(job, (signal) => clients.test(client, signal)),
    listClientBackups: () => clients.backups(),
    previewClientRestore: ({ id }) => clients.restore(id, { dryRun: true }),
    restoreClientBackup: async ({ id, whileRunning }) => void (await clients.restore(id, { whileRunning })),
    clientJson: async ({ client }) => ({ text: await clients.json(client) }),
    copyClientJson: async ({ client }) => void context.shell.copy(await clients.json(client)),
    chooseProject: async () => ({ folder: await context.shell.chooseFolder({ title: 'Choose the project’s folder' }) }),
    openWithPrompt: async ({ client }) => void (await clients.openWithPrompt(client)),
    copyPrompt: async () => void context.shell.copy(FIRST_PROMPT),
    openInClient: async ({ client, server }) => void (await clients.openInClient(client, server)),
  };
}

/** The names of a server's tools from the answer cache; none if no client has listed them. Sends no request. */
async function knownTools(
  causeway: Causeway,
  env: NodeJS.ProcessEnv,
  { profile, path }: ManagedServer,
): Promise<string[]> {
  try {
    const { host } = await (await causeway.auth()).profile(profile);
    return ((await lastListedTools(env, { host, path, profile })) ?? []).map((tool) => tool.name);
  } catch {
    // The profile is gone: nothing is known to warn about.
    return [];
  }
}
