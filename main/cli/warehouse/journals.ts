import { CausewayError } from '../../platform/errors.ts';
import type { Journal } from '../../warehouses/bulk/journal.ts';
import { journalFolder, journalIds, openJournal } from '../../warehouses/bulk/journal-file.ts';
import type { Answer } from '../answers/answers.ts';
import type { CommandContext } from '../command.ts';
import { jsonFailure } from '../failure.ts';
import { printable, writeAnswer, writeLine, writeNotice } from '../terminal.ts';

/** `causeway warehouse journals`: what imports on this computer have changed, the newest first. */
export async function listJournals(context: CommandContext, json: boolean): Promise<void> {
  const { env, stdout } = context;
  const read: Listed[] = [];
  for (const id of await journalIds(env)) {
    const journal = await openJournal(env, id).catch((error: unknown) => {
      if (error instanceof CausewayError) return { id, error };
      throw error;
    });
    read.push(journal);
  }
  if (json) return writeAnswer(context, 'warehouse journals', { journals: read.map(asJson) });
  for (const journal of read) await writeLine(stdout, printable(describe(journal)));
  await writeNotice(
    context,
    read.length === 0 ? 'No import was carried out on this computer.' : `In ${journalFolder(env)}.`,
  );
}

type Listed = Journal | { id: string; error: CausewayError };

function asJson(journal: Listed): Answer<'warehouse journals'>['journals'][number] {
  const { id } = journal;
  if ('error' in journal) {
    const unknown = { kind: null, host: null, source: null, sha256: null, isComplete: null, changes: null, made: null };
    return { id, ...unknown, runs: [], error: jsonFailure(journal.error) };
  }
  const { kind, host, source, sha256, runs, isComplete } = journal;
  const counts = { changes: journal.changes.length, made: madeIn(journal) };
  return { id, kind, host, source, sha256, runs, isComplete, ...counts, error: null };
}

function describe(journal: Listed): string {
  if ('error' in journal) return [journal.id, `! ${journal.error.message}`].join('  ');
  const { id, kind, host, source, runs, isComplete } = journal;
  const last = runs.at(-1);
  const what = kind === 'undo' ? `undo of ${source}` : source;
  const how = `${madeIn(journal)} changed${isComplete ? '' : ', not finished'}`;
  const whose = last?.admin.userName || last?.admin.id || 'an unknown user';
  return [id, what, how, `in ${host} as ${whose}`].join('  ');
}

/** How many users' overrides were changed for certain. */
function madeIn({ changes }: Journal): number {
  return new Set(changes.flatMap(({ made, userId }) => (made === 'yes' ? [userId] : []))).size;
}
