import type { EntryState } from '../../clients/state.ts';
import type { ClientReport, FileReport } from '../../clients/survey.ts';
import type { CommandContext } from '../command.ts';
import { bold, printable, writeJson, writeLine } from '../print.ts';
import { type CommonOptions, chosenServers, openClients } from './options.ts';

const WORDS: Record<EntryState, string> = {
  absent: 'not there',
  current: 'there',
  vanished: 'gone, though it was written; "causeway clients repair" puts it back',
  edited: 'changed; "causeway clients repair" puts it right',
  broken: 'leads to an executable that is gone; "causeway clients repair" puts it right',
  foreign: 'an entry of this name is not ours',
};

/** `causeway clients`: every client that was found, by what, and the state of each server's entry. Writes nothing. */
export async function list(context: CommandContext, options: CommonOptions & { all?: boolean }): Promise<void> {
  const servers = await chosenServers(context, options);
  const reports = await openClients(context, options).survey(servers);
  const shown = reports.filter(({ because }) => options.all || because !== null);
  if (options.json) return writeJson(context.stdout, shown);
  if (shown.length === 0) return writeLine(context.stderr, 'No AI client was found; --all lists those that are known.');
  for (const report of shown) await print(context, report);
}

async function print(context: CommandContext, { id, name, because, files, problem }: ClientReport): Promise<void> {
  const line = (text: string) => writeLine(context.stdout, printable(text));
  await writeLine(context.stdout, `${bold(printable(name), context)} (${id})`);
  await line(because === null ? '  not found' : `  found because ${because}`);
  if (problem !== undefined) await line(`  ${problem}`);
  for (const file of files) await printFile(line, file);
}

async function printFile(line: (text: string) => Promise<void>, file: FileReport): Promise<void> {
  await line(`  ${file.path}${file.exists ? '' : ' (not there yet)'}`);
  if (file.problem !== undefined) await line(`    ${file.problem}`);
  for (const [server, state] of Object.entries(file.entries)) await line(`    ${server}: ${WORDS[state]}`);
  for (const server of file.leftOver) await line(`    ${server}: ours, for a server that is no longer in the list`);
}
