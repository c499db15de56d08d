import { clockTime } from '../../../preload/contract/words/times.ts';
import { type AllServers, allServers } from '../../clients/all-servers.ts';
import { listBackups } from '../../clients/backups.ts';
import { directly } from '../../clients/native-sign-in.ts';
import type { ChangeChoice, ChangeOutcome } from '../../clients/outcome.ts';
import { parseMeta } from '../../clients/server-arguments.ts';
import type { HttpChoice } from '../../clients/server-entry.ts';
import type { ManagedServer } from '../../clients/servers.ts';
import { CausewayError, sentences } from '../../platform/errors.ts';
import { inOneLine } from '../../words/failure.ts';
import type { CommandContext } from '../command.ts';
import { exitCodeOfAll } from '../failure.ts';
import { agreeOrCancel, canAsk } from '../question.ts';
import {
  identifierText,
  printable,
  write,
  writeAnswer,
  writeDone,
  writeJson,
  writeLine,
  writeNotice,
  writeTable,
} from '../terminal.ts';
import { changeAnswer } from './change-answer.ts';
import { type ClientOptions, chosenServers, openClients, projectFolder } from './options.ts';

export interface ClientCommandOptions extends ClientOptions {
  dryRun?: boolean;
  yes?: boolean;
  force?: boolean;
}

interface AllInOneOptions {
  /** One entry for all servers. */
  allInOne?: boolean;
  /** With `allInOne`: only the servers of this profile. */
  profile?: string;
}

interface HttpOptions {
  http?: boolean;
  clientId?: string;
  callbackPort?: string;
}

export interface AddClientOptions extends ClientCommandOptions, AllInOneOptions, HttpOptions {
  /** True if neither --meta nor --no-meta is given. */
  meta?: string[] | boolean;
}

/** `causeway clients add [CLIENT…]`: an entry for each server in each client. */
export async function addClients(context: CommandContext, ids: string[], options: AddClientOptions): Promise<void> {
  const servers = await chosenServers(context, options);
  if (servers.length === 0) {
    throw new CausewayError('not_found', 'There are no servers to add.', {
      action: { do: 'add-server' },
    });
  }
  const { project } = options;
  if (project !== undefined && ids.length === 0) {
    throw new CausewayError('usage', '--project needs the names of AI clients.', {
      remedy: 'Name them, for example: causeway clients add claude-code cursor --project.',
    });
  }
  const clients = openClients(context, options);
  if (options.allInOne) {
    const all = allInOne(servers, options);
    return change(context, options, await choice(options), (chosen) => clients.addAll(ids, all, chosen));
  }
  const meta = metaChoice(ids, servers, options);
  const http = await httpChoice(context, servers, options);
  const insteadOfAll = options.server === undefined;
  const wanted = { ...(await choice(options)), http, meta, insteadOfAll };
  await change(context, options, wanted, (chosen) => clients.add(ids, servers, chosen));
}

const ITS_PINS =
  'Its servers can have their own afterwards: causeway clients add CLIENT --server NAME --meta warehouse_id=ID';

/** The entry for all servers. @throws {CausewayError} `usage` if other options are about some servers only */
function allInOne(
  servers: ManagedServer[],
  options: Pick<AddClientOptions, 'server' | 'http' | 'meta' | 'profile'>,
): AllServers {
  const { server, http, meta = true, profile } = options;
  if (server !== undefined || http || meta !== true) {
    throw new CausewayError('usage', '--all-in-one writes one entry for all servers.', {
      remedy: sentences('Leave --server, --http and --meta out.', meta === true ? '' : ITS_PINS),
    });
  }
  if (profile !== undefined && !servers.some((one) => one.profile === profile)) {
    throw new CausewayError('not_found', `No server in the list uses the profile "${profile}".`, {
      action: { do: 'add-server' },
    });
  }
  return allServers(servers, profile);
}

/** `causeway clients diff [CLIENT…]`: what `add` would change. */
export function diffClients(context: CommandContext, ids: string[], options: ClientOptions): Promise<void> {
  return addClients(context, ids, { ...options, dryRun: true });
}

