import { sep } from 'node:path';
import type { ClientFacts } from '../../clients/client.ts';
import { formatMeta } from '../../clients/server-arguments.ts';
import type { ClientsService } from '../../clients/service.ts';
import type { ClientReport, FileReport } from '../../clients/survey.ts';
import { homeFolder } from '../../platform/paths.ts';
import type { Answer } from '../answers/answers.ts';
import type { CommandContext } from '../command.ts';
import { bold, printable, writeAnswer, writeLine, writeNotice, writeStyledLine, writeTable } from '../terminal.ts';
import { STATE_TEXTS, shownEntries } from './entry-states.ts';
import { type ClientOptions, chosenServers, openClients, projectFolder } from './options.ts';

const REPAIRS: Partial<Record<FileReport['entries'][string], string>> = {
  outdated: 'updates it',
  vanished: 'restores it',
  edited: 'fixes it',
  broken: 'fixes it',
  'not-on-path': 'uses the full path of the command',
};

/** `causeway clients`: the clients that were found and the state of each entry; of those that are named, all details. Writes nothing. */
export async function listClients(
  context: CommandContext,
  ids: string[],
  options: ClientOptions & { all?: boolean },
): Promise<void> {
  const [servers, project] = [await chosenServers(context, options), await projectFolder(options)];
  const clients = openClients(context, options);
  const named = new Set(ids.map((id) => clients.client(id).id));
  const reports = await clients.survey(servers, project);
  const shown = reports.filter(({ id, foundBy }) => (named.size > 0 ? named.has(id) : options.all || foundBy !== null));
  if (options.json) {
    return writeAnswer(context, 'clients list', { clients: shown.map((report) => clientAnswer(clients, report)) });
  }
  if (shown.length === 0 && project !== undefined) {
    return writeNotice(context, `${project} has no AI client files yet.`);
  }
  if (shown.length === 0) return writeNotice(context, 'No AI clients found. --all lists all supported clients.');
  if (named.size === 0) return printTable(context, shown);
  for (const report of shown) await printReport(context, report, clients.client(report.id));
}

/** A client as commands print it. */
export function clientAnswer(clients: ClientsService, report: ClientReport): Answer<'clients list'>['clients'][number] {
  const { id, name, foundBy, files, managed = [], problem = null } = report;
  const patienceMs = clients.client(id).patience?.ms ?? null;
  return { id, name, foundBy, patienceMs, files: files.map(fileAnswer), managed, problem };
}

function fileAnswer(file: FileReport): Answer<'clients list'>['clients'][number]['files'][number] {
  const {
    path,
    exists,
    entries,
    all,
    servedByAll,
    leftOver,
    repairable,
    sharedWith,
    project,
    meta,
    problem = null,
  } = file;
  return { path, exists, entries, all, servedByAll, leftOver, repairable, sharedWith, project, meta, problem };
}

/** A row for each entry, and below the table what can be done about those that need something. */
async function printTable(context: CommandContext, reports: readonly ClientReport[]): Promise<void> {
  const home = homeFolder(context.env);
  const rows = reports.flatMap((report) => {
    const ofFiles = report.files.flatMap((file) => entryRows(report, { ...file, path: shortPath(file.path, home) }));
    return ofFiles.length > 0 ? ofFiles : [[report.name, report.id, '-', report.problem ?? foundText(report), '-']];
  });
  await writeTable(context, rows, ['CLIENT', 'ID', 'SERVER', 'STATE', 'FILE']);
  const repairs = new Set(reports.flatMap(({ files }) => files.filter(isRepairable).map(repairCommand)));
  for (const command of repairs) await writeNotice(context, `To repair entries: ${command}`);
  await writeNotice(context, 'Details of a client: causeway clients list CLIENT');
}

function entryRows({ name, id, foundBy }: ClientReport, file: FileReport): string[][] {
  const row = (server: string, state: string) => [name, id, server, state, file.path];
  if (file.problem !== undefined) return [row('-', file.problem)];
  const entries = shownEntries(file).map(([server, state]) =>
    row(file.all.includes(server) ? `${server} (all servers)` : server, STATE_TEXTS[state]),
  );
  const leftOver = file.leftOver.map((server) => row(server, LEFT_OVER));
  const all = [...entries, ...leftOver];
  return all.length > 0 ? all : [row('-', foundBy === null ? NOT_FOUND : 'no entries')];
}

const NOT_FOUND = 'not found';
const LEFT_OVER = 'left over from a removed server';

function foundText({ foundBy }: ClientReport): string {
  return foundBy === null ? NOT_FOUND : `found because ${foundBy}`;
}

/** A path with `~` in place of the home folder. */
function shortPath(path: string, home: string): string {
  return path.startsWith(`${home}${sep}`) ? `~${path.slice(home.length)}` : path;
}

function isRepairable({ repairable }: FileReport): boolean {
  return repairable.length > 0;
}

function repairCommand({ project }: FileReport): string {
  return `causeway clients repair${project === null ? '' : ` --project ${project}`}`;
}

async function printReport(
  context: CommandContext,
  report: ClientReport,
  { also, patience }: ClientFacts,
): Promise<void> {
  const { id, name, files, problem, managed = [] } = report;
  const line = (text: string) => writeLine(context.stdout, text);
  await writeStyledLine(context.stdout, `${bold(printable(name), context)} (${id})`);
  await line(`  ${foundText(report)}`);
  if (also) await line(`  also read by ${also.join(', ')}`);
  if (patience) await line(`  call timeout: ${patience.ms / 1000} s`);
  if (problem !== undefined) await line(`  ${problem}`);
  for (const decision of managed) await line(`  ${decision}`);
  for (const file of files) await printFile(line, file);
}

async function printFile(line: (text: string) => Promise<void>, file: FileReport): Promise<void> {
  const { sharedWith } = file;
  const others = sharedWith.length === 0 ? '' : ` (shared with ${sharedWith.map(({ name }) => name).join(', ')})`;
  await line(`  ${file.path}${file.exists ? '' : ' (not created yet)'}${others}`);
  if (file.problem !== undefined) await line(`    ${file.problem}`);
  for (const [server, state] of shownEntries(file)) {
    const what = file.all.includes(server) ? 'all servers in one entry, ' : '';
    const repair = file.repairable.includes(server) ? `; \`${repairCommand(file)}\` ${REPAIRS[state]}` : '';
    await line(`    ${server}: ${what}${STATE_TEXTS[state]}${repair}`);
  }
  for (const [server, meta] of Object.entries(file.meta))
    await line(`    ${server}: calls include ${formatMeta(meta)}`);
  for (const server of file.leftOver) await line(`    ${server}: ${LEFT_OVER}`);
}
