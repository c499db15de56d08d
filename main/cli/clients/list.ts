import type { EntryState } from '../../clients/state.ts';
import type { ClientReport, FileReport } from '../../clients/survey.ts';
import type { CommandContext } from '../command.ts';
import { bold, printable, writeJson, writeLine } from '../print.ts';
import { type CommonOptions, chosenServers, openClients, projectFolder } from './options.ts';

const WORDS: Record<EntryState, string> = {
  absent: 'not there',
  current: 'there',
  outdated: 'there, and would be written differently today',
  vanished: 'gone, though it was written',
  edited: 'changed since it was written',
  broken: 'starts a program that is not there',
  foreign: 'an entry of this name is not ours',
};

const REPAIRS: Partial<Record<EntryState, string>> = {
  outdated: 'writes it anew',
  vanished: 'puts it back',
  edited: 'puts it right',
  broken: 'puts it right',
};

/** `causeway clients`: every client that was found, by what, and the state of each server's entry. Writes nothing. */
export async function list(context: CommandContext, options: CommonOptions & { all?: boolean }): Promise<void> {
  const [servers, project] = [await chosenServers(context, options), await projectFolder(options)];
  const clients = openClients(context, options);
  const reports = await clients.survey(servers, project);
  const shown = reports.filter(({ because }) => options.all || because !== null);
  if (options.json) {
    const patience = (id: string) => clients.client(id).patience?.ms ?? null;
    return writeJson(
      context.stdout,
      shown.map((report) => ({ ...report, patienceMs: patience(report.id) })),
    );
  }
  if (shown.length === 0 && project !== undefined) {
    return writeLine(context.stderr, printable(`${project} has no file of an AI client yet.`));
  }
  if (shown.length === 0) return writeLine(context.stderr, 'No AI client was found; --all lists those that are known.');
  for (const report of shown) await print(context, report, clients.client(report.id).patience?.ms);
}

async function print(
  context: CommandContext,
  { id, name, because, files, problem }: ClientReport,
  patienceMs: number | undefined,
): Promise<void> {
  const line = (text: string) => writeLine(context.stdout, printable(text));
  await writeLine(context.stdout, `${bold(printable(name), context)} (${id})`);
  await line(because === null ? '  not found' : `  found because ${because}`);
  if (patienceMs !== undefined) await line(`  stops waiting for a call after ${patienceMs / 1000} s`);
  if (problem !== undefined) await line(`  ${problem}`);
  for (const file of files) await printFile(line, file);
}

async function printFile(line: (text: string) => Promise<void>, file: FileReport): Promise<void> {
  const { project, sharedWith } = file;
  const at = project === null ? '' : ` --project ${project}`;
  const others = sharedWith.length === 0 ? '' : ` (shared with ${sharedWith.map(({ name }) => name).join(', ')})`;
  await line(`  ${file.path}${file.exists ? '' : ' (not there yet)'}${others}`);
  if (file.problem !== undefined) await line(`    ${file.problem}`);
  for (const [server, state] of Object.entries(file.entries)) {
    const repair = file.repairable.includes(server) ? `; "causeway clients repair${at}" ${REPAIRS[state]}` : '';
    await line(`    ${server}: ${WORDS[state]}${repair}`);
  }
  for (const server of file.leftOver) await line(`    ${server}: ours, for a server that is no longer in the list`);
}
