import { checkClient, checkRemoval, type Policy } from '../permissions/policy/policy.ts';
import { currentPolicy, systemPolicy } from '../permissions/policy/system-policy.ts';
import { noteEvent } from '../platform/noted-events.ts';
import { ownMember } from '../platform/own-member.ts';
import type { SettingsFile } from '../platform/settings.ts';
import { change } from './change.ts';
import type { ClientFacts } from './client.ts';
import { detect, findCommand, type LocatedFile, locate, locateFormer, projectFile } from './detect.ts';
import { sameData } from './entry.ts';
import type { ClientFile, ClientFiles } from './files.ts';
import type { Launcher } from './launcher.ts';
import { managedCheck } from './managed.ts';
import {
  type ChangeChoice,
  type ChangeOutcome,
  changeOutcome,
  entryInUse,
  failed,
  notInstalled,
  shared,
} from './outcome.ts';
import type { HostEnvironment } from './places.ts';
import type { Plan, Wanted } from './plan.ts';
import { type FileRecord, knownOf, recordedFile, type WrittenRecord } from './record.ts';
import { refuseRunning } from './running.ts';
import { SHARED_COMMAND } from './server-entry.ts';
import { type ClientName, type ReadFile, readersOf, readFileOf } from './survey.ts';

export interface OperationOptions {
  env: NodeJS.ProcessEnv;
  environment: HostEnvironment;
  files: ClientFiles;
  launcher: Launcher;
  /** All known clients. */
  clients: readonly ClientFacts[];
  running(): Promise<Set<string>>;
  now(): number;
  /** The folder of Causeway's locks. */
  locks: string;
  record(): Promise<SettingsFile<WrittenRecord>>;
  readRecord(): Promise<WrittenRecord>;
}

/** A client's file as read before it is locked. */
interface FoundFile {
  read: ReadFile;
  known: FileRecord | undefined;
}

/** Returns the wanted state of a file's entries. */
export type WantedIn = (client: ClientFacts, file: LocatedFile, found: FoundFile) => Wanted | Promise<Wanted>;

/**
 * One change of several clients' files. The record is read once, and each file once to see what changes; what changes is read
 * again under its lock (`change`).
 */
export class Operation {
  readonly #options: OperationOptions;
  readonly #choice: ChangeChoice;
  readonly #wantedIn: WantedIn;
  /** The record as it was read, or as this operation has changed it: clients may share a file. */
  #record: WrittenRecord | undefined;

  constructor(options: OperationOptions, choice: ChangeChoice, wantedIn: WantedIn) {
    this.#options = options;
    this.#choice = choice;
    this.#wantedIn = wantedIn;
  }

