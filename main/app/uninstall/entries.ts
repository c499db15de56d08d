import type { ChangeOutcome } from '../../clients/outcome.ts';
import type { ClientsService } from '../../clients/service.ts';
import type { Removal } from './step.ts';

export interface EntryOptions {
  dryRun: boolean;
  /** Also in the file of a client that runs now, and may write its old content again. */
  evenRunning: boolean;
}

/** Our entries in the files of every AI client, those of known projects too; no one else's. */
export async function removeEntries(
  clients: ClientsService,
  { dryRun, evenRunning }: EntryOptions,
): Promise<Removal[]> {
  const removals: Removal[] = [];
  for (const project of [undefined, ...(await clients.projects())]) {
    const names = await clients.ownNames([], project);
    if (names.length === 0) continue;
    const choice = { dryRun, project, evenShared: true, whileRunning: evenRunning };
    // Of a project, the clients whose files have entries of ours: others have no file there.
    const outcomes = await clients.remove([], names, choice);
    removals.push(...outcomes.filter(({ result }) => result !== 'unchanged').map(asRemoval));
  }
  if (!dryRun) return removals;
  const running = new Set(await clients.runningClients());
  return removals.map((removal) => {
    const client = [...running].find((id) => removal.what.startsWith(`${clients.client(id).name}: `));
    return client === undefined || evenRunning
      ? removal
      : { ...removal, isRunning: true, note: 'It is running: quit it first.' };
  });
}

function asRemoval({ name, file, result, error }: ChangeOutcome): Removal {
  const what = `${name}: ${file ?? 'its files'}`;
  if (error) return { kind: 'entries', what, result: 'failed', error };
  return { kind: 'entries', what, result: result === 'written' ? 'removed' : 'would-remove' };
}