/** `causeway clients remove [CLIENT…]`: removes our entries, also those whose server is no longer in the list. */
export async function removeClients(
  context: CommandContext,
  ids: string[],
  options: ClientCommandOptions,
): Promise<void> {
  const clients = openClients(context, options);
  const chosen = await choice(options);
  const names = options.server ?? (await clients.ownNames(ids, chosen.project));
  await change(context, options, chosen, (now) => clients.remove(ids, names, now));
  const projects = chosen.project === undefined && ids.length === 0 ? await clients.projects() : [];
  for (const folder of projects) {
    await writeNotice(context, `${folder} has entries too: causeway clients remove --project ${folder}`);
  }
}

/** `causeway clients repair [CLIENT…]`: corrects our entries that are not as they should be. */
export async function repairClients(
  context: CommandContext,
  ids: string[],
  options: ClientCommandOptions,
): Promise<void> {
  const servers = await chosenServers(context, options);
  const clients = openClients(context, options);
  await change(context, options, await choice(options), (chosen) => clients.repair(ids, servers, chosen));
}

/**
 * Changes the clients' files and says what became of each. On a terminal the user sees the difference first, and agrees to all of
 * it, also to what other clients lose that share a file; a script is not asked, and leaves such files alone without `--yes`.
 */
async function change(
  context: CommandContext,
  options: ClientCommandOptions,
  chosen: ChangeChoice,
  make: (choice: ChangeChoice) => Promise<ChangeOutcome[]>,
): Promise<void> {
  const isAsked = !chosen.dryRun && !options.yes && !options.json && canAsk(context);
  if (!isAsked) return report(context, options, await make(chosen));
  const agreed = { ...chosen, evenShared: true };
  const planned = (await make({ ...agreed, dryRun: true })).filter(({ result }) => result === 'would-change');
  for (const outcome of planned) await writeOutcome(context, outcome, true);
  if (planned.length > 0) await agreeOrCancel(context, 'Write this?');
  await report(context, options, await make(agreed));
}

async function choice(options: ClientCommandOptions): Promise<ChangeChoice> {
  const { dryRun, force, yes } = options;
  return { dryRun, replace: force, whileRunning: force, evenShared: yes, project: await projectFolder(options) };
}

function metaChoice(
  ids: string[],
  servers: ManagedServer[],
  { meta = true, server }: AddClientOptions,
): ChangeChoice['meta'] {
  if (meta === true) return undefined;
  if (ids.length === 0 || (server === undefined && servers.length > 1)) {
    throw new CausewayError('usage', '--meta and --no-meta need servers and clients.', {
      remedy: 'Name both, for example: causeway clients add cursor --server databricks-sql --meta warehouse_id=ID.',
    });
  }
  const wanted = meta === false ? {} : parseMeta(meta);
  return () => wanted;
}

async function httpChoice(
  context: CommandContext,
  servers: ManagedServer[],
  { http, clientId, callbackPort }: HttpOptions,
): Promise<HttpChoice | undefined> {
  if (!http) {
    if (clientId === undefined && callbackPort === undefined) return undefined;
    throw new CausewayError('usage', '--client-id and --callback-port work only with --http.', {
      remedy: 'Add --http, or leave them out.',
    });
  }
  const port = callbackPort === undefined ? undefined : Number(callbackPort);
  if (port !== undefined && !(Number.isInteger(port) && port > 0 && port < 65536)) {
    throw new CausewayError('usage', `--callback-port "${callbackPort}" is not a port.`, {
      remedy: 'Give 1 to 65535.',
    });
  }
  return directly(servers, await context.causeway().auth(), { clientId, callbackPort: port });
}

async function report(
  context: CommandContext,
  options: ClientCommandOptions,
  outcomes: ChangeOutcome[],
): Promise<void> {
  context.setExitCode(exitCodeOfAll(outcomes.flatMap(({ error }) => error ?? [])));
  if (options.json) {
    const dryRun = options.dryRun === true;
    return writeAnswer(context, 'clients add', { dryRun, changes: outcomes.map(changeAnswer) });
  }
  if (outcomes.length === 0) return writeNotice(context, 'No AI clients found.');
  for (const outcome of outcomes) await writeOutcome(context, outcome, options.dryRun === true);
}