  /**
   * Changes the files of these clients, or of all that are installed if none is named.
   * @param isRemoval whether clients that share a file with one of those may lose entries
   */
  async run(named: readonly ClientFacts[], isRemoval: boolean): Promise<ChangeOutcome[]> {
    const outcomes: ChangeOutcome[] = [];
    const policy = await currentPolicy();
    const { clients, environment } = this.#options;
    const { project } = this.#choice;
    const isNamed = named.length > 0;
    const losing = isRemoval ? await this.#othersThatLose(named) : async () => [];
    for (const client of isNamed ? named : clients) {
      const { installed } = await detect(client, environment);
      try {
        if (installed || project !== undefined) {
          holdPolicy(policy, client, isRemoval);
          for (const file of await this.#filesOf(client, isNamed)) {
            outcomes.push(...(await this.#change(client, file, this.#wantedIn, await losing(client, file))));
          }
          if (project === undefined) outcomes.push(...(await this.#empty(client)));
        } else if (isNamed) throw notInstalled(client, isRemoval);
      } catch (error) {
        outcomes.push(failed(client, null, error));
      }
    }
    return outcomes;
  }

  /** Tells which clients that are not named read the entries of one that is. */
  async #othersThatLose(named: readonly ClientFacts[]) {
    const { clients, environment } = this.#options;
    if (named.length === 0 || this.#choice.project !== undefined) return async () => [];
    const readers = await readersOf(clients, environment);
    return async (client: ClientFacts, { path }: LocatedFile): Promise<ClientName[]> => {
      const { key } = await recordedFile(client, path);
      return (readers.get(key) ?? []).filter(({ id }) => !named.some((one) => one.id === id));
    };
  }

  /** The user's own files of a client, or that of the chosen project. */
  async #filesOf(client: ClientFacts, isNamed: boolean): Promise<LocatedFile[]> {
    const { clients, environment } = this.#options;
    const { project } = this.#choice;
    return project === undefined ? locate(client, environment) : projectFile(client, project, isNamed && clients);
  }

  /** Removes entries from their former files if they are now written elsewhere or removed. */
  async #empty(client: ClientFacts): Promise<ChangeOutcome[]> {
    const outcomes: ChangeOutcome[] = [];
    const emptied: WantedIn = async (...found) =>
      new Map([...(await this.#wantedIn(...found)).keys()].map((name) => [name, undefined]));
    for (const file of await locateFormer(client, this.#options.environment)) {
      if (!(await this.#known(client, file))) continue;
      outcomes.push(...(await this.#change(client, file, emptied, [], false)));
    }
    return outcomes.filter(({ result }) => result !== 'unchanged');
  }

  async #change(
    client: ClientFacts,
    file: LocatedFile,
    wantedIn: WantedIn,
    sharedWith: ClientName[],
    replace = this.#choice.replace,
  ): Promise<ChangeOutcome[]> {
    const { env, files, launcher, locks, now } = this.#options;
    try {
      const known = await this.#known(client, file);
      const requested = await wantedIn(client, file, { read: await readFileOf(client, file, files), known });
      const { wanted, refusals } = await this.#allowed(client, file, requested);
      if (wanted.size === 0 && refusals.length > 0) return refusals;
      const planned = await files.plan(client, place(file), wanted, { replace, known });
      const isChange = planned.change !== undefined;
      const result = async () => {
        if (this.#choice.dryRun) return planned;
        const writesEntry = [...wanted.values()].some((entry) => entry !== undefined);
        if (isChange) await this.#prepare(client, file, sharedWith, writesEntry);
        // Even where the entries stay: proxies and certificates may have changed.
        if (writesEntry) await launcher.keepEnvironment?.();
        if (!(isChange || forgets(planned, known))) return planned;
        const record = await this.#options.record();
        const changed = await change(client, place(file), wanted, { replace, env, files, locks, record, now });
        this.#record = changed.remembered;
        if (changed.change) noteEntries(env, client, file, { wanted, known });
        return changed;
      };
      const done = await result();
      const refused = done.inUse.map((name) =>
        failed(client, file, entryInUse(client, file, name, done.inUse.length === wanted.size)),
      );
      refused.push(...refusals);
      if (refused.length > 0 && !done.change) return refused;
      const isThere = file.project === undefined || (await this.#isShared());
      const outcome = changeOutcome(client, file, done, this.#choice, isThere);
      return [isChange && sharedWith.length > 0 ? { ...outcome, sharedWith } : outcome, ...refused];
    } catch (error) {
      const outcome = failed(client, file, error);
      return [sharedWith.length > 0 ? { ...outcome, sharedWith } : outcome];
    }
  }

  /** What must hold, and what entries start must be there, before a file is changed. */
  async #prepare(
    client: ClientFacts,
    file: LocatedFile,
    sharedWith: ClientName[],
    writesEntry: boolean,
  ): Promise<void> {
    const { evenShared, whileRunning } = this.#choice;
    if (sharedWith.length > 0 && !evenShared) throw shared(client, file, sharedWith);
    if (file.project !== undefined) return;
    if (!whileRunning) await refuseRunning(client, this.#options.running);
    if (writesEntry) await this.#options.launcher.prepare();
  }

  /** The wanted entries without those that the client's own administrator forbids, and the errors for those. */
  async #allowed(
    client: ClientFacts,
    file: LocatedFile,
    requested: Wanted,
  ): Promise<{ wanted: Wanted; refusals: ChangeOutcome[] }> {
    const refusals: ChangeOutcome[] = [];
    const wanted: Wanted = new Map(requested);
    if (![...requested.values()].some((entry) => entry !== undefined)) return { wanted, refusals };
    const check = await managedCheck(client, this.#options.environment, this.#options.files);
    for (const [name, entry] of requested) {
      const error = entry && check(name, entry.fixed);
      if (!error) continue;
      wanted.delete(name);
      refusals.push(failed(client, file, error));
    }
    // If the new entry is not allowed, the entries that it would replace stay.
    return { wanted: refusals.length > 0 ? onlyEntries(wanted) : wanted, refusals };
  }

  /** Whether the PATH of this process or of the user's terminal leads to the command of entries that a team shares. */
  async #isShared(): Promise<boolean> {
    const { env, environment } = this.#options;
    return (await findCommand(SHARED_COMMAND, { ...environment, env: { ...env, ...environment.env } })) !== undefined;
  }

  async #known(client: ClientFacts, { path }: LocatedFile): Promise<FileRecord | undefined> {
    this.#record ??= await this.#options.readRecord();
    return knownOf(this.#record, await recordedFile(client, path), client);
  }
}

/** @throws {CausewayError} `managed` if the organization does not let a client be changed in this way */
function holdPolicy(policy: Policy, client: ClientFacts, isRemoval: boolean): void {
  if (!isRemoval) checkClient(policy, client);
  else if (!systemPolicy().isBeingRemoved) checkRemoval(policy, client);
}

/** Tells the audit. */
function noteEntries(
  env: NodeJS.ProcessEnv,
  { id }: ClientFacts,
  { path }: LocatedFile,
  { wanted, known }: { wanted: Wanted; known: FileRecord | undefined },
): void {
  const written = [...onlyEntries(wanted).keys()];
  const removed = Object.keys(known?.entries ?? {}).filter((name) => wanted.has(name) && !written.includes(name));
  noteEvent(env, 'entry-change', { client: id, file: path, written, removed });
}

/** What distinguishes a file from others; the rest is for building entries. */
function place({ path, project }: LocatedFile): ClientFile {
  return project === undefined ? { path } : { path, project };
}

function onlyEntries(wanted: Wanted): Wanted {
  return new Map([...wanted].filter(([, entry]) => entry !== undefined));
}

/** Whether the record has something about our entry that the text no longer has, or that is no longer wanted. */
function forgets({ record }: Plan, known: FileRecord | undefined): boolean {
  if (!sameData(record.meta ?? {}, known?.meta ?? {})) return true;
  return Object.keys(known?.entries ?? {}).some((name) => ownMember(record.entries, name) === undefined);
}
