import type { ClientOutcome } from '../../preload/contract/clients.ts';
import { asCausewayError, CausewayError } from '../platform/errors.ts';
import type { Changed } from './change.ts';
import type { ClientFacts } from './client.ts';
import type { LocatedFile } from './detect.ts';
import { namesCallbackPort } from './entry.ts';
import type { Plan } from './plan.ts';
import type { Meta } from './server-arguments.ts';
import { type HttpChoice, SHARED_COMMAND } from './server-entry.ts';
import type { ClientName } from './survey.ts';

/** The result of one file. */
export interface ChangeOutcome extends Pick<ClientOutcome, 'client' | 'name' | 'file' | 'result' | 'warnings'> {
  /** The difference, as a unified diff. */
  diff?: string;
  backup?: string;
  /** What the user must do before it takes effect. */
  afterwards?: string;
  /** Other clients that read the same entries and so lose, or lost, them too. */
  sharedWith?: ClientName[];
  /** Why the file was not changed. */
  error?: CausewayError;
}

/**
 * The result of a file that was, or would be, changed.
 * @param isCommandThere whether the PATH leads to the command that entries in a project's file start
 */
export function changeOutcome(
  client: ClientFacts,
  file: LocatedFile,
  planned: Plan | Changed,
  { dryRun, http }: ChangeChoice,
  isCommandThere: boolean,
): ChangeOutcome {
  const { id, name, afterwards } = client;
  const { change } = planned;
  const adds = Object.keys(planned.record.entries).length > 0;
  const besides = [
    ...(client.warnings ?? []),
    ...(file.warning ? [file.warning] : []),
    ...(file.project === undefined ? [] : aboutProject(client, isCommandThere)),
    ...unsaid(client, http),
  ];
  const warnings = change && adds ? [...planned.warnings, ...besides] : planned.warnings;
  const base = { client: id, name, file: file.path, warnings };
  if (!change) return { ...base, result: 'unchanged' };
  const backup = 'backup' in planned && planned.backup ? { backup: planned.backup.id } : {};
  return {
    ...base,
    result: dryRun === true ? 'would-change' : 'written',
    diff: change.diff,
    ...backup,
    afterwards,
  };
}

/** What must be so for the entries of a project's file to start. A file that a team shares has no path of this computer in it. */
function aboutProject({ name, project }: ClientFacts, isCommandThere: boolean): string[] {
  const missing = `The entries start the command ${SHARED_COMMAND}. It is not on the PATH here. Install it in a folder on the PATH, then restart ${name}.`;
  return [...(isCommandThere ? [] : [missing]), ...(project?.trust === undefined ? [] : [project.trust])];
}

/** What was asked for and has no place in a client's entry. */
function unsaid({ name, http: shape }: ClientFacts, http: HttpChoice | undefined): string[] {
  const port = http?.callbackPort;
  if (port === undefined || namesCallbackPort(shape)) return [];
  return [`${name} chooses its own callback port. --callback-port ${port} was ignored.`];
}

/** The result of a file or a client that failed. */
export function failed({ id, name }: ClientFacts, file: LocatedFile | null, error: unknown): ChangeOutcome {
  const known = asCausewayError(error);
  return { client: id, name, file: file?.path ?? null, result: 'failed', warnings: [], error: known };
}

/** The error for a requested client that is not installed. */
export function notInstalled({ name }: ClientFacts, isRemoval: boolean): CausewayError {
  return new CausewayError('not_found', `${name} was not found on this computer.`, {
    remedy: isRemoval
      ? 'There is nothing to remove.'
      : 'Nothing was written. Install it, or open it once, then try again.',
  });
}

/** The error for a name that an entry of another owner uses; `alone` if nothing else was to be written. */
export function entryInUse({ name }: ClientFacts, file: LocatedFile, entry: string, alone: boolean): CausewayError {
  return new CausewayError('already_exists', `${file.path} has an entry "${entry}" that Causeway did not write.`, {
    remedy: alone ? 'Nothing was written.' : 'It was not changed.',
    action: { do: 'free-entry', client: name },
  });
}

/** The error for entries that other clients would lose, too. */
export function shared({ name }: ClientFacts, file: LocatedFile, others: ClientName[]): CausewayError {
  const names = others.map((other) => other.name).join(' and ');
  return new CausewayError(
    'shared_file',
    `${names} would lose the same entries: ${name} shares ${file.path} with them.`,
    {
      remedy: 'Nothing was written.',
      action: { do: 'remove-shared', clients: [name, ...others.map((other) => other.name)] },
    },
  );
}

/** The options of a change. */
export interface ChangeChoice {
  http?: HttpChoice | undefined;
  dryRun?: boolean | undefined;
  /** Replaces entries of the same names that are not ours. */
  replace?: boolean | undefined;
  /** Changes the file even while the client runs and may overwrite the change. */
  whileRunning?: boolean | undefined;
  /** Removes entries even from a file that other clients read, which lose them, too. */
  evenShared?: boolean | undefined;
  /** What the entries carry in `_meta` in addition to their servers' presets, given what they carry now; unchanged if left out. */
  meta?: ((now: Meta) => Meta) | undefined;
  /** If a file has one entry for all servers, these entries replace it. */
  insteadOfAll?: boolean | undefined;
  /** Changes the files of the project in this folder, instead of the user's own. */
  project?: string | undefined;
}

/** The options for restoring a backup. */
export type RestoreChoice = Pick<ChangeChoice, 'dryRun' | 'whileRunning'>;