/** Says what became, or would become, of a client's file. @param isShown whether that is what was asked for */
export async function writeOutcome(context: CommandContext, outcome: ChangeOutcome, isShown: boolean): Promise<void> {
  const { name, file, result, diff = '', backup, afterwards, sharedWith = [], warnings, error } = outcome;
  if (error) return writeLine(context.stderr, `${name}: ${inOneLine(error)}`);
  // What a dry run would change was asked for.
  const say = isShown ? (text: string) => writeLine(context.stdout, text) : (text: string) => writeDone(context, text);
  await say(`${name}: ${identifierText(result)}${file === null ? '' : ` ${file}`}`);
  if (result === 'would-change') {
    for (const text of diff.trimEnd().split('\n')) await write(context.stdout, `${printable(text)}\n`);
  }
  const isWritten = result === 'written';
  const notes = [
    ...(backup === undefined ? [] : [`to undo this: causeway clients restore ${backup}`]),
    ...(isWritten && afterwards !== undefined ? [afterwards] : []),
    ...sharedWith.map(
      (other) => `${other.name} reads the same file, and ${isWritten ? 'lost' : 'would lose'} them too.`,
    ),
    ...warnings,
  ];
  for (const note of notes) await say(`  ${note}`);
}

/** `causeway clients backups`: the backups of clients' files, the newest first. */
export async function backups(context: CommandContext, options: ClientOptions): Promise<void> {
  const all = await listBackups(context.env);
  if (options.json) {
    const listed = all.map(({ id, client, file, at, missing }) => ({
      id,
      client,
      file,
      at: new Date(at).toISOString(),
      missing,
    }));
    return writeAnswer(context, 'clients backups', { backups: listed });
  }
  if (all.length === 0) return writeNotice(context, 'No backups yet. Causeway has not changed any files.');
  const rows = all.map(({ id, client, at, file, missing }) => [
    id,
    client,
    clockTime(at, Date.now()),
    missing ? `${file} (did not exist)` : file,
  ]);
  await writeTable(context, rows, ['BACKUP', 'CLIENT', 'WHEN', 'FILE']);
}

/** `causeway clients restore BACKUP`. */
export async function restore(
  context: CommandContext,
  id: string,
  options: ClientOptions & { dryRun?: boolean; force?: boolean },
): Promise<void> {
  const { dryRun, force } = options;
  const restored = await openClients(context, options).restore(id, { dryRun, whileRunning: force });
  const { file, kept, result, diff } = restored;
  if (options.json) {
    const dry = dryRun === true;
    return writeAnswer(context, 'clients restore', {
      dryRun: dry,
      file,
      result,
      diff: diff ?? null,
      kept: kept ?? null,
    });
  }
  if (result === 'would-restore') {
    await writeLine(context.stdout, `would restore ${file}`);
    for (const line of (diff ?? '').trimEnd().split('\n')) await write(context.stdout, `${printable(line)}\n`);
    return;
  }
  await writeDone(context, `Restored ${file}.`);
  if (kept !== undefined) await writeDone(context, `To undo this: causeway clients restore ${kept}`);
}

/**
 * `causeway clients json [CLIENT]`: what to paste where Causeway does not write, in the shape that nearly every client takes
 * or in one client's own, with the link by which that client adds it itself if it has one.
 */
export async function json(
  context: CommandContext,
  id: string | undefined,
  options: ClientOptions & AllInOneOptions & HttpOptions,
): Promise<void> {
  const clients = openClients(context, options);
  const servers = await chosenServers(context, options);
  const shown = options.allInOne ? [allInOne(servers, options)] : servers;
  if (options.http && id === undefined) {
    throw new CausewayError('usage', '--http needs the name of an AI client: each writes an address in its own way.', {
      remedy: 'Name one, for example: causeway clients json claude-code --http.',
    });
  }
  const http = await httpChoice(context, servers, options);
  const { entries, links } = await clients.toPaste(shown, id, http);
  const client = id === undefined ? null : clients.client(id).id;
  if (options.json) return writeAnswer(context, 'clients json', { client, entries, links });
  if (client === null) return writeJson(context.stdout, entries);
  const followed = Object.keys(links).length === 0 ? {} : { links };
  await writeJson(context.stdout, { client, entries, ...followed });
}
