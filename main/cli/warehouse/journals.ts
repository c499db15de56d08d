import { CausewayError } from '../../platform/errors.ts';
import type { Journal } from '../../warehouses/bulk/journal.ts';
import { journalFolder, journalIds, openJournal } from '../../warehouses/bulk/journal-file.ts';
import type { CommandContext } from '../command.ts';
import { printable, writeJson, writeLine } from '../terminal.ts';

/** `causeway warehouse journals`: what imports on this computer have changed, the newest first. */
export async function listJournals({ env, stdout, stderr }: CommandContext, json: boolean): Promise<void> {
  const read = [];
  for (const id of await journalIds(env)) {
    const journal = await openJournal(env, id).catch((error: unknown) => {
      if (error instanceof CausewayError) return { id, problem: error.message };
      throw error;
    });
    read.push(journal);
  }
  if (json) return writeJson(stdout, read.map(asJson));
  for (const journal of read) await writeLine(stdout, printable(describe(journal)));
  await writeLine(
    stderr,
    read.length === 0 ? 'No import was carried out on this computer.' : `In ${journalFolder(env)}.`,
  );
}

type Listed = Journal | { id: string; problem: string };

function asJson(journal: Listed): unknown {
  if ('problem' in journal) return journal;
  const { id, kind, host, source, sha256, runs, isComplete } = journal;
  return { id, kind, host, source, sha256, runs, isComplete, changes: journal.changes.length, made: madeIn(journal) };
}

function describe(journal: Listed): string {
  if ('problem' in journal) return [journal.id, `! ${journal.problem}`].join('  ');
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
