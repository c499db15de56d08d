import { existsSync } from 'node:fs';
import { ALL_CALLS } from '../../../preload/contract/all-calls.ts';
import { counted } from '../../../preload/contract/words/count.ts';
import { type DeletedCalls, deleteCalls } from '../../activity/delete-calls.ts';
import { ActivityStore, activityFile } from '../../activity/store.ts';
import { StoreReader } from '../../activity/store-reader.ts';
import { displayNameOf } from '../../clients/table.ts';
import { CausewayError } from '../../platform/errors.ts';
import { didYouMean, similarNames } from '../../platform/similar-names.ts';
import type { CommandContext } from '../command.ts';
import { agreeOrCancel } from '../question.ts';
import { writeAnswer, writeDone } from '../terminal.ts';
import { dayIn } from './choice.ts';

export interface DeleteOptions {
  day?: string;
  client?: string;
  all?: boolean;
  yes?: boolean;
  json?: boolean;
}

/** How long a write of another process is waited for, in milliseconds. */
const BUSY_MS = 5_000;

/** `causeway activity delete`: deletes the kept calls of a day, of an AI client, or all. */
export async function deleteActivity(context: CommandContext, options: DeleteOptions): Promise<void> {
  const which = wanted(options);
  const path = activityFile(context.env);
  const answer = async (deleted: number) => {
    if (options.json) return writeAnswer(context, 'activity delete', { deleted });
    await writeDone(context, deleted === 0 ? 'There was nothing to delete.' : `${counted(deleted, 'call')} deleted.`);
  };
  if (!existsSync(path)) return answer(0);
  const store = await ActivityStore.open(path, { busyMs: BUSY_MS });
  try {
    const reader = new StoreReader(path, store.database, displayNameOf);
    const chosen = { ...which, client: clientIn(which.client, reader.summary().clients) };
    const { total } = reader.page({ filter: { ...ALL_CALLS, ...chosen }, upTo: null }, 0, 0);
    await agreeOrCancel(context, question(total, chosen), options.yes);
    await answer(await deleteCalls(store, reader, chosen));
  } finally {
    store.close();
  }
}

/** @throws {CausewayError} `usage` */
function wanted({ day, client, all }: DeleteOptions): DeletedCalls {
  const isSome = day !== undefined || client !== undefined;
  if (all === true ? !isSome : isSome) return { day: day === undefined ? null : dayIn(day), client: client ?? null };
  throw new CausewayError('usage', all ? '--all stands alone.' : 'It is not said what to delete.', {
    remedy: 'Give --day, --client or both, or --all alone.',
  });
}

/** The display name that is meant. @throws {CausewayError} `usage` if none of the kept calls has it */
function clientIn(text: string | null, names: readonly string[]): string | null {
  if (text === null) return null;
  const wanted = displayNameOf(text);
  const found = names.find((name) => name.toLowerCase() === wanted.toLowerCase());
  if (found !== undefined) return found;
  throw new CausewayError('usage', `No kept call is of the AI client "${text}".`, {
    remedy: didYouMean(similarNames(text, names)) ?? '`causeway activity` shows which clients have made calls.',
    candidates: names.map((name) => ({ name })),
  });
}

function question(total: number, { day, client }: DeletedCalls): string {
  const what = [client === null ? '' : ` of ${client}`, day === null ? '' : ` of ${day}`].join('');
  const which = what === '' ? 'All kept calls' : `The kept calls${what}`;
  return `${which} will be deleted (${counted(total, 'call')}). Delete them?`;
}
